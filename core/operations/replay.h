// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/operations/plan.h"
#include "core/operations/replay_stages.h"
#include "core/run_journal.h"

namespace fencepost {

// How a replay goes about it.
struct ReplaySettings {
    std::vector<int> ramp; // rows of the first stages, all the rest is the last; empty: one stage that nobody verifies
    double rate = 0; // rows a second, 0.1 to 5,000; 0: as fast as the database answers
    double brake =
        0; // share of the outcomes that may be failures before it pauses, 0 to 1; none where there is no ramp
    Duration patience = std::chrono::seconds(60); // for the outcomes of a stage, then it pauses
    Duration slowest = std::chrono::seconds(2); // changes that take longer on average pause it; 0: never

    bool operator==(const ReplaySettings&) const = default;
};

inline constexpr double slowestRate = 0.1;
inline constexpr double fastestRate = 5'000;

[[nodiscard]] Status checkReplay(const ReplaySettings& settings);
[[nodiscard]] Result<std::vector<int>> parseRamp(std::string_view text); // "1,5,25,100"
[[nodiscard]] Result<double> parseBrake(std::string_view text); // "5%", "0.05"
[[nodiscard]] std::string formatReplay(const ReplaySettings& settings); // JSON
[[nodiscard]] Result<ReplaySettings> parseReplay(std::string_view text);

struct ReplayProgress {
    RunPhase phase = RunPhase::Running;
    std::string because; // it is paused, stopped or waits
    std::string runner; // who carries it out where that is somebody else
    std::size_t stage = 0; // from 0
    std::vector<StageReport> stages;
    bool verified = false; // what became of the rows is asked for
    double rate = 0; // rows a second at most; 0: as fast as the database answers
    double perSecond = 0; // lately
    std::optional<Duration> timeLeft; // none: not known

    [[nodiscard]] StageReport all() const { return sumOf(stages); }
};

enum class ReplayOrder {
    Go,
    Pause,
    Stop, // for good
    Leave, // somebody takes it up later: the run stays as it is
};

// All of it is called by the thread that carries the replay out.
struct ReplayHooks {
    std::function<ReplayOrder()> order = {}; // asked at least five times a second
    std::function<void(Duration)> sleep; // at most that long
    // Chosen here since it was last asked: from now on it is the run's, whoever goes on with it.
    std::function<std::optional<double>()> rate = {};
    std::function<void(const ItemReport&)> itemDone = {};
    std::function<void(const ReplayProgress&)> progressed = {}; // a few times a second
    bool waitsWhenBraked = false; // for a resume; else it is left as PAUSED
};

struct ReplayReport {
    RunReport report; // rows, as applyPlan() tells them
    std::vector<ReplayFate> fates; // of the plan's rows; Pending where nothing is known of it
    ReplayProgress progress;
};

// Carries out a plan of dead letters, stage by stage, with a journal: each stage is put back row by row and its
// outcomes are waited for before the next. Taken up where it was left, also by another process; while one carries it
// out, others that are asked to watch it. `settings` null: those of the run. `steady` never steps.
// Another's table has no journal and nobody who tells outcomes: there its rows are changed one after the other.
[[nodiscard]] Result<ReplayReport> runReplay(Inspector& inspector, const Plan& plan, const std::string& actor,
    const ReplaySettings* settings, const ReplayHooks& hooks, const Clock& steady, Random& random);

// A replay of Fencepost's own dead letters.
[[nodiscard]] bool isStaged(const Plan& plan);

// Why a run stopped before its end, what that leaves behind and how to go on, for a person.
[[nodiscard]] std::string stopInWords(const Plan& plan, const RunReport& report);

// For those who look on, also at a run that is over: its rows and stages, of which nothing is recalled yet, and where
// it stands by them.
[[nodiscard]] Result<ReplayStages> stagesOf(const OperationRun& run);
[[nodiscard]] ReplayProgress progressOf(const OperationRun& run, const ReplayStages& stages);

// Where runs are kept; Unsupported: this database keeps none.
[[nodiscard]] Result<RunJournal*> journalOf(Inspector& inspector);
// Another rate for a run, which whoever carries it out heeds within a second. False: it is over.
[[nodiscard]] Result<bool> setRate(RunJournal& journal, const std::string& requestId, double rate);

} // namespace fencepost
