// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/file_run_dialog.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/visible_text.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/wrapped.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int fileRunWidth = 600;
constexpr int wholeRun = 1000;
constexpr qsizetype shortRemarks = 240; // characters that a banner takes without hiding the rest

} // namespace

FileRunDialog::FileRunDialog(const Theme& theme, Words words, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_words(std::move(words))
    , m_layout(new QVBoxLayout(this))
    , m_file(new QLineEdit(this))
    , m_note(new PlainLabel(this))
    , m_progress(new QProgressBar(this))
    , m_banner(new ErrorBanner(theme, this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_act(new QPushButton(m_words.act, this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(m_words.title);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->hide();
    m_file->setObjectName(QStringLiteral("file"));
    m_act->setObjectName(QStringLiteral("act"));
    setKind(m_act, "primary");
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    title->setWordWrap(true);
    m_layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    m_layout->setSpacing(space::small);
    m_layout->addWidget(title);
    setFixedWidth(fileRunWidth);
}

FileRunDialog::~FileRunDialog() = default;

void FileRunDialog::addField(const QString& name, QWidget* field, QPushButton* button)
{
    if (!name.isEmpty()) {
        auto* label = new PlainLabel(name, this);
        label->setBuddy(field);
        setTone(label, "muted");
        field->setAccessibleName(name);
        m_layout->addWidget(label);
    }
    m_fields += field;
    if (!button)
        return m_layout->addWidget(field);
    auto* line = new QHBoxLayout;
    line->addWidget(field, 1);
    line->addWidget(button, 0, Qt::AlignTop);
    button->setAutoDefault(false);
    m_layout->addLayout(line);
    m_fields += button;
}

void FileRunDialog::addWidget(QWidget* widget)
{
    if (auto* label = qobject_cast<QLabel*>(widget))
        wrapWithin(*label, fileRunWidth - 2 * space::huge);
    m_layout->addWidget(widget);
}

void FileRunDialog::addFile(const Offer& offer)
{
    const auto at = QDateTime::fromMSecsSinceEpoch(microsOf(offer.at) / 1000, Qt::UTC);
    auto* choose = new QPushButton(tr("Choose…"), this);
    choose->setAccessibleName(tr("Choose the file"));
    addField(tr("File"), m_file, choose);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_act);
    m_layout->addWidget(m_progress);
    m_layout->addWidget(m_note);
    m_layout->addWidget(m_banner);
    m_layout->addLayout(buttons);
    m_act->setDefault(true);
    m_cancel->setAutoDefault(false);
    m_banner->clear();
    m_file->setText(QStringLiteral("%1/%2-%3.%4.db")
                        .arg(offer.folder, QString(offer.name).replace(u'/', u'-'),
                            at.toString(QStringLiteral("yyyyMMdd'T'HHmmss'Z'")), offer.kind));
    connect(m_file, &QLineEdit::textChanged, this, &FileRunDialog::showFile);
    connect(choose, &QPushButton::clicked, this, &FileRunDialog::chooseFile);
    connect(m_cancel, &QPushButton::clicked, this, &FileRunDialog::reject);
    connect(m_act, &QPushButton::clicked, this, &FileRunDialog::act);
    connect(m_banner, &ErrorBanner::accepted, this,
        [this] { (new TextDialog(m_theme, windowTitle(), m_remarks.join(QStringLiteral("\n\n")), this))->open(); });
    showFile();
    m_fields.front()->setFocus();
}

QString FileRunDialog::path() const
{
    return m_file->text().trimmed();
}

bool FileRunDialog::replaces() const
{
    return QFileInfo(path()).isFile();
}

void FileRunDialog::setReady(bool ready)
{
    m_ready = ready;
    showFile();
}

void FileRunDialog::chooseFile()
{
    auto* chooser = newFileChooser(this, windowTitle());
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setOption(QFileDialog::DontConfirmOverwrite); // asked by the button
    chooser->setDefaultSuffix(QStringLiteral("db"));
    chooser->selectFile(m_file->text());
    connect(chooser, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    chooser->open();
}

void FileRunDialog::tell(const QString& sentence, const char* tone)
{
    m_note->setText(sentence);
    m_note->setMinimumHeight(0);
    wrapWithin(*m_note, fileRunWidth - 2 * space::huge);
    setTone(m_note, tone);
}

// A layout that is asked for its size alone takes wrapped text to be wider than the dialog.
void FileRunDialog::fit()
{
    m_layout->activate();
    resize(fileRunWidth, m_layout->totalHeightForWidth(fileRunWidth));
}

void FileRunDialog::showFile()
{
    if (m_running || m_made)
        return;
    m_act->setEnabled(m_ready && !path().isEmpty());
    m_act->setText(replaces() ? tr("Replace file") : m_words.act);
    tell(replaces() ? tr("A file of this name is there already, and would be replaced.") : m_words.promise,
        replaces() ? "warning" : "muted");
    fit();
}

void FileRunDialog::act()
{
    if (m_made) {
        Q_EMIT openAsked(path());
        return accept();
    }
    m_banner->clear();
    setRunning(true);
    if (const auto begun = begin(); !begun)
        fail(begun.error());
}

void FileRunDialog::setFieldsEnabled(bool enabled)
{
    for (auto* field : m_fields)
        field->setEnabled(enabled);
}

void FileRunDialog::setRunning(bool running)
{
    m_running = running;
    setFieldsEnabled(!running);
    m_act->setEnabled(!running);
    m_progress->setRange(0, 0);
    m_progress->setVisible(running);
    m_cancel->setText(running ? tr("Stop") : tr("Cancel"));
    fit();
}

void FileRunDialog::showProgress(const QString& sentence, qint64 done, qint64 whole)
{
    m_progress->setRange(0, done < whole ? wholeRun : 0);
    if (done < whole)
        m_progress->setValue(static_cast<int>(done * wholeRun / whole));
    tell(sentence, "muted");
}

void FileRunDialog::finish(const QString& sentence, const QString& note, const std::vector<std::string>& remarks)
{
    setRunning(false);
    setFieldsEnabled(false);
    m_made = true;
    m_act->setText(tr("Open it"));
    m_act->setEnabled(true);
    m_cancel->setText(tr("Close"));
    m_cancel->setFocus();
    tell(note, "good");
    for (const auto& remark : remarks)
        m_remarks += withStop(models::visibleText(remark));
    const auto all = m_remarks.join(u' ');
    if (all.size() > shortRemarks)
        m_banner->tell("warning",
            tr("This file keeps %1 about itself.").arg(counted(m_remarks.size(), tr("remark"), tr("remarks"))),
            tr("Read them"));
    else if (!all.isEmpty())
        m_banner->tell("warning", all);
    fit();
    Q_EMIT made(sentence);
}

void FileRunDialog::fail(const Error& error)
{
    setRunning(false);
    showFile();
    m_banner->report(m_words.attempt, error);
    fit();
}

// While it runs this stops it, and the dialog stays to begin anew.
void FileRunDialog::reject()
{
    if (!m_running)
        return QDialog::reject();
    stop();
    setRunning(false);
    showFile();
    tell(m_words.stopped, "warning");
    fit();
}

} // namespace fencepost::ui
