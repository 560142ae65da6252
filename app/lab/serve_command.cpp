// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <csignal>
#include <iostream>

#include "app/delivery/destination.h"
#include "app/delivery/nats_credentials.h"
#include "app/delivery/own_roots.h"
#include "app/delivery/webhook_secrets.h"
#include "app/lab/commands.h"
#include "app/lab/lab.h"
#include "app/lab/routes.h"
#include "core/delivery/nats_source.h"
#include "core/http/client_request.h"

namespace fencepost::app {

namespace {

template <typename T> struct Word {
    std::string_view word;
    T value;
};

constexpr Word<ContractMode> modes[] = { { "transaction", ContractMode::SingleTransaction },
    { "reserve", ContractMode::ReserveFinalize } };
constexpr Word<EffectClass> effects[] = { { "local", EffectClass::LocalTransaction },
    { "external-idempotent", EffectClass::ExternalIdempotent }, { "external", EffectClass::External } };
constexpr Word<InFlightAnswer> inFlights[] = { { "409", InFlightAnswer::Conflict }, { "202", InFlightAnswer::Accepted },
    { "303", InFlightAnswer::SeeOther }, { "wait", InFlightAnswer::Wait } };

template <typename T, std::size_t n>
Status read(const char* option, const std::string& said, const Word<T> (&words)[n], std::optional<T>& value)
{
    if (said.empty())
        return {};
    std::string all;
    for (const auto& word : words) {
        if (word.word == said) {
            value = word.value;
            return {};
        }
        all += (all.empty() ? "" : ", ") + std::string(word.word);
    }
    return invalid(std::string(option) + " is one of " + all + ", not \"" + said + "\"");
}

Status readTime(const char* option, const std::string& said, std::optional<Duration>& value)
{
    if (said.empty())
        return {};
    const auto time = parseDuration(said);
    if (!time)
        return invalid(std::string(option) + ": " + time.error().message);
    if (*time <= Duration(0))
        return invalid(std::string(option) + " must last longer than nothing");
    value = *time;
    return {};
}

// Where events go, where they come from, and what the environment says about both.
Status readEvents(const ServeWords& words, LabOptions& options)
{
    if (!words.webhook.empty()) {
        const auto url = http::checked({ .operation = "webhook", .url = words.webhook });
        if (!url)
            return url.error();
        options.destinations.push_back(words.webhook);
    }
    for (const auto& destination : words.events) {
        if (const auto checked = checkDestination("--events", destination); !checked)
            return checked;
        options.destinations.push_back(destination);
    }
    if (!words.consume.empty())
        if (const auto checked = delivery::checkNatsSource(words.consume); !checked)
            return checked;
    if (!delivery::isConsumerName(words.consumer))
        return invalid("--consumer needs letters, digits, - and _: it is the name of a durable consumer of JetStream");
    options.consumeUrl = words.consume;
    options.consumer = words.consumer;
    options.maxAttempts = words.maxAttempts;
    auto secrets = webhookSecrets();
    if (!secrets)
        return secrets.error();
    options.delivery.secrets = std::move(*secrets);
    auto credentials = natsCredentials();
    if (!credentials)
        return credentials.error();
    options.delivery.nats = std::move(*credentials);
    auto roots = ownRoots();
    if (!roots)
        return roots.error();
    options.delivery.tls = std::move(*roots);
    return {};
}

Result<LabOptions> optionsOf(const ServeWords& words)
{
    LabOptions options;
    auto target = store::parseUrl(words.db);
    if (!target)
        return target.error();
    options.target = std::move(*target);
    options.server.port = words.port;
    options.server.workers = words.workers;
    if (!words.listen.empty())
        options.server.address = words.listen;
    for (const auto& status :
        { read("--mode", words.mode, modes, options.mode), read("--effect", words.effect, effects, options.effect),
            read("--in-flight", words.inFlight, inFlights, options.inFlight),
            readTime("--lease", words.lease, options.lease), readTime("--ttl", words.ttl, options.ttl),
            readTime("--wait", words.wait, options.wait) })
        if (!status)
            return status.error();
    auto policy = words.policy.empty() ? Result<Policy>(Policy()) : loadPolicy(words.policy);
    if (!policy)
        return policy.error();
    options.policy = std::move(*policy);
    for (const auto& route : unsafeRoutes()) {
        const auto contract = contractOf(route, options);
        const bool together = contract.mode == ContractMode::SingleTransaction;
        if (together && contract.policy.effect.value != EffectClass::LocalTransaction)
            return invalid("An external effect cannot be part of a transaction: add --mode reserve");
        if (contract.policy.lease.value >= contract.policy.ttl.value)
            return invalid("The lease must be shorter than the time an answer is kept");
    }
    options.cached = words.cached;
    if (const auto read = readEvents(words, options); !read)
        return read.error();
    for (const auto& text : words.faults) {
        auto specs = parseFaults(text);
        if (!specs)
            return specs.error();
        options.faults.insert(options.faults.end(), specs->begin(), specs->end());
    }
    options.seed = words.seed;
    options.spansPath = words.spans;
    options.logPath = words.log;
    return options;
}

int fail(const Error& error, int code)
{
    std::cerr << "fencepost-lab: " << inWords(error) << '\n';
    if (!error.detail.empty())
        std::cerr << error.detail << '\n';
    return code;
}

} // namespace

void addServeOptions(CLI::App& app, ServeWords& words)
{
    app.add_option(
        "--db", words.db, "Database: sqlite:PATH or postgresql://[user@]host[:port]/database; its tables are made");
    app.add_option("--port", words.port, "Port; 0 takes any free one, and the one line on standard output says which")
        ->check(CLI::Range(0, 65535));
    app.add_option("--listen", words.listen, "IPv4 address to listen on (127.0.0.1)");
    app.add_option("--workers", words.workers, "Threads, each with a connection of its own (8)")
        ->check(CLI::Range(1, 256));
    app.add_option("--policy", words.policy,
        "fencepost.policy.json: what the options here do not say. Under it lies the financial profile, for the lab's "
        "routes move money: answers kept 7d, older keys refused; \"financial\": false takes that away");
    app.add_option("--mode", words.mode,
        "transaction: record and business rows in one transaction; reserve: reserve, execute, finalize (transaction)");
    app.add_option("--effect", words.effect,
        "What a refund does: local: rows of this database; external-idempotent, external: pays out through a vendor"
        " that does, or does not, recognise a repeated call (local)");
    app.add_option(
        "--in-flight", words.inFlight, "What a duplicate of a running request gets: 409, 202, 303 or wait (409)");
    app.add_option("--wait", words.wait, "How long --in-flight wait waits (2s)");
    app.add_option("--lease", words.lease, "How long a worker is believed to be working (60s)");
    app.add_option("--ttl", words.ttl, "How long an answer is kept (7d)");
    app.add_option("--cache", words.cached,
           "Finished records kept in memory, so that a replay needs no read; what an operator expires is seen a minute "
           "late (0)")
        ->check(CLI::Range(0, 10'000'000));
    app.add_option("--webhook", words.webhook, "URL that refund.succeeded is sent to");
    app.add_option("--events", words.events,
           "Where else it is sent: nats://HOST:PORT/SUBJECT of JetStream, or a URL as above; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--consume", words.consume,
        "nats://HOST:PORT/SUBJECT (wildcards too) or /STREAM: refund.succeeded is read from there, and a notice "
        "written for each");
    app.add_option(
        "--consumer", words.consumer, "Who reads it: in the inbox, and the stream's durable consumer (mailer)");
    app.add_option(
           "--max-attempts", words.maxAttempts, "Attempts before an event, sent or received, is dead (the policy's: 5)")
        ->check(CLI::Range(1, 1'000));
    app.add_option("--fault", words.faults, "A fault, see below; may be repeated")->allow_extra_args(false);
    app.add_option("--seed", words.seed, "Of the faults' chances (1)");
    app.add_option("--otlp", words.spans, "File for spans, as OTLP JSON lines");
    app.add_option("--log", words.log, "File for events, as JSON lines; - is standard error");
}

int serve(const ServeWords& words)
{
    const auto options = optionsOf(words);
    if (!options)
        return fail(options.error(), LabUsage);
    // Waited for instead of handled: every thread that is made from here on leaves them to this one.
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : { SIGTERM, SIGINT })
        sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    auto lab = Lab::start(*options);
    if (!lab)
        return fail(lab.error(), lab.error().failure == Failure::Invalid ? LabUsage : LabFailed);
    std::cout << (*lab)->port() << std::endl;
    int signal = 0;
    sigwait(&ending, &signal);
    return LabDone;
}

} // namespace fencepost::app
