// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/report.h"

#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "core/simulation/expectation.h"
#include "core/simulation/scenario_knobs.h"

namespace fencepost::simulation {

namespace {

using nlohmann::ordered_json;

constexpr std::array columns = {
    SeriesColumn{ "offered", "first attempts", &SeriesStep::offered },
    SeriesColumn{ "retried", "attempts behind the first", &SeriesStep::retried },
    SeriesColumn{ "answered", "attempts that came back well", &SeriesStep::answered },
    SeriesColumn{ "failed", "attempts that did not", &SeriesStep::failed },
    SeriesColumn{ "done", "calls that ended well", &SeriesStep::done },
    SeriesColumn{ "capacity", "requests that the nodes could finish", &SeriesStep::capacity },
    SeriesColumn{ "queue", "the most that waited", &SeriesStep::queue },
    SeriesColumn{ "busy", "the most that were handled at once", &SeriesStep::busy },
    SeriesColumn{ "open_breakers", "the most breakers that were not closed", &SeriesStep::openBreakers },
    SeriesColumn{ "budget", "retries that the budgets would still allow", &SeriesStep::budget },
    SeriesColumn{ "lag_us", "age of the oldest event that is not sent", &SeriesStep::lag },
    SeriesColumn{ "dead_letters", "events given up so far", &SeriesStep::deadLetters },
};

std::int64_t valueOf(const ExpectedTerm& term, const std::vector<ReportedWorld>& worlds, bool& known)
{
    if (!term.measure)
        return term.factor;
    const auto world = std::find_if(
        worlds.begin(), worlds.end(), [&](const ReportedWorld& one) { return one.variant == term.variant; });
    if (world == worlds.end()) {
        known = false;
        return 0;
    }
    const auto measured = world->outcome[measureOf(*term.measure)];
    std::int64_t product = 0;
    if (__builtin_mul_overflow(term.factor, measured, &product))
        return (term.factor < 0) == (measured < 0) ? INT64_MAX : INT64_MIN;
    return product;
}

ordered_json stepsOf(const Lengths& lengths)
{
    auto steps = ordered_json::array();
    for (const auto& [until, count] : lengths.steps())
        steps.push_back({ { "until_us", until.count() }, { "count", count } });
    return steps;
}

ordered_json seriesOf(const Series& series)
{
    auto object = ordered_json{ { "width_us", series.width().count() } };
    for (const auto& column : columns) {
        auto values = ordered_json::array();
        for (const auto& step : series.steps())
            values.push_back(step.*column.member);
        object[std::string(column.name)] = std::move(values);
    }
    return object;
}

ordered_json violationsOf(const Outcome& outcome)
{
    auto list = ordered_json::array();
    for (const auto& violation : outcome.violations)
        list.push_back({ { "rule", violation.rule }, { "meaning", meaningOfRule(violation.rule) },
            { "what", violation.what }, { "at_us", violation.at.count() }, { "request", violation.request } });
    return list;
}

// The same steps for both: a length falls into the first whose edge it does not exceed.
void addDelays(std::map<Duration, ComparedStep>& steps, Duration until, std::size_t worlds)
{
    auto& step = steps[until];
    step.step = "≤ " + formatDuration(until);
    step.predicted.resize(worlds);
}

} // namespace

std::string simulatorVersion()
{
    return "fencepost " FENCEPOST_VERSION;
}

std::span<const SeriesColumn> seriesColumns() noexcept
{
    return columns;
}

Result<std::vector<ReportedWorld>> worldsOf(const Scenario& scenario, const std::vector<std::string>& variants)
{
    for (const auto& name : variants) {
        const auto named = [&](const Variant& variant) { return variant.name == name; };
        if (std::any_of(scenario.variants.begin(), scenario.variants.end(), named))
            continue;
        std::string known;
        for (const auto& variant : scenario.variants)
            known += (known.empty() ? "" : ", ") + variant.name;
        return invalid("The scenario " + scenario.name + " has no variant \"" + name + "\"; "
            + (known.empty() ? "it has none" : "it has " + known));
    }
    std::vector<ReportedWorld> worlds;
    if (scenario.variants.empty())
        worlds.push_back({ {}, scenario.title, scenario, {} });
    for (const auto& variant : scenario.variants) {
        if (!variants.empty() && std::find(variants.begin(), variants.end(), variant.name) == variants.end())
            continue;
        auto turned = withVariant(scenario, variant);
        if (!turned)
            return invalid("variant " + variant.name + ": " + turned.error().message);
        worlds.push_back(
            { variant.name, variant.title.empty() ? variant.name : variant.title, std::move(*turned), {} });
    }
    return worlds;
}

std::vector<JudgedExpectation> judge(const Scenario& scenario, const std::vector<ReportedWorld>& worlds)
{
    std::vector<JudgedExpectation> judged;
    for (const auto& text : scenario.expect) {
        const auto expectation = parseExpectation(text, scenario);
        if (!expectation)
            continue; // parseScenario() read it
        bool known = true;
        JudgedExpectation one;
        one.text = text;
        one.left = valueOf(expectation->left, worlds, known);
        one.right = valueOf(expectation->right, worlds, known);
        const auto* measure = expectation->left.measure ? expectation->left.measure : expectation->right.measure;
        one.unit = measure ? measure->unit : MeasureUnit::Count;
        one.held = holds(one.left, expectation->comparison, one.right);
        if (known)
            judged.push_back(std::move(one));
    }
    return judged;
}

std::vector<std::string> commandsToTheEnd(std::vector<std::string> commands, const std::vector<ReportedWorld>& worlds)
{
    const auto wentOn = [](const ReportedWorld& world) {
        return !world.scenario.violates && world.outcome[Measure::Violations] > 0;
    };
    constexpr auto goOn = " --go-on";
    if (commands.size() == 1 && std::any_of(worlds.begin(), worlds.end(), wentOn))
        commands.front() += goOn;
    for (std::size_t place = 0; commands.size() > 1 && place < std::min(commands.size(), worlds.size()); ++place)
        if (wentOn(worlds[place]))
            commands[place] += goOn;
    return commands;
}

ordered_json toJson(const JudgedExpectation& expectation)
{
    return { { "expected", expectation.text }, { "held", expectation.held }, { "left", expectation.left },
        { "right", expectation.right } };
}

ordered_json toJson(const FoundViolation& found, std::string_view variant)
{
    const auto& violation = found.least.violation;
    auto trace = ordered_json::array();
    for (const auto& line : found.least.outcome.trace)
        trace.push_back({ { "at_us", line.at.count() }, { "request", line.request }, { "actor", line.actor },
            { "text", line.text }, { "state", line.state } });
    return { { "scenario", found.scenario.name }, { "variant", variant }, { "version", simulatorVersion() },
        { "seed", found.scenario.seed }, { "rule", violation.rule }, { "meaning", meaningOfRule(violation.rule) },
        { "what", violation.what }, { "at_us", violation.at.count() }, { "request", violation.request },
        { "schedule", linesOf(found.least.schedule, found.scenario) }, { "minimal", found.least.complete },
        { "trace", std::move(trace) } };
}

ordered_json toJson(const Report& report, const ReportedWorld& world)
{
    const auto& outcome = world.outcome;
    auto measures = ordered_json::object();
    for (const auto& kind : measureKinds())
        measures[std::string(kind.name)] = outcome[measureOf(kind)];
    ordered_json object{ { "scenario", report.scenario.name }, { "variant", world.variant }, { "title", world.title },
        { "version", simulatorVersion() }, { "seed", world.scenario.seed }, { "stopped", outcome.stopped },
        { "lasted_us", outcome.lasted.count() }, { "most_in_flight", outcome.mostInFlight },
        { "measures", std::move(measures) }, { "attempts", outcome.attempts }, { "delays", stepsOf(outcome.delays) },
        { "latency", stepsOf(outcome.latency) }, { "series", seriesOf(outcome.series) },
        { "violations", violationsOf(outcome) } };
    if (world.found)
        object["least"] = toJson(*world.found, world.variant);
    if (const auto& recording = world.scenario.recording; recording && !recording->attempts.empty())
        object["observed_attempts"] = recording->attempts;
    if (const auto& recording = world.scenario.recording; recording && recording->by == RecordedBy::Table)
        object["executions"] = outcome.executions;
    if (const auto& recording = world.scenario.recording; recording && !recording->observed.empty())
        for (const auto& [name, number] : recording->observed)
            object["observed"][name] = number;
    if (const auto source = sourceOf(world.scenario); !source.empty())
        object["recording"] = source;
    return object;
}

std::vector<DifferingKnob> differingKnobs(const std::vector<ReportedWorld>& worlds)
{
    std::vector<DifferingKnob> differing;
    for (const auto& knob : scenarioKnobs()) {
        DifferingKnob one{ std::string(knob.path), {} };
        for (const auto& world : worlds)
            one.values.push_back(shownValue(knob, world.scenario));
        if (std::any_of(one.values.begin(), one.values.end(), [&](const auto& it) { return it != one.values.front(); }))
            differing.push_back(std::move(one));
    }
    return differing;
}

Compared comparedOf(const std::vector<ReportedWorld>& worlds)
{
    Compared compared;
    if (worlds.empty())
        return compared;
    const auto& recording = worlds.front().scenario.recording;
    compared.observed = recording && !recording->attempts.empty();
    const bool byRecord = recording && recording->by == RecordedBy::Table;
    const auto attemptsOf = [&](const ReportedWorld& world) -> const std::vector<std::int64_t>& {
        return byRecord ? world.outcome.executions : world.outcome.attempts;
    };
    std::size_t most = compared.observed ? recording->attempts.size() : 0;
    for (const auto& world : worlds)
        most = std::max(most, attemptsOf(world).size());
    const auto countAt = [](const std::vector<std::int64_t>& counts, std::size_t place) {
        return place < counts.size() ? counts[place] : 0;
    };
    for (std::size_t number = 1; number < most; ++number) {
        ComparedStep step{ std::to_string(number), compared.observed ? countAt(recording->attempts, number) : 0, {} };
        for (const auto& world : worlds)
            step.predicted.push_back(countAt(attemptsOf(world), number));
        compared.attempts.push_back(std::move(step));
    }
    if (recording)
        for (const auto& [name, number] : recording->observed) {
            ComparedStep step{ name, number, {} };
            for (const auto& world : worlds)
                step.predicted.push_back(world.outcome[measureOf(*findMeasure(name))]);
            compared.measures.push_back(std::move(step));
        }
    std::map<Duration, ComparedStep> delays;
    Lengths observed;
    if (compared.observed)
        for (const auto delay : recording->delays)
            observed.add(delay);
    for (const auto& [until, count] : observed.steps()) {
        addDelays(delays, until, worlds.size());
        delays[until].observed = count;
    }
    for (std::size_t place = 0; place < worlds.size(); ++place) {
        const auto& lengths = byRecord ? worlds[place].outcome.betweenExecutions : worlds[place].outcome.delays;
        for (const auto& [until, count] : lengths.steps()) {
            addDelays(delays, until, worlds.size());
            delays[until].predicted[place] = count;
        }
    }
    for (auto& [until, step] : delays)
        compared.delays.push_back(std::move(step));
    return compared;
}

std::string sourceOf(const Scenario& scenario)
{
    const auto& recording = scenario.recording;
    if (!recording || recording->source.empty())
        return {};
    auto text = "run on " + recording->source;
    if (recording->by == RecordedBy::Hand)
        return text;
    text += comesAsRecorded(scenario) ? "; attempts come when they did" : "; attempts are made by the client's policy";
    if (recording->by == RecordedBy::Log && recording->requests.size() > 1)
        text += "; a log has no instants: that its calls are "
            + formatDuration(recording->requests[1].at - recording->requests[0].at) + " apart is made up";
    return text;
}

} // namespace fencepost::simulation
