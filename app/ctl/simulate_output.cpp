// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/simulate_output.h"

#include <algorithm>

#include <QDir>
#include <QFileInfo>

#include "app/ctl/files.h"
#include "models/files.h"

namespace fencepost::app {

namespace {

using namespace simulation;

constexpr std::size_t shownViolations = 5;

json plain(const nlohmann::ordered_json& object)
{
    return json::parse(object.dump());
}

// Which world it is of.
std::string headOf(const Scenario& scenario, const std::string& variant)
{
    return "scenario " + scenario.name + (variant.empty() ? "" : ", " + variant) + ", seed "
        + std::to_string(scenario.seed) + ", " + simulatorVersion();
}

void showMeasures(Context& context, const Report& report)
{
    std::vector<std::string> titles{ "MEASURE" };
    for (const auto& world : report.worlds)
        titles.push_back(world.variant.empty() ? "OUTCOME" : world.variant);
    Table table(context.out, titles);
    for (const auto& kind : measureKinds()) {
        const auto measure = measureOf(kind);
        const auto isZero = [&](const ReportedWorld& world) { return world.outcome[measure] == 0; };
        if (!saysSomethingByZero(measure) && std::all_of(report.worlds.begin(), report.worlds.end(), isZero))
            continue;
        std::vector<std::string> cells{ std::string(kind.name) };
        for (const auto& world : report.worlds)
            cells.push_back(shownMeasure(kind.unit, world.outcome[measure]));
        table.add(std::move(cells));
    }
    table.show();
}

void showViolations(Context& context, const ReportedWorld& world)
{
    const auto& outcome = world.outcome;
    for (std::size_t i = 0; i < std::min(outcome.violations.size(), shownViolations); ++i) {
        const auto& violation = outcome.violations[i];
        context.out.line((world.variant.empty() ? "" : world.variant + ": ") + violation.rule + " ("
            + std::string(meaningOfRule(violation.rule)) + ") did not hold for request "
            + std::to_string(violation.request) + " after " + shownMeasure(MeasureUnit::Length, violation.at.count())
            + ": " + violation.what);
    }
    if (outcome[Measure::Violations] > static_cast<std::int64_t>(shownViolations))
        context.out.line("… and " + std::to_string(outcome[Measure::Violations] - std::int64_t(shownViolations))
            + " more; `fencepostctl simulate search` shows how one comes about");
}

void showCompared(Context& context, const Report& report)
{
    const auto compared = comparedOf(report.worlds);
    if (!compared.observed)
        return;
    const bool byRecord = report.scenario.recording->by == RecordedBy::Table;
    for (const auto& [title, steps] :
        { std::pair("MEASURE", &compared.measures), std::pair(byRecord ? "EXECUTIONS" : "ATTEMPTS", &compared.attempts),
            std::pair(byRecord ? "BETWEEN EXECUTIONS" : "DELAY", &compared.delays) }) {
        if (steps->empty())
            continue;
        std::vector<std::string> titles{ title, "OBSERVED" };
        for (const auto& world : report.worlds)
            titles.push_back(world.variant.empty() ? "PREDICTED" : world.variant);
        context.out.line("");
        Table table(context.out, titles);
        for (const auto& step : *steps) {
            std::vector<std::string> cells{ step.step, std::to_string(step.observed) };
            for (const auto count : step.predicted)
                cells.push_back(std::to_string(count));
            table.add(std::move(cells));
        }
        table.show();
    }
}

void showText(Context& context, const Report& report)
{
    const auto& scenario = report.scenario;
    context.out.line(scenario.title.empty() ? scenario.name : printable(scenario.title));
    context.out.line(headOf(scenario, {}));
    if (const auto source = sourceOf(report.worlds.front().scenario); !source.empty())
        context.out.line(printable(source));
    context.out.line("");
    showMeasures(context, report);
    showCompared(context, report);
    if (!report.expectations.empty())
        context.out.line("");
    for (const auto& one : report.expectations)
        context.out.line((one.held ? "holds: " : "DOES NOT HOLD: ") + one.text + " (" + std::to_string(one.left)
            + " and " + std::to_string(one.right) + ")");
    for (const auto& world : report.worlds)
        showViolations(context, world);
}

} // namespace

void showReport(Context& context, const Report& report)
{
    if (!context.out.isJson()) {
        showText(context, report);
        return;
    }
    for (const auto& world : report.worlds)
        context.out.object(plain(toJson(report, world)));
    for (const auto& one : report.expectations)
        context.out.object(plain(toJson(one)));
}

bool showLife(Context& context, const Report& report, std::uint64_t request)
{
    const auto isOfIt = [&](const TraceLine& line) { return line.request == request; };
    const auto knowsIt = [&](const ReportedWorld& world) {
        return std::any_of(world.outcome.trace.begin(), world.outcome.trace.end(), isOfIt);
    };
    if (std::none_of(report.worlds.begin(), report.worlds.end(), knowsIt))
        return false;
    for (const auto& world : report.worlds) {
        if (!context.out.isJson())
            context.out.line(headOf(world.scenario, world.variant) + ":");
        for (const auto& line : world.outcome.trace) {
            if (!isOfIt(line))
                continue;
            if (context.out.isJson())
                context.out.object({ { "scenario", world.scenario.name }, { "variant", world.variant },
                    { "version", simulatorVersion() }, { "seed", world.scenario.seed }, { "at_us", line.at.count() },
                    { "request", line.request }, { "actor", line.actor }, { "text", line.text },
                    { "state", line.state } });
            else
                context.out.line(traceLine(line));
        }
    }
    return true;
}

void showSweep(Context& context, const Sweep& sweep, const std::vector<const MeasureKind*>& measures)
{
    const auto& scenario = sweep.scenario;
    std::vector<std::string> titles;
    for (const auto& axis : sweep.axes)
        titles.push_back(axis.path);
    for (const auto* kind : measures)
        titles.emplace_back(kind->name);
    if (!context.out.isJson())
        context.out.line(headOf(scenario, sweep.variant));
    Table table(context.out, titles);
    for (const auto& point : sweep.points) {
        if (context.out.isJson()) {
            json object{ { "scenario", scenario.name }, { "variant", sweep.variant }, { "version", simulatorVersion() },
                { "seed", scenario.seed } };
            for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
                object["set"][sweep.axes[axis].path] = point.values[axis];
            for (const auto& kind : measureKinds())
                object["measures"][std::string(kind.name)] = point[measureOf(kind)];
            context.out.object(object);
            continue;
        }
        auto cells = point.values;
        for (const auto* kind : measures)
            cells.push_back(shownMeasure(kind->unit, point[measureOf(*kind)]));
        table.add(std::move(cells));
    }
    if (!context.out.isJson())
        table.show();
}

void showFound(Context& context, const FoundViolation& found, const std::string& variant)
{
    const auto& violation = found.least.violation;
    if (context.out.isJson()) {
        context.out.object(plain(toJson(found, variant)));
        return;
    }
    context.out.line(headOf(found.scenario, variant) + ": " + violation.rule + " does not hold, "
        + std::string(meaningOfRule(violation.rule)));
    context.out.line(found.least.complete ? "The least that has to happen for it:" : "What has to happen for it:");
    for (const auto& line : linesOf(found.least.schedule, found.scenario))
        context.out.line("  " + line);
    context.out.line("What happens then:");
    for (const auto& line : found.least.outcome.trace)
        context.out.line("  " + traceLine(line));
    context.out.line("  " + violation.rule + ": " + violation.what);
}

Status checkReportFolder(const std::string& folder, bool replaces)
{
    const QFileInfo there(QString::fromStdString(folder));
    if (there.exists() && !there.isDir())
        return invalid(folder + " is a file, and the tables need a folder");
    const QDir dir(QString::fromStdString(folder));
    if (!replaces && dir.exists() && !dir.isEmpty())
        return Error{ Failure::Conflict, "The folder " + folder + " is not empty", {}, {},
            "Choose another one, or write into it with --force" };
    return {};
}

Status checkReport(const std::string& path, bool replaces)
{
    const auto name = QString::fromStdString(path);
    if (QFileInfo(name).isDir())
        return invalid(path + " is a folder, and the report needs a file");
    if (!replaces && QFileInfo::exists(name) && !models::isSpecialFile(name))
        return Error{ Failure::Conflict, "The file " + path + " is there already", {}, {},
            "Choose another name, or replace it with --force" };
    return checkWritable(path);
}

Status writeReportFiles(const std::string& folder, const std::vector<ReportFile>& files, bool replaces)
{
    if (auto writable = checkReportFolder(folder, replaces); !writable)
        return writable;
    const QDir dir(QString::fromStdString(folder));
    if (!dir.mkpath(QStringLiteral(".")))
        return Error{ Failure::Invalid, "Cannot make the folder " + folder, {} };
    for (const auto& file : files)
        if (const auto written = writeFile(folder + "/" + file.name, file.content); !written)
            return written;
    return {};
}

Status writeReport(const std::string& path, const std::string& text, bool replaces)
{
    if (auto writable = checkReport(path, replaces); !writable)
        return writable;
    return writeFile(path, text);
}

} // namespace fencepost::app
