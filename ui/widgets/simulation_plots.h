// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QPointF>

#include "core/simulation/report.h"
#include "core/simulation/sweep.h"
#include "ui/widgets/retry_plots.h"

namespace fencepost::ui {

// One line over the seconds of a world.
struct PlotLine {
    QString name;
    Role role = Role::Accent;
    bool dashed = false;
    std::vector<QPointF> points;
};

// What a card says about lines, and the lines; without any: why there are none.
struct LinePlot {
    QString title; // the finding
    QString caption;
    std::vector<PlotLine> lines;
    QString none;
};

// The name of a world where several are compared, or of the only one.
[[nodiscard]] QString worldNameOf(const simulation::ReportedWorld& world);
// Which world it is: of what scenario, which variant, with what seed.
[[nodiscard]] QString worldWords(const simulation::Scenario& scenario, const std::string& variant);
// As people read it, with its thousands in groups.
[[nodiscard]] QString measureText(simulation::MeasureUnit unit, std::int64_t value);
// The colour of a compared world, by its place.
[[nodiscard]] Role roleOfWorld(std::size_t place);

// Per second: what one world was offered against what it could take.
[[nodiscard]] LinePlot simulatedLoad(const simulation::ReportedWorld& world);
// Over time, a line for each world.
[[nodiscard]] LinePlot simulatedRetries(const simulation::Report& report);
[[nodiscard]] LinePlot simulatedBreakers(const simulation::Report& report);
[[nodiscard]] LinePlot simulatedBudgets(const simulation::Report& report);

// A bar for each world.
[[nodiscard]] RetryPlot simulatedAmplification(const simulation::Report& report);
[[nodiscard]] RetryPlot simulatedSuccess(const simulation::Report& report);
[[nodiscard]] RetryPlot simulatedLatency(const simulation::Report& report);
[[nodiscard]] RetryPlot simulatedDuplicates(const simulation::Report& report);
[[nodiscard]] RetryPlot simulatedStuck(const simulation::Report& report);
[[nodiscard]] RetryPlot simulatedConflicts(const simulation::Report& report);
// A bar for each step and world, and for what was observed where something was.
[[nodiscard]] RetryPlot simulatedAttempts(const simulation::Report& report);
[[nodiscard]] RetryPlot simulatedDelays(const simulation::Report& report);

// A bar for each value of a sweep's first axis, or for each pair.
[[nodiscard]] RetryPlot sweptPlot(const simulation::Sweep& sweep, const simulation::MeasureKind& measure);

// One line per point.
[[nodiscard]] QString csvOf(const LinePlot& plot);

} // namespace fencepost::ui
