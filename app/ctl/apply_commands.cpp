// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/reports.h"
#include "core/run_journal.h"
#include "core/store/same_file.h"
#include "models/operator.h"
#include "models/run.h"

namespace fencepost::app {

namespace {

struct ApplyOptions {
    std::string file;
    std::optional<std::int64_t> confirm;
    // What is given and empty, as a variable that nobody set, is no list, no share and no file.
    std::optional<std::string> ramp;
    std::optional<double> rate;
    std::optional<std::string> brake;
    std::optional<std::string> patience;
    std::optional<std::string> latency;
    std::optional<std::string> report;
};

struct UndoOptions {
    std::string requestId;
    std::string reason;
    std::string file;
};

bool speaksOfStages(const ApplyOptions& options)
{
    return options.ramp || options.rate || options.brake || options.patience || options.latency;
}

Result<ReplaySettings> settingsOf(const ApplyOptions& options)
{
    ReplaySettings settings;
    if (options.ramp) {
        auto ramp = parseRamp(*options.ramp);
        if (!ramp)
            return ramp.error();
        settings.ramp = std::move(*ramp);
        // A stage that nobody judges would be verified for nothing.
        settings.brake = models::usualReplay().brake;
    }
    if (options.rate) {
        if (*options.rate <= 0)
            return invalid("The rate is from 0.1 to 5,000 rows a second.");
        settings.rate = *options.rate;
    }
    if (options.brake) {
        const auto brake = parseBrake(*options.brake);
        if (!brake)
            return brake.error();
        settings.brake = *brake;
    }
    if (options.latency) {
        const auto latency = parseDuration(*options.latency);
        if (!latency)
            return latency.error();
        settings.slowest = *latency;
    }
    if (options.patience && !options.ramp)
        return invalid("Only the stages of a ramp wait for their outcomes: give the ramp too.");
    if (options.patience) {
        const auto patience = parseDuration(*options.patience);
        if (!patience)
            return patience.error();
        settings.patience = *patience;
    }
    if (const auto checked = checkReplay(settings); !checked)
        return checked.error();
    return settings;
}

// Somebody, or a brake, decided that it rests: applying it once more is not the decision to go on.
std::optional<OperationRun> pausedRun(Inspector& inspector, const std::string& requestId)
{
    auto* journal = inspector.runs();
    if (journal == nullptr)
        return {};
    auto run = journal->find(requestId);
    return run && *run && (*run)->phase == RunPhase::Paused ? *run : std::nullopt;
}

int apply(Context& context, const ApplyOptions& options)
{
    const auto settings = settingsOf(options);
    if (!settings)
        return context.usage(settings.error());
    const auto text = readFile(options.file);
    if (!text)
        return context.fail(text.error());
    const auto plan = parsePlan(*text);
    if (!plan)
        return context.fail(plan.error());
    const auto rows = static_cast<std::int64_t>(plan->items.size());
    if (rows > 1 && !options.confirm)
        return context.usage(
            "The plan has " + std::to_string(rows) + " rows: confirm it with --confirm " + std::to_string(rows));
    if (options.confirm && *options.confirm != rows)
        return context.usage("The plan has " + std::to_string(rows) + (rows == 1 ? " row, not " : " rows, not ")
            + std::to_string(*options.confirm));
    const bool replays = isStaged(*plan);
    if (!replays && (speaksOfStages(options) || options.report))
        return context.usage("Only a replay has stages, a rate, a brake and a report");
    // Before any row is put back.
    if (options.report) {
        if (store::isSameFile(*options.report, options.file))
            return context.usage("The report would take the place of the plan: name another file");
        if (const auto fit = checkReport(*options.report); !fit)
            return context.usage(fit.error());
    }
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    auto& inspector = (*backend)->inspector();
    if (!replays)
        return carryOut(context, inspector, *plan);
    if (const auto paused = pausedRun(inspector, plan->requestId))
        return context.refused({ Failure::Conflict, "The run of this plan is paused: " + paused->because, {}, {},
            "runs resume " + plan->requestId + " goes on with it" });
    // Who says nothing about the stages goes on with those that were said before.
    const bool says = speaksOfStages(options);
    return carryOutReplay(
        context, inspector, *plan, says ? &*settings : nullptr, { says, options.report.value_or(std::string()) });
}

int undo(Context& context, const UndoOptions& options)
{
    if (!isUuid(options.requestId))
        return context.usage("\"" + options.requestId + "\" is no request id: it is the UUID that the plan was given");
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    auto& inspector = (*backend)->inspector();
    const auto plan = makeUndo(inspector, options.requestId, options.reason, models::actorName(), context.random);
    if (!plan)
        return plan.error().failure == Failure::Unsupported ? context.refused(plan.error())
                                                            : context.fail(plan.error());
    if (options.file.empty())
        return carryOut(context, inspector, *plan);
    if (const auto free = checkReplaceable(options.file, "plan", isPlan); !free)
        return context.usage(free.error());
    if (auto written = writePrivateFile(options.file, formatPlan(*plan)); !written)
        return context.fail(written.error());
    if (context.out.isJson())
        context.out.object(summaryOf(*plan));
    else
        showPlan(context, *plan, false);
    return plan->items.empty() ? Exit::Refused : Exit::Done;
}

} // namespace

void addApplyCommands(CLI::App& app, Context& context)
{
    addCommand<ApplyOptions>(
        app, context, "apply", "Carry out a plan; a second run answers already_done",
        [](CLI::App& command, ApplyOptions& options) {
            command.add_option("file", options.file, "The plan")->required();
            command.add_option("--confirm", options.confirm, "The number of its rows; required above one");
            command.add_option("--ramp", options.ramp,
                "Of a replay: the rows of its first stages, as 1,5,25,100; each is verified before the next");
            command.add_option("--rate", options.rate, "Of a replay: rows a second, 0.1 to 5000");
            command.add_option("--brake", options.brake,
                "Of a replay with a ramp: pause at more failures than this (5%); 100%: never");
            command.add_option("--latency", options.latency,
                "Of a replay: pause where the database takes longer than that for a change, on average (2s); 0s: "
                "never");
            command.add_option("--patience", options.patience,
                "Of a replay with a ramp: how long the outcomes of a stage are waited for (60s)");
            command.add_option(
                "--report", options.report, "Of a replay: write a line of JSON for each row to this file");
        },
        apply);
    addCommand<UndoOptions>(
        app, context, "undo", "Take back what a plan changed, where there is an inverse and the row did not move on",
        [](CLI::App& command, UndoOptions& options) {
            command.add_option("request_id", options.requestId, "The plan's request id")->required();
            command.add_option("--reason", options.reason, "Why; kept in the audit");
            command.add_option("--out", options.file, "Only write the undo as a plan to this file");
        },
        undo);
}

} // namespace fencepost::app
