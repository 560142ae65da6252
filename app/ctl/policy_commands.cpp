// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/completer.h"
#include "core/delivery/event_consumer.h"
#include "core/delivery/relay.h"
#include "core/messaging/webhook_signature.h"
#include "core/protocol/vendor.h"

namespace fencepost::app {

namespace {

struct ShowOptions {
    std::string scope = "*";
    std::string operation = "*";
};

// What holds for a whole program instead of a route, so that no policy file says it.
struct ProgramSetting {
    const char* name;
    std::string value;
    const char* option; // that says another; empty: only code that links the library does
};

std::vector<ProgramSetting> programSettings()
{
    const delivery::RelayOptions relay;
    const delivery::ConsumerOptions consumer;
    return {
        { "completer_batch", std::to_string(CompleterOptions{}.batch), "complete --batch" },
        { "reaper_batch", std::to_string(ReapRequest{}.batch), "reap --batch" },
        { "outbox_lease", formatDuration(relay.lease), "relay run --lease" },
        { "outbox_batch", std::to_string(relay.batch), "relay run --batch" },
        { "outbox_attempts", std::to_string(relay.schedule.attempts), "relay run --schedule" },
        { "webhook_timeout", formatDuration(relay.target.timeout), "relay run --timeout" },
        { "webhook_tolerance", formatDuration(WebhookVerifier::usualTolerance), "" },
        { "inbox_lease", formatDuration(consumer.lease), "consume --lease" },
        { "inbox_attempts", std::to_string(consumer.maxAttempts), "consume --max-attempts" },
        { "vendor_timeout", formatDuration(Vendor{}.timeout), "" },
    };
}

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
    for (const auto& [name, value, option] : programSettings()) {
        const std::string from = *option == '\0' ? "built in" : "built in; " + std::string(option);
        if (context.out.isJson())
            context.out.object(
                { { "setting", name }, { "value", value }, { "origin", wordOf(Origin::Default) }, { "from", from } });
        else
            table.add({ name, value, std::string(wordOf(Origin::Default)), from });
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
