// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/exchange/csv.h"
#include "core/simulation/report.h"

namespace fencepost::simulation {

namespace {

using exchange::csvLine;
using Cells = std::vector<std::string>;

constexpr std::size_t shownViolations = 10;
constexpr std::size_t shownTraceLines = 100;

// Whose numbers they are, in each line: files are torn apart and joined with those of other runs.
class Csv {
public:
    Csv(const Report& report, Cells titles)
        : m_scenario(report.scenario)
    {
        titles.insert(titles.begin(), { "scenario", "version", "seed" });
        m_text = csvLine(titles, exchange::CsvStyle::Exact);
    }
    void add(const Scenario& scenario, Cells cells)
    {
        cells.insert(cells.begin(), { m_scenario.name, simulatorVersion(), std::to_string(scenario.seed) });
        m_text += csvLine(cells, exchange::CsvStyle::Exact);
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    const Scenario& m_scenario;
    std::string m_text;
};

std::string_view wordOf(MeasureUnit unit)
{
    switch (unit) {
    case MeasureUnit::Count:
        return "count";
    case MeasureUnit::Length:
        return "us";
    case MeasureUnit::Share:
        return "per_million";
    case MeasureUnit::Factor:
        return "per_thousand";
    }
    return {};
}

std::string measuresCsv(const Report& report)
{
    Csv csv(report, { "variant", "measure", "value", "unit" });
    for (const auto& world : report.worlds)
        for (const auto& kind : measureKinds())
            csv.add(world.scenario,
                { world.variant, std::string(kind.name), std::to_string(world.outcome[measureOf(kind)]),
                    std::string(wordOf(kind.unit)) });
    return csv.text();
}

std::string seriesCsv(const Report& report)
{
    Cells titles{ "variant", "at_us" };
    for (const auto& column : seriesColumns())
        titles.emplace_back(column.name);
    Csv csv(report, std::move(titles));
    for (const auto& world : report.worlds) {
        const auto& series = world.outcome.series;
        for (std::size_t i = 0; i < series.steps().size(); ++i) {
            Cells cells{ world.variant, std::to_string(series.width().count() * static_cast<std::int64_t>(i)) };
            for (const auto& column : seriesColumns())
                cells.push_back(std::to_string(series.steps()[i].*column.member));
            csv.add(world.scenario, std::move(cells));
        }
    }
    return csv.text();
}

std::string comparedCsv(const Report& report, const std::string& title, const std::vector<ComparedStep>& steps)
{
    Cells titles{ title };
    const bool observed = comparedOf(report.worlds).observed;
    if (observed)
        titles.emplace_back("observed");
    for (const auto& world : report.worlds)
        titles.push_back(world.variant.empty() ? "predicted" : world.variant);
    Csv csv(report, std::move(titles));
    for (const auto& step : steps) {
        Cells cells{ step.step };
        if (observed)
            cells.push_back(std::to_string(step.observed));
        for (const auto count : step.predicted)
            cells.push_back(std::to_string(count));
        csv.add(report.scenario, std::move(cells));
    }
    return csv.text();
}

std::string latencyCsv(const Report& report)
{
    Csv csv(report, { "variant", "until_us", "calls" });
    for (const auto& world : report.worlds)
        for (const auto& [until, count] : world.outcome.latency.steps())
            csv.add(world.scenario, { world.variant, std::to_string(until.count()), std::to_string(count) });
    return csv.text();
}

std::string violationsCsv(const Report& report)
{
    Csv csv(report, { "variant", "rule", "at_us", "request", "what" });
    for (const auto& world : report.worlds)
        for (const auto& violation : world.outcome.violations)
            csv.add(world.scenario,
                { world.variant, violation.rule, std::to_string(violation.at.count()),
                    std::to_string(violation.request), violation.what });
    return csv.text();
}

void addLogs(std::vector<ReportFile>& files, const ReportedWorld& world)
{
    const auto prefix = world.variant.empty() ? std::string() : world.variant + "-";
    const auto& outcome = world.outcome;
    if (!outcome.retryLog.empty())
        files.push_back({ prefix + "retry_log.csv", exchange::writeRetryLog(outcome.retryLog) });
    if (!outcome.replays.empty())
        files.push_back({ prefix + "replay_outcomes.csv", exchange::writeReplayOutcomes(outcome.replays) });
    if (!outcome.inbox.empty())
        files.push_back({ prefix + "inbox.csv", exchange::writeInbox(outcome.inbox) });
}

// What would end a cell or become markup.
std::string escaped(std::string_view text)
{
    std::string safe;
    for (const auto c : text) {
        if (c == '|' || c == '\\' || c == '<' || c == '[' || c == ']' || c == '*' || c == '_' || c == '`')
            safe += '\\';
        safe += c == '\n' || c == '\r' ? ' ' : c;
    }
    return safe;
}

std::string row(const Cells& cells)
{
    std::string line = "|";
    for (const auto& cell : cells)
        line += " " + cell + " |";
    return line + "\n";
}

// The first column is words, the others are numbers.
std::string head(const Cells& titles)
{
    auto text = row(titles) + "|---|";
    for (std::size_t i = 1; i < titles.size(); ++i)
        text += "---:|";
    return text + "\n";
}

Cells titlesOf(const std::string& first, const Report& report)
{
    Cells titles{ first };
    for (const auto& world : report.worlds)
        titles.push_back(escaped(world.variant.empty() ? "outcome" : world.variant));
    return titles;
}

std::string measuresTable(const Report& report)
{
    auto text = head(titlesOf("measure", report));
    for (const auto& kind : measureKinds()) {
        const auto measure = measureOf(kind);
        const auto isZero = [&](const ReportedWorld& world) { return world.outcome[measure] == 0; };
        if (!saysSomethingByZero(measure) && std::all_of(report.worlds.begin(), report.worlds.end(), isZero))
            continue;
        Cells cells{ escaped(kind.name) };
        for (const auto& world : report.worlds)
            cells.push_back(shownMeasure(kind.unit, world.outcome[measure]));
        text += row(cells);
    }
    return text;
}

std::string settings(const Report& report)
{
    std::string text;
    if (report.worlds.size() > 1) {
        text += "## What differs\n\n";
        for (const auto& world : report.worlds)
            text += "- **" + escaped(world.variant) + "**: " + escaped(world.title) + "\n";
        text += "\n" + head(titlesOf("setting", report));
        for (const auto& knob : differingKnobs(report.worlds)) {
            Cells cells{ escaped(knob.path) };
            for (const auto& value : knob.values)
                cells.push_back(escaped(value));
            text += row(cells);
        }
        text += "\n";
    }
    return text;
}

std::string expectationsOf(const Report& report)
{
    if (report.expectations.empty())
        return {};
    auto text = std::string("## What it claims\n\n| claim | found | holds |\n|---|---|---|\n");
    for (const auto& one : report.expectations)
        text += row({ escaped(one.text), std::to_string(one.left) + " and " + std::to_string(one.right),
            one.held ? "yes" : "**no**" });
    return text + "\n";
}

std::string comparedTable(
    const Report& report, const std::string& title, const std::vector<ComparedStep>& steps, bool observed)
{
    if (steps.empty())
        return {};
    auto titles = titlesOf(title, report);
    if (observed)
        titles.insert(titles.begin() + 1, "observed");
    auto text = head(titles);
    for (const auto& step : steps) {
        Cells cells{ step.step };
        if (observed)
            cells.push_back(std::to_string(step.observed));
        for (const auto count : step.predicted)
            cells.push_back(std::to_string(count));
        text += row(cells);
    }
    return text + "\n";
}

std::string leastOf(const FoundViolation& found)
{
    auto text = "The least that has to happen for it, with seed " + std::to_string(found.scenario.seed) + ":\n\n";
    for (const auto& line : linesOf(found.least.schedule, found.scenario))
        text += "- " + escaped(line) + "\n";
    text += "\nWhat happens then:\n\n```\n";
    const auto& trace = found.least.outcome.trace;
    for (std::size_t i = 0; i < std::min(trace.size(), shownTraceLines); ++i)
        text += traceLine(trace[i]) + "\n";
    return text + "```\n\n";
}

std::string violationsOf(const Report& report)
{
    std::string text;
    for (const auto& world : report.worlds) {
        const auto& outcome = world.outcome;
        if (outcome.violations.empty())
            continue;
        text += "## Violated" + (world.variant.empty() ? std::string() : ": " + escaped(world.variant)) + "\n\n";
        const auto shown = std::min(outcome.violations.size(), shownViolations);
        for (std::size_t i = 0; i < shown; ++i) {
            const auto& violation = outcome.violations[i];
            text += "- " + violation.rule + " (" + escaped(meaningOfRule(violation.rule)) + "), request "
                + std::to_string(violation.request) + " after "
                + shownMeasure(MeasureUnit::Length, violation.at.count()) + ": " + escaped(violation.what) + "\n";
        }
        if (outcome[Measure::Violations] > static_cast<std::int64_t>(shown))
            text +=
                "- and " + std::to_string(outcome[Measure::Violations] - static_cast<std::int64_t>(shown)) + " more\n";
        text += "\n";
        if (world.found)
            text += leastOf(*world.found);
        if (outcome.trace.empty())
            continue;
        text += "```\n";
        for (std::size_t i = 0; i < std::min(outcome.trace.size(), shownTraceLines); ++i)
            text += traceLine(outcome.trace[i]) + "\n";
        text += "```\n\n";
    }
    return text;
}

} // namespace

std::string traceLine(const TraceLine& line)
{
    // To the millisecond, however late it is: what follows what is what is looked for.
    const auto thousandths = std::to_string(line.at.count() / 1000 % 1000);
    auto text = std::to_string(line.at.count() / 1'000'000) + "." + std::string(3 - thousandths.size(), '0')
        + thousandths + "s";
    constexpr std::size_t width = 10;
    text.resize(std::max(text.size(), width), ' ');
    text += "  request " + std::to_string(line.request) + "  " + line.actor + ": " + line.text;
    return line.state.empty() ? text : text + "  [" + line.state + "]";
}

std::vector<ReportFile> csvFilesOf(const Report& report)
{
    const auto compared = comparedOf(report.worlds);
    std::vector<ReportFile> files{ { "measures.csv", measuresCsv(report) }, { "series.csv", seriesCsv(report) },
        { "attempts.csv", comparedCsv(report, "attempts", compared.attempts) },
        { "delays.csv", comparedCsv(report, "delay", compared.delays) }, { "latency.csv", latencyCsv(report) },
        { "violations.csv", violationsCsv(report) }, { "scenario.json", formatScenario(report.scenario) } };
    if (!compared.measures.empty())
        files.push_back({ "observed.csv", comparedCsv(report, "measure", compared.measures) });
    for (const auto& world : report.worlds)
        addLogs(files, world);
    return files;
}

std::string markdownOf(const Report& report)
{
    const auto& scenario = report.scenario;
    auto text = "# " + escaped(scenario.title.empty() ? scenario.name : scenario.title) + "\n\n";
    if (!scenario.shows.empty())
        text += escaped(scenario.shows) + "\n\n";
    text +=
        "Scenario `" + scenario.name + "`, seed " + std::to_string(scenario.seed) + ", " + simulatorVersion() + ".\n";
    for (const auto& command : report.commands)
        text += (&command == &report.commands.front() ? "\n    " : "    ") + command + "\n";
    if (const auto source = sourceOf(report.worlds.empty() ? scenario : report.worlds.front().scenario);
        !source.empty())
        text += "\nIt is " + escaped(source) + ".\n";
    text += "\n" + settings(report) + "## Outcome\n\n" + measuresTable(report) + "\n";
    text += expectationsOf(report);
    const auto compared = comparedOf(report.worlds);
    if (!compared.measures.empty())
        text += "## Observed\n\n" + comparedTable(report, "measure", compared.measures, true);
    const bool byRecord = scenario.recording && scenario.recording->by == RecordedBy::Table;
    text += std::string("## Attempts\n\n")
        + (byRecord ? "Records by their number of executions.\n\n" : "Calls by their number of attempts.\n\n")
        + comparedTable(report, "attempts", compared.attempts, compared.observed);
    if (!compared.delays.empty())
        text += std::string("## Delays\n\n")
            + (byRecord ? "From one execution to the next.\n\n" : "How long was waited before an attempt.\n\n")
            + comparedTable(report, "delay", compared.delays, compared.observed);
    return text + violationsOf(report);
}

} // namespace fencepost::simulation
