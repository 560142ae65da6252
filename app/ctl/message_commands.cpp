// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/row_views.h"
#include "app/ctl/table_access.h"

namespace fencepost::app {

namespace {

struct ShowOptions {
    std::vector<std::string> parts;
};

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
    return showRow(context, options.parts, kind);
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
    Table text(context.out, { "GROUP", "DEAD", "AGAIN", "ALL", "LAST HOUR", "FIRST", "LAST", "CODE", "ERROR" });
    for (const auto& group : *found) {
        if (context.out.isJson())
            context.out.object({ { "group", group.fingerprint }, { "pattern", group.pattern }, { "code", group.code },
                { "dead", group.dead }, { "again", group.again }, { "count", group.all },
                { "last_hour", group.lastHour }, { "first_at", formatInstant(group.firstAt) },
                { "last_at", formatInstant(group.lastAt) }, { "example", group.example } });
        else
            text.add({ group.fingerprint, std::to_string(group.dead), std::to_string(group.again),
                std::to_string(group.all), std::to_string(group.lastHour), formatInstant(group.firstAt),
                formatInstant(group.lastAt), group.code, group.pattern });
    }
    if (!context.out.isJson())
        text.show();
    return Exit::Done;
}

} // namespace

void addMessageCommands(CLI::App& app, Context& context)
{
    addTableCommands<Kind::Inbox>(app, context,
        { "inbox", "Received messages", "List received messages", "Everything about one message",
            "CONSUMER SOURCE EVENT; EVENT alone where one message has it", 3 });
    addTableCommands<Kind::Outbox>(app, context,
        { "outbox", "Messages to be sent", "List messages to be sent", "Everything about one message", "SEQ or EVENT",
            1 });
    auto* letters = addTableCommands<Kind::DeadLetter>(app, context,
        { "dlq", "Dead letters", "List dead letters", "Everything about one dead letter", "ID or EVENT", 1 });
    addCommand<NoOptions>(
        *letters, context, "groups", "Dead letters that failed alike, the most frequent first", nullptr, groups);
}

} // namespace fencepost::app
