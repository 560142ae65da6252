// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/sweep.h"

#include "core/exchange/csv.h"
#include "core/simulation/report.h"

namespace fencepost::simulation {

namespace {

constexpr std::size_t mostAxes = 2;

// The values of all axes at one place, the last axis running fastest.
std::vector<std::string> valuesAt(const std::vector<SweepAxis>& axes, std::size_t place)
{
    std::vector<std::string> values(axes.size());
    for (auto axis = axes.size(); axis-- > 0;) {
        const auto& all = axes[axis].values;
        values[axis] = all[place % all.size()];
        place /= all.size();
    }
    return values;
}

Result<Scenario> turned(const Scenario& scenario, const std::vector<SweepAxis>& axes, std::size_t place)
{
    const auto values = valuesAt(axes, place);
    Variant variant;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        variant.set.emplace_back(axes[axis].path, values[axis]);
    return withVariant(scenario, variant);
}

} // namespace

Result<SweepAxis> parseSweepAxis(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        return invalid("\"" + std::string(text) + "\" sweeps nothing; it is written as path=first..last:step");
    SweepAxis axis;
    axis.path = text.substr(0, equals);
    const auto* known = findScenarioKnob(axis.path);
    const auto knob = known ? std::optional(*known) : knobOfMember(axis.path);
    if (!knob)
        return invalid(axis.path
            + ": a scenario has no such setting that could be swept; "
              "`fencepostctl simulate knobs` lists them");
    auto values = sweptValues(*knob, text.substr(equals + 1));
    if (!values)
        return values.error();
    axis.range = text.substr(equals + 1);
    axis.values = std::move(*values);
    return axis;
}

Result<Sweep> sweep(const Scenario& scenario, const std::vector<SweepAxis>& axes,
    const std::function<bool(const SweepProgress&)>& goesOn)
{
    if (axes.empty() || axes.size() > mostAxes)
        return invalid("One setting is swept, or two");
    if (axes.size() == mostAxes && axes[0].path == axes[1].path)
        return invalid(axes[0].path + " is swept twice");
    std::size_t count = 1;
    for (const auto& axis : axes)
        count *= axis.values.size();
    if (count > mostSweepPoints)
        return invalid(
            "The sweep has " + std::to_string(count) + " points; there may be " + std::to_string(mostSweepPoints));
    for (std::size_t place = 0; place < count; ++place)
        if (const auto world = turned(scenario, axes, place); !world)
            return world.error();

    Sweep swept;
    swept.scenario = scenario;
    swept.axes = axes;
    RunOptions options;
    options.goesOn = [&](const Progress& progress) {
        return !goesOn || goesOn({ swept.points.size(), count, progress });
    };
    for (std::size_t place = 0; place < count && !swept.stopped; ++place) {
        const auto world = turned(scenario, axes, place);
        const auto outcome = simulate(*world, options);
        swept.stopped = outcome.stopped;
        if (!outcome.stopped)
            swept.points.push_back({ valuesAt(axes, place), outcome.values });
        if (goesOn && !goesOn({ swept.points.size(), count, {} }))
            swept.stopped = swept.stopped || swept.points.size() < count;
    }
    return swept;
}

std::string sweepCsv(const Sweep& sweep)
{
    std::vector<std::string> titles{ "scenario", "version", "seed", "variant" };
    for (const auto& axis : sweep.axes)
        titles.push_back(axis.path);
    for (const auto& kind : measureKinds())
        titles.emplace_back(kind.name);
    auto text = exchange::csvLine(titles, exchange::CsvStyle::Exact);
    for (const auto& point : sweep.points) {
        std::vector<std::string> cells{ sweep.scenario.name, simulatorVersion(), std::to_string(sweep.scenario.seed),
            sweep.variant };
        cells.insert(cells.end(), point.values.begin(), point.values.end());
        for (const auto measure : point.measures)
            cells.push_back(std::to_string(measure));
        text += exchange::csvLine(cells, exchange::CsvStyle::Exact);
    }
    return text;
}

std::vector<ReportFile> sweepFilesOf(const Sweep& sweep)
{
    return { { "sweep.csv", sweepCsv(sweep) }, { "sweep_scenario.json", formatScenario(sweep.scenario) } };
}

} // namespace fencepost::simulation
