// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/row_views.h"
#include "app/ctl/table_access.h"
#include "core/messaging/letter_group_limit.h"
#include "core/redaction.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

template <Kind kind> int list(Context& context, const ListOptions& options)
{
    return listRows(context, options, kind, false);
}

template <Kind kind> int count(Context& context, const CountOptions& options)
{
    return countRows(context, options, kind);
}

template <Kind kind> int show(Context& context, const ShowOptions& options)
{
    return showRow(context, options, kind);
}

struct Names {
    const char* command;
    const char* about;
    const char* rows;
    const char* one;
    const char* id;
    int parts;
};

template <Kind kind> CLI::App* addTableCommands(CLI::App& app, Context& context, const Names& names)
{
    auto* group = app.add_subcommand(names.command, names.about);
    group->require_subcommand(1);
    addCommand<ListOptions>(*group, context, "list", names.rows, declareList, list<kind>);
    addCommand<CountOptions>(*group, context, "count", "Count them per state", declareCount, count<kind>);
    addCommand<ShowOptions>(
        *group, context, "show", names.one,
        [names](CLI::App& command, ShowOptions& options) {
            command.add_option("id", options.parts, names.id)->required()->expected(1, names.parts);
            declareReveal(command, options);
        },
        show<kind>);
    return group;
}

int groups(Context& context, const NoOptions&)
{
    auto table = openTable(context, Kind::DeadLetter);
    if (!table)
        return context.fail(table.error());
    const auto found = table->inspector->letterGroups(table->binding);
    if (!found)
        return context.fail(found.error());
    Table text(context.out,
        { "GROUP", "DEAD", "AGAIN", "SINCE REPLAY", "ALL", "LAST HOUR", "FIRST", "LAST", "CODE", "ERROR" });
    for (const auto& group : found->groups) {
        if (context.out.isJson())
            context.out.object({ { "group", group.fingerprint }, { "pattern", withoutSecrets(group.pattern) },
                { "code", group.code }, { "dead", group.dead }, { "again", group.again },
                { "replayed_at", orNull(group.replayedAt) }, { "since_replay", group.sinceReplay },
                { "count", group.all }, { "last_hour", group.lastHour }, { "first_at", formatInstant(group.firstAt) },
                { "last_at", formatInstant(group.lastAt) }, { "example", group.example } });
        else
            text.add({ group.fingerprint, std::to_string(group.dead), std::to_string(group.again),
                group.replayedAt ? std::to_string(group.sinceReplay) : std::string("-"), std::to_string(group.all),
                std::to_string(group.lastHour), formatInstant(group.firstAt), formatInstant(group.lastAt), group.code,
                withoutSecrets(group.pattern) });
    }
    if (!context.out.isJson())
        text.show();
    if (found->groups.size() >= mostLetterGroups)
        context.out.note("these are the " + std::to_string(mostLetterGroups)
            + " most frequent groups; there may be more: dlq list --filter 'state = DEAD' has all of their letters");
    return Exit::Done;
}

json toJson(const BlockedKey& key)
{
    return { { "destination", withoutCredentials(key.destination) }, { "order_key", key.orderingKey },
        { "seq", key.seq }, { "event", key.eventId }, { "state", wordOf(key.state) }, { "attempt", key.attempt },
        { "error", withoutSecrets(key.error) }, { "next_attempt_at", orNull(key.nextAttemptAt) },
        { "created_at", formatInstant(key.createdAt) }, { "waiting", key.waiting } };
}

int backlog(Context& context, const NoOptions&)
{
    auto table = openTable(context, Kind::Outbox);
    if (!table)
        return context.fail(table.error());
    const auto found = table->inspector->outboxBacklog(table->binding);
    if (!found)
        return context.fail(found.error());
    if (context.out.isJson()) {
        auto blocked = json::array();
        for (const auto& key : found->blocked)
            blocked.push_back(toJson(key));
        context.out.object({ { "pending", found->pending }, { "due", found->due }, { "sending", found->sending },
            { "oldest_at", orNull(found->oldest) }, { "due_since", orNull(found->dueSince) },
            { "lag_us", found->lag().count() }, { "disabled_destinations", found->disabledDestinations },
            { "blocked_keys", found->blockedKeys }, { "blocked_messages", found->blockedMessages },
            { "blocked", blocked } });
        return Exit::Done;
    }
    context.out.line("pending: " + std::to_string(found->pending) + " · due " + std::to_string(found->due)
        + " · sending " + std::to_string(found->sending));
    context.out.line("lag: " + formatDuration(found->lag())
        + (found->oldest ? " · the oldest was written at " + formatInstant(*found->oldest) : std::string()));
    if (found->disabledDestinations > 0)
        context.out.line("disabled destinations: " + std::to_string(found->disabledDestinations));
    context.out.line("blocked: " + std::to_string(found->blockedMessages) + " behind "
        + std::to_string(found->blockedKeys) + (found->blockedKeys == 1 ? " head" : " heads"));
    if (found->blocked.empty())
        return Exit::Done;
    Table text(context.out, { "WAITING", "DESTINATION", "ORDER KEY", "HEAD", "STATE", "ATTEMPTS", "SINCE", "ERROR" });
    for (const auto& key : found->blocked)
        text.add({ std::to_string(key.waiting), withoutCredentials(key.destination), key.orderingKey, key.eventId,
            std::string(wordOf(key.state)), std::to_string(key.attempt), formatInstant(key.createdAt),
            withoutSecrets(key.error) });
    text.show();
    return Exit::Done;
}

} // namespace

void addMessageCommands(CLI::App& app, Context& context)
{
    addTableCommands<Kind::Inbox>(app, context,
        { "inbox", "Received messages", "List received messages", "Everything about one message",
            "CONSUMER SOURCE EVENT; EVENT alone where one message has it", 3 });
    auto* outbox = addTableCommands<Kind::Outbox>(app, context,
        { "outbox", "Messages to be sent", "List messages to be sent", "Everything about one message", "SEQ or EVENT",
            1 });
    addCommand<NoOptions>(*outbox, context, "backlog",
        "How far the relays are behind, and the heads that others of their key wait for", nullptr, backlog);
    auto* letters = addTableCommands<Kind::DeadLetter>(app, context,
        { "dlq", "Dead letters", "List dead letters", "Everything about one dead letter", "ID or EVENT", 1 });
    addCommand<NoOptions>(
        *letters, context, "groups", "Dead letters that failed alike, the most frequent first", nullptr, groups);
}

} // namespace fencepost::app
