// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/import_dialog.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

#include "core/clock.h"
#include "models/operator.h"
#include "models/visible_text.h"
#include "ui/dialogs/rules_field.h"
#include "ui/theme.h"
#include "ui/widgets/file_chooser.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int timeThatIsSaid = 1; // beside that of each file
constexpr int shownLogs = 4;

QString leftOutInWords(const std::vector<LeftOutLine>& lines)
{
    QStringList words;
    for (const auto& line : lines)
        words += ImportDialog::tr("%1 line %2: %3")
                     .arg(models::visibleText(line.file), numberText(line.line), models::visibleText(line.reason));
    return words.join(QStringLiteral("; "));
}

// What the file has, by the tables that a log can fill.
QString heldInWords(const SnapshotManifest& manifest)
{
    std::int64_t keys = 0;
    std::int64_t events = 0;
    for (const auto& table : manifest.tables) {
        keys += table.name == "idempotency_records" ? table.rows : 0;
        events += table.name == "inbox_messages" ? table.rows : 0;
    }
    QStringList words;
    if (keys > 0 || events == 0)
        words += counted(keys, ImportDialog::tr("key"), ImportDialog::tr("keys"));
    if (events > 0)
        words += counted(events, ImportDialog::tr("event"), ImportDialog::tr("events"));
    return words.join(ImportDialog::tr(" and "));
}

} // namespace

ImportDialog::ImportDialog(
    const Theme& theme, std::shared_ptr<const models::Snapshots> snapshots, const QString& folder, QWidget* parent)
    : FileRunDialog(theme,
        { .title = tr("Import logs"),
            .act = tr("Import"),
            .attempt = tr("import the logs"),
            .promise =
                tr("One sealed file that every page reads like a snapshot. Lines of JSON, and the playbook's retry "
                   "logs, replay outcomes and inboxes in CSV, become one history."),
            .stopped = tr("The import was stopped, and no file is left of it.") },
        parent)
    , m_snapshots(std::move(snapshots))
    , m_logs(new QPlainTextEdit(this))
    , m_time(new QComboBox(this))
    , m_at(new QLineEdit(this))
    , m_rules(new RulesField(this))
{
    m_logs->setObjectName(QStringLiteral("logs"));
    m_logs->setPlaceholderText(tr("Logs of any of the kinds named below, one file on each line"));
    m_logs->setTabChangesFocus(true);
    m_logs->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_logs->setFixedHeight((shownLogs + 1) * m_logs->fontMetrics().lineSpacing());
    auto* choose = new QPushButton(tr("Add…"), this);
    choose->setObjectName(QStringLiteral("add"));
    choose->setAccessibleName(tr("Add logs"));
    m_time->addItems({ tr("When the file was last changed"), tr("An instant that I know") });
    m_time->setObjectName(QStringLiteral("time"));
    m_at->setObjectName(QStringLiteral("at"));
    m_at->setAccessibleName(tr("Instant"));
    m_at->setPlaceholderText(QStringLiteral("2026-11-20T23:45:47Z"));
    m_at->hide();
    addField(tr("Logs"), m_logs, choose);
    addField(tr("Time of retry logs and replay outcomes, whose lines tell none"), m_time);
    addField({}, m_at);
    addField(tr("Hidden"), m_rules);
    addFile({ folder, tr("logs"), SystemClock().now(), QStringLiteral("import") });
    connect(choose, &QPushButton::clicked, this, &ImportDialog::chooseLogs);
    connect(m_logs, &QPlainTextEdit::textChanged, this, &ImportDialog::showReady);
    connect(m_time, &QComboBox::currentIndexChanged, this, &ImportDialog::showReady);
    connect(m_rules, &RulesField::changed, this, &ImportDialog::showReady);
    showReady();
}

ImportDialog::~ImportDialog()
{
    if (m_run)
        m_run->stop();
}

QStringList ImportDialog::logs() const
{
    QStringList names;
    for (const auto& line : m_logs->toPlainText().split(u'\n'))
        if (const auto name = line.trimmed(); !name.isEmpty())
            names += name;
    return names;
}

void ImportDialog::showReady()
{
    m_at->setVisible(m_time->currentIndex() == timeThatIsSaid);
    setReady(!logs().isEmpty());
}

void ImportDialog::chooseLogs()
{
    auto* chooser = newFileChooser(this, tr("Logs to import"));
    chooser->setFileMode(QFileDialog::ExistingFiles);
    chooser->setNameFilters({ tr("Logs (*.jsonl *.ndjson *.json *.log *.csv)"), tr("All files (*)") });
    connect(chooser, &QFileDialog::filesSelected, this, &ImportDialog::addLogs);
    chooser->open();
}

void ImportDialog::addLogs(const QStringList& chosen)
{
    m_logs->setPlainText((logs() + chosen).join(u'\n'));
}

Result<ImportRequest> ImportDialog::request() const
{
    ImportRequest request;
    for (const auto& name : logs())
        request.files.push_back(name.toStdString());
    request.path = path().toStdString();
    request.replace = replaces();
    request.actor = models::actorName();
    request.program = "fencepost " FENCEPOST_VERSION;
    request.now = SystemClock().now();
    if (m_time->currentIndex() == timeThatIsSaid) {
        const auto at = parseInstant(m_at->text().trimmed().toStdString());
        if (!at)
            return at.error();
        request.at = *at;
    }
    auto rules = m_rules->rules();
    if (!rules)
        return rules.error();
    request.rules = std::move(*rules);
    return request;
}

Status ImportDialog::begin()
{
    auto wanted = request();
    if (!wanted)
        return wanted.error();
    m_octets = 0;
    for (const auto& name : logs())
        m_octets += QFileInfo(name).size();
    m_run = new models::ImportRun(m_snapshots, std::move(*wanted), parent());
    connect(m_run, &models::ImportRun::progressed, this, &ImportDialog::showLines);
    connect(m_run, &models::ImportRun::finished, this, &ImportDialog::take);
    showProgress(tr("Reading the first lines…"), 0, m_octets);
    m_run->start();
    return {};
}

void ImportDialog::stop()
{
    m_run->stop();
    m_run = nullptr;
}

void ImportDialog::showLines(const ImportProgress& progress)
{
    const auto lines = counted(progress.lines, tr("line"), tr("lines"));
    if (progress.file.empty())
        return showProgress(tr("%1 are read, and what they tell is sorted and sealed…").arg(lines));
    showProgress(tr("%1 are read, now of %2").arg(lines, QFileInfo(models::visibleText(progress.file)).fileName()),
        progress.octets, m_octets);
}

void ImportDialog::take(const ImportOutcome& outcome)
{
    m_run = nullptr;
    if (!outcome.manifest) {
        auto error = outcome.manifest.error();
        if (!outcome.leftOut.empty())
            error.detail += leftOutInWords(outcome.leftOut).toStdString();
        return fail(error);
    }
    const auto& manifest = *outcome.manifest;
    std::int64_t lines = 0;
    std::int64_t leftOut = 0;
    for (const auto& file : manifest.imported) {
        lines += file.lines;
        leftOut += file.leftOut;
    }
    const auto sentence =
        tr("%1 of %2 are in %3").arg(heldInWords(manifest), counted(lines, tr("line"), tr("lines")), path());
    auto warnings = manifest.warnings;
    if (leftOut > 0)
        warnings.insert(warnings.begin(),
            tr("%1 left out: %2")
                .arg(leftOut == 1 ? tr("1 line was") : tr("%1 lines were").arg(numberText(leftOut)),
                    leftOutInWords(outcome.leftOut))
                .toStdString());
    finish(sentence, tr("%1, sealed.").arg(sentence), warnings);
}

} // namespace fencepost::ui
