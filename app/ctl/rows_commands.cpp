// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/row_views.h"

namespace fencepost::app {

namespace {

int list(Context& context, const ListOptions& options)
{
    return listRows(context, options, std::nullopt, false);
}

int stuck(Context& context, const ListOptions& options)
{
    return listRows(context, options, std::nullopt, true);
}

int count(Context& context, const CountOptions& options)
{
    return countRows(context, options, std::nullopt);
}

int show(Context& context, const ShowOptions& options)
{
    return showRow(context, options, std::nullopt);
}

} // namespace

void addRowsCommands(CLI::App& app, Context& context)
{
    auto* rows = app.add_subcommand("rows", "The rows of the table that --binding names, of whatever kind it is");
    rows->require_subcommand(1);
    addCommand<ListOptions>(*rows, context, "list", "List rows", declareList, list);
    addCommand<CountOptions>(*rows, context, "count", "Count rows per state", declareCount, count);
    addCommand<ListOptions>(*rows, context, "stuck", "List rows that nobody works on any more", declareList, stuck);
    addCommand<ShowOptions>(
        *rows, context, "show", "Everything about one row",
        [](CLI::App& command, ShowOptions& options) {
            command.add_option("id", options.parts, "The row's identity, value by value, or its key alone")
                ->required()
                ->expected(1, 16);
            declareReveal(command, options);
        },
        show);
}

} // namespace fencepost::app
