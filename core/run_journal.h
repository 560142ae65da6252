// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/messaging/replay_fate.h"
#include "core/result.h"
#include "core/time.h"

namespace fencepost {

enum class RunPhase { Running, Paused, Done, Stopped };

[[nodiscard]] std::string_view wordOf(RunPhase phase) noexcept; // "RUNNING", …
[[nodiscard]] std::optional<RunPhase> runPhaseOf(std::string_view word) noexcept;
[[nodiscard]] bool isOver(RunPhase phase) noexcept;

// One row of operation_runs: a plan that is carried out in stages, by whoever holds it at the moment.
struct OperationRun {
    std::string requestId; // of its plan
    std::string verb;
    std::string binding;
    std::string plan; // the file's text: enough to go on without it
    std::string settings; // JSON of ReplaySettings
    std::string actor;
    std::string reason;
    std::int64_t total = 0;
    RunPhase phase = RunPhase::Running;
    std::string because; // it is paused or stopped
    std::string runner; // UUID of who carries it out; empty: nobody
    Time startedAt;
    std::optional<Time> finishedAt;
    std::optional<Time> beatAt; // the runner's latest sign of life
    // Of run_items.
    std::int64_t changed = 0;
    std::int64_t skipped = 0;
    std::int64_t failed = 0;
    Time now; // the database's clock

    [[nodiscard]] bool isOver() const { return fencepost::isOver(phase); }
};

// What may have been ordered since one last looked.
struct RunStanding {
    RunPhase phase = RunPhase::Running;
    std::string because;
    std::string settings;
    std::string actor;
};

// A runner that gave no sign for this long is gone, and another may take the run over.
inline constexpr Duration runnerIsGoneAfter = std::chrono::seconds(10);

struct RunItem {
    int item = 0;
    std::string identity; // JSON array
    std::string outcome; // a word of ItemResult
    std::string detail;
};

// operation_runs and run_items: where a run stands, so that it goes on after whoever carried it out was killed. What
// was done twice is told by the audit; this is how far it came. Used by the inspector's thread. Errors are the store's;
// Unsupported: the database has no such tables, or older ones.
class RunJournal {
public:
    RunJournal() = default;
    virtual ~RunJournal() = default;
    RunJournal(const RunJournal&) = delete;
    RunJournal& operator=(const RunJournal&) = delete;

    // The run of that request, which may have been there.
    virtual Result<OperationRun> begin(const OperationRun& run) = 0;
    // The newest first.
    virtual Result<std::vector<OperationRun>> list(int limit) = 0;
    virtual Result<std::optional<OperationRun>> find(const std::string& requestId) = 0;
    // Costs the same however large the plan is.
    virtual Result<std::optional<RunStanding>> standing(const std::string& requestId) = 0;
    // Gives a sign of life, or takes over from a runner that is gone. False: another one has it, or it is not there.
    virtual Result<bool> claim(const std::string& requestId, const std::string& runner) = 0;
    virtual Status release(const std::string& requestId, const std::string& runner) = 0;
    // False: it is over already.
    virtual Result<bool> enter(const std::string& requestId, RunPhase phase, const std::string& because) = 0;
    virtual Result<bool> setSettings(const std::string& requestId, const std::string& settings) = 0;
    // All of them or none. What was changed once stays told as that.
    virtual Status put(const std::string& requestId, const std::vector<RunItem>& items) = 0;
    virtual Result<std::vector<RunItem>> items(const std::string& requestId) = 0;
    virtual Result<std::vector<FateEvidence>> fates(const std::vector<std::string>& letters) = 0;
};

} // namespace fencepost
