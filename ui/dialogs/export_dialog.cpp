// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"

#include <algorithm>

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/field_list.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/wrapped.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int exportWidth = 560;
constexpr int wholeBar = 1000;

} // namespace

ExportDialog::ExportDialog(const Theme& theme, models::StoreThread& reads, What what, QWidget* parent)
    : QDialog(parent)
    , m_reads(reads)
    , m_what(std::move(what))
    , m_format(new QComboBox(this))
    , m_file(new QLineEdit(this))
    , m_choose(new QPushButton(tr("Choose…"), this))
    , m_note(new PlainLabel(this))
    , m_progress(new QProgressBar(this))
    , m_banner(new ErrorBanner(theme, this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_export(new QPushButton(tr("Export"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(m_what.title);
    for (const auto& entry : models::exportFormats())
        m_format->addItem(tr(entry.title));
    m_format->setAccessibleName(tr("Format"));
    m_file->setAccessibleName(tr("File"));
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->hide();
    setKind(m_export, "primary");
    m_export->setObjectName(QStringLiteral("export"));
    build(theme);
    m_banner->clear();
    m_file->setText(
        QStringLiteral("%1/%2.%3")
            .arg(m_what.folder, text(m_what.request.binding.name).replace(u'/', u'-'), QLatin1String(format().suffix)));
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::chooseFormat);
    connect(m_file, &QLineEdit::textChanged, this, &ExportDialog::showFile);
    connect(m_choose, &QPushButton::clicked, this, &ExportDialog::chooseFile);
    connect(m_cancel, &QPushButton::clicked, this, &ExportDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::begin);
    showFile();
    m_format->setFocus();
}

void ExportDialog::build(const Theme& theme)
{
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    auto* facts = new FieldList(theme, this);
    facts->setLines({ { tr("Table"), text(m_what.request.binding.name), {}, true, nullptr },
        { tr("Filter"), m_what.filter, {}, true, nullptr }, { tr("Rows"), m_what.rows, {}, false, nullptr },
        { tr("Order"), m_what.order, {}, false, nullptr }, { tr("Columns"), m_what.columns, {}, false, nullptr } });
    auto* formatName = new PlainLabel(tr("Format"), this);
    formatName->setBuddy(m_format);
    setTone(formatName, "muted");
    auto* fileName = new PlainLabel(tr("File"), this);
    fileName->setBuddy(m_file);
    setTone(fileName, "muted");
    auto* file = new QHBoxLayout;
    file->addWidget(m_file, 1);
    file->addWidget(m_choose);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_export);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    layout->setSpacing(space::small);
    layout->addWidget(title);
    layout->addWidget(facts);
    layout->addWidget(formatName);
    layout->addWidget(m_format);
    layout->addWidget(fileName);
    layout->addLayout(file);
    layout->addWidget(m_progress);
    layout->addWidget(m_note);
    layout->addWidget(m_banner);
    layout->addLayout(buttons);
    setFixedWidth(exportWidth);
    m_export->setDefault(true);
    m_cancel->setAutoDefault(false);
    m_choose->setAutoDefault(false);
}

const models::ExportFormatEntry& ExportDialog::format() const
{
    return models::exportFormats()[static_cast<std::size_t>(std::max(m_format->currentIndex(), 0))];
}

// A suffix of somebody's own stays.
void ExportDialog::chooseFormat()
{
    const QFileInfo file(m_file->text());
    const auto formats = models::exportFormats();
    const bool usual = std::any_of(formats.begin(), formats.end(),
        [&](const auto& entry) { return file.suffix() == QLatin1String(entry.suffix); });
    if (usual)
        m_file->setText(m_file->text().chopped(file.suffix().size()) + QLatin1String(format().suffix));
    showFile();
}

void ExportDialog::chooseFile()
{
    auto* chooser = newFileChooser(this, m_what.title);
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setOption(QFileDialog::DontConfirmOverwrite); // asked by the button
    chooser->setDefaultSuffix(QLatin1String(format().suffix));
    chooser->selectFile(m_file->text());
    connect(chooser, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    chooser->open();
}

void ExportDialog::tell(const QString& sentence, const char* tone)
{
    m_note->setText(sentence);
    m_note->setMinimumHeight(0);
    wrapWithin(*m_note, exportWidth - 2 * space::huge);
    setTone(m_note, tone);
}

void ExportDialog::showFile()
{
    const auto path = m_file->text().trimmed();
    const bool taken = QFileInfo(path).isFile();
    m_export->setEnabled(!path.isEmpty());
    m_export->setText(taken ? tr("Replace file") : tr("Export"));
    tell(taken ? tr("A file of this name is there already, and would be replaced.")
               : tr("What is hidden here stays hidden in the file. It gets its name when it is whole."),
        taken ? "warning" : "muted");
}

void ExportDialog::begin()
{
    using Existing = models::ExportFile::Existing;
    m_banner->clear();
    auto request = m_what.request;
    request.format = format().format;
    if (request.format == models::ExportFormat::JsonLines)
        request.columns.clear();
    auto rows = models::RowExport::create(std::move(request));
    if (!rows)
        return fail(rows.error());
    const auto path = m_file->text().trimmed().toStdString();
    const bool replaced = m_export->text() == tr("Replace file");
    auto file = models::ExportFile::create(path, replaced ? Existing::Replace : Existing::Refuse);
    if (!file)
        return fail(file.error());
    m_run = new models::ExportRun(m_reads, std::move(*rows), std::move(*file), this);
    connect(m_run, &models::ExportRun::progressed, this, &ExportDialog::showProgress);
    connect(m_run, &models::ExportRun::finished, this, &ExportDialog::finish);
    connect(m_run, &models::ExportRun::failed, this, &ExportDialog::fail);
    setRunning(true);
    m_progress->setRange(0, m_what.expected > 0 ? wholeBar : 0);
    m_progress->setValue(0);
    tell(tr("Reading the first rows…"), "muted");
    m_run->start();
}

void ExportDialog::setRunning(bool running)
{
    for (QWidget* field : std::initializer_list<QWidget*>{ m_format, m_file, m_choose, m_export })
        field->setEnabled(!running);
    m_progress->setVisible(running);
    m_cancel->setText(running ? tr("Stop") : tr("Cancel"));
    adjustSize();
}

void ExportDialog::showProgress(const models::ExportProgress& progress)
{
    if (m_what.expected > 0)
        m_progress->setValue(static_cast<int>(std::min(progress.rows, m_what.expected) * wholeBar / m_what.expected));
    tell(tr("%1 rows are written").arg(numberText(progress.rows)), "muted");
}

void ExportDialog::finish(const models::ExportProgress& progress)
{
    m_run->deleteLater();
    m_run = nullptr;
    setRunning(false);
    for (QWidget* field : std::initializer_list<QWidget*>{ m_format, m_file, m_choose })
        field->setEnabled(false);
    m_export->hide();
    m_cancel->setText(tr("Close"));
    m_cancel->setFocus();
    const auto count = progress.rows == 1 ? tr("1 row") : tr("%1 rows").arg(numberText(progress.rows));
    const auto sentence =
        tr("%1 of %2 were exported to %3").arg(count, text(m_what.request.binding.name), m_file->text().trimmed());
    tell(tr("%1, read between %2 and %3 by the database's clock. A row that changed meanwhile may be there in either "
            "state.")
             .arg(sentence, text(formatInstant(progress.began)), text(formatInstant(progress.ended))),
        "good");
    adjustSize();
    Q_EMIT exported(sentence);
}

void ExportDialog::fail(const Error& error)
{
    if (m_run)
        m_run->deleteLater();
    m_run = nullptr;
    setRunning(false);
    showFile();
    m_banner->report(tr("export the rows"), error);
    adjustSize();
}

// While it runs this stops it, and the dialog stays to begin anew.
void ExportDialog::reject()
{
    if (!m_run)
        return QDialog::reject();
    m_run->stop();
    m_run->deleteLater();
    m_run = nullptr;
    setRunning(false);
    showFile();
    tell(tr("The export was stopped, and no file was written."), "warning");
    adjustSize();
}

} // namespace fencepost::ui
