// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/simulate_input.h"

#include <chrono>

#include <CLI/CLI.hpp>

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/interrupt.h"
#include "app/ctl/table_access.h"
#include "core/simulation/recording_source.h"

namespace fencepost::app {

namespace {

constexpr std::int64_t longestScenario = 64 << 20;
constexpr std::int64_t longestLog = 256 << 20;

Result<std::pair<std::string, std::string>> settingOf(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        return invalid("--set " + text + ": it is written as path=value");
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

// Each variant as well, so that a knob that a variant turns stands where it was asked to.
Status turnEverywhere(simulation::Scenario& scenario, const std::string& path, const std::string& value)
{
    if (const auto turned = turn(scenario, path, value); !turned)
        return turned;
    for (auto& variant : scenario.variants)
        std::erase_if(variant.set,
            [&](const auto& setting) { return setting.first == path || setting.first.starts_with(path + "["); });
    return {};
}

Result<simulation::Recording> recordingFromFile(const std::string& path, Duration spacing)
{
    const bool isInput = path == "-";
    const auto name = isInput ? std::string("standard input") : path;
    const auto text = isInput ? readStandardInput(longestLog) : readFile(path, longestLog);
    if (!text) {
        // Whatever kept it from being read: it was asked for.
        auto error = text.error();
        error.failure = Failure::Invalid;
        return error;
    }
    const auto rows = exchange::readRetryLog(*text);
    if (!rows) {
        auto error = rows.error();
        error.message = name + ": " + error.message;
        return error;
    }
    return simulation::recordingOf(*rows, name, spacing);
}

Result<simulation::Recording> recordingFromDatabase(Context& context, const std::string& filter)
{
    simulation::RecordingRequest request;
    auto parsed = parseFilter(filter);
    if (!parsed)
        return parsed.error();
    request.filter = std::move(*parsed);
    const auto table = openTable(context, Kind::Idempotency);
    if (!table)
        return table.error();
    const Interrupt interrupt;
    request.goesOn = [&](std::int64_t) { return !interrupt.wasAsked(); };
    return simulation::readRecording(*table->inspector, table->binding, request);
}

Result<Duration> spacingOf(const ScenarioOptions& options)
{
    if (options.spacing.empty())
        return simulation::usualSpacing;
    const auto spacing = parseDuration(options.spacing);
    if (!spacing || *spacing < Duration(0) || *spacing > std::chrono::hours(1))
        return invalid("--spacing " + options.spacing + ": it is a length of time of no more than an hour, as in 10s");
    return spacing;
}

// What really happened, where some of it was named.
Result<simulation::Scenario> withReality(
    Context& context, const ScenarioOptions& options, simulation::Scenario scenario)
{
    const bool fromDatabase = !context.options.db.empty();
    if (!options.from.empty() && fromDatabase)
        return invalid("--from and --db are two sources; one of them is run on");
    if (!options.filter.empty() && !fromDatabase)
        return invalid("--filter chooses records of a database, which --db names");
    if (!options.spacing.empty() && options.from.empty())
        return invalid("--spacing lays the calls of a log apart, which --from names");
    if (options.from.empty() && !fromDatabase)
        return scenario;
    const auto spacing = spacingOf(options);
    if (!spacing)
        return spacing.error();
    auto recording =
        fromDatabase ? recordingFromDatabase(context, options.filter) : recordingFromFile(options.from, *spacing);
    if (!recording)
        return recording.error();
    return simulation::withRecording(std::move(scenario), std::move(*recording));
}

} // namespace

void declareScenario(CLI::App& command, ScenarioOptions& options)
{
    command.add_option("--seed", options.seed, "Instead of the scenario's");
    command.add_option("--set", options.set, "path=value, as in service.lease=30s; may be repeated")
        ->allow_extra_args(false);
    command.add_option("--variant", options.variants, "Only this one; may be repeated")->allow_extra_args(false);
    command.add_option("--from", options.from,
        "Run on what a client's retry log (CSV) tells, instead of the scenario's load; - is standard input");
    command.add_option(
        "--spacing", options.spacing, "With --from: how far apart its calls begin, which a log does not say (10s)");
    command.add_option("--filter", options.filter, "With --db: run on these records (default: the newest 20000)");
}

Result<simulation::Scenario> readScenario(const std::string& nameOrFile)
{
    for (const auto& shipped : simulation::shippedScenarios())
        if (shipped.name == nameOrFile)
            return simulation::parseScenario(shipped.json);
    const auto text = readFile(nameOrFile, longestScenario);
    if (!text && text.error().failure == Failure::NotFound)
        return Error{ Failure::Invalid, "There is no scenario and no file " + nameOrFile, {}, {},
            "`fencepostctl simulate list` names those that come with it" };
    if (!text) {
        // Whatever kept the file from being read: the scenario cannot be read.
        auto error = text.error();
        error.failure = Failure::Invalid;
        return error;
    }
    auto scenario = simulation::parseScenario(*text);
    if (scenario)
        return scenario;
    auto error = scenario.error();
    error.message = nameOrFile + ": " + error.message;
    return error;
}

Result<simulation::Scenario> scenarioOf(Context& context, const ScenarioOptions& options)
{
    auto named = readScenario(options.scenario);
    if (!named)
        return named.error();
    auto scenario = withReality(context, options, std::move(*named));
    if (!scenario)
        return scenario.error();
    if (!options.seed.empty()) {
        const auto seed = seedOf(options.seed);
        if (!seed)
            return seed.error();
        scenario->seed = *seed;
    }
    for (const auto& text : options.set) {
        const auto setting = settingOf(text);
        if (!setting)
            return setting.error();
        if (const auto turned = turnEverywhere(*scenario, setting->first, setting->second); !turned)
            return turned.error();
    }
    if (const auto checked = check(*scenario); !checked)
        return checked.error();
    return scenario;
}

simulation::SimulationCommand commandOf(const ScenarioOptions& options, const simulation::Scenario& scenario)
{
    simulation::SimulationCommand command;
    command.scenario = options.scenario;
    command.seed = scenario.seed;
    for (const auto& text : options.set)
        command.set.push_back(*settingOf(text));
    command.variants = options.variants;
    if (!options.from.empty())
        command.more.emplace_back("--from", options.from);
    if (!options.spacing.empty())
        command.more.emplace_back("--spacing", options.spacing);
    if (!options.filter.empty())
        command.more.emplace_back("--filter", options.filter);
    return command;
}

} // namespace fencepost::app
