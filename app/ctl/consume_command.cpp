// SPDX-License-Identifier: GPL-3.0-or-later
#include <sysexits.h>

#include <QProcessEnvironment>

#include "app/ctl/command_process.h"
#include "app/ctl/commands.h"
#include "app/ctl/interrupt.h"
#include "app/ctl/outage.h"
#include "app/ctl/table_access.h"
#include "app/delivery/nats_credentials.h"
#include "app/delivery/own_roots.h"
#include "core/delivery/event_consumer.h"
#include "core/delivery/nats_source.h"
#include "core/redaction.h"
#include "core/retry/steady_clock.h"

namespace fencepost::app {

namespace {

constexpr auto patience = std::chrono::seconds(1); // silence for that long means that nothing is due
constexpr std::size_t keptError = 1'000; // octets
constexpr std::size_t readError = 256 * 1024; // of what the command says: a secret is known by what stands before it

struct ConsumeOptions {
    std::string from;
    std::string consumer;
    std::string source;
    std::optional<std::string> lease; // none: the policy's, as of the next one
    std::optional<int> maxAttempts;
    bool once = false;
    std::vector<std::string> command;
};

struct Settings {
    delivery::NatsSourceOptions source;
    delivery::ConsumerOptions consumer;
};

Result<Settings> settingsOf(const ConsumeOptions& given, const RoutePolicy& policy)
{
    const auto lease = given.lease ? parseDuration(*given.lease) : Result<Duration>(policy.inboxLease.value);
    if (!lease)
        return lease.error();
    if (*lease < std::chrono::seconds(1))
        return invalid("--lease needs at least 1s");
    if (!delivery::isConsumerName(given.consumer))
        return invalid("--consumer needs letters, digits, - and _: it is the name of a durable consumer of JetStream");
    if (const auto checked = delivery::checkNatsSource(given.from); !checked)
        return checked.error();
    auto credentials = natsCredentials();
    if (!credentials)
        return credentials.error();
    auto roots = ownRoots();
    if (!roots)
        return roots.error();
    Settings settings;
    settings.source = { .url = given.from,
        .consumer = given.consumer,
        .source = given.source,
        .ackWait = *lease,
        .connection = { .tls = std::move(*roots), .nats = std::move(*credentials) } };
    settings.consumer.maxAttempts = given.maxAttempts.value_or(policy.inboxAttempts.value);
    settings.consumer.lease = *lease;
    return settings;
}

using Variables = std::vector<std::pair<const char*, std::string>>;

Variables variablesOf(const delivery::Handling& handling)
{
    const auto& delivery = handling.delivery;
    return { { "EVENT_ID", delivery.id.eventId }, { "EVENT_SOURCE", delivery.id.source },
        { "EVENT_TYPE", delivery.type }, { "EVENT_CONSUMER", delivery.id.consumer },
        { "EVENT_ATTEMPT", std::to_string(handling.attempt) }, { "EVENT_SUBJECT", delivery.subject.value_or("") },
        { "EVENT_VERSION", delivery.version ? std::to_string(*delivery.version) : "" },
        { "EVENT_CORRELATION_ID", delivery.correlationId.value_or("") },
        { "EVENT_CONTENT_TYPE", std::string(lineOf(delivery.headers, "Content-Type").value_or("")) },
        { "EVENT_DESTINATION", delivery.destination } };
}

// No command can be started with a longer one, however often the event comes.
std::optional<HandlingFailure> tooLong(const Variables& variables)
{
    constexpr std::size_t longest = 100'000; // Linux takes 131,072 with the name
    for (const auto& [name, value] : variables)
        if (value.size() > longest)
            return HandlingFailure{ "too_long",
                std::string(name) + " would be of " + std::to_string(value.size())
                    + " octets, more than a command can be told",
                false, {} };
    return {};
}

QProcessEnvironment environmentOf(const Variables& variables)
{
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : variables)
        environment.insert(QString::fromLatin1(name), QString::fromStdString(value));
    return environment;
}

// Shows what the command says while it says it, and keeps the end of its errors.
void drain(QProcess& process, std::string& errors)
{
    const auto out = process.readAllStandardOutput();
    const auto err = process.readAllStandardError();
    for (const auto& piece : { out, err })
        std::fwrite(piece.constData(), 1, static_cast<std::size_t>(piece.size()), stderr);
    errors.append(err.constData(), static_cast<std::size_t>(err.size()));
    if (errors.size() > readError)
        errors.erase(0, errors.size() - readError);
}

// Without its secrets, and the end of it where it is long. A line whose beginning was not kept is not told at all.
std::string lastLineOf(const std::string& text)
{
    const auto end = text.find_last_not_of("\r\n\t ");
    if (end == std::string::npos)
        return {};
    const auto before = text.find_last_of("\r\n", end);
    if (before == std::string::npos && text.size() >= readError)
        return "(a line of more than 256 KiB)";
    const auto start = before == std::string::npos ? 0 : before + 1;
    auto line = withoutSecrets(text.substr(start, end + 1 - start));
    if (line.size() <= keptError)
        return line;
    auto from = line.size() - keptError;
    while (from < line.size() && (static_cast<unsigned char>(line[from]) & 0xC0U) == 0x80U)
        ++from;
    return line.substr(from);
}

std::optional<HandlingFailure> failureOf(const QProcess& process, const std::string& errors)
{
    const int code = process.exitCode();
    if (process.exitStatus() == QProcess::NormalExit && code == 0)
        return {};
    const bool exited = process.exitStatus() == QProcess::NormalExit;
    HandlingFailure failure;
    failure.code = (exited ? "exit_" : "signal_") + std::to_string(code);
    failure.error = (exited ? "the command ended with " : "the command was ended by signal ") + std::to_string(code);
    if (const auto said = lastLineOf(errors); !said.empty())
        failure.error += ": " + said;
    failure.retryable = !exited || code != EX_DATAERR;
    return failure;
}

struct Handler {
    const std::vector<std::string>& command;
    bool startable = true;

    std::optional<HandlingFailure> operator()(const delivery::Handling& handling)
    {
        constexpr int slice = 100; // milliseconds
        const auto variables = variablesOf(handling);
        if (auto failure = tooLong(variables))
            return failure;
        QProcess process;
        process.setProcessEnvironment(environmentOf(variables));
        startable = startCommand(process, command, Terminal::Apart, Orphan::Ends);
        if (!startable)
            return HandlingFailure{ "not_started", process.errorString().toStdString(), true, {} };
        const auto& payload = *handling.delivery.payload;
        process.write(payload.data(), static_cast<qint64>(payload.size()));
        process.closeWriteChannel();
        std::string errors;
        while (!process.waitForFinished(slice) && process.state() != QProcess::NotRunning) {
            drain(process, errors);
            if (!handling.keep()) {
                stopCommand(process);
                break;
            }
        }
        drain(process, errors);
        return failureOf(process, errors);
    }
};

void show(Context& context, const delivery::Consumed& consumed)
{
    const auto& delivery = consumed.delivery;
    const auto next = consumed.message ? consumed.message->nextAttemptAt : std::nullopt;
    if (context.out.isJson())
        context.out.object(
            { { "event_id", delivery.id.eventId }, { "source", delivery.id.source }, { "type", delivery.type },
                { "outcome", consumed.outcome }, { "attempt", consumed.message ? consumed.message->attempt : 0 },
                { "code", consumed.failure ? json(consumed.failure->code) : json() },
                { "reason", withoutSecrets(consumed.reason) }, { "next_attempt_at", orNull(next) },
                { "acknowledged", consumed.acknowledged } });
    else
        context.out.line(consumed.outcome + "  " + printable(delivery.id.eventId) + "  " + printable(delivery.id.source)
            + "  " + printable(withoutSecrets(consumed.reason)));
    context.out.flush();
}

using Totals = std::map<std::string, std::int64_t>;

Totals noTotals()
{
    Totals totals{ { "processed", 0 }, { "failed", 0 }, { "lost", 0 } };
    for (const auto reception :
        { Reception::Done, Reception::Dead, Reception::Overtaken, Reception::Busy, Reception::Conflict })
        totals[std::string(wordOf(reception))] = 0;
    return totals;
}

void show(Context& context, const Totals& totals)
{
    if (context.out.isJson())
        return context.out.object(json(totals));
    std::string line;
    for (const auto& [word, count] : totals)
        line += (line.empty() ? "" : " · ") + word + " " + std::to_string(count);
    context.out.line(line);
}

// The broker, which makes its connection again by itself.
bool isBrokerAway(const Error& error)
{
    return error.code == "connection";
}

int consume(Context& context, const ConsumeOptions& options)
{
    const auto policy = context.policy();
    if (!policy)
        return context.rejectInput(policy.error());
    const auto settings = settingsOf(options, policy->forRoute({}, {}));
    if (!settings)
        return context.usage(settings.error());
    // Before the first event: to fail costs it one of its attempts.
    if (!canBeFound(options.command.front()))
        return context.fail({ Failure::NotFound, "There is no such command", options.command.front() });
    auto connection = messagesOf(context, store::Access::ReadWrite);
    if (!connection)
        return context.fail(connection.error());
    context.mayChangeFromHere();
    const Interrupt interrupt; // before the client library has threads, which would take its signals
    auto source = delivery::openNatsSource(settings->source);
    if (!source)
        return context.fail(source.error());
    std::optional<store::Inbox> inbox;
    std::optional<delivery::EventConsumer> consumer;
    const retry::SteadyClock steady;
    const auto use = [&](store::Connection& opened) {
        consumer.reset();
        inbox.emplace(opened, store::StoreClock{});
        consumer.emplace(**source, *inbox, steady, context.random, settings->consumer);
    };
    use(**connection);
    Handler handler{ options.command };
    Outage outage(context, interrupt);
    auto totals = noTotals();
    while (!interrupt.wasAsked() && !context.out.isClosed()) {
        const auto consumed = consumer->handleNext(patience, std::ref(handler));
        if (!consumed && !options.once && isBrokerAway(consumed.error())) {
            outage.wait(consumed.error());
            continue;
        }
        if (!consumed && (options.once || !passesByItself(consumed.error())))
            return context.fail(consumed.error());
        if (!consumed) {
            auto again = outage.reconnected(consumed.error());
            if (!again)
                return context.fail(again.error());
            if (!*again)
                break;
            use(**again);
            connection = std::move(again);
            continue;
        }
        outage.over();
        if (!*consumed && options.once)
            break;
        if (!*consumed)
            continue;
        ++totals[(*consumed)->outcome];
        show(context, **consumed);
        if (!handler.startable)
            return context.fail({ Failure::InDoubt, "The command cannot be started", options.command.front(), {},
                "The event has used up one of its attempts; mend the command and run this again" });
    }
    show(context, totals);
    // What a run that goes on could not do it has done since, or will.
    const auto again = options.once ? totals["failed"] + totals["lost"] : 0;
    return totals["dead"] + totals["conflict"] + again > 0 ? Exit::Failed : Exit::Done;
}

} // namespace

void addConsumeCommand(CLI::App& app, Context& context)
{
    addCommand<ConsumeOptions>(
        app, context, "consume", "Run a command for each event of a JetStream stream, each until it is done",
        [](CLI::App& command, ConsumeOptions& options) {
            command
                .add_option("--from", options.from,
                    "nats://HOST:PORT/SUBJECT (wildcards too) or nats://HOST:PORT/STREAM; tls:// with TLS only")
                ->required();
            command
                .add_option("--consumer", options.consumer,
                    "Who remembers what was done: in the inbox, and as the stream's durable consumer")
                ->required();
            command.add_flag("--once", options.once, "Until nothing is due any more");
            command.add_option("--source", options.source, "Source of events that name none (the stream's name)");
            command
                .add_option("--max-attempts", options.maxAttempts,
                    "Attempts before an event is dead (the policy's inbox_attempts: 5)")
                ->check(CLI::Range(1, 1'000));
            command.add_option("--lease", options.lease,
                "How long an event is its handler's that gives no sign of life (the policy's inbox_lease: 60s); "
                "renewed while it runs");
            command.add_option("command", options.command, "Behind --: the command and its arguments")->required();
            command.footer(
                std::string(
                    "The command gets the payload on standard input and EVENT_ID, EVENT_SOURCE, EVENT_TYPE, "
                    "EVENT_SUBJECT, "
                    "EVENT_VERSION, EVENT_CORRELATION_ID, EVENT_CONTENT_TYPE, EVENT_DESTINATION, EVENT_CONSUMER and "
                    "EVENT_ATTEMPT in its environment; what it says goes to standard error, and the last line of its "
                    "errors "
                    "becomes the reason of a failure.\n"
                    "Exit code 0: done. 65 (EX_DATAERR): it can never be done, a dead letter at once. Any other, 75 "
                    "(EX_TEMPFAIL) among them, or a signal: tried again after 500ms, 2s, 5s, 30s, and a dead letter "
                    "after "
                    "the last attempt.\n"
                    "The event is named by ce-id and ce-source, else by Nats-Msg-Id, else by its place in the stream. "
                    "An event that was done is never handed out again. A crash between the command's end and "
                    "its entry in the inbox, or a database that is away then for longer than the lease, hands it out "
                    "once more: what the command does outside of this database "
                    "happens "
                    "at least once, so it should use EVENT_ID as its own idempotency key.\n"
                    "An event is acknowledged after the inbox has said what became of it. Where the path is both, it "
                    "is a "
                    "subject rather than a stream. A broker or a database that is away is waited for, except with "
                    "--once. Exit code 1 with --once: something was not done; else: something is dead.\n")
                + natsCredentialsHelp);
        },
        consume);
}

} // namespace fencepost::app
