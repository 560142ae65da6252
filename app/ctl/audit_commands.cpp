// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/rows.h"

namespace fencepost::app {

namespace {

constexpr int pageSize = 500;

struct ListOptions {
    std::optional<std::string> request;
    std::optional<std::int64_t> limit;
};

std::string identityText(const AuditEntry& entry)
{
    const auto parsed = json::parse(entry.identity, nullptr, /*allow_exceptions=*/false);
    std::string text;
    if (parsed.is_array())
        for (const auto& part : parsed)
            text += (text.empty() ? "" : " ") + (part.is_string() ? part.get<std::string>() : part.dump());
    return text;
}

int list(Context& context, const ListOptions& options)
{
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    AuditRequest request;
    request.requestId = options.request;
    std::int64_t left = options.limit.value_or(INT64_MAX);
    Table table(context.out, { "SEQ", "AT", "VERB", "OUTCOME", "ROW", "ACTOR", "REASON", "DETAIL", "REQUEST" });
    while (left > 0 && !context.out.isClosed()) {
        request.limit = static_cast<int>(std::min<std::int64_t>(left, pageSize));
        auto entries = (*backend)->inspector().audit(request);
        if (!entries)
            return context.fail(entries.error());
        for (const auto& entry : *entries) {
            if (context.out.isJson())
                context.out.object(toJson(entry));
            else
                table.add({ std::to_string(entry.seq), formatInstant(entry.at), entry.verb, entry.outcome,
                    identityText(entry), entry.actor, entry.reason, entry.detail, entry.requestId });
        }
        if (!context.out.isJson())
            table.show();
        context.out.flush();
        left -= static_cast<std::int64_t>(entries->size());
        if (entries->size() < static_cast<std::size_t>(request.limit))
            break;
        request.beforeSeq = entries->back().seq;
    }
    return Exit::Done;
}

int verify(Context& context, const NoOptions&)
{
    auto backend = context.open(store::Access::ReadOnly);
    if (!backend)
        return context.fail(backend.error());
    const auto verdict = (*backend)->inspector().verifyAudit();
    if (!verdict)
        return context.fail(verdict.error());
    if (context.out.isJson())
        context.out.object({ { "intact", verdict->intact }, { "entries", verdict->entries },
            { "broken_at", orNull(verdict->brokenAt) }, { "reason", verdict->reason }, { "head", verdict->head } });
    else if (verdict->intact)
        context.out.line("intact: " + std::to_string(verdict->entries) + " entries, the last ends in " + verdict->head);
    else
        context.out.line("BROKEN: " + printable(verdict->reason));
    return verdict->intact ? Exit::Done : Exit::Failed;
}

int install(Context& context, const NoOptions&)
{
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    if (auto status = (*backend)->inspector().installAudit(); !status)
        return context.fail(status.error());
    if (context.out.isJson())
        context.out.object({ { "installed", true } });
    else
        context.out.line("The audit table is in the database.");
    return Exit::Done;
}

} // namespace

void addAuditCommands(CLI::App& app, Context& context)
{
    auto* audit = app.add_subcommand("audit", "What operators did");
    audit->require_subcommand(1);
    addCommand<ListOptions>(
        *audit, context, "list", "List entries, newest first",
        [](CLI::App& command, ListOptions& options) {
            command.add_option("--request", options.request, "Only those of one plan");
            command.add_option("--limit", options.limit, "Stop after that many entries")
                ->check(CLI::Range(1, 1'000'000'000));
        },
        list);
    addCommand<NoOptions>(*audit, context, "verify", "Check every entry against its hash and the chain", {}, verify);
    addCommand<NoOptions>(
        *audit, context, "install", "Create the audit table in a database that has none", {}, install);
}

} // namespace fencepost::app
