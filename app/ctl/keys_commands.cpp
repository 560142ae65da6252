// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/dashed_keys.h"
#include "app/ctl/row_views.h"

namespace fencepost::app {

namespace {

int listKeys(Context& context, const ListOptions& options)
{
    return listRows(context, options, Kind::Idempotency, false);
}

int listStuck(Context& context, const ListOptions& options)
{
    return listRows(context, options, Kind::Idempotency, true);
}

int show(Context& context, const ShowOptions& options)
{
    return showRow(context, { asTyped(options.parts), options.reveal }, Kind::Idempotency);
}

} // namespace

void addKeysCommands(CLI::App& app, Context& context)
{
    auto* keys = app.add_subcommand("keys", "The keys of a table");
    keys->require_subcommand(1);
    addCommand<ListOptions>(*keys, context, "list", "List keys", declareList, listKeys);
    addCommand<CountOptions>(*keys, context, "count", "Count keys per state", declareCount,
        [](Context& count, const CountOptions& options) { return countRows(count, options, Kind::Idempotency); });
    addCommand<ListOptions>(*keys, context, "stuck", "List keys that nobody works on any more", declareList, listStuck);
    addCommand<ShowOptions>(
        *keys, context, "show", "Everything about one key",
        [](CLI::App& command, ShowOptions& options) {
            command
                .add_option("id", options.parts, "SCOPE OPERATION KEY; KEY alone where the table has no other columns")
                ->required()
                ->expected(1, 3);
            declareReveal(command, options);
        },
        show);
}

} // namespace fencepost::app
