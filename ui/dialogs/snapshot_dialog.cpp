// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/snapshot_dialog.h"

#include <QComboBox>
#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/operator.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/wrapped.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int snapshotWidth = 600;
constexpr int partOfFilter = 1; // beside everything
constexpr int rulesOfFile = 1; // beside those of the console
constexpr qint64 largestRules = 1 << 20;

Result<RedactionRules> rulesIn(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ Failure::NotFound, "The rules cannot be read: " + file.errorString().toStdString(),
            path.toStdString(), {} };
    if (file.size() > largestRules)
        return Error{ Failure::Invalid, "Rules are no longer than 1 MiB", path.toStdString(), {} };
    const auto text = file.readAll();
    return parseRedactionRules(
        std::string_view(text.constData(), static_cast<std::size_t>(text.size())), path.toStdString());
}

} // namespace

SnapshotDialog::SnapshotDialog(const Theme& theme, models::Session& session,
    std::shared_ptr<const models::Snapshots> snapshots, What what, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_snapshots(std::move(snapshots))
    , m_what(std::move(what))
    , m_part(new QComboBox(this))
    , m_rules(new QComboBox(this))
    , m_rulesFile(new QLineEdit(this))
    , m_chooseRules(new QPushButton(tr("Choose…"), this))
    , m_file(new QLineEdit(this))
    , m_chooseFile(new QPushButton(tr("Choose…"), this))
    , m_note(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_banner(new ErrorBanner(theme, this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_take(new QPushButton(tr("Take snapshot"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Take a snapshot of %1").arg(m_what.connection));
    m_part->addItem(tr("All rows of all tables"));
    if (!m_what.filter.isEmpty())
        m_part->addItem(tr("What the filter finds in %1, with what hangs on it").arg(m_what.binding));
    m_part->setObjectName(QStringLiteral("part"));
    m_rules->addItems({ tr("What the console hides"), tr("What the rules of a file say") });
    m_rules->setObjectName(QStringLiteral("rules"));
    m_rulesFile->setObjectName(QStringLiteral("rules-file"));
    m_rulesFile->setPlaceholderText(tr("A JSON file of rules"));
    m_file->setObjectName(QStringLiteral("file"));
    m_note->setTextFormat(Qt::PlainText);
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 0);
    m_progress->hide();
    setKind(m_take, "primary");
    m_take->setObjectName(QStringLiteral("take"));
    for (const auto& [widget, name] : std::initializer_list<std::pair<QWidget*, QString>>{ { m_part, tr("Rows") },
             { m_rules, tr("Hidden") }, { m_rulesFile, tr("Rules") }, { m_chooseRules, tr("Choose the rules") },
             { m_file, tr("File") }, { m_chooseFile, tr("Choose the file") }, { m_progress, tr("Progress") } })
        widget->setAccessibleName(name);
    build(theme);
    m_banner->clear();
    const auto day = QDateTime::fromMSecsSinceEpoch(microsOf(session.databaseNow()) / 1000, Qt::UTC);
    m_file->setText(QStringLiteral("%1/%2-%3.snapshot.db")
                        .arg(m_what.folder, QString(m_what.connection).replace(u'/', u'-'),
                            day.toString(QStringLiteral("yyyyMMdd'T'HHmmss'Z'"))));
    connect(m_file, &QLineEdit::textChanged, this, &SnapshotDialog::showFile);
    connect(m_rules, &QComboBox::currentIndexChanged, this, &SnapshotDialog::showFile);
    connect(m_chooseFile, &QPushButton::clicked, this, &SnapshotDialog::chooseFile);
    connect(m_chooseRules, &QPushButton::clicked, this, &SnapshotDialog::chooseRules);
    connect(m_cancel, &QPushButton::clicked, this, &SnapshotDialog::reject);
    connect(m_take, &QPushButton::clicked, this, [this] {
        if (!m_taken)
            return begin();
        Q_EMIT openAsked(path());
        accept();
    });
    showFile();
    m_part->setFocus();
}

SnapshotDialog::~SnapshotDialog()
{
    if (m_run)
        m_run->stop();
}

QLabel* SnapshotDialog::nameOf(const QString& words, QWidget* field)
{
    auto* name = new QLabel(words, this);
    name->setBuddy(field);
    setTone(name, "muted");
    return name;
}

QHBoxLayout* SnapshotDialog::lineOf(QWidget* field, QPushButton* button)
{
    auto* line = new QHBoxLayout;
    line->addWidget(field, 1);
    line->addWidget(button);
    button->setAutoDefault(false);
    return line;
}

void SnapshotDialog::build(const Theme& theme)
{
    auto* title = new QLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    title->setTextFormat(Qt::PlainText);
    title->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_take);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    layout->setSpacing(space::small);
    layout->addWidget(title);
    layout->addWidget(nameOf(tr("Rows"), m_part));
    layout->addWidget(m_part);
    if (!m_what.filter.isEmpty()) {
        auto* filter = new QLabel(m_what.filter, this);
        filter->setTextFormat(Qt::PlainText);
        filter->setFont(theme.font(Text::Mono));
        wrapWithin(*filter, snapshotWidth - 2 * space::huge);
        layout->addWidget(filter);
        connect(m_part, &QComboBox::currentIndexChanged, filter,
            [filter](int part) { filter->setEnabled(part == partOfFilter); });
        m_part->setCurrentIndex(partOfFilter);
    }
    layout->addWidget(nameOf(tr("Hidden"), m_rules));
    layout->addWidget(m_rules);
    layout->addLayout(lineOf(m_rulesFile, m_chooseRules));
    layout->addWidget(nameOf(tr("File"), m_file));
    layout->addLayout(lineOf(m_file, m_chooseFile));
    layout->addWidget(m_progress);
    layout->addWidget(m_note);
    layout->addWidget(m_banner);
    layout->addLayout(buttons);
    setFixedWidth(snapshotWidth);
    m_take->setDefault(true);
    m_cancel->setAutoDefault(false);
}

QString SnapshotDialog::path() const
{
    return m_file->text().trimmed();
}

void SnapshotDialog::chooseFile()
{
    auto* chooser = new QFileDialog(this, windowTitle());
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setOption(QFileDialog::DontConfirmOverwrite); // asked by the button
    chooser->setDefaultSuffix(QStringLiteral("db"));
    chooser->selectFile(m_file->text());
    connect(chooser, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    chooser->open();
}

void SnapshotDialog::chooseRules()
{
    auto* chooser = new QFileDialog(this, tr("Rules of what is hidden"));
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({ tr("Rules (*.json)"), tr("All files (*)") });
    connect(chooser, &QFileDialog::fileSelected, m_rulesFile, &QLineEdit::setText);
    chooser->open();
}

void SnapshotDialog::tell(const QString& sentence, const char* tone)
{
    m_note->setText(sentence);
    m_note->setMinimumHeight(0);
    wrapWithin(*m_note, snapshotWidth - 2 * space::huge);
    setTone(m_note, tone);
}

void SnapshotDialog::showFile()
{
    const bool ownRules = m_rules->currentIndex() == rulesOfFile;
    m_rulesFile->setVisible(ownRules);
    m_chooseRules->setVisible(ownRules);
    const bool taken = QFileInfo(path()).isFile();
    m_take->setEnabled(!path().isEmpty());
    m_take->setText(taken ? tr("Replace file") : tr("Take snapshot"));
    tell(taken ? tr("A file of this name is there already, and would be replaced.")
               : tr("One file that is sealed, so that a later change shows, and that the console opens without a "
                    "network. It gets its name when it is whole."),
        taken ? "warning" : "muted");
    adjustSize();
}

Result<SnapshotRequest> SnapshotDialog::request() const
{
    SnapshotRequest request;
    request.path = path().toStdString();
    request.replace = QFileInfo(path()).isFile();
    request.actor = models::actorName();
    request.program = "fencepost " FENCEPOST_VERSION;
    if (m_part->currentIndex() == partOfFilter) {
        auto filter = parseFilter(m_what.filter.toStdString());
        if (!filter)
            return filter.error();
        request.filterText = m_what.filter.toStdString();
        request.filter = *filter;
        request.binding = m_what.binding.toStdString();
    }
    if (m_rules->currentIndex() == rulesOfFile) {
        auto rules = rulesIn(m_rulesFile->text().trimmed());
        if (!rules)
            return rules.error();
        request.rules = std::move(*rules);
    }
    return request;
}

void SnapshotDialog::begin()
{
    m_banner->clear();
    auto wanted = request();
    if (!wanted)
        return fail(wanted.error());
    m_run = new models::SnapshotRun(
        m_session.openLongReads(), m_snapshots, std::move(*wanted), m_session.clock(), &m_session);
    connect(m_run, &models::SnapshotRun::progressed, this, &SnapshotDialog::showProgress);
    connect(m_run, &models::SnapshotRun::finished, this, &SnapshotDialog::finish);
    connect(m_run, &models::SnapshotRun::failed, this, &SnapshotDialog::fail);
    setRunning(true);
    tell(tr("Connecting once more, so that the pages go on reading…"), "muted");
    m_run->start();
}

void SnapshotDialog::setRunning(bool running)
{
    for (QWidget* field :
        std::initializer_list<QWidget*>{ m_part, m_rules, m_rulesFile, m_chooseRules, m_file, m_chooseFile, m_take })
        field->setEnabled(!running);
    m_progress->setVisible(running);
    m_cancel->setText(running ? tr("Stop") : tr("Cancel"));
    adjustSize();
}

void SnapshotDialog::showProgress(const QString& table, qint64 rows)
{
    if (!table.isEmpty())
        tell(tr("%1 are read, now of %2").arg(counted(rows, tr("row"), tr("rows")), table), "muted");
}

void SnapshotDialog::finish(const SnapshotManifest& manifest)
{
    m_run = nullptr;
    setRunning(false);
    for (QWidget* field :
        std::initializer_list<QWidget*>{ m_part, m_rules, m_rulesFile, m_chooseRules, m_file, m_chooseFile })
        field->setEnabled(false);
    m_taken = true;
    m_take->setText(tr("Open it"));
    m_cancel->setText(tr("Close"));
    m_cancel->setFocus();
    std::int64_t rows = 0;
    for (const auto& table : manifest.tables)
        rows += table.rows;
    const auto sentence =
        tr("%1 of %2 are in %3")
            .arg(counted(rows, tr("row"), tr("rows")), models::visibleText(manifest.location), path());
    tell(tr("%1, as of %2 by the database's clock, sealed.").arg(sentence, text(formatInstant(manifest.takenAt))),
        "good");
    if (!manifest.warnings.empty()) {
        QStringList warnings;
        for (const auto& warning : manifest.warnings)
            warnings += models::visibleText(warning);
        m_banner->tell("warning", warnings.join(QStringLiteral(". ")));
    }
    adjustSize();
    Q_EMIT taken(sentence);
}

void SnapshotDialog::fail(const Error& error)
{
    m_run = nullptr;
    setRunning(false);
    showFile();
    m_banner->report(tr("take the snapshot"), error);
    adjustSize();
}

// While it runs this stops it, and the dialog stays to begin anew.
void SnapshotDialog::reject()
{
    if (!m_run)
        return QDialog::reject();
    m_run->stop();
    m_run = nullptr;
    setRunning(false);
    showFile();
    tell(tr("The snapshot was stopped, and no file is left of it."), "warning");
    adjustSize();
}

} // namespace fencepost::ui
