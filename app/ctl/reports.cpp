// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/reports.h"

#include "app/ctl/interrupt.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

json toJson(const PlanItem& item)
{
    return { { "item", item.number }, { "identity", item.identity }, { "key", item.key }, { "state", item.state },
        { "fence", orNull(item.fence) }, { "effect", item.effect }, { "warning", item.warning } };
}

json toJson(const LeftOut& row)
{
    return { { "identity", row.identity }, { "key", row.key }, { "why", row.why } };
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

json toJson(const RunReport& report, const Plan& plan)
{
    json out = { { "request_id", report.requestId }, { "verb", plan.verb }, { "total", plan.items.size() },
        { "changed", report.changed }, { "already_done", report.alreadyDone },
        { "skipped", report.skipped + report.notRun }, { "failed", report.failed }, { "not_run", report.notRun },
        { "left_out", json::array() }, { "items", json::array() } };
    for (std::size_t i = 0; i < report.items.size(); ++i) {
        const auto& item = report.items[i];
        out["items"].push_back({ { "item", item.item }, { "identity", plan.items[i].identity }, { "key", item.key },
            { "result", wordOf(item.outcome.result) }, { "reason", item.outcome.reason } });
    }
    for (auto i = report.items.size(); i < plan.items.size(); ++i)
        out["items"].push_back({ { "item", plan.items[i].number }, { "identity", plan.items[i].identity },
            { "key", plan.items[i].key }, { "result", wordOf(ItemResult::Skipped) }, { "reason", whyNotRun(report) } });
    for (const auto& row : plan.leftOut)
        out["left_out"].push_back(toJson(row));
    if (report.stoppedBy)
        out["stopped_by"] = { { "failure", nameOf(report.stoppedBy->failure) },
            { "message", report.stoppedBy->message }, { "detail", report.stoppedBy->detail },
            { "code", report.stoppedBy->code } };
    return out;
}

void showText(Context& context, const RunReport& report, const Plan& plan)
{
    Table table(context.out, { "RESULT", "ROW", "WHY" });
    bool any = false;
    for (std::size_t i = 0; i < report.items.size(); ++i) {
        const auto& outcome = report.items[i].outcome;
        if (outcome.result == ItemResult::Changed || outcome.result == ItemResult::AlreadyDone)
            continue;
        table.add({ std::string(wordOf(outcome.result)), joined(plan.items[i].identity), outcome.reason });
        any = true;
    }
    for (auto i = report.items.size(); i < plan.items.size(); ++i) {
        table.add({ std::string(wordOf(ItemResult::Skipped)), joined(plan.items[i].identity), whyNotRun(report) });
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

json summaryOf(const Plan& plan)
{
    json out = { { "request_id", plan.requestId }, { "verb", plan.verb }, { "binding", plan.binding },
        { "profile", plan.profile }, { "database", plan.database }, { "rows", plan.items.size() },
        { "counts_by_state", plan.countsByState }, { "filter", plan.filter }, { "parameters", plan.parameters },
        { "reason", plan.reason }, { "actor", plan.actor }, { "created_at", formatInstant(plan.createdAt) },
        { "effect", plan.effect }, { "inverse", plan.inverse }, { "sql", plan.sql }, { "undo_of", plan.undoOf },
        { "items", json::array() }, { "left_out", json::array() } };
    for (const auto& item : plan.items)
        out["items"].push_back(toJson(item));
    for (const auto& row : plan.leftOut)
        out["left_out"].push_back(toJson(row));
    if (!plan.warnings.empty())
        out["warnings"] = plan.warnings;
    return out;
}

void showPlan(Context& context, const Plan& plan, bool withSql)
{
    line(context, "plan", plan.requestId);
    line(context, "database", plan.database);
    line(context, "table", plan.binding + " (" + plan.profile + ')');
    line(context, "filter", plan.filter);
    for (const auto& [name, value] : plan.parameters)
        line(context, name.c_str(), value);
    line(context, "reason", plan.reason);
    line(context, "by", plan.actor + " at " + formatInstant(plan.createdAt));
    line(context, "effect", plan.effect);
    line(context, "undo", plan.inverse);
    for (const auto& warning : plan.warnings)
        line(context, "warning", warning);
    for (const auto& [state, count] : plan.countsByState)
        line(context, state.c_str(), std::to_string(count));
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
        context.out.note("stopped: " + report->stoppedBy->message
            + (report->stoppedBy->detail.empty() ? "" : " (" + report->stoppedBy->detail + ')')
            + ". Run the same plan again to finish it: rows that were changed are not changed twice.");
    return exitOf(*report, plan);
}

} // namespace fencepost::app
