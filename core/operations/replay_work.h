// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/operations/replay_brake.h"
#include "core/retry/rolling_counts.h"

namespace fencepost::operation {

// A replay that was asked for, and what it is carried out with.
struct ReplayTask {
    Inspector& inspector;
    RunJournal& journal;
    const Plan& plan;
    Binding binding; // the plan's table
    std::string actor;
    const ReplayHooks& hooks;
    const Clock& steady;
};

// The rows of a replay: puts them back one by one, enters them into the journal, and learns what became of them. It
// decides neither when nor whether.
class ReplayWork {
public:
    explicit ReplayWork(ReplayTask task);

    // What was done before, by whoever did it.
    Status begin(const ReplaySettings& settings);
    // What whoever carries it out has done meanwhile.
    Status recall();

    Status putBack(std::size_t row);
    // Into the journal, before anybody waits or looks at how far it came.
    Status enterItems();
    // Of those that are not known yet: of all in one go, or of some of them, between two rows.
    Status askFates();
    Status askSomeFates();

    // Somebody goes on who knows what became of it so far.
    void forgive();
    [[nodiscard]] std::optional<std::string> whyBrake(std::size_t stage, bool stageIsOver);

    [[nodiscard]] const ReplayStages& stages() const { return m_stages; }
    [[nodiscard]] StageReport sum() const { return m_stages.sum(); }
    [[nodiscard]] const ReplayBrake& brake() const { return m_brake; }
    [[nodiscard]] double perSecond(); // lately

private:
    Status askFates(std::size_t most);

    const ReplayTask m_task;
    ReplayStages m_stages;
    ReplayBrake m_brake;
    std::vector<RunItem> m_unput; // done, and not in the journal yet
    retry::RollingCounts<1> m_done;
};

} // namespace fencepost::operation
