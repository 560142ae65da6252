// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/reports.h"

#include <map>
#include <thread>

#include "app/ctl/files.h"
#include "app/ctl/interrupt.h"
#include "core/operations/shown_parameters.h"
#include "core/retry/steady_clock.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

json toJson(const StageReport& stage)
{
    return { { "rows", stage.rows }, { "done", stage.done() }, { "changed", stage.changed },
        { "skipped", stage.skipped }, { "failed", stage.failed }, { "succeeded", stage.succeeded },
        { "dead_again", stage.deadAgain }, { "pending", stage.pending }, { "failing", stage.failing } };
}

json toJson(const PlanItem& item)
{
    json out = { { "item", item.number }, { "identity", item.identity }, { "key", item.key }, { "state", item.state },
        { "fence", orNull(item.fence) }, { "effect", item.effect }, { "warning", item.warning } };
    if (!item.verdict.empty())
        out["verdict"] = item.verdict;
    return out;
}

json toJson(const LeftOut& row)
{
    json out = { { "identity", row.identity }, { "key", row.key }, { "why", row.why } };
    if (!row.verdict.empty())
        out["verdict"] = row.verdict;
    return out;
}

std::string joined(const std::vector<std::string>& identity)
{
    std::string text;
    for (const auto& part : identity)
        text += (text.empty() ? "" : " ") + part;
    return text;
}

void line(Context& context, const char* name, const std::string& value)
{
    if (!value.empty())
        context.out.line(std::string(name) + ": " + printable(value));
}

// Rows whose turn did not come are skipped, each with this as its reason: changed, already done, skipped and failed
// add up to the plan.
std::string whyNotRun(const RunReport& report)
{
    return "the run stopped before it" + (report.stoppedBy ? ": " + report.stoppedBy->message : std::string());
}

json rowOf(const PlanItem& row, ItemResult result, const std::string& reason)
{
    json out = { { "item", row.number }, { "identity", row.identity }, { "key", row.key }, { "result", wordOf(result) },
        { "reason", reason } };
    if (!row.verdict.empty())
        out["verdict"] = row.verdict;
    return out;
}

// What the report tells of each row of the plan; null: its turn did not come. After an interruption the rows that it
// tells of need not be the first ones.
std::vector<const ItemOutcome*> outcomesOf(const RunReport& report, const Plan& plan)
{
    std::map<int, const ItemOutcome*> byNumber;
    for (const auto& item : report.items)
        byNumber[item.item] = &item.outcome;
    std::vector<const ItemOutcome*> outcomes;
    outcomes.reserve(plan.items.size());
    for (const auto& item : plan.items) {
        const auto found = byNumber.find(item.number);
        outcomes.push_back(found == byNumber.end() ? nullptr : found->second);
    }
    return outcomes;
}

std::vector<json> rowsOf(const RunReport& report, const Plan& plan)
{
    const auto outcomes = outcomesOf(report, plan);
    std::vector<json> rows;
    rows.reserve(plan.items.size());
    for (std::size_t i = 0; i < plan.items.size(); ++i)
        rows.push_back(outcomes[i] != nullptr ? rowOf(plan.items[i], outcomes[i]->result, outcomes[i]->reason)
                                              : rowOf(plan.items[i], ItemResult::Skipped, whyNotRun(report)));
    return rows;
}

json toJson(const RunReport& report, const Plan& plan)
{
    json out = { { "request_id", report.requestId }, { "verb", plan.verb }, { "total", plan.items.size() },
        { "changed", report.changed }, { "already_done", report.alreadyDone },
        { "skipped", report.skipped + report.notRun }, { "failed", report.failed }, { "not_run", report.notRun },
        { "left_out", json::array() }, { "items", json::array() } };
    for (auto& row : rowsOf(report, plan))
        out["items"].push_back(std::move(row));
    for (const auto& row : plan.leftOut)
        out["left_out"].push_back(toJson(row));
    if (report.stoppedBy)
        out["stopped_by"] = { { "failure", nameOf(report.stoppedBy->failure) },
            { "message", report.stoppedBy->message }, { "detail", report.stoppedBy->detail },
            { "code", report.stoppedBy->code }, { "next", report.stoppedBy->next } };
    return out;
}

void showText(Context& context, const RunReport& report, const Plan& plan)
{
    Table table(context.out, { "RESULT", "ROW", "WHY" });
    bool any = false;
    const auto outcomes = outcomesOf(report, plan);
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        const auto* outcome = outcomes[i];
        if (outcome != nullptr
            && (outcome->result == ItemResult::Changed || outcome->result == ItemResult::AlreadyDone))
            continue;
        table.add({ std::string(wordOf(outcome != nullptr ? outcome->result : ItemResult::Skipped)),
            joined(plan.items[i].identity), outcome != nullptr ? outcome->reason : whyNotRun(report) });
        any = true;
    }
    for (const auto& row : plan.leftOut) {
        table.add({ "left out", joined(row.identity), row.why });
        any = true;
    }
    if (any)
        table.show();
    context.out.line("changed " + std::to_string(report.changed) + " · already done "
        + std::to_string(report.alreadyDone) + " · skipped " + std::to_string(report.skipped + report.notRun)
        + (report.notRun > 0 ? " (" + std::to_string(report.notRun) + " not run)" : std::string()) + " · failed "
        + std::to_string(report.failed) + " · of " + std::to_string(plan.items.size()));
    context.out.line("request " + report.requestId);
}

std::string words(const StageReport& stage)
{
    return std::to_string(stage.done()) + " of " + std::to_string(stage.rows) + " · succeeded "
        + std::to_string(stage.succeeded) + " · dead again " + std::to_string(stage.deadAgain) + " · pending "
        + std::to_string(stage.pending)
        + (stage.failing > 0 ? " (" + std::to_string(stage.failing) + " failing)" : std::string());
}

void showProgress(Context& context, const ReplayProgress& progress)
{
    if (context.out.isJson())
        context.out.object({ { "progress", app::toJson(progress) } });
    else
        context.out.line(std::string(wordOf(progress.phase)) + "  stage " + std::to_string(progress.stage + 1) + " of "
            + std::to_string(progress.stages.size()) + "  " + words(progress.all()) + " · "
            + std::to_string(static_cast<int>(progress.perSecond)) + "/s"
            + (progress.because.empty() ? std::string() : "  " + printable(progress.because)));
    context.out.flush();
}

int exitOf(const RunReport& report, const Plan& plan)
{
    if (report.failed > 0 || report.notRun > 0)
        return Exit::Failed;
    // An undo is asked for a whole request: what it leaves out was refused.
    const bool leftOut = !plan.leftOut.empty() && (plan.items.empty() || !plan.undoOf.empty());
    if (report.skipped > 0 || leftOut)
        return Exit::Refused;
    return Exit::Done;
}

} // namespace

bool isPlan(std::string_view content)
{
    return parsePlan(content).has_value();
}

bool isReport(std::string_view content)
{
    const auto first = json::parse(content.substr(0, content.find('\n')), nullptr, false);
    return first.is_object() && first.contains("item") && first.contains("identity") && first.contains("result");
}

Status checkReport(const std::string& path)
{
    const auto free = checkReplaceable(path, "report of a run", isReport);
    return free ? checkWritable(path) : free;
}

json toJson(const ReplayProgress& progress)
{
    json out = toJson(progress.all());
    out["phase"] = wordOf(progress.phase);
    out["because"] = progress.because;
    out["stage"] = progress.stage + 1;
    out["per_second"] = progress.perSecond;
    out["seconds_left"] = progress.timeLeft ? json(static_cast<double>(progress.timeLeft->count()) / 1e6) : json();
    out["stages"] = json::array();
    for (const auto& stage : progress.stages)
        out["stages"].push_back(toJson(stage));
    return out;
}

void showStages(Context& context, const ReplayProgress& progress)
{
    if (progress.verified)
        for (std::size_t i = 0; i < progress.stages.size(); ++i)
            context.out.line("stage " + std::to_string(i + 1) + "  " + words(progress.stages[i]));
}

json summaryOf(const Plan& plan)
{
    json out = { { "request_id", plan.requestId }, { "verb", plan.verb }, { "binding", plan.binding },
        { "profile", plan.profile }, { "database", plan.database }, { "rows", plan.items.size() },
        { "counts_by_state", plan.countsByState }, { "filter", plan.filter },
        { "parameters", shownParameters(plan.parameters) }, { "reason", plan.reason }, { "actor", plan.actor },
        { "created_at", formatInstant(plan.createdAt) }, { "effect", plan.effect }, { "inverse", plan.inverse },
        { "sql", plan.sql }, { "undo_of", plan.undoOf }, { "items", json::array() }, { "left_out", json::array() } };
    for (const auto& item : plan.items)
        out["items"].push_back(toJson(item));
    for (const auto& row : plan.leftOut)
        out["left_out"].push_back(toJson(row));
    if (!plan.warnings.empty())
        out["warnings"] = plan.warnings;
    if (!plan.verdicts.empty())
        out["verdicts"] = plan.verdicts;
    return out;
}

void showPlan(Context& context, const Plan& plan, bool withSql)
{
    line(context, "plan", plan.requestId);
    line(context, "database", plan.database);
    line(context, "table", plan.binding + " (" + plan.profile + ')');
    line(context, "filter", plan.filter);
    const auto parameters = shownParameters(plan.parameters);
    for (const auto& [name, value] : parameters)
        line(context, name.c_str(), value);
    line(context, "reason", plan.reason);
    line(context, "by", plan.actor + " at " + formatInstant(plan.createdAt));
    line(context, "effect", plan.effect);
    line(context, "undo", plan.inverse);
    for (const auto& warning : plan.warnings)
        line(context, "warning", warning);
    for (const auto& [state, count] : plan.countsByState)
        line(context, state.c_str(), std::to_string(count));
    for (const auto& [verdict, count] : plan.verdicts)
        context.out.line("verdict " + verdict + ": " + std::to_string(count));
    if (plan.items.empty())
        context.out.line(plan.leftOut.empty() ? "no row matches: there is nothing to apply"
                                              : "every row is left out: there is nothing to apply");
    if (!plan.items.empty()) {
        context.out.line("");
        Table items(context.out, { "ITEM", "STATE", "ROW", "EFFECT", "WARNING" });
        for (const auto& item : plan.items)
            items.add({ std::to_string(item.number), item.state, joined(item.identity), item.effect, item.warning });
        items.show();
    }
    if (!plan.leftOut.empty()) {
        context.out.line("");
        Table left(context.out, { "LEFT OUT", "WHY" });
        for (const auto& row : plan.leftOut)
            left.add({ joined(row.identity), row.why });
        left.show();
    }
    if (withSql && !plan.sql.empty()) {
        context.out.line("");
        context.out.line(plan.sql);
    }
}

int carryOut(Context& context, Inspector& inspector, const Plan& plan)
{
    const Interrupt interrupt;
    const auto report = applyPlan(inspector, plan, models::actorName(),
        [&](const ItemReport&, std::size_t, std::size_t) { return !interrupt.wasAsked(); });
    if (!report)
        return context.fail(report.error());
    if (context.out.isJson())
        context.out.object(toJson(*report, plan));
    else
        showText(context, *report, plan);
    context.out.flush();
    if (report->stoppedBy)
        context.out.note("stopped: " + stopInWords(plan, *report));
    return exitOf(*report, plan);
}

int carryOutReplay(Context& context, Inspector& inspector, const Plan& plan, const ReplaySettings* settings,
    const ReplayOutput& output)
{
    const Interrupt interrupt;
    const retry::SteadyClock steady;
    Time told = steady.now();
    ReplayHooks hooks;
    hooks.order = [&] { return interrupt.wasAsked() ? ReplayOrder::Leave : ReplayOrder::Go; };
    hooks.sleep = [&](Duration length) {
        constexpr auto worthALoop = std::chrono::milliseconds(20);
        if (length < worthALoop)
            std::this_thread::sleep_for(length);
        else
            interrupt.wait(length);
    };
    if (output.progress)
        hooks.progressed = [&](const ReplayProgress& progress) {
            constexpr auto each = std::chrono::seconds(1);
            if (const auto now = steady.now(); now - told >= each) {
                told = now;
                showProgress(context, progress);
            }
        };
    const auto done = runReplay(inspector, plan, models::actorName(), settings, hooks, steady, context.random);
    if (!done)
        return done.error().failure == Failure::Conflict ? context.refused(done.error()) : context.fail(done.error());
    const auto& [report, fates, progress] = *done;
    bool reported = true;
    if (!output.reportFile.empty()) {
        std::string lines;
        auto rows = rowsOf(report, plan);
        const auto outcomes = outcomesOf(report, plan);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto& row = rows[i];
            // What was not put back has no fate of its own.
            const bool putBack = outcomes[i] != nullptr
                && (outcomes[i]->result == ItemResult::Changed || outcomes[i]->result == ItemResult::AlreadyDone);
            const bool asked = progress.verified && putBack;
            row["fate"] = asked ? json(wordOf(fates[i])) : json();
            lines += row.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
        }
        const auto written = writePrivateFile(output.reportFile, lines);
        reported = written.has_value();
        if (!reported)
            context.out.note("the report could not be written, and the run is as it is said here: "
                + written.error().message + "; runs show " + plan.requestId + " tells of each row");
    }
    // All rows may be back by then, and what became of them not yet known.
    const bool broken = report.stoppedBy && report.stoppedBy->failure != Failure::Cancelled;
    if (context.out.isJson()) {
        auto out = toJson(report, plan);
        out["run"] = toJson(progress);
        context.out.object(out);
    } else {
        showText(context, report, plan);
        showStages(context, progress);
        context.out.line("run " + std::string(broken ? "BROKEN OFF" : wordOf(progress.phase))
            + (progress.because.empty() ? std::string() : ": " + printable(progress.because)));
    }
    context.out.flush();
    // A brake and an order from elsewhere are no failure: the rest is there to be gone on with.
    const bool refused = progress.phase == RunPhase::Paused || progress.phase == RunPhase::Stopped;
    if (broken)
        context.out.note("the run broke off: " + stopInWords(plan, report));
    else if (report.notRun > 0 && progress.phase != RunPhase::Stopped)
        context.out.note("Go on with: fencepostctl --db … runs resume " + plan.requestId);
    if (broken)
        return Exit::Failed;
    if (refused && report.failed == 0 && !interrupt.wasAsked())
        return Exit::Refused;
    const int code = exitOf(report, plan);
    return code == Exit::Done && !reported ? Exit::Failed : code;
}

} // namespace fencepost::app
