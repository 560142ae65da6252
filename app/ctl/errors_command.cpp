// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "core/protocol/error_codes.h"

namespace fencepost::app {

namespace {

json toJson(const ErrorCode& row)
{
    json aliases = json::array();
    for (const auto alias : row.aliases)
        if (!alias.empty())
            aliases.push_back(alias);
    return { { "code", row.code }, { "aliases", aliases }, { "category", wordOf(row.category) },
        { "status", orNull(row.status) }, { "retry", repeatable(row.retry) }, { "how", wordOf(row.retry) },
        { "meaning", row.meaning }, { "hint", row.hint } };
}

int listErrors(Context& context, const NoOptions&)
{
    Table table(context.out, { "CODE", "STATUS", "CATEGORY", "RETRY", "HINT" });
    for (const auto& row : errorCodes()) {
        if (context.out.isJson())
            context.out.object(toJson(row));
        else
            table.add({ std::string(row.code), row.status ? std::to_string(*row.status) : "-",
                std::string(wordOf(row.category)), std::string(wordOf(row.retry)), std::string(row.hint) });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

} // namespace

void addErrorsCommand(CLI::App& app, Context& context)
{
    addCommand<NoOptions>(
        app, context, "errors", "The error codes, whether to retry after each, and what to do", {}, listErrors);
}

} // namespace fencepost::app
