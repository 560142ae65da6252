// SPDX-License-Identifier: GPL-3.0-or-later
// How the dialog of a plan has it carried out, and what it leaves behind.
#include <QPushButton>

#include "ui/dialogs/plan_dialog.h"
#include "ui/dialogs/run_view.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/pace_field.h"
#include "ui/words.h"
#include "ui/workspace.h"

namespace fencepost::ui {

void PlanDialog::confirm()
{
    if (!m_session->armed())
        return m_context.navigation.arm();
    if (m_stage == Stage::Review && whyNotYet().isEmpty())
        run();
}

bool PlanDialog::goesOn() const
{
    return m_subject.source == Source::Interrupted && isStaged(*m_plan);
}

// Whoever goes on with a run goes on as carefully as it was begun.
void PlanDialog::readRate()
{
    m_rate.start(
        m_session->reads(),
        [id = m_plan->requestId](Backend& backend) -> Result<std::optional<double>> {
            auto* journal = backend.inspector().runs();
            const auto run = journal ? journal->standing(id) : Result<std::optional<RunStanding>>(std::nullopt);
            if (!run || !*run)
                return run ? Result<std::optional<double>>(std::nullopt) : run.error();
            const auto settings = parseReplay((**run).settings);
            return settings ? Result<std::optional<double>>(settings->rate) : settings.error();
        },
        [this](const Result<std::optional<double>>& rate) {
            if (rate && *rate && !m_terms->isPaceChosen())
                m_terms->pace().setPace(**rate > 0 ? *rate : std::nullopt);
        });
}

void PlanDialog::run()
{
    m_plan = confirmedPlan();
    keepNotes();
    const auto replay = m_subject.source == Source::Interrupted ? std::nullopt : std::optional(*m_terms->replay());
    auto pace = m_terms->pace().pace();
    if (goesOn())
        pace = m_terms->isPaceChosen() ? std::optional(pace.value_or(0)) : std::nullopt;
    const auto started =
        m_session->carryOut(*m_plan, m_context.workspace ? m_context.workspace->plans() : nullptr, this, pace, replay);
    if (!started)
        return m_banner->report(tr("keep the plan, so nothing was begun"), started.error());
    // From here on the folder of plans knows it.
    dropDraft();
    m_run = *started;
    connect(m_run, &models::Run::finished, this, &PlanDialog::finish);
    connect(m_run, &models::Run::keepingFailed, this,
        [this](const Error& error) { m_banner->report(tr("keep the report"), error); });
    m_runView->follow(*m_run);
    enter(Stage::Running);
}

// A note is in the notebook before anything else can go wrong with it.
void PlanDialog::keepNotes()
{
    auto* notebook = m_context.workspace ? m_context.workspace->notebook() : nullptr;
    if (!notebook || m_plan->verb != "note")
        return;
    // A run that could not begin is tried again, with the notes that are kept already.
    if (m_keptReason != m_plan->reason) {
        m_keptReason = m_plan->reason;
        m_keptNotes = 0;
    }
    for (; m_keptNotes < m_plan->items.size(); ++m_keptNotes) {
        const auto& item = m_plan->items[m_keptNotes];
        QStringList identity;
        for (const auto& part : item.identity)
            identity += text(part);
        const auto kept = notebook->add({ .actor = text(m_plan->actor),
            .connection = m_session->notedUnder(m_context.workspace->openId()),
            .binding = text(m_plan->binding),
            .identity = identity,
            .key = text(item.key),
            .text = text(m_plan->reason) });
        if (!kept)
            return m_banner->report(tr("write the note into the notebook"), kept.error());
    }
}

// The run goes on without the dialog; whoever shows it owns it.
void PlanDialog::continueBelow()
{
    if (m_stage != Stage::Running)
        return;
    disconnect(m_run, nullptr, this, nullptr);
    m_run->setParent(m_runView);
    connect(m_run, &models::Run::finished, m_runView,
        [&navigation = m_context.navigation, action = actionText()](const RunReport& report) {
            navigation.log(tr("%1 · %2 · request %3").arg(action, summaryOf(report), text(report.requestId)));
        });
    m_runView->standAlone(actionText());
    m_context.navigation.showRun(m_runView);
    accept();
}

void PlanDialog::finish(const RunReport& report)
{
    m_context.navigation.log(tr("%1 · %2 · request %3").arg(actionText(), summaryOf(report), text(report.requestId)));
    enter(Stage::Done);
    m_buttons->cancel().setFocus();
    Q_EMIT changed(text(m_plan->binding));
}

void PlanDialog::undo()
{
    m_context.navigation.undo(text(m_plan->requestId));
    accept();
}

// A report that says so: the run is not offered again.
void PlanDialog::giveUp()
{
    RunReport report{ .requestId = m_plan->requestId, .notRun = std::int64_t(m_plan->items.size()) };
    report.stoppedBy = Error{ Failure::Cancelled, "The run was cut short and given up.", {}, {} };
    const auto plans = m_context.workspace ? m_context.workspace->plans() : nullptr;
    if (const auto kept = plans ? plans->finish(report) : Status(); !kept)
        return m_banner->report(tr("give the run up"), kept.error());
    m_context.navigation.log(tr("Given up: request %1").arg(text(m_plan->requestId)));
    accept();
}

} // namespace fencepost::ui
