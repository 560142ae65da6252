// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <thread>

#include "app/ctl/commands.h"
#include "app/ctl/reports.h"
#include "models/operator.h"
#include "models/runs_model.h"

namespace fencepost::app {

namespace {

constexpr int mostRuns = 1'000;

struct RunOptions {
    std::string id;
    std::string rate;
    std::string report;
};

// Nothing is what an operator who wants it to stop would type: it is no rate.
constexpr auto noLimit = "unlimited";

json toJson(const OperationRun& run)
{
    json settings;
    if (const auto known = parseReplay(run.settings))
        settings = { { "ramp", known->ramp }, { "rate", known->rate }, { "brake", known->brake },
            { "patience", formatDuration(known->patience) } };
    return { { "run", run.requestId }, { "verb", run.verb }, { "binding", run.binding }, { "state", wordOf(run.phase) },
        { "because", run.because }, { "alive", models::isAlive(run) }, { "total", run.total },
        { "changed", run.changed }, { "skipped", run.skipped }, { "failed", run.failed }, { "actor", run.actor },
        { "reason", run.reason }, { "settings", settings }, { "started_at", formatInstant(run.startedAt) },
        { "finished_at", orNull(run.finishedAt) }, { "beat_at", orNull(run.beatAt) } };
}

std::string shownState(const OperationRun& run)
{
    const bool waits = run.phase == RunPhase::Running && !models::isAlive(run);
    return std::string(wordOf(run.phase)) + (waits ? " (nobody carries it out)" : "");
}

Result<RunJournal*> journalOf(Context& context, store::Access access)
{
    auto backend = context.open(access);
    if (!backend)
        return backend.error();
    return fencepost::journalOf((*backend)->inspector());
}

Result<OperationRun> runOf(RunJournal& journal, const std::string& id)
{
    auto run = journal.find(id);
    if (!run)
        return run.error();
    if (!*run)
        return Error{ Failure::NotFound, "There is no run " + id, {}, {},
            "List them with: fencepostctl --db … runs list" };
    return std::move(**run);
}

int list(Context& context, const NoOptions&)
{
    const auto journal = journalOf(context, store::Access::ReadOnly);
    if (!journal)
        return context.fail(journal.error());
    const auto runs = (*journal)->list(mostRuns);
    if (!runs)
        return context.fail(runs.error());
    Table table(context.out, { "RUN", "STATE", "DONE", "OF", "FAILED", "STARTED", "BY", "REASON", "BECAUSE" });
    for (const auto& run : *runs) {
        if (context.out.isJson())
            context.out.object(toJson(run));
        else
            table.add({ run.requestId, shownState(run), std::to_string(run.changed + run.skipped + run.failed),
                std::to_string(run.total), std::to_string(run.failed), formatInstant(run.startedAt), run.actor,
                run.reason, run.because });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

struct KnownRun {
    RunJournal* journal = nullptr;
    OperationRun run;
};

Result<KnownRun> knownRun(Context& context, const std::string& id, store::Access access)
{
    const auto journal = journalOf(context, access);
    if (!journal)
        return journal.error();
    auto run = runOf(**journal, id);
    if (!run)
        return run.error();
    return KnownRun{ *journal, std::move(*run) };
}

int show(Context& context, const RunOptions& options)
{
    const auto known = knownRun(context, options.id, store::Access::ReadOnly);
    if (!known)
        return context.fail(known.error());
    const auto* run = &known->run;
    const auto items = known->journal->items(options.id);
    if (!items)
        return context.fail(items.error());
    auto stages = stagesOf(*run);
    if (!stages)
        return context.fail(stages.error());
    if (const auto recalled = stages->recall(*known->journal); !recalled)
        return context.fail(recalled.error());
    if (const auto asked = stages->askFates(*known->journal, stages->rows()); !asked)
        return context.fail(asked.error());
    const auto progress = progressOf(*run, *stages);
    if (context.out.isJson()) {
        auto out = toJson(*run);
        out["stage"] = progress.stage + 1;
        out["stages"] = app::toJson(progress)["stages"];
        out["items"] = json::array();
        for (const auto& item : *items)
            out["items"].push_back({ { "item", item.item }, { "identity", json::parse(item.identity, nullptr, false) },
                { "result", item.outcome }, { "reason", item.detail } });
        context.out.object(out);
        return Exit::Done;
    }
    context.out.line("run: " + run->requestId);
    context.out.line("state: " + shownState(*run));
    if (!run->because.empty())
        context.out.line("because: " + printable(run->because));
    context.out.line("table: " + printable(run->binding));
    context.out.line("by: " + printable(run->actor) + " at " + formatInstant(run->startedAt));
    context.out.line("reason: " + printable(run->reason));
    context.out.line("done: " + std::to_string(run->changed + run->skipped + run->failed) + " of "
        + std::to_string(run->total) + " · changed " + std::to_string(run->changed) + " · skipped "
        + std::to_string(run->skipped) + " · failed " + std::to_string(run->failed));
    showStages(context, progress);
    Table table(context.out, { "ITEM", "RESULT", "ROW", "WHY" });
    for (const auto& item : *items)
        table.add({ std::to_string(item.item), item.outcome, item.identity, item.detail });
    table.show();
    return Exit::Done;
}

// What has become of the run, and whether that is news.
int tell(Context& context, RunJournal& journal, const std::string& id, bool entered)
{
    const auto run = runOf(journal, id);
    if (!run)
        return context.fail(run.error());
    if (context.out.isJson())
        context.out.object(toJson(*run));
    else
        context.out.line(entered ? shownState(*run) : "it is " + std::string(wordOf(run->phase)) + " already");
    return entered ? Exit::Done : Exit::Refused;
}

// Whoever carries the run out looks several times a second.
int order(Context& context, const RunOptions& options, RunPhase phase)
{
    const auto known = knownRun(context, options.id, store::Access::ReadWrite);
    if (!known)
        return context.fail(known.error());
    context.mayChangeFromHere();
    const auto entered = known->journal->enter(options.id, phase, "by " + models::actorName());
    return entered ? tell(context, *known->journal, options.id, *entered) : context.fail(entered.error());
}

int pause(Context& context, const RunOptions& options)
{
    return order(context, options, RunPhase::Paused);
}

int stop(Context& context, const RunOptions& options)
{
    return order(context, options, RunPhase::Stopped);
}

int setRate(Context& context, const RunOptions& options)
{
    double rate = 0;
    if (options.rate != noLimit) {
        const auto* last = options.rate.data() + options.rate.size();
        const auto [end, problem] = std::from_chars(options.rate.data(), last, rate);
        if (problem != std::errc() || end != last || !(rate >= slowestRate && rate <= fastestRate))
            return context.usage("The rate is a number of rows a second from 0.1 to 5000, or " + std::string(noLimit)
                + "; runs pause stops it for a while");
    }
    const auto known = knownRun(context, options.id, store::Access::ReadWrite);
    if (!known)
        return context.fail(known.error());
    context.mayChangeFromHere();
    const auto set = fencepost::setRate(*known->journal, options.id, rate);
    if (!set)
        return set.error().failure == Failure::Invalid ? context.usage(set.error()) : context.fail(set.error());
    if (context.out.isJson())
        context.out.object({ { "run", options.id }, { "rate", rate }, { "applied", *set } });
    else
        context.out.line(*set ? "done" : "the run is over already");
    return *set ? Exit::Done : Exit::Refused;
}

// Whoever was killed just now looks alive until its last sign of life is old: the next one tells.
Result<bool> isCarriedOut(RunJournal& journal, OperationRun run)
{
    const auto last = run.beatAt;
    while (models::isAlive(run)) {
        if (run.beatAt != last)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        auto again = runOf(journal, run.requestId);
        if (!again)
            return again.error();
        run = std::move(*again);
    }
    return run.isOver();
}

// Where it is carried out already it goes on there; else it is carried out here.
int resume(Context& context, const RunOptions& options)
{
    if (!options.report.empty())
        if (const auto fit = checkReport(options.report); !fit)
            return context.usage(fit.error());
    const auto known = knownRun(context, options.id, store::Access::ReadWrite);
    if (!known)
        return context.fail(known.error());
    Result<bool> entered = false;
    if (models::isAlive(known->run))
        entered = known->journal->enter(options.id, RunPhase::Running, {});
    if (!entered)
        return context.fail(entered.error());
    const auto elsewhere = isCarriedOut(*known->journal, known->run);
    if (!elsewhere)
        return context.fail(elsewhere.error());
    if (*elsewhere) {
        if (!options.report.empty())
            context.out.note("no report is written here: the run is over, or whoever carries it out writes its own; "
                             "apply with its plan and --report tells of each row");
        return tell(context, *known->journal, options.id, *entered);
    }
    const auto plan = parsePlan(known->run.plan);
    if (!plan)
        return context.fail(plan.error());
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    return carryOutReplay(context, (*backend)->inspector(), *plan, nullptr, { true, options.report });
}

void declareId(CLI::App& command, RunOptions& options)
{
    command.add_option("id", options.id, "The run: its plan's request id")->required();
}

} // namespace

void addRunCommands(CLI::App& app, Context& context)
{
    auto* runs = app.add_subcommand("runs", "Replays that are carried out, paused or over");
    runs->require_subcommand(1);
    addCommand<NoOptions>(*runs, context, "list", "The runs, newest first", nullptr, list);
    addCommand<RunOptions>(*runs, context, "show", "One run with what became of each row", declareId, show);
    addCommand<RunOptions>(*runs, context, "pause", "Pause it, wherever it is carried out", declareId, pause);
    addCommand<RunOptions>(
        *runs, context, "resume", "Let it go on where it is carried out; else carry the rest out here",
        [](CLI::App& command, RunOptions& options) {
            declareId(command, options);
            command.add_option(
                "--report", options.report, "Carried out here: write a line of JSON for each row to this file");
        },
        resume);
    addCommand<RunOptions>(*runs, context, "stop", "End it for good; what was put back stays so", declareId, stop);
    addCommand<RunOptions>(
        *runs, context, "rate", "Change its rate while it is carried out",
        [](CLI::App& command, RunOptions& options) {
            declareId(command, options);
            command
                .add_option(
                    "rate", options.rate, "Rows a second, 0.1 to 5000, or unlimited: as fast as the database answers")
                ->required();
        },
        setRate);
}

} // namespace fencepost::app
