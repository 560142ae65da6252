// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/context.h"
#include "core/simulation/report.h"
#include "core/simulation/search.h"
#include "core/simulation/sweep.h"

namespace fencepost::app {

// For people a table with a column for each world, else an object for each and one for each claim.
void showReport(Context& context, const simulation::Report& report);
// The life of one request, in each world of the report.
// False: no world of the report has such a request, and nothing was shown.
[[nodiscard]] bool showLife(Context& context, const simulation::Report& report, std::uint64_t request);
void showSweep(
    Context& context, const simulation::Sweep& sweep, const std::vector<const simulation::MeasureKind*>& measures);
// A violation with the least that leads to it and what happens then.
void showFound(Context& context, const simulation::FoundViolation& found, const std::string& variant);

// What writing would find, before there is anything to write.
[[nodiscard]] Status checkReportFolder(const std::string& folder, bool replaces);
[[nodiscard]] Status checkReport(const std::string& path, bool replaces);
// Every file of the report into the folder, which is made. Conflict: it is there and not empty.
[[nodiscard]] Status writeReportFiles(
    const std::string& folder, const std::vector<simulation::ReportFile>& files, bool replaces);
[[nodiscard]] Status writeReport(const std::string& path, const std::string& text, bool replaces);

} // namespace fencepost::app
