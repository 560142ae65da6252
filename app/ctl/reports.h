// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/context.h"
#include "core/operations/plan.h"
#include "core/operations/replay.h"

namespace fencepost::app {

// What a frozen plan would do.
void showPlan(Context& context, const Plan& plan, bool withSql);
// Carries a plan out, stops at SIGINT between two rows, prints the report and answers the exit code.
int carryOut(Context& context, Inspector& inspector, const Plan& plan);

struct ReplayOutput {
    bool progress = false; // a line each second
    std::string reportFile; // gets a line of JSON for each row; empty: none is written
};

// The same for a replay, stage by stage, that takes up one that was left. `settings` null: those of the run.
int carryOutReplay(Context& context, Inspector& inspector, const Plan& plan, const ReplaySettings* settings,
    const ReplayOutput& output);

// Whether a file is what the program itself wrote there before.
[[nodiscard]] bool isPlan(std::string_view content);
[[nodiscard]] bool isReport(std::string_view content);
// Whether a report of a run can be written there, before any row is put back.
[[nodiscard]] Status checkReport(const std::string& path);

[[nodiscard]] json toJson(const ReplayProgress& progress);
// What became of the rows of each stage, a line for each.
void showStages(Context& context, const ReplayProgress& progress);

[[nodiscard]] json summaryOf(const Plan& plan);

} // namespace fencepost::app
