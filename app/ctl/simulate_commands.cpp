// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>

#include "app/ctl/commands.h"
#include "app/ctl/interrupt.h"
#include "app/ctl/simulate_input.h"
#include "app/ctl/simulate_output.h"
#include "core/simulation/scenario_knobs.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

using namespace simulation;

struct SimulateOptions : ScenarioOptions {
    std::string csv;
    std::string report;
    bool force = false;
    bool stops = false;
    bool goesOn = false;
    std::optional<std::uint64_t> life;
};

struct SweepOptions : ScenarioOptions {
    std::string csv;
    bool force = false;
    std::vector<std::string> measures;
};

struct SearchOptions : ScenarioOptions {
    std::int64_t seeds = 100;
};

constexpr const char* about =
    "SCENARIO is one that comes with the program (simulate list) or a file; simulate show prints one to begin with, "
    "simulate knobs lists all that can be chosen and all that is measured.\n"
    "The worlds of all variants are lived through on a clock of their own, with the protocol's own code; the same "
    "scenario and seed give the same outcome everywhere. No database is changed.\n"
    "The first violated invariant ends a run: the least schedule that leads to it is shown, what happens then, and the "
    "seed. A world whose violations are what the scenario demonstrates (\"violates\": true) is lived through to its "
    "end "
    "and counted; --stop ends that one as well, --go-on none.\n"
    "Exit code: 0 every invariant held, 3 one was violated, 1 a claim of an unchanged scenario did not hold, it was "
    "stopped, or a database or a folder did not serve, 2 the scenario or a log cannot be read or is not there.";

Error stopped()
{
    return { Failure::Cancelled, "The simulation was stopped before its end", {} };
}

bool anyViolation(const Report& report)
{
    return std::any_of(report.worlds.begin(), report.worlds.end(),
        [](const ReportedWorld& world) { return world.outcome[Measure::Violations] > 0; });
}

bool endsAtViolation(const SimulateOptions& options, const ReportedWorld& world)
{
    return options.stops || (!options.goesOn && !options.life && !world.scenario.violates);
}

// Lives through every world, or up to one that violates what it should not; false: somebody stopped it.
bool liveThrough(Report& report, const SimulateOptions& options)
{
    const Interrupt interrupt;
    RunOptions run;
    run.keepsLogs = !options.csv.empty();
    run.traced = options.life;
    run.goesOn = [&](const Progress&) { return !interrupt.wasAsked(); };
    for (auto world = report.worlds.begin(); world != report.worlds.end(); ++world) {
        run.stopsAtViolation = endsAtViolation(options, *world);
        world->outcome = simulation::simulate(world->scenario, run);
        if (world->outcome.stopped)
            return false;
        if (!run.stopsAtViolation || world->outcome.violations.empty())
            continue;
        // Only now is it worth to keep what struck.
        auto search = searchViolation(world->scenario, 1, [&](const SearchProgress&) { return !interrupt.wasAsked(); });
        world->found = std::move(search.found);
        report.worlds.erase(world + 1, report.worlds.end());
        return !search.stopped;
    }
    return true;
}

// Before anything is lived through, and before any of them is written.
Status checkFiles(const SimulateOptions& options)
{
    if (!options.csv.empty())
        if (auto writable = checkReportFolder(options.csv, options.force); !writable)
            return writable;
    return options.report.empty() ? Status() : checkReport(options.report, options.force);
}

Status writeFiles(const Report& report, const SimulateOptions& options)
{
    if (!options.csv.empty())
        if (auto written = writeReportFiles(options.csv, csvFilesOf(report), options.force); !written)
            return written;
    if (!options.report.empty())
        return writeReport(options.report, markdownOf(report), options.force);
    return {};
}

// The worlds that were whole in short, and the one that ended with all that is known of it.
void showEnd(Context& context, const Report& report, bool wasAsked)
{
    const auto& last = report.worlds.back();
    if (context.out.isJson())
        for (const auto& world : report.worlds)
            if (&world != &last)
                context.out.object(json::parse(toJson(report, world).dump()));
    showFound(context, *last.found, last.variant);
    if (!wasAsked)
        context.out.note("A violation ends a run; --go-on lives through all of it.");
}

int simulateScenario(Context& context, const SimulateOptions& options)
{
    if (options.scenario.empty())
        return context.usage("A scenario is needed, by its name or in a file; simulate list names those that come "
                             "with the program");
    if (options.stops && options.goesOn)
        return context.usage("--stop and --go-on exclude each other");
    const auto scenario = scenarioOf(context, options);
    if (!scenario)
        return context.rejectInput(scenario.error());
    auto worlds = worldsOf(*scenario, options.variants);
    if (!worlds)
        return context.usage(worlds.error());
    auto command = commandOf(options, *scenario);
    if (!context.options.db.empty())
        command.more.emplace_back("--db", withoutCredentials(context.options.db));
    // Without them a run ends elsewhere.
    if (options.stops || options.goesOn)
        command.more.emplace_back(options.stops ? "--stop" : "--go-on", "");
    if (options.life)
        command.more.emplace_back("--life", std::to_string(*options.life));
    if (const auto writable = checkFiles(options); !writable)
        return context.rejectInput(writable.error());
    Report report{ *scenario, { commandLineOf(command) }, std::move(*worlds), {} };
    if (!liveThrough(report, options))
        return context.fail(stopped());
    const bool ended = report.worlds.back().found.has_value();
    // What was changed is another world than the one that the claims are about.
    if (options.set.empty() && options.seed.empty() && !ended)
        report.expectations = judge(*scenario, report.worlds);
    if (ended)
        showEnd(context, report, options.stops);
    else if (!options.life)
        showReport(context, report);
    else if (!showLife(context, report, *options.life))
        return context.usage(Error{ Failure::NotFound, "There is no request " + std::to_string(*options.life), {}, {},
            "The first one is 1; `simulate " + options.scenario + "` says how many there are" });
    if (const auto written = writeFiles(report, options); !written)
        return context.rejectInput(written.error());
    if (anyViolation(report))
        return Exit::Refused;
    const auto held = [](const JudgedExpectation& one) { return one.held; };
    return std::all_of(report.expectations.begin(), report.expectations.end(), held) ? Exit::Done : Exit::Failed;
}

// A sweep takes one world: of a scenario with variants one has to be named.
Result<ReportedWorld> onlyWorld(const Scenario& scenario, const std::vector<std::string>& variants)
{
    auto worlds = worldsOf(scenario, variants);
    if (!worlds)
        return worlds.error();
    if (worlds->size() != 1)
        return invalid("The scenario " + scenario.name + " has several variants; one of them is named with --variant");
    return std::move(worlds->front());
}

Result<std::vector<const MeasureKind*>> measuresOf(const std::vector<std::string>& names)
{
    std::vector<const MeasureKind*> kinds;
    for (const auto& name : names) {
        const auto* kind = findMeasure(name);
        if (!kind)
            return invalid("\"" + name + "\" is no measure; `fencepostctl simulate knobs` lists them");
        kinds.push_back(kind);
    }
    return kinds;
}

// Settings with a range are swept, others are turned.
Result<std::vector<SweepAxis>> takeAxes(ScenarioOptions& options)
{
    std::vector<SweepAxis> axes;
    std::vector<std::string> single;
    for (const auto& text : options.set) {
        const auto equals = text.find('=');
        const auto* knob = equals == std::string::npos ? nullptr : findScenarioKnob(text.substr(0, equals));
        const bool isSpread = knob && knob->form == KnobForm::Spread;
        const bool isRange =
            text.find("..") != std::string::npos || (knob && !isSpread && text.find(',', equals) != std::string::npos);
        if (!isRange) {
            single.push_back(text);
            continue;
        }
        auto axis = parseSweepAxis(text);
        if (!axis)
            return axis.error();
        axes.push_back(std::move(*axis));
    }
    options.set = std::move(single);
    if (axes.empty())
        return invalid("Nothing is swept: one --set has a range, as in service.lease=10s..60s:10s, or words, as in "
                       "client.jitter=none,full");
    return axes;
}

int sweepScenario(Context& context, const SweepOptions& asked)
{
    auto options = asked;
    const auto axes = takeAxes(options);
    if (!axes)
        return context.usage(axes.error());
    const auto measures = measuresOf(options.measures);
    if (!measures)
        return context.usage(measures.error());
    const auto scenario = scenarioOf(context, options);
    if (!scenario)
        return context.rejectInput(scenario.error());
    const auto world = onlyWorld(*scenario, options.variants);
    if (!world)
        return context.usage(world.error());
    const Interrupt interrupt;
    auto swept = sweep(world->scenario, *axes, [&](const SweepProgress&) { return !interrupt.wasAsked(); });
    if (!swept)
        return context.usage(swept.error());
    swept->variant = world->variant;
    showSweep(context, *swept, *measures);
    if (!options.csv.empty())
        if (const auto written = writeReportFiles(options.csv, sweepFilesOf(*swept), options.force); !written)
            return context.rejectInput(written.error());
    if (swept->stopped)
        return context.fail(stopped());
    const auto violated = [](const SweepPoint& point) { return point[Measure::Violations] > 0; };
    return std::any_of(swept->points.begin(), swept->points.end(), violated) ? Exit::Refused : Exit::Done;
}

int search(Context& context, const SearchOptions& options)
{
    const auto scenario = scenarioOf(context, options);
    if (!scenario)
        return context.rejectInput(scenario.error());
    const auto worlds = worldsOf(*scenario, options.variants);
    if (!worlds)
        return context.usage(worlds.error());
    const Interrupt interrupt;
    for (const auto& world : *worlds) {
        const auto found = searchViolation(
            world.scenario, options.seeds, [&](const SearchProgress&) { return !interrupt.wasAsked(); });
        if (found.found) {
            showFound(context, *found.found, world.variant);
            return Exit::Refused;
        }
        if (found.stopped)
            return context.fail(stopped());
        if (context.out.isJson())
            context.out.object(
                { { "scenario", scenario->name }, { "variant", world.variant }, { "version", simulatorVersion() },
                    { "first_seed", scenario->seed }, { "seeds", found.tried }, { "violated", false } });
        else
            context.out.line("scenario " + scenario->name + (world.variant.empty() ? "" : ", " + world.variant) + ", "
                + simulatorVersion() + ": every invariant held with " + std::to_string(found.tried) + " seeds from "
                + std::to_string(scenario->seed) + " on");
    }
    return Exit::Done;
}

void declareSimulate(CLI::App& command, SimulateOptions& options)
{
    command.add_option("scenario", options.scenario, "Its name, or a file");
    declareScenario(command, options);
    command.add_option("--csv", options.csv, "Folder for tables of everything and the playbook's three logs");
    command.add_option("--report", options.report, "File for a report in Markdown");
    command.add_flag("--force", options.force, "Replace files that are there");
    command.add_flag("--stop", options.stops,
        "Stop at the first violated invariant and show the least that leads to it, also where it is what is "
        "demonstrated");
    command.add_flag(
        "--go-on", options.goesOn, "Stop at no violated invariant: live through all of it, and count them");
    command.add_option("--life", options.life, "Show what happened to this request, counted from 1")
        ->check(CLI::PositiveNumber);
}

void declareSweep(CLI::App& command, SweepOptions& options)
{
    command.add_option("scenario", options.scenario, "Its name, or a file")->required();
    declareScenario(command, options);
    options.measures = { "amplification", "success_rate", "latency_p95", "duplicate_effects", "stuck", "violations" };
    command.add_option("--measure", options.measures, "What the table shows; may be repeated")
        ->allow_extra_args(false)
        ->capture_default_str();
    command.add_option(
        "--csv", options.csv, "Folder for sweep.csv, with every measure, and the scenario that was swept");
    command.add_flag("--force", options.force, "Replace a file that is there");
}

void declareSearch(CLI::App& command, SearchOptions& options)
{
    constexpr std::int64_t most = 1'000'000;
    command.add_option("scenario", options.scenario, "Its name, or a file")->required();
    declareScenario(command, options);
    command.add_option("--seeds", options.seeds, "How many (100), from the scenario's own on")
        ->check(CLI::Range(std::int64_t(1), most));
}

} // namespace

void addSimulateCommands(CLI::App& app, Context& context)
{
    auto* simulate = app.add_subcommand("simulate", "What would happen: the protocol's own code on a virtual clock");
    simulate->footer(about);
    simulate->require_subcommand(0, 1);
    auto options = std::make_shared<SimulateOptions>();
    declareSimulate(*simulate, *options);
    // A verb has options of its own.
    simulate->parse_complete_callback([simulate] {
        if (!simulate->get_subcommands().empty())
            for (const auto* option : simulate->get_options())
                if (option->count() > 0 && option->get_name() != "--help")
                    throw CLI::ValidationError(
                        option->get_name() + " stands behind the verb of simulate, or is not its own");
    });
    simulate->callback([&context, simulate, options] {
        if (simulate->get_subcommands().empty())
            context.exitCode = simulateScenario(context, *options);
    });
    addSimulationLists(*simulate, context);
    addCommand<SweepOptions>(*simulate, context, "sweep",
        "A scenario again and again, with one setting or two taking every value of a range", declareSweep,
        sweepScenario);
    addCommand<SearchOptions>(*simulate, context, "search",
        "Try one seed after the other until an invariant is violated", declareSearch, search);
}

} // namespace fencepost::app
