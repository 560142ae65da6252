// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/lab_worker.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/lab/cashier.h"
#include "app/lab/event_endpoint.h"
#include "app/lab/faulty_store.h"
#include "app/lab/request_trace.h"
#include "app/lab/routes.h"
#include "core/protocol/ascii.h"
#include "core/protocol/key_syntax.h"
#include "core/store/dead_letters.h"
#include "core/store/outbox_backlog.h"
#include "core/telemetry/observed_store.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;

constexpr int ledgerPage = 1000; // entries
constexpr int noticesPage = 1000;

enum class LookRoute {
    Payment,
    Refund,
    Ledger,
    Notices,
    Metrics,
    Operation,
    Payouts,
    Vendor,
    Faults,
    Reconcile,
    Events,
    Capabilities,
};

// A route that is served without the contract.
struct LookEntry {
    LookRoute route;
    std::string_view pattern;
    std::string_view methods = "GET, HEAD";
};

constexpr std::array lookRoutes = { LookEntry{ LookRoute::Payment, "/payments/{id}" },
    LookEntry{ LookRoute::Refund, "/refunds/{id}" }, LookEntry{ LookRoute::Ledger, "/ledger" },
    LookEntry{ LookRoute::Notices, "/notices" }, LookEntry{ LookRoute::Metrics, "/metrics" },
    LookEntry{ LookRoute::Operation, "/operations/{operation}/{key}" },
    LookEntry{ LookRoute::Payouts, "/admin/payouts" }, LookEntry{ LookRoute::Vendor, "/admin/vendor" },
    LookEntry{ LookRoute::Faults, "/admin/faults", "GET, HEAD, POST, DELETE" },
    LookEntry{ LookRoute::Reconcile, "/admin/reconcile", "POST" }, LookEntry{ LookRoute::Events, eventsPath, "POST" },
    LookEntry{ LookRoute::Capabilities, capabilityPath } };

struct LookFor {
    LookRoute route;
    std::string_view pattern;
    std::string_view methods;
    std::vector<std::string> names;
};

std::optional<LookFor> lookFor(std::string_view path)
{
    for (const auto& entry : lookRoutes)
        if (auto names = matched(entry.pattern, entry.route == LookRoute::Operation ? withoutMark(path) : path))
            return LookFor{ entry.route, entry.pattern, entry.methods, std::move(*names) };
    return {};
}

bool isChange(std::string_view method)
{
    return !isSafeMethod(method);
}

// Of a list as Allow has it.
bool isAmong(std::string_view method, std::string_view methods)
{
    while (!methods.empty()) {
        const auto end = methods.find(',');
        if (withoutBlanks(methods.substr(0, end)) == method)
            return true;
        methods = end == std::string_view::npos ? std::string_view() : methods.substr(end + 1);
    }
    return false;
}

HttpResponse notFound()
{
    return problemResponse({ .code = "VALIDATION.not_found", .status = 404, .detail = "There is no such thing here." });
}

HttpResponse notFromHere()
{
    return problemResponse(
        { .code = "AUTH.required", .status = 403, .detail = "That is done from the lab's own computer." });
}

HttpResponse unavailable(const Error& error)
{
    // A name that the database cannot hold is nobody's.
    if (error.failure == Failure::Invalid)
        return notFound();
    return problemResponse(
        { .code = "DEPENDENCY.unavailable", .detail = inWords(error), .retryAfter = std::chrono::seconds(1) });
}

std::int64_t afterOf(std::string_view query)
{
    std::int64_t after = 0;
    constexpr std::string_view name = "after=";
    if (query.starts_with(name))
        std::from_chars(query.data() + name.size(), query.data() + query.size(), after);
    return after;
}

HttpResponse ledgerResponse(const std::vector<LedgerEntry>& entries)
{
    ordered_json body;
    body["entries"] = ordered_json::array();
    for (const auto& entry : entries) {
        ordered_json one;
        one["seq"] = entry.seq;
        one["kind"] = entry.kind;
        one["object_id"] = entry.objectId;
        one["amount"] = entry.amount;
        one["currency"] = entry.currency;
        one["reference"] = entry.reference ? ordered_json(*entry.reference) : ordered_json();
        one["at"] = formatInstant(entry.at);
        body["entries"].push_back(std::move(one));
    }
    if (entries.size() == ledgerPage)
        body["next"] = "/ledger?after=" + std::to_string(entries.back().seq);
    return jsonResponse(200, body);
}

HttpResponse noticesResponse(const std::vector<Notice>& notices)
{
    ordered_json body;
    body["notices"] = ordered_json::array();
    for (const auto& notice : notices)
        body["notices"].push_back({ { "seq", notice.seq }, { "consumer", notice.consumer },
            { "event_id", notice.eventId }, { "refund_id", notice.refundId }, { "at", formatInstant(notice.at) } });
    if (notices.size() == noticesPage)
        body["next"] = "/notices?after=" + std::to_string(notices.back().seq);
    return jsonResponse(200, body);
}

HttpResponse operationResponse(const Record& record, Time now)
{
    ordered_json body;
    body["state"] = wordOf(shownState(record, now));
    body["attempt"] = record.attempt;
    if (record.response.code)
        body["status"] = *record.response.code;
    if (record.response.refId)
        body["reference"] = { { "type", record.response.refType.value_or("") }, { "id", *record.response.refId } };
    if (record.errorCode)
        body["error_code"] = *record.errorCode;
    body["expires"] = formatInstant(record.expiresAt);
    auto response = jsonResponse(200, body);
    // A hold ends when a person has decided.
    if (!isTerminal(record.status))
        response.headers.emplace_back("Retry-After", record.hold ? "30" : "1");
    return response;
}

// A service of whom more is asked than its caller has time for.
Handled outOfTime()
{
    Handled handled{ problemResponse(
        { .code = "DEPENDENCY.timeout", .detail = "The time that the caller gives is used up. Nothing was done." }) };
    handled.settlement = Settlement::Transient;
    handled.errorCode = "DEPENDENCY.timeout";
    return handled;
}

HttpResponse runningResponse()
{
    auto response = jsonResponse(200, ordered_json{ { "state", wordOf(State::InProgress) }, { "attempt", 1 } });
    response.headers.emplace_back("Retry-After", "1");
    return response;
}

HttpResponse faultsResponse(const Faults& faults)
{
    auto body = ordered_json::array();
    for (const auto& listed : faults.list())
        body.push_back({ { "fault", listed.spec.text }, { "hits", listed.hits } });
    for (const auto& [point, requests] : faults.standing())
        body.push_back({ { "standing_at", nameOf(point) }, { "requests", requests } });
    return jsonResponse(200, body);
}

// Of one entry, {"fault":"crash@p9:x1"}, or of a list of such texts, {"faults":[…]}.
Result<std::vector<FaultSpec>> faultsOf(const Bytes& body)
{
    const auto parsed = nlohmann::json::parse(body, nullptr, false);
    std::string text;
    if (parsed.is_object())
        for (const char* name : { "fault", "faults" })
            if (const auto found = parsed.find(name); found != parsed.end())
                for (const auto& one : found->is_array() ? *found : nlohmann::json::array({ *found }))
                    text += (text.empty() ? "" : ",") + (one.is_string() ? one.get<std::string>() : "?");
    if (text.empty())
        return invalid("Send {\"fault\":\"delay=200ms:30%\"} or {\"faults\":[…]}");
    return parseFaults(text);
}

// Only who has sent a request can ask what became of it.
std::optional<RecordId> operationOf(const std::string& operation, const std::string& key, const std::string& principal)
{
    for (const auto& route : unsafeRoutes())
        if (route.operation == operation)
            if (auto scope = scopeOf(routeOf(route.method, route.pattern), principal))
                return RecordId{ *scope, operation, key };
    return {};
}

// No percent-encoding hides what no name can have.
bool isNamed(std::string_view path)
{
    const auto decoded = decodedSegment(path);
    return isUtf8(decoded) && decoded.find('\0') == std::string::npos;
}

int attemptOf(const HttpRequest& request)
{
    int attempt = 1;
    const auto line = lineOf(request.headers, "idempotency-attempt").value_or("");
    std::from_chars(line.data(), line.data() + line.size(), attempt);
    return attempt;
}

} // namespace

std::optional<HttpResponse> refuseUnknown(std::string_view method, std::string_view path)
{
    const auto look = lookFor(path);
    if (look && isAmong(method, look->methods))
        return {};
    std::string allowed(look ? look->methods : "");
    for (const auto& route : unsafeRoutes())
        if (matched(route.pattern, path))
            allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
    if (allowed.empty())
        return notFound();
    auto refusal = problemResponse({ .code = "VALIDATION.method", .status = 405, .detail = "Allowed: " + allowed });
    refusal.headers.emplace_back("Allow", allowed);
    return refusal;
}

// The spans of one request's calls, until they are written with its own.
class CollectedSpans final : public telemetry::SpanSink {
public:
    void record(telemetry::Span span) override { m_spans.push_back(std::move(span)); }
    [[nodiscard]] std::vector<telemetry::Span> take() { return std::exchange(m_spans, {}); }

private:
    std::vector<telemetry::Span> m_spans;
};

struct LabWorker::Desk {
    explicit Desk(Lab& lab)
        : trace(clock, random)
        , events(sinksOf(lab, trace))
    {
    }

    static std::vector<telemetry::EventSink*> sinksOf(Lab& lab, RequestTrace& trace)
    {
        std::vector<telemetry::EventSink*> sinks{ &lab.eventMetrics() };
        if (lab.log() != nullptr)
            sinks.push_back(lab.log());
        if (lab.spans().isOpen())
            sinks.push_back(&trace);
        return sinks;
    }

    SystemClock clock;
    SystemRandom random;
    RequestTrace trace;
    CollectedSpans calls;
    bool standsStill = false; // so that nothing renews its lease
    std::optional<retry::Slot> place; // of the request that is executed
    telemetry::EventFan events;
    std::unique_ptr<store::Connection> connection;
    std::optional<store::SqlStore> sqlStore;
    std::optional<FaultyStore> faultyStore;
    std::optional<telemetry::ObservedStore> store;
    std::optional<Payouts> payouts;
    std::optional<Cashier> cashier;
    std::optional<Mailer> mailer;
    struct Served {
        const UnsafeRoute* route;
        IdempotentHandler handler;
    };
    std::vector<Served> served;
};

LabWorker::LabWorker(Lab& lab)
    : m_lab(lab)
{
}

LabWorker::~LabWorker() = default;

Result<std::unique_ptr<LabWorker>> LabWorker::make(Lab& lab)
{
    std::unique_ptr<LabWorker> worker(new LabWorker(lab));
    if (const auto opened = worker->open(); !opened)
        return opened.error();
    return worker;
}

Status LabWorker::open()
{
    auto desk = std::make_unique<Desk>(m_lab);
    auto connection = store::Connection::open(m_lab.options().target, Lab::openOptions());
    if (!connection)
        return connection.error();
    desk->connection = std::move(*connection);
    desk->sqlStore.emplace(*desk->connection, store::StoreClock{});
    desk->faultyStore.emplace(*desk->sqlStore, m_lab.writerQueue(), m_lab.faults());
    desk->store.emplace(*desk->faultyStore, telemetry::Observation{ desk->events, &m_lab.metrics(), &m_lab.steady() });
    const auto vendorUrl = m_lab.vendorUrl();
    if (!vendorUrl.empty())
        desk->payouts.emplace(vendorUrl,
            http::ClientTelemetry{
                m_lab.spans().isOpen() ? &desk->calls : nullptr, &m_lab.metrics(), m_lab.privacy() });
    std::map<std::string, Duration, std::less<>> kept;
    for (const auto& route : unsafeRoutes())
        kept.emplace(route.operation, m_lab.contract(route).policy.effects.value);
    desk->cashier.emplace(CashierParts{ *desk->connection, desk->clock, desk->random, m_lab.options().destinations,
        desk->payouts ? &*desk->payouts : nullptr, vendorOf(m_lab.refundEffect()), std::move(kept) });
    desk->mailer.emplace(Mailer::Parts{ *desk->connection, m_lab.faults(), m_lab.metrics(), m_lab.consumerOptions() });
    for (const auto& route : unsafeRoutes()) {
        ServiceParts parts{ *desk->store, desk->clock, desk->random };
        parts.together = [&desk = *desk](const std::function<Status()>& work) {
            return desk.store->together(
                [&desk](const std::function<Status()>& body) { return desk.faultyStore->together(body); }, work);
        };
        parts.steady = &m_lab.steady();
        parts.cache = m_lab.cache();
        parts.running = &m_lab.running();
        parts.answered = [&desk = *desk](
                             const Reservation& asked, const Reserved& answer) { desk.store->answered(asked, answer); };
        parts.turnAway = [this, &desk = *desk](const HttpRequest& request) { return enter(desk, request); };
        parts.heartbeat = [this, &desk = *desk](
                              const HttpRequest&) { return desk.standsStill ? nullptr : &m_lab.heartbeat(); };
        parts.sleep = [this](Duration time) { m_lab.faults().pause(time); };
        auto handler = IdempotentHandler::create(
            m_lab.contract(route), std::move(parts), [&desk = *desk, &route](Execution& execution) {
                const auto names = matched(route.pattern, pathOf(execution.request()));
                desk.trace.executing();
                desk.faultyStore->begin();
                if (execution.left() <= Duration(0))
                    return outOfTime();
                auto handled = route.handle(*desk.cashier, execution, names->empty() ? "" : names->front());
                desk.trace.executed();
                return handled;
            });
        if (!handler)
            return handler.error();
        desk->served.push_back({ &route, std::move(*handler) });
    }
    m_desk = std::move(desk);
    return {};
}

Reply LabWorker::answer(const Incoming& incoming)
{
    if (m_desk && !m_desk->connection->isOpen())
        m_desk.reset();
    const auto path = pathOf(incoming.request);
    const auto look = lookFor(path);
    if (look && look->route == LookRoute::Faults)
        return { admin(incoming) };
    // Answered without a database too: what is told of it is then as it was.
    if (look && look->route == LookRoute::Metrics) {
        countEvents();
        return { HttpResponse{
            200, { { "Content-Type", std::string(telemetry::Metrics::contentType) } }, m_lab.metrics().text() } };
    }
    if (!m_desk)
        if (const auto opened = open(); !opened)
            return { unavailable(opened.error()) };
    if (look && look->route == LookRoute::Events)
        return { receive(incoming) };
    auto request = asJson(incoming.request);
    request.principal = m_lab.principalOf(request);
    if (look && look->route == LookRoute::Reconcile)
        return { incoming.fromHere ? reconcile(request) : notFromHere() };
    m_desk->trace.begin(request);
    if (m_desk->payouts && m_lab.spans().isOpen())
        m_desk->payouts->continueTrace(telemetry::formatTraceparent(m_desk->trace.context()));
    auto reply = isChange(request.method) ? change(incoming, request) : Reply{ this->look(request) };
    // Other paths may hold a key.
    if (findUnsafeRoute(request.method, path) != nullptr)
        reply.response = withInstance(std::move(reply.response), request);
    if (m_lab.spans().isOpen())
        writeSpans(request, reply.response.status);
    return reply;
}

void LabWorker::countEvents()
{
    if (!m_desk)
        return;
    const auto backlog = store::unsentOf(*m_desk->connection, m_desk->clock.now());
    if (!backlog)
        return;
    const auto lag = backlog->oldest ? std::max(Duration(0), backlog->now - *backlog->oldest) : Duration(0);
    m_lab.metrics().set(telemetry::Gauge::OutboxPending, {}, static_cast<double>(backlog->pending + backlog->sending));
    m_lab.metrics().set(telemetry::Gauge::OutboxLag, {}, std::chrono::duration<double, std::milli>(lag).count());
    const auto depths = store::deadLetterDepths(*m_desk->connection);
    if (!depths)
        return;
    for (const auto& [consumer, depth] : *depths)
        m_lab.metrics().set(telemetry::Gauge::DeadLetterDepth,
            { { telemetry::Label::Consumer, consumer.empty() ? relayConsumer : consumer } },
            static_cast<double>(depth));
}

// An event is no request of the contract's: the inbox is its memory.
HttpResponse LabWorker::receive(const Incoming& incoming)
{
    return receiveEvent({ *m_desk->mailer, m_lab.verifier(), m_lab.eventsUrl() }, incoming, m_desk->clock.now());
}

void LabWorker::writeSpans(const HttpRequest& request, int status)
{
    const auto path = pathOf(request);
    const auto look = lookFor(path);
    const auto* unsafe = findUnsafeRoute(request.method, path);
    auto shown = RequestTrace::Path{ unsafe != nullptr ? unsafe->pattern
            : look                                     ? look->pattern
                                                       : "",
        std::string(path) };
    // A key is no part of what leaves the process; nobody knows what a path of no route is made of.
    if (look && look->route == LookRoute::Operation)
        shown.path =
            "/operations/" + look->names.front() + '/' + telemetry::keyHash(look->names.back(), m_lab.privacy().salt);
    else if (shown.route.empty())
        shown.path.clear();
    auto spans = m_desk->trace.end(request, shown, status, m_lab.privacy());
    for (auto& call : m_desk->calls.take())
        spans.push_back(std::move(call));
    m_lab.spans().write(spans);
}

// Behind the stored answers and in front of everything that costs something.
std::optional<TurnedAway> LabWorker::enter(Desk& desk, const HttpRequest& request)
{
    constexpr Duration longest = std::chrono::minutes(1);
    auto entered = m_lab.gate().enter(workOf(request, attemptOf(request)), longest);
    if (auto* away = std::get_if<TurnedAway>(&entered))
        return *away;
    desk.place = std::get<retry::Slot>(std::move(entered));
    return {};
}

void LabWorker::leave(const HttpResponse& answer)
{
    if (!m_desk->place)
        return;
    const bool dropped = answer.status == 503 || answer.status == 504;
    m_lab.gate().leave(
        *std::exchange(m_desk->place, std::nullopt), dropped ? retry::Load::Dropped : retry::Load::Success);
}

Reply LabWorker::change(const Incoming& incoming, const HttpRequest& request)
{
    std::vector<FaultSpec> own;
    if (incoming.fromHere && !incoming.repeated)
        for (const auto line : linesOf(request.headers, faultHeader)) {
            auto asked = parseFaults(line);
            if (!asked)
                return { problemResponse(
                    { .code = "VALIDATION.fault", .status = 400, .detail = asked.error().message }) };
            own.insert(own.end(), asked->begin(), asked->end());
        }
    const auto drawn = incoming.repeated ? FaultsOfRequest() : m_lab.faults().draw(own, attemptOf(request));
    if (const auto* delay = drawn.find(FaultKind::Delay); delay != nullptr && !delay->at)
        m_lab.faults().wait(delay->time);
    if (const auto* timeout = drawn.find(FaultKind::TimeoutBefore)) {
        m_lab.faults().wait(timeout->time);
        return { {}, Reply::End::Silence };
    }
    if (drawn.find(FaultKind::ResetBefore) != nullptr)
        return { {}, Reply::End::Reset };
    if (const auto* busy = drawn.find(FaultKind::TooMany))
        return { problemResponse({ .code = "RATE_LIMIT.exceeded", .retryAfter = busy->time }) };
    if (const auto* broken = drawn.find(FaultKind::ServerError)) {
        const bool unavailable = broken->status == 503;
        return { problemResponse({ .code = unavailable ? "DEPENDENCY.unavailable"
                : broken->status == 504                ? "DEPENDENCY.timeout"
                                                       : "TRANSIENT.fault",
            .status = broken->status,
            .detail = "A fault of the lab.",
            .retryAfter = unavailable ? std::optional<Duration>(std::chrono::seconds(1)) : std::nullopt }) };
    }
    if (drawn.find(FaultKind::Duplicate) != nullptr)
        m_lab.deliverAgain(incoming.request);

    const auto* route = findUnsafeRoute(request.method, pathOf(request));
    const auto served = std::find_if(
        m_desk->served.begin(), m_desk->served.end(), [&](const Desk::Served& one) { return one.route == route; });
    if (served == m_desk->served.end() || !isNamed(pathOf(request)))
        return { notFound() };
    m_desk->faultyStore->setFaults(drawn);
    m_desk->cashier->setFaults(drawn);
    m_desk->standsStill = drawn.find(FaultKind::Pause) != nullptr;
    Reply reply{ served->handler.serve(request) };
    leave(reply.response);
    drawn.reach(Point::P11);
    if (const auto* timeout = drawn.find(FaultKind::TimeoutAfter)) {
        m_lab.faults().wait(timeout->time);
        reply.end = Reply::End::Silence;
    }
    if (drawn.find(FaultKind::ResetAfter) != nullptr)
        reply.end = Reply::End::Reset;
    return reply;
}

HttpResponse LabWorker::look(const HttpRequest& request)
{
    const auto asked = lookFor(pathOf(request));
    if (!asked || !isNamed(pathOf(request)))
        return notFound();
    auto& books = m_desk->cashier->books();
    switch (asked->route) {
    case LookRoute::Payment: {
        const auto payment = books.payment(asked->names.front());
        return !payment ? unavailable(payment.error()) : *payment ? responseOf(**payment, 200) : notFound();
    }
    case LookRoute::Refund: {
        const auto refund = books.refund(asked->names.front());
        return !refund ? unavailable(refund.error()) : *refund ? responseOf(**refund, 200) : notFound();
    }
    case LookRoute::Ledger: {
        const auto entries = books.ledger(afterOf(queryOf(request)), ledgerPage);
        return entries ? ledgerResponse(*entries) : unavailable(entries.error());
    }
    case LookRoute::Notices: {
        const auto notices = books.notices(afterOf(queryOf(request)), noticesPage);
        return notices ? noticesResponse(*notices) : unavailable(notices.error());
    }
    case LookRoute::Operation: {
        const auto id = operationOf(asked->names.front(), asked->names.back(), request.principal);
        if (!id)
            return notFound();
        const auto record = m_desk->sqlStore->find(*id);
        const auto now = m_desk->sqlStore->now();
        if (!record || !now)
            return unavailable(record ? now.error() : record.error());
        if (*record && !isExpired(**record, *now))
            return operationResponse(**record, *now);
        // Within one transaction nobody sees its record before the commit.
        if (m_lab.running().isRunning(*id))
            return runningResponse();
        return *record ? operationResponse(**record, *now) : notFound();
    }
    case LookRoute::Payouts: {
        const auto payouts = books.vendorPayouts();
        if (!payouts)
            return unavailable(payouts.error());
        auto body = ordered_json::array();
        for (const auto& [id, reference] : *payouts)
            body.push_back({ { "id", id }, { "reference", reference } });
        return jsonResponse(200, body);
    }
    case LookRoute::Capabilities:
        return capabilitiesOf(m_lab.contracts());
    case LookRoute::Vendor:
        return jsonResponse(200, ordered_json{ { "url", m_lab.vendorUrl() } });
    case LookRoute::Metrics:
    case LookRoute::Faults:
    case LookRoute::Reconcile:
    case LookRoute::Events:
        break;
    }
    return notFound();
}

HttpResponse LabWorker::admin(const Incoming& incoming)
{
    const auto& method = incoming.request.method;
    if (isChange(method) && !incoming.fromHere)
        return notFromHere();
    if (method == "DELETE") {
        m_lab.faults().clear();
    } else if (isChange(method)) {
        const auto specs = faultsOf(incoming.request.body);
        if (!specs)
            return problemResponse({ .code = "VALIDATION.fault", .status = 400, .detail = specs.error().message });
        for (const auto& spec : *specs)
            m_lab.faults().add(spec);
    }
    return faultsResponse(m_lab.faults());
}

// The reconcile hook for one operation, {"operation":"refund.create","key":"…"}, of whoever asks for it.
HttpResponse LabWorker::reconcile(const HttpRequest& request)
{
    const auto asked = nlohmann::json::parse(request.body, nullptr, false);
    const auto member = [&](const char* name) {
        const bool there = asked.is_object() && asked.contains(name) && asked[name].is_string();
        return there ? asked[name].get<std::string>() : std::string();
    };
    const auto id = operationOf(member("operation"), member("key"), request.principal);
    if (!id || id->operation != "refund.create")
        return notFound();
    if (!m_desk->payouts)
        return notFound();
    m_desk->faultyStore->setFaults({});
    m_desk->cashier->setFaults({});
    const auto& contract = m_lab.contract(*findUnsafeRoute("POST", "/refunds"));
    const auto report = m_desk->cashier->reconcile(*m_desk->store, contract, *id);
    if (!report)
        return report.error().failure == Failure::NotFound ? notFound() : unavailable(report.error());
    ordered_json body;
    body["result"] = wordOf(report->what);
    body["reason"] = report->reason;
    return jsonResponse(200, body);
}

} // namespace fencepost::app
