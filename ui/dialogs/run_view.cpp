// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/run_view.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QProgressBar>
#include <QPushButton>

#include "models/files.h"
#include "models/plan_folder.h"
#include "models/visible_text.h"
#include "models/zone.h"
#include "ui/theme.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/pace_field.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/stage_bars.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr std::size_t listed = 1000; // rows of a report that are drawn; the copy has them all

QString stageText(const ReplayProgress& progress)
{
    const auto all = progress.all();
    return RunView::tr("stage %1 of %2 · succeeded %3 · dead again %4 · pending %5")
               .arg(progress.stage + 1)
               .arg(progress.stages.size())
               .arg(numberText(all.succeeded), numberText(all.deadAgain), numberText(all.pending))
        + (all.failing > 0 ? RunView::tr(" (%1 failing)").arg(numberText(all.failing)) : QString());
}

QString outcomeWord(ItemResult result)
{
    return text(wordOf(result)).replace(u'_', u' ');
}

} // namespace

RunView::RunView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_title(new PlainLabel(this))
    , m_summary(new PlainLabel(this))
    , m_stopped(new PlainLabel(this))
    , m_bar(new QProgressBar(this))
    , m_stages(new StageBars(theme, this))
    , m_pace(new PaceField(this))
    , m_pause(new QPushButton(tr("Pause"), this))
    , m_stop(new QPushButton(tr("Stop"), this))
    , m_copy(new QPushButton(tr("Copy report"), this))
    , m_save(new QPushButton(tr("Save report…"), this))
    , m_close(new QPushButton(tr("Close"), this))
    , m_items(new PlainTable(theme, { { tr("Key"), 240, true }, { tr("Result"), 110 }, { tr("Why"), 0 } }, this))
{
    m_title->setFont(theme.font(Text::Section));
    m_summary->setFont(theme.font(Text::Strong));
    for (auto* label : { m_title, m_summary, m_stopped })
        label->setWordWrap(true);
    m_summary->setAccessibleName(tr("Result"));
    setTone(m_stopped, "danger");
    m_stopped->hide();
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_items->setAccessibleName(tr("Result of every row"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_summary, 1);
    line->addWidget(m_pace);
    line->addWidget(m_pause);
    line->addWidget(m_stop);
    line->addWidget(m_copy);
    line->addWidget(m_save);
    line->addWidget(m_close);
    for (QWidget* later : std::initializer_list<QWidget*>{ m_copy, m_save, m_close, m_stages })
        later->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::small);
    layout->addWidget(m_title);
    layout->addWidget(m_bar);
    layout->addLayout(line);
    layout->addWidget(m_stages);
    layout->addWidget(m_stopped);
    layout->addWidget(m_items, 1);
    connect(m_pace, &PaceField::paceChosen, this, [this](std::optional<double> pace) { m_run->setPace(pace); });
    connect(m_stop, &QPushButton::clicked, this, [this] { m_run->stop(); });
    connect(m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(reportText()); });
    connect(m_save, &QPushButton::clicked, this, &RunView::save);
    connect(m_close, &QPushButton::clicked, this, &QObject::deleteLater);
    connect(m_pause, &QPushButton::clicked, this, [this] {
        if (m_run->state() == models::RunState::Paused)
            m_run->resume();
        else
            m_run->pause();
    });
}

void RunView::follow(models::Run& run)
{
    m_run = &run;
    m_bar->setRange(0, int(run.total()));
    m_pace->setPace(run.pace());
    m_pace->setVisible(run.total() > 1);
    connect(&run, &models::Run::progressed, this, &RunView::progress);
    connect(&run, &models::Run::stateChanged, this, &RunView::progress);
    connect(&run, &models::Run::finished, this, &RunView::finish);
    progress();
}

void RunView::standAlone(const QString& action)
{
    m_action = action;
    m_items->hide();
    if (m_run && m_run->state() == models::RunState::Finished)
        finish(m_run->report());
    else
        progress();
}

void RunView::showTitle(const QString& words)
{
    m_title->setText(m_action.isEmpty() ? words : tr("%1 · %2").arg(m_action, words));
}

void RunView::progress()
{
    const auto state = m_run->state();
    if (state == models::RunState::Finished)
        return;
    const auto& replay = m_run->replay();
    const bool told = state == models::RunState::Paused && replay && !replay->because.empty();
    const bool elsewhere = state == models::RunState::Running && replay && !replay->runner.empty();
    showTitle(told      ? tr("Paused: %1").arg(text(replay->because))
            : elsewhere ? tr("Carried out elsewhere, by %1: it is watched here").arg(text(replay->runner))
            : state == models::RunState::Paused   ? tr("Paused between two rows")
            : state == models::RunState::Stopping ? tr("Stopping after the row in hand")
                                                  : tr("Running"));
    m_bar->setValue(int(m_run->done()));
    m_pace->follow(m_run->pace());
    auto words = tr("%1 of %2 · %3")
                     .arg(numberText(std::int64_t(m_run->done())), numberText(std::int64_t(m_run->total())),
                         summaryOf(m_run->soFar()));
    if (replay) {
        words += QStringLiteral("\n") + stageText(*replay);
        m_stages->setProgress(*replay);
        m_stages->show();
    }
    if (const auto left = m_run->timeLeft())
        words += tr(" · %1 rows/s · %2 left")
                     .arg(m_run->rowsPerSecond(), 0, 'f', m_run->rowsPerSecond() < 10 ? 1 : 0)
                     .arg(models::durationText(*left));
    m_summary->setText(words);
    m_pause->setText(state == models::RunState::Paused ? tr("Resume") : tr("Pause"));
    m_pause->setEnabled(state != models::RunState::Stopping);
    m_stop->setEnabled(state != models::RunState::Stopping);
}

void RunView::finish(const RunReport& report)
{
    m_bar->setValue(m_bar->maximum());
    m_bar->hide();
    m_pace->hide();
    m_pause->hide();
    m_stop->hide();
    const bool clean = report.skipped == 0 && report.failed == 0 && report.notRun == 0;
    showTitle(clean ? tr("Done") : report.changed == 0 ? tr("Nothing was changed") : tr("Done in part"));
    if (m_run->replay())
        m_stages->setProgress(*m_run->replay());
    m_copy->setVisible(!m_action.isEmpty());
    m_save->show();
    m_close->setVisible(!m_action.isEmpty());
    m_summary->setText(summaryOf(report));
    setTone(m_summary, clean ? "good" : "warning");
    if (report.stoppedBy) {
        m_stopped->setText(text(stopInWords(m_run->plan(), report)));
        m_stopped->show();
    }
    // What needs a look comes first.
    std::vector<QStringList> lines;
    for (const bool changed : { false, true })
        for (const auto& item : report.items)
            if ((item.outcome.result == ItemResult::Changed) == changed && lines.size() < listed)
                lines.push_back(
                    { models::visibleText(item.key), outcomeWord(item.outcome.result), text(item.outcome.reason) });
    m_items->setLines(lines);
}

// Every row with what became of it, as JSON.
void RunView::save()
{
    auto* chooser = newFileChooser(this, tr("Save the report of every row"));
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setDefaultSuffix(QStringLiteral("json"));
    chooser->setNameFilter(tr("JSON (*.json)"));
    chooser->selectFile(tr("report-%1.json").arg(text(m_run->report().requestId)));
    connect(chooser, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (const auto saved = models::replaceFile(path, models::formatReport(m_run->report())); !saved) {
            m_stopped->setText(tr("The report was not saved: %1").arg(text(inWords(saved.error()))));
            m_stopped->show();
        }
    });
    chooser->open();
}

QString RunView::summary() const
{
    return m_summary->text();
}

QString RunView::reportText() const
{
    return m_run ? ui::reportText(m_run->plan(), m_run->report()) : QString();
}

QString summaryOf(const RunReport& report)
{
    QStringList parts{ RunView::tr("changed %1").arg(numberText(report.changed)) };
    if (report.alreadyDone > 0)
        parts += RunView::tr("already done %1").arg(numberText(report.alreadyDone));
    // While the run goes on, a row that is not run is one that waits; once it stopped, it was skipped.
    const auto notRun = report.stoppedBy ? report.notRun : 0;
    parts += RunView::tr("skipped %1").arg(numberText(report.skipped + notRun))
        + (notRun > 0 ? RunView::tr(" (%1 not run)").arg(numberText(notRun)) : QString());
    parts += RunView::tr("failed %1").arg(numberText(report.failed));
    return parts.join(QStringLiteral(" · "));
}

QString reportText(const Plan& plan, const RunReport& report)
{
    QStringList lines{
        RunView::tr("%1 on %2, request %3").arg(text(plan.verb), text(plan.binding), text(report.requestId)),
        RunView::tr("Reason: %1").arg(text(plan.reason)), summaryOf(report)
    };
    for (const auto& item : report.items)
        if (item.outcome.result != ItemResult::Changed)
            lines +=
                QStringLiteral("%1: %2 %3")
                    .arg(models::visibleText(item.key), outcomeWord(item.outcome.result), text(item.outcome.reason))
                    .trimmed();
    if (report.stoppedBy)
        lines += text(stopInWords(plan, report));
    return lines.join(u'\n');
}

} // namespace fencepost::ui
