// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/forensics.h"
#include "core/forensics/audit_check.h"

namespace fencepost::app {

namespace {

struct InvariantOptions {
    std::string rule;
    std::string budget;
    bool list = false;
};

// In words that a shell takes as they are.
std::string quoted(const std::string& text)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// Empty: none mends it.
std::string planOf(const Asked& asked, const Violation& violation)
{
    const auto mending = mendingOf(violation, asked.binding, asked.all);
    if (!mending)
        return {};
    return "fencepostctl --db … --binding " + quoted(mending->in.name) + " plan " + mending->verb + " --filter "
        + quoted(mending->filter) + (std::string_view(mending->verb) == "resolve" ? " --as … --evidence …" : "")
        + " --reason … --out " + mending->verb + ".plan";
}

std::string detailOf(const BrokenRow& row)
{
    if (!row.at)
        return row.detail;
    return formatInstant(*row.at) + (row.detail.empty() ? "" : ", " + row.detail);
}

std::string countOf(const Violation& violation)
{
    return (violation.more ? "≥" : "") + std::to_string(violation.count);
}

json toJson(const Asked& asked, const Violation& violation)
{
    auto rows = json::array();
    for (const auto& row : violation.rows) {
        const auto trail = trailOf(*violation.invariant, row);
        rows.push_back({ { "key", row.key }, { "identity", row.identity }, { "detail", detailOf(row) },
            { "find", trail.empty() ? json() : json(trail) } });
    }
    const auto plan = planOf(asked, violation);
    return { { "binding", asked.binding.name }, { "rule", violation.invariant->id }, { "count", violation.count },
        { "exactness", violation.more ? "at_least" : "exact" }, { "what", violation.invariant->title },
        { "why", violation.invariant->why }, { "filter", violation.filter }, { "shown", violation.shown },
        { "verb", *violation.invariant->verb == '\0' ? json() : json(violation.invariant->verb) },
        { "plan", plan.empty() ? json() : json(plan) }, { "advice", violation.invariant->advice }, { "rows", rows } };
}

void show(Context& context, const Asked& asked, const Violation& violation)
{
    auto& out = context.out;
    const auto& rule = *violation.invariant;
    out.line(asked.binding.name + ": " + countOf(violation) + " " + rule.title + " (" + rule.id + ")");
    out.line("  " + std::string(rule.why));
    constexpr std::size_t shown = 5;
    for (std::size_t i = 0; i < std::min(shown, violation.rows.size()); ++i) {
        const auto& row = violation.rows[i];
        const auto detail = detailOf(row);
        out.line("  " + printable(row.key) + (detail.empty() ? "" : "  " + printable(detail)));
        if (const auto trail = trailOf(rule, row); !trail.empty())
            out.line("    fencepostctl --db … find " + quoted(printable(trail)));
    }
    if (violation.count > static_cast<std::int64_t>(shown))
        out.line(violation.filter.empty() ? "  … --json names more of them"
                                          : "  … view: --filter " + quoted(violation.filter));
    if (!violation.filter.empty() && violation.shown < violation.count)
        out.line("  the view and the plan are about the first " + std::to_string(violation.shown)
            + " of them: ask again when these are mended");
    out.line("  " + std::string(rule.advice));
    if (const auto plan = planOf(asked, violation); !plan.empty())
        out.line("  " + plan);
}

int listRules(Context& context)
{
    Table table(context.out, { "RULE", "OF", "WHAT IS BROKEN", "WHY IT MATTERS" });
    const auto add = [&](const char* id, std::string_view kind, const char* title, const char* why) {
        if (context.out.isJson())
            context.out.object({ { "rule", id }, { "kind", kind }, { "what", title }, { "why", why } });
        else
            table.add({ id, std::string(kind), title, why });
    };
    for (const auto& rule : invariants())
        add(rule.id, rule.kind == Kind::Job ? "any" : wordOf(rule.kind), rule.title, rule.why);
    add(auditInvariant().id, "audit", auditInvariant().title, auditInvariant().why);
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

void showAudit(Context& context, const Violations& found)
{
    for (const auto& what : found.unjudged)
        context.out.note(sentence(what));
    for (const auto& violation : found.violations) {
        const auto& rule = *violation.invariant;
        const auto& row = violation.rows.front();
        if (context.out.isJson())
            context.out.object({ { "binding", nullptr }, { "rule", rule.id }, { "count", violation.count },
                { "what", rule.title }, { "at", row.key }, { "why", row.detail }, { "advice", rule.advice } });
        else
            context.out.line("audit: broken at " + printable(row.key) + " (" + rule.id + ")\n  " + printable(row.detail)
                + "\n  " + rule.advice);
    }
}

int scan(Context& context, const InvariantOptions& options)
{
    if (options.list)
        return listRules(context);
    const bool auditAlone = options.rule == auditInvariant().id;
    if (!options.rule.empty() && !auditAlone && findInvariant(options.rule) == nullptr)
        return context.usage("There is no rule " + options.rule + "; invariants --list shows all of them");
    const auto budget =
        options.budget.empty() ? Result<Duration>(std::chrono::seconds(10)) : parseDuration(options.budget);
    if (!budget || *budget <= Duration::zero())
        return context.usage("--budget is a time that is longer than nothing, as in 10s");
    std::int64_t found = 0;
    bool whole = true;
    bool judged = true;
    const std::vector<Kind> kinds{ Kind::Idempotency, Kind::Inbox, Kind::Outbox, Kind::DeadLetter, Kind::Job,
        Kind::Lock };
    const auto code = forEachTable(context, kinds, [&](const Asked& asked) -> Status {
        const auto violations = asked.forensics.violations(asked.binding, options.rule, *budget);
        if (!violations)
            return violations.error();
        for (const auto& violation : violations->violations) {
            ++found;
            if (context.out.isJson())
                context.out.object(toJson(asked, violation));
            else
                show(context, asked, violation);
        }
        whole = whole && violations->basis.unread.empty();
        judged = judged && violations->unjudged.empty();
        for (const auto& what : violations->unjudged)
            context.out.note(asked.binding.name + ": " + what);
        tellBasis(context, {}, asked.binding, violations->basis);
        return {};
    });
    if (code == Exit::Usage)
        return code;
    if (const auto backend = context.open(store::Access::ReadOnly);
        backend && context.options.binding.empty() && (options.rule.empty() || auditAlone)) {
        const auto audit = auditViolations((*backend)->inspector());
        if (audit) {
            showAudit(context, *audit);
            found += static_cast<std::int64_t>(audit->violations.size());
        } else {
            context.out.error(audit.error());
        }
        judged = judged && audit && audit->unjudged.empty();
        whole = whole && audit && (!auditAlone || audit->unjudged.empty());
    }
    if (found > 0)
        return Exit::Refused;
    if (code != Exit::Done || !whole)
        return Exit::Failed;
    if (!context.out.isJson())
        context.out.line(judged ? "all invariants hold" : "all invariants hold of what can be judged here");
    return Exit::Done;
}

} // namespace

void addInvariantsCommand(CLI::App& app, Context& context)
{
    addCommand<InvariantOptions>(
        app, context, "invariants", "What must hold of the rows and does not; exit code 3 where something is found",
        [](CLI::App& command, InvariantOptions& options) {
            command.add_option("--rule", options.rule, "One rule alone");
            command.add_option("--budget", options.budget, "Longest time for each of its statements (10s)");
            command.add_flag("--list", options.list, "The rules themselves");
        },
        scan);
}

} // namespace fencepost::app
