// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"

namespace fencepost::app {

namespace {

struct ShowOptions {
    std::string scope = "*";
    std::string operation = "*";
};

int show(Context& context, const ShowOptions& options)
{
    const auto policy = context.policy();
    if (!policy)
        return context.rejectInput(policy.error());
    Table table(context.out, { "SETTING", "VALUE", "ORIGIN", "FROM" });
    for (const auto& setting : describeAll(policy->forRoute(options.scope, options.operation))) {
        if (context.out.isJson())
            context.out.object({ { "setting", setting.name }, { "value", setting.value },
                { "origin", wordOf(setting.origin) }, { "from", setting.from } });
        else
            table.add({ setting.name, setting.value, std::string(wordOf(setting.origin)), setting.from });
    }
    if (!context.out.isJson())
        table.show();
    for (const auto& warning : policy->warnings())
        context.out.note("policy: " + warning);
    return Exit::Done;
}

} // namespace

void addPolicyCommands(CLI::App& app, Context& context)
{
    auto* policy = app.add_subcommand("policy", "Lease, retention and takeover per scope and operation");
    policy->require_subcommand(1);
    addCommand<ShowOptions>(
        *policy, context, "show", "What holds for a scope and an operation, and where it was said",
        [](CLI::App& command, ShowOptions& options) {
            command.add_option("--scope", options.scope, "Scope");
            command.add_option("--operation", options.operation, "Operation type");
        },
        show);
}

} // namespace fencepost::app
