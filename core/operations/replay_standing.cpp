// SPDX-License-Identifier: Apache-2.0
// Where a run stands by its journal, for those who look on and for those who direct it from elsewhere.
#include "core/operations/replay.h"

namespace fencepost {

Result<ReplayStages> stagesOf(const OperationRun& run)
{
    // A plan is an object; what stands for one in a redacted copy is a word.
    if (!run.plan.starts_with('{'))
        return Error{ Failure::Unsupported,
            "The plan of this run was hidden when the snapshot was taken, so its stages are not known", {}, {},
            "What the run did to each row stands in the audit." };
    const auto plan = parsePlan(run.plan);
    if (!plan)
        return plan.error();
    const auto settings = parseReplay(run.settings);
    if (!settings)
        return settings.error();
    return ReplayStages(*plan, settings->ramp, true);
}

ReplayProgress progressOf(const OperationRun& run, const ReplayStages& stages)
{
    ReplayProgress progress;
    progress.phase = run.phase;
    progress.because = run.because;
    progress.stage = stages.current();
    progress.stages = stages.reports();
    progress.verified = stages.asks();
    return progress;
}

Result<RunJournal*> journalOf(Inspector& inspector)
{
    if (auto* journal = inspector.runs())
        return journal;
    return Error{ Failure::Unsupported, "This database keeps no journal of runs", {} };
}

Result<bool> setRate(RunJournal& journal, const std::string& requestId, double rate)
{
    const auto run = journal.standing(requestId);
    if (!run)
        return run.error();
    if (!*run)
        return Error{ Failure::NotFound, "There is no run " + requestId, {} };
    auto settings = parseReplay((*run)->settings);
    if (!settings)
        return settings.error();
    settings->rate = rate;
    if (const auto checked = checkReplay(*settings); !checked)
        return checked.error();
    return journal.setSettings(requestId, formatReplay(*settings));
}

} // namespace fencepost
