// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/simulation/search.h"
#include "core/simulation/sweep.h"

namespace fencepost::simulation {

// One world of a report.
struct ReportedWorld {
    std::string variant; // empty: the scenario itself
    std::string title;
    Scenario scenario; // as it is lived through
    Outcome outcome;
    std::optional<FoundViolation> found; // the least that leads to its first violation, where it was looked for
};

// A claim of the scenario and what came of it.
struct JudgedExpectation {
    std::string text;
    std::int64_t left = 0;
    std::int64_t right = 0;
    MeasureUnit unit = MeasureUnit::Count;
    bool held = false;
};

struct Report {
    Scenario scenario;
    std::vector<std::string> commands; // that give the same again: one for all worlds or one for each; none: not said
    std::vector<ReportedWorld> worlds;
    std::vector<JudgedExpectation> expectations;
};

// Which program and version simulated.
[[nodiscard]] std::string simulatorVersion();

// The worlds of these variants in the scenario's order, not yet lived through; of none named: of all, or the scenario
// itself where it has none. Invalid: there is no such variant.
[[nodiscard]] Result<std::vector<ReportedWorld>> worldsOf(
    const Scenario& scenario, const std::vector<std::string>& variants);

// The claims that these worlds can answer, all of which were lived through to their end.
[[nodiscard]] std::vector<JudgedExpectation> judge(const Scenario& scenario, const std::vector<ReportedWorld>& worlds);

// The commands of these worlds, where they were lived through to their end: one that went on past a violation at which
// the command would end says so.
[[nodiscard]] std::vector<std::string> commandsToTheEnd(
    std::vector<std::string> commands, const std::vector<ReportedWorld>& worlds);

// One object for each world; what is said of all of them is in each.
[[nodiscard]] nlohmann::ordered_json toJson(const Report& report, const ReportedWorld& world);
[[nodiscard]] nlohmann::ordered_json toJson(const JudgedExpectation& expectation);

[[nodiscard]] nlohmann::ordered_json toJson(const FoundViolation& found, std::string_view variant);

// One line of a life, as people read it.
[[nodiscard]] std::string traceLine(const TraceLine& line);

struct ReportFile {
    std::string name;
    std::string content;
};

// Tables of everything, the playbook's three logs where they were kept, and the scenario.
[[nodiscard]] std::vector<ReportFile> csvFilesOf(const Report& report);
// The table, and the world that was swept.
[[nodiscard]] std::vector<ReportFile> sweepFilesOf(const Sweep& sweep);
[[nodiscard]] std::string markdownOf(const Report& report);

// The columns of the time axis, for tables and charts.
struct SeriesColumn {
    std::string_view name;
    std::string_view meaning;
    std::int64_t SeriesStep::*member;
};
[[nodiscard]] std::span<const SeriesColumn> seriesColumns() noexcept;

// The knobs in which the worlds differ, by their paths, with each world's value.
struct DifferingKnob {
    std::string path;
    std::vector<std::string> values;
};
[[nodiscard]] std::vector<DifferingKnob> differingKnobs(const std::vector<ReportedWorld>& worlds);

// Predicted and observed, in steps of one kind.
struct ComparedStep {
    std::string step; // "3", "≤ 256ms"
    std::int64_t observed = 0;
    std::vector<std::int64_t> predicted; // by world
};

struct Compared {
    bool observed = false; // there is something that was
    std::vector<ComparedStep> measures; // of what was observed besides, by name
    std::vector<ComparedStep> attempts; // of a table: executions
    std::vector<ComparedStep> delays; // of a table: from one execution to the next
};

// Where what was recorded comes from, and what of it is made up; empty: nothing was.
[[nodiscard]] std::string sourceOf(const Scenario& scenario);

[[nodiscard]] Compared comparedOf(const std::vector<ReportedWorld>& worlds);

} // namespace fencepost::simulation
