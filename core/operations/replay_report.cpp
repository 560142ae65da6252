// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay_report.h"

#include "core/operations/carry_out.h"
#include "core/operations/replay.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace operation {

namespace {

ItemOutcome outcomeOf(const ReplayStages::Told& told)
{
    ItemOutcome outcome{ ItemResult::Failed, told.detail, {}, {} };
    for (const auto result : { ItemResult::Changed, ItemResult::AlreadyDone, ItemResult::Skipped, ItemResult::Failed })
        if (told.outcome == wordOf(result))
            outcome.result = result;
    if (outcome.result == ItemResult::Changed && !told.here)
        outcome.result = ItemResult::AlreadyDone;
    return outcome;
}

} // namespace

RunReport reportOf(const Plan& plan, const ReplayStages& stages)
{
    RunReport report;
    report.requestId = plan.requestId;
    for (std::size_t row = 0; row < stages.rows(); ++row) {
        const auto& told = stages.told(row);
        if (told.outcome.empty()) {
            ++report.notRun;
            continue;
        }
        auto outcome = outcomeOf(told);
        count(report, outcome.result);
        report.items.push_back({ plan.items[row].number, plan.items[row].key, std::move(outcome) });
    }
    return report;
}

} // namespace operation

std::string stopInWords(const Plan& plan, const RunReport& report)
{
    auto words = sentence(report.stoppedBy->message);
    if (!report.stoppedBy->detail.empty())
        words += " (" + report.stoppedBy->detail + ')';
    words += report.notRun > 0 ? " What the report tells as changed is changed; the rest was not begun."
        : report.failed > 0    ? " What the report tells as changed is changed, and nothing else is."
                               : " Every row was done; what became of them was not looked at to the end.";
    if (!report.stoppedBy->next.empty())
        words += ' ' + sentence(report.stoppedBy->next);
    if (report.forGood)
        return withoutCredentials(words);
    words += isStaged(plan)
        ? " Take the run up where it was left, on the page Replays or with: fencepostctl --db … runs "
          "resume "
            + plan.requestId
        : " Run the same plan again to finish it: rows that were changed are not changed twice.";
    return withoutCredentials(words);
}

} // namespace fencepost
