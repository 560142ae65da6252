// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/lab.h"

#include <algorithm>
#include <iostream>

#include "app/lab/books.h"
#include "app/lab/event_endpoint.h"
#include "app/lab/lab_worker.h"
#include "app/lab/look_routes.h"
#include "app/lab/refund_event.h"
#include "app/lab/routes.h"
#include "app/lab/vendor.h"
#include "core/protocol/ascii.h"
#include "core/service/admission.h"
#include "core/service/problem.h"
#include "core/store/schema.h"

namespace fencepost::app {

namespace {

constexpr std::size_t saltLength = 16; // octets

Bytes freshSalt()
{
    SystemRandom random;
    Bytes salt;
    while (salt.size() < saltLength)
        salt += static_cast<char>(random.below(256));
    return salt;
}

// It may have been the first one to be started on this database.
Error behindTheTables(Error error)
{
    if (error.failure == Failure::Internal)
        return error;
    error.failure = Failure::InDoubt;
    error.next = "The lab's tables are in the database now, if they were not before; nothing else was. Mend the cause "
                 "and start it again";
    return error;
}

// With its own connection, opened and used by whoever calls this.
Result<Heartbeat::Renew> renewerOf(const store::Target& target)
{
    struct Own {
        std::unique_ptr<store::Connection> connection;
        store::SqlStore store;
    };
    auto connection = store::Connection::open(target, Lab::openOptions());
    if (!connection)
        return connection.error();
    auto& opened = **connection;
    auto own = std::make_shared<Own>(Own{ std::move(*connection), store::SqlStore(opened, {}) });
    return Heartbeat::Renew([own](const Claim& claim, Duration lease) { return own->store.renew(claim, lease); });
}

} // namespace

Lab::Lab(const LabOptions& options)
    : m_options(options)
    , m_faults(options.seed)
    , m_spans(options.spansPath, "fencepost-lab")
{
    for (const auto& spec : options.faults)
        m_faults.add(spec);
}

Lab::~Lab()
{
    m_faults.stop();
    m_server.reset();
}

Result<std::unique_ptr<Lab>> Lab::start(const LabOptions& options)
{
    std::unique_ptr<Lab> lab(new Lab(options));
    // Whatever may be wrong without a database is found before there are tables in it.
    if (const auto opened = lab->open(); !opened)
        return opened.error();
    auto server = HttpServer::listen(options.server);
    if (!server)
        return server.error();
    lab->m_server = std::move(*server);
    auto connection = store::Connection::open(options.target, openOptions());
    if (!connection)
        return connection.error();
    if (const auto made = lab->makeTables(**connection); !made)
        return made.error();
    if (const auto prepared = lab->prepare(**connection); !prepared)
        return behindTheTables(prepared.error());
    connection.value().reset();
    if (const auto serving = lab->serve(); !serving)
        return behindTheTables(serving.error());
    return lab;
}

store::OpenOptions Lab::openOptions()
{
    return { .access = store::Access::ReadWrite,
        .statementTimeout = std::chrono::seconds(10),
        .lockTimeout = std::chrono::seconds(2),
        .create = true };
}

Status Lab::open()
{
    if (!m_options.spansPath.empty() && !m_spans.isOpen())
        return invalid("The file for spans cannot be written", m_options.spansPath);
    if (!m_options.logPath.empty() && m_options.logPath != "-") {
        m_logFile.open(m_options.logPath, std::ios::app);
        if (!m_logFile)
            return invalid("The log cannot be written", m_options.logPath);
        m_logFile << std::unitbuf;
    }
    if (m_options.delivery.secrets.empty())
        return {};
    auto verifier =
        WebhookVerifier::create(m_options.delivery.secrets, m_options.policy.forRoute({}, {}).webhookTolerance.value);
    if (!verifier)
        return verifier.error();
    m_verifier = std::move(*verifier);
    return {};
}

Status Lab::makeTables(store::Connection& connection)
{
    if (const auto made = store::initSchema(connection, false); !made)
        return made;
    const auto installed = Books(connection).install();
    return installed ? installed : Status(behindTheTables(installed.error()));
}

Status Lab::prepare(store::Connection& connection)
{
    auto salt = Books(connection).setting("salt", freshSalt());
    if (!salt)
        return salt.error();
    m_salt = std::move(*salt);
    m_privacy.salt = m_salt;
    // The log stays on this computer; spans and metrics leave it.
    const telemetry::LogOptions logging{ { .showKeys = true, .salt = m_salt } };
    if (!m_options.logPath.empty())
        m_log = std::make_unique<telemetry::JsonLog>(m_options.logPath == "-" ? std::cerr : m_logFile, logging);
    m_heartbeat = std::make_unique<Heartbeat>([target = m_options.target] { return renewerOf(target); });
    for (const auto& route : unsafeRoutes())
        m_contracts.push_back(contractOf(route, m_options));
    m_gate.open(m_contracts.front().policy);
    countFromNothing();
    if (m_options.cached > 0)
        m_cache = std::make_unique<TerminalCache>(
            TerminalCache::Limits{ .records = static_cast<std::size_t>(m_options.cached) });
    const bool alone = std::all_of(m_contracts.begin(), m_contracts.end(),
        [](const RouteContract& contract) { return contract.mode == ContractMode::ReserveFinalize; });
    // Several records share a commit where only one connection can write at a time; a transaction that also holds
    // business rows cannot be shared.
    if (m_options.target.dialect == store::Dialect::Sqlite && alone) {
        auto queue = store::WriterQueue::open(m_options.target, openOptions(), {});
        if (!queue)
            return queue.error();
        m_queue = std::move(*queue);
    }
    return {};
}

// A rate over a counter begins at nothing, and an alarm on a depth has something to look at.
void Lab::countFromNothing()
{
    using namespace telemetry;
    for (const auto& route : unsafeRoutes())
        for (const auto counter : { Counter::Created, Counter::Replayed, Counter::Conflict, Counter::InProgress,
                 Counter::Takeover, Counter::Fenced, Counter::Held, Counter::Expired })
            m_metrics.add(counter, { { Label::OperationType, route.operation } }, 0);
    std::vector<std::string> consumers{ webhookConsumer };
    if (!m_options.consumeUrl.empty())
        consumers.push_back(m_options.consumer);
    for (const auto& consumer : consumers) {
        m_metrics.add(Counter::InboxDuplicates, { { Label::Consumer, consumer } }, 0);
        m_metrics.set(Gauge::DeadLetterDepth, { { Label::Consumer, consumer } }, 0);
    }
    m_metrics.set(Gauge::DeadLetterDepth, { { Label::Consumer, relayConsumer } }, 0);
}

const RouteContract& Lab::contract(const UnsafeRoute& route) const
{
    return m_contracts[static_cast<std::size_t>(&route - unsafeRoutes().data())];
}

EffectClass Lab::refundEffect() const
{
    return contract(*findUnsafeRoute("POST", "/refunds")).policy.effect.value;
}

std::string Lab::vendorUrl() const
{
    return m_vendor ? "http://127.0.0.1:" + std::to_string(m_vendor->port()) : "";
}

Status Lab::serve()
{
    if (const auto effect = refundEffect(); effect != EffectClass::LocalTransaction) {
        auto vendor =
            startVendor({ m_options.target, openOptions(), effect == EffectClass::ExternalIdempotent }, m_faults);
        if (!vendor)
            return vendor.error();
        m_vendor = std::move(*vendor);
    }
    const auto serving = m_server->serve({ [this](const HttpRequest& head) { return refuse(head); },
        [this]() -> Result<std::unique_ptr<RequestWorker>> {
            auto worker = LabWorker::make(*this);
            if (!worker)
                return worker.error();
            return std::unique_ptr<RequestWorker>(std::move(*worker));
        } });
    if (!serving)
        return serving;
    m_serving = m_server.get();
    return exchangeEvents();
}

// A lab that only receives may still have to send: what was given up and is put back.
Status Lab::exchangeEvents()
{
    const bool consumes = !m_options.consumeUrl.empty();
    if (!m_options.destinations.empty() || consumes) {
        const auto policy = m_options.policy.forRoute({}, {});
        delivery::RelayOptions options;
        options.schedule.attempts = m_options.maxAttempts.value_or(policy.outboxAttempts.value);
        options.lease = policy.outboxLease.value;
        options.batch = policy.outboxBatch.value;
        options.target = m_options.delivery;
        options.target.timeout = policy.webhookTimeout.value;
        options.by = eventSource;
        auto relay = EventRelay::start({ m_options.target, openOptions(), std::move(options), m_faults, m_metrics });
        if (!relay)
            return relay.error();
        m_relay = std::move(*relay);
    }
    if (!consumes)
        return {};
    const auto consumer = consumerOptions();
    auto intake = EventIntake::start({ m_options.target, openOptions(),
        { .url = m_options.consumeUrl,
            .consumer = m_options.consumer,
            .ackWait = consumer.lease,
            .connection = m_options.delivery },
        consumer, m_faults, m_metrics });
    if (!intake)
        return intake.error();
    m_intake = std::move(*intake);
    return {};
}

delivery::ConsumerOptions Lab::consumerOptions() const
{
    const auto policy = m_options.policy.forRoute({}, {});
    delivery::ConsumerOptions options;
    options.maxAttempts = m_options.maxAttempts.value_or(policy.inboxAttempts.value);
    options.lease = policy.inboxLease.value;
    return options;
}

std::string Lab::eventsUrl() const
{
    const auto* server = m_serving.load();
    return server == nullptr ? ""
                             : "http://" + m_options.server.address + ":" + std::to_string(server->port()) + eventsPath;
}

std::string Lab::principalOf(const HttpRequest& request) const
{
    constexpr std::size_t digits = 32;
    const auto credentials = lineOf(request.headers, "authorization");
    if (!credentials)
        return "anonymous";
    // The scheme's case means nothing (RFC 9110 §11.1).
    const auto scheme = std::min(credentials->find(' '), credentials->size());
    const auto told = asciiLower(credentials->substr(0, scheme)) + std::string(credentials->substr(scheme));
    return "client_" + toHex(sha256(m_salt + told)).substr(0, digits);
}

std::optional<HttpResponse> Lab::refuse(const HttpRequest& head) const
{
    const auto path = pathOf(head);
    const auto* route = findUnsafeRoute(head.method, path);
    if (route == nullptr)
        return refuseUnknown(head.method, path);
    auto named = head;
    named.principal = principalOf(head);
    auto admission = admit(contract(*route), named, m_clock.now());
    if (auto* refusal = std::get_if<HttpResponse>(&admission))
        return withInstance(std::move(*refusal), head);
    const bool hasBody =
        lineOf(head.headers, "transfer-encoding") || lineOf(head.headers, "content-length").value_or("0") != "0";
    if (!hasBody && route->needsBody)
        return withInstance(problemResponse({ .code = "VALIDATION.body_not_ijson",
                                .detail = "Send a JSON object as the body; there is none." }),
            head);
    if (hasBody && !isTakenForJson(head))
        return withInstance(problemResponse({ .code = "VALIDATION.content_type",
                                .status = 415,
                                .detail = "Send the body as Content-Type: application/json." }),
            head);
    return {};
}

void Lab::deliverAgain(const HttpRequest& request)
{
    if (auto* server = m_serving.load())
        server->deliverAgain(request);
}

} // namespace fencepost::app
