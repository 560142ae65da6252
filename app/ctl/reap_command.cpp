// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "app/ctl/commands.h"
#include "app/ctl/table_access.h"
#include "core/store/dead_letters.h"
#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "core/store/runs.h"

namespace fencepost::app {

namespace {

struct ReapOptions {
    std::optional<int> batch; // none: the policy's
    std::string grace; // empty: the policy's
    std::string tombstone;
    std::string orphanGrace;
    std::string journalRetention;
    std::array<std::string, 4> others; // of `otherTables`, in their order
};

using Purge = Result<int> (*)(store::Connection& connection, Duration retention, int batch);

template <typename Table> Result<int> purged(store::Connection& connection, Duration retention, int batch)
{
    return Table(connection, store::StoreClock{}).purge(retention, batch);
}

// Tables beside the records, each with its own retention. Nothing that somebody still has to do goes.
struct OtherTable {
    const char* option;
    const char* help;
    const char* name; // in what is told
    Purge purge;
};

constexpr std::array<OtherTable, 4> otherTables = {
    OtherTable{ "--inbox-retention",
        "Also events that were processed, or given up for good, longer ago: a duplicate is known no longer", "inbox",
        purged<store::Inbox> },
    OtherTable{ "--outbox-retention", "Also events that were sent or given up for good longer ago", "outbox",
        purged<store::Outbox> },
    OtherTable{ "--dlq-retention",
        "Also dead letters that were replayed or discarded longer ago; one of an inbox stays as long as its event is "
        "there",
        "dead_letters", purged<store::DeadLetters> },
    OtherTable{ "--runs-retention", "Also replays that were over longer ago, with what became of their rows", "runs",
        purged<store::Runs> },
};

Result<std::optional<Duration>> optionalLength(const std::string& text)
{
    if (text.empty())
        return std::optional<Duration>();
    auto length = parseDuration(text);
    if (!length)
        return length.error();
    return std::optional(*length);
}

// All records are reaped at once, and none before its own route lets it go.
Duration longestGrace(const Policy& policy)
{
    auto longest = policy.forRoute({}, {}).grace.value;
    for (const auto& route : policy.routes())
        longest = std::max(longest, policy.forRoute(route.scope, route.operation).grace.value);
    return longest;
}

Result<ReapRequest> requestOf(Context& context, const ReapOptions& options)
{
    ReapRequest request;
    const auto policy = context.policy();
    if (!policy)
        return policy.error();
    request.batch = options.batch.value_or(policy->forRoute({}, {}).reaperBatch.value);
    const auto grace = optionalLength(options.grace);
    if (!grace)
        return grace.error();
    request.grace = grace->value_or(longestGrace(*policy));
    const auto tombstone = optionalLength(options.tombstone);
    if (!tombstone)
        return tombstone.error();
    request.tombstone = *tombstone;
    const auto orphanGrace = optionalLength(options.orphanGrace);
    if (!orphanGrace)
        return orphanGrace.error();
    request.orphanGrace = *orphanGrace;
    const auto journal = optionalLength(options.journalRetention);
    if (!journal)
        return journal.error();
    request.journalRetention = *journal;
    return request;
}

// How many went of each table, in their order; none: nobody asked.
using Purged = std::array<std::optional<std::int64_t>, otherTables.size()>;

Status purgeAll(store::Connection& connection, const OtherTable& table, Duration retention, int batch,
    std::optional<std::int64_t>& all)
{
    all = 0;
    while (true) {
        const auto some = table.purge(connection, retention, batch);
        if (!some)
            return some.error();
        *all += *some;
        if (*some < batch)
            return {};
    }
}

Result<Purged> purgeOthers(
    Context& context, const std::array<std::optional<Duration>, otherTables.size()>& retentions, int batch)
{
    Purged purged;
    std::unique_ptr<store::Connection> connection;
    for (std::size_t i = 0; i < otherTables.size(); ++i) {
        if (!retentions.at(i))
            continue;
        if (!connection) {
            auto opened = messagesOf(context, store::Access::ReadWrite);
            if (!opened)
                return opened.error();
            connection = std::move(*opened);
        }
        if (auto done = purgeAll(*connection, otherTables.at(i), *retentions.at(i), batch, purged.at(i)); !done)
            return done.error();
    }
    return purged;
}

// Whatever was in its way, the records were reaped before.
Error halfDone(Error error)
{
    error.failure = Failure::InDoubt;
    error.next = "What was deleted before stays deleted: run it again";
    return error;
}

int reap(Context& context, const ReapOptions& options)
{
    const auto request = requestOf(context, options);
    if (!request)
        return context.usage(request.error());
    std::array<std::optional<Duration>, otherTables.size()> retentions;
    for (std::size_t i = 0; i < otherTables.size(); ++i) {
        const auto retention = optionalLength(options.others.at(i));
        if (!retention)
            return context.usage(retention.error());
        retentions.at(i) = *retention;
    }
    auto records = context.openStore();
    if (!records)
        return context.fail(records.error());
    const auto reaped = (*records)->reap(*request);
    if (!reaped)
        return context.fail(reaped.error());
    const auto purged = purgeOthers(context, retentions, request->batch);
    if (!purged)
        return context.fail(halfDone(purged.error()));
    const auto& all = *reaped;
    if (context.out.isJson()) {
        nlohmann::json told = { { "deleted", all.deleted }, { "tombstoned", all.tombstoned },
            { "orphans", all.orphans }, { "held", all.held }, { "outbound_calls", all.calls },
            { "effects", all.effects }, { "transitions", all.transitions } };
        for (std::size_t i = 0; i < otherTables.size(); ++i)
            if (purged->at(i))
                told[otherTables.at(i).name] = *purged->at(i);
        context.out.object(told);
    } else {
        std::string others;
        for (std::size_t i = 0; i < otherTables.size(); ++i)
            if (purged->at(i))
                others += " · " + std::string(otherTables.at(i).name) + ' ' + std::to_string(*purged->at(i));
        context.out.line("deleted " + std::to_string(all.deleted) + " · tombstoned " + std::to_string(all.tombstoned)
            + " · orphans " + std::to_string(all.orphans) + " · held " + std::to_string(all.held) + " · outbound calls "
            + std::to_string(all.calls) + " · effects " + std::to_string(all.effects) + " · transitions "
            + std::to_string(all.transitions) + others);
    }
    return Exit::Done;
}

} // namespace

void addReapCommand(CLI::App& app, Context& context)
{
    addCommand<ReapOptions>(
        app, context, "reap",
        "Delete what nobody asks for any more: records, outbound calls, effects, messages and runs whose retention is "
        "over",
        [](CLI::App& command, ReapOptions& options) {
            command.add_option("--batch", options.batch, "Rows per transaction (the policy's reaper_batch: 500)")
                ->check(CLI::Range(1, 100'000));
            command.add_option("--grace", options.grace,
                "Keep them that long after they expired (the longest that the policy has for any route: 1h)");
            command.add_option(
                "--tombstone", options.tombstone, "Keep the key, without its response, that much longer");
            command.add_option("--orphan-grace", options.orphanGrace,
                "Also records in progress that nobody came back for, that long after they expired");
            command.add_option("--journal-retention", options.journalRetention,
                "Also the history of records that are gone, where it is older than that");
            for (std::size_t i = 0; i < otherTables.size(); ++i)
                command.add_option(otherTables.at(i).option, options.others.at(i), otherTables.at(i).help);
        },
        reap);
}

} // namespace fencepost::app
