// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/ctl/commands.h"
#include "app/ctl/files.h"
#include "app/ctl/interrupt.h"
#include "app/ctl/outage.h"
#include "app/ctl/table_access.h"
#include "app/delivery/destination.h"
#include "app/delivery/nats_credentials.h"
#include "app/delivery/own_roots.h"
#include "app/delivery/webhook_secrets.h"
#include "core/delivery/relay.h"
#include "core/ids.h"
#include "core/redaction.h"
#include "core/retry/steady_clock.h"
#include "core/store/enable_destination.h"
#include "core/without_credentials.h"
#include "models/operator.h"

namespace fencepost::app {

namespace {

struct RunOptions {
    std::string to;
    std::string schedule = "vendor";
    std::string every = "1s";
    std::optional<std::string> lease; // none: the policy's, as of the next two
    std::optional<std::string> timeout;
    std::optional<int> batch;
    int concurrency = 16;
    int perDestination = 4;
    int secretFd = -1;
    bool once = false;
    bool skipDead = false;
};

struct DestinationOptions {
    std::string destination;
    std::string reason;
};

Result<std::vector<WebhookSecret>> secretsOf(int descriptor)
{
    if (descriptor < 0)
        return webhookSecrets();
    const auto text = readDescriptor(descriptor, "The secret");
    return text ? webhookSecretsIn(*text) : Result<std::vector<WebhookSecret>>(text.error());
}

Result<Duration> lengthOf(
    const char* option, const std::optional<std::string>& text, Duration otherwise, Duration least)
{
    const auto length = text ? parseDuration(*text) : Result<Duration>(otherwise);
    if (!length)
        return length.error();
    if (*length < least)
        return invalid(std::string(option) + " needs at least " + formatDuration(least));
    return *length;
}

Result<delivery::RelayOptions> optionsOf(const RunOptions& given, const RoutePolicy& policy)
{
    delivery::RelayOptions options;
    if (!given.to.empty())
        if (const auto checked = checkDestination("--to", given.to); !checked)
            return checked.error();
    options.to = given.to;
    auto schedule = retry::presetOf(given.schedule);
    if (!schedule)
        return schedule.error();
    options.schedule = *schedule;
    if (policy.outboxAttempts.isSaid())
        options.schedule.attempts = policy.outboxAttempts.value;
    const auto lease = lengthOf("--lease", given.lease, policy.outboxLease.value, std::chrono::seconds(3));
    if (!lease)
        return lease.error();
    options.lease = *lease;
    const auto timeout =
        lengthOf("--timeout", given.timeout, policy.webhookTimeout.value, std::chrono::milliseconds(100));
    if (!timeout)
        return timeout.error();
    options.target.timeout = *timeout;
    auto secrets = secretsOf(given.secretFd);
    if (!secrets)
        return secrets.error();
    options.target.secrets = std::move(*secrets);
    auto credentials = natsCredentials();
    if (!credentials)
        return credentials.error();
    options.target.nats = std::move(*credentials);
    auto roots = ownRoots();
    if (!roots)
        return roots.error();
    options.target.tls = std::move(*roots);
    options.batch = given.batch.value_or(policy.outboxBatch.value);
    options.concurrency = given.concurrency;
    options.perDestination = given.perDestination;
    options.deadHead = given.skipDead ? DeadHead::Skip : DeadHead::BlockKey;
    return options;
}

std::string outcomeOf(const delivery::Relayed& relayed)
{
    if (relayed.state == OutboxState::Dead)
        return "dead";
    if (relayed.delivered == delivery::Delivered::NotTried)
        return "postponed";
    return relayed.state == OutboxState::Sent ? "sent" : "failed";
}

void show(Context& context, const delivery::Relayed& relayed)
{
    const auto& message = relayed.message;
    if (context.out.isJson())
        context.out.object({ { "seq", message.seq }, { "event_id", message.event.eventId },
            { "destination", withoutCredentials(message.event.destination) }, { "outcome", outcomeOf(relayed) },
            { "code", relayed.code }, { "error", relayed.error.empty() ? json() : json(withoutSecrets(relayed.error)) },
            { "attempt", message.attempt }, { "next_attempt_at", orNull(message.nextAttemptAt) } });
    else {
        auto line = outcomeOf(relayed) + "  " + std::to_string(message.seq) + "  " + printable(message.event.eventId)
            + "  " + printable(withoutCredentials(message.event.destination)) + "  " + relayed.code;
        if (!relayed.error.empty())
            line += "  " + printable(withoutSecrets(relayed.error));
        context.out.line(line);
    }
    context.out.flush();
}

void show(Context& context, const delivery::RelayTotals& totals)
{
    if (context.out.isJson())
        return context.out.object({ { "sent", totals.sent }, { "failed", totals.failed }, { "dead", totals.dead },
            { "postponed", totals.postponed }, { "lost", totals.lost }, { "disabled", totals.disabled } });
    context.out.line("sent " + std::to_string(totals.sent) + " · failed " + std::to_string(totals.failed) + " · dead "
        + std::to_string(totals.dead) + " · postponed " + std::to_string(totals.postponed) + " · lost "
        + std::to_string(totals.lost) + " · destinations disabled " + std::to_string(totals.disabled));
}

// Messages that no pass takes, however often it is run; said, because a run that sends nothing looks as if there were
// nothing to send.
Result<std::int64_t> leftByNobody(Context& context, store::Connection& connection)
{
    store::Outbox outbox(connection, {});
    const auto unserved = outbox.unserved(delivery::targetSchemes());
    if (!unserved)
        return unserved.error();
    if (unserved->messages > 0)
        context.out.note(std::to_string(unserved->messages)
            + " due messages have a destination that nothing here can send to, such as \""
            + withoutCredentials(unserved->destination) + "\".");
    const auto owed = outbox.owedToDisabled();
    if (!owed)
        return owed.error();
    if (owed->messages > 0)
        context.out.note(std::to_string(owed->messages) + " messages wait for a disabled destination, such as \""
            + withoutCredentials(owed->destination) + "\": see relay disabled and relay enable.");
    return unserved->messages + owed->messages;
}

int run(Context& context, const RunOptions& given)
{
    const auto policy = context.policy();
    if (!policy)
        return context.rejectInput(policy.error());
    auto options = optionsOf(given, policy->forRoute({}, {}));
    if (!options)
        return context.usage(options.error());
    const auto every = lengthOf("--every", given.every, std::chrono::seconds(1), std::chrono::milliseconds(10));
    if (!every)
        return context.usage(every.error());
    auto connection = messagesOf(context, store::Access::ReadWrite);
    if (!connection)
        return context.fail(connection.error());
    const auto* everything = delivery::targetKindOf(schemeOf(options->to));
    if (options->target.secrets.empty() && (everything == nullptr || everything->signs))
        context.out.note(std::string("webhooks are not signed: there is no secret in ") + webhookSecretVariable
            + " and no --secret-fd");
    context.mayChangeFromHere();
    const retry::SteadyClock steady;
    const SystemClock wall;
    delivery::Relay relay(**connection, {}, { steady, wall, context.random }, std::move(*options));
    const Interrupt interrupt;
    Outage outage(context, interrupt);
    const auto stop = [&] { return interrupt.wasAsked() || context.out.isClosed(); };
    while (true) {
        const auto pass = relay.pass([&](const delivery::Relayed& relayed) { show(context, relayed); }, stop);
        if (!pass && (given.once || !passesByItself(pass.error())))
            return context.fail(pass.error());
        if (given.once || stop())
            break;
        if (pass) {
            outage.over();
            interrupt.wait(*every);
        } else {
            auto again = outage.reconnected(pass.error());
            if (!again)
                return context.fail(again.error());
            if (!*again)
                break;
            relay.use(**again);
            connection = std::move(again);
        }
        if (stop())
            break;
    }
    const auto& totals = relay.totals();
    show(context, totals);
    if (!given.once)
        return totals.dead > 0 ? Exit::Failed : Exit::Done;
    const auto left = leftByNobody(context, **connection);
    if (!left)
        return context.fail(left.error());
    // What a run that goes on could not send it has sent again, or will.
    return totals.dead + totals.failed + totals.postponed + *left > 0 ? Exit::Failed : Exit::Done;
}

int listDisabled(Context& context, const NoOptions&)
{
    auto connection = messagesOf(context, store::Access::ReadOnly);
    if (!connection)
        return context.fail(connection.error());
    const auto all = store::Outbox(**connection, {}).disabled();
    if (!all)
        return context.fail(all.error());
    Table table(context.out, { "DESTINATION", "DISABLED", "BY", "BECAUSE" });
    for (const auto& disabled : *all) {
        const auto destination = withoutCredentials(disabled.destination);
        const auto because = withoutCredentials(disabled.because);
        if (context.out.isJson())
            context.out.object({ { "destination", destination }, { "disabled_at", formatInstant(disabled.at) },
                { "by", disabled.by }, { "because", because } });
        else
            table.add({ destination, formatInstant(disabled.at), disabled.by, because });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

// What is listed without its user and password is found by what is listed.
Result<std::string> disabledAs(store::Outbox& outbox, const std::string& given)
{
    const auto all = outbox.disabled();
    if (!all)
        return all.error();
    std::vector<std::string> alike;
    for (const auto& disabled : *all) {
        if (disabled.destination == given)
            return given;
        if (withoutCredentials(disabled.destination) == given)
            alike.push_back(disabled.destination);
    }
    if (alike.size() > 1)
        return Error{ Failure::Conflict, "Several destinations are listed like this one, with other users", {}, {},
            "Name it with its user and its password" };
    return alike.empty() ? given : alike.front();
}

int enable(Context& context, const DestinationOptions& options)
{
    auto connection = messagesOf(context, store::Access::ReadWrite);
    if (!connection)
        return context.fail(connection.error());
    context.mayChangeFromHere();
    store::Outbox outbox(**connection, {});
    const auto destination = disabledAs(outbox, options.destination);
    if (!destination)
        return context.fail(destination.error());
    AuditEntry entry;
    entry.requestId = uuid4(context.random);
    entry.actor = models::actorName();
    entry.reason = options.reason;
    const auto enabled = store::enableDestination(**connection, *destination, std::move(entry));
    if (!enabled)
        return context.fail(enabled.error());
    if (context.out.isJson())
        context.out.object({ { "destination", withoutCredentials(options.destination) }, { "enabled", *enabled } });
    else
        context.out.line(*enabled ? "enabled" : "it was not disabled");
    return *enabled ? Exit::Done : Exit::Refused;
}

} // namespace

void addRelayCommands(CLI::App& app, Context& context)
{
    auto* relay = app.add_subcommand("relay", "Send what is due in the outbox");
    relay->require_subcommand(1);
    addCommand<RunOptions>(
        *relay, context, "run", "Send messages until it is interrupted, each at least once and under one id",
        [](CLI::App& command, RunOptions& options) {
            command.add_flag("--once", options.once, "Until nothing is due any more");
            command.add_option("--to", options.to, "Send everything to this URL instead of each message's destination");
            command.add_option("--schedule", options.schedule,
                "vendor (default: 5 attempts) or standard_webhooks: attempts and the delays between them");
            command.add_option("--every", options.every, "Look for new messages in that interval (1s)");
            command
                .add_option(
                    "--batch", options.batch, "Messages that are claimed at a time (the policy's outbox_batch: 50)")
                ->check(CLI::Range(1, 10'000));
            command.add_option("--concurrency", options.concurrency, "Deliveries at the same time (16)")
                ->check(CLI::Range(1, 1'000));
            command.add_option("--per-destination", options.perDestination, "of them to one destination (4)")
                ->check(CLI::Range(1, 1'000));
            command.add_option(
                "--lease", options.lease, "How long a claim lasts that nobody renews (the policy's outbox_lease: 30s)");
            command.add_option(
                "--timeout", options.timeout, "Longest time of one attempt (the policy's webhook_timeout: 20s)");
            command.add_flag("--skip-dead", options.skipDead,
                "Send what comes behind a dead message of the same order key, instead of letting it wait");
            command.add_option("--secret-fd", options.secretFd, "File descriptor to read the webhooks' secret from");
            command.footer(std::string("Webhooks are signed with the secret of ") + webhookSecretVariable
                + " (whsec_…; several, apart by blanks, while it is changed) or of --secret-fd. 410 disables a "
                  "destination. nats://HOST:PORT/SUBJECT goes to JetStream and is sent once a stream has stored it; "
                  "tls:// with TLS only. A database that is restarted or locked is waited for, except with --once. "
                  "Exit code 1 with --once: something was not delivered; else: something is dead.\n"
                + natsCredentialsHelp);
        },
        run);
    addCommand<NoOptions>(*relay, context, "disabled", "Destinations that answered 410", nullptr, listDisabled);
    addCommand<DestinationOptions>(
        *relay, context, "enable", "Send to a destination again",
        [](CLI::App& command, DestinationOptions& options) {
            command.add_option("destination", options.destination, "As `relay disabled` lists it")->required();
            command.add_option("--reason", options.reason, "Why; kept in the audit, as every enabling is");
        },
        enable);
}

} // namespace fencepost::app
