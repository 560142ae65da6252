// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/lab_worker.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/lab/desk.h"
#include "app/lab/event_endpoint.h"
#include "app/lab/faults_endpoint.h"
#include "app/lab/json_response.h"
#include "app/lab/look_endpoint.h"
#include "app/lab/problems.h"
#include "core/service/problem.h"
#include "core/store/dead_letters.h"
#include "core/store/outbox_backlog.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;

// What whoever sends it from here wants to befall it.
Result<std::vector<FaultSpec>> faultsAskedFor(const HttpRequest& request)
{
    std::vector<FaultSpec> own;
    for (const auto line : linesOf(request.headers, faultHeader)) {
        auto asked = parseFaults(line);
        if (!asked)
            return asked;
        own.insert(own.end(), asked->begin(), asked->end());
    }
    return own;
}

// None: it is served.
std::optional<Reply> befallBefore(Faults& faults, const FaultsOfRequest& drawn)
{
    if (const auto* delay = drawn.find(FaultKind::Delay); delay != nullptr && !delay->at)
        faults.wait(delay->time);
    if (const auto* timeout = drawn.find(FaultKind::TimeoutBefore)) {
        faults.wait(timeout->time);
        return Reply{ {}, Reply::End::Silence };
    }
    if (drawn.find(FaultKind::ResetBefore) != nullptr)
        return Reply{ {}, Reply::End::Reset };
    if (const auto* busy = drawn.find(FaultKind::TooMany))
        return Reply{ problemResponse({ .code = "RATE_LIMIT.exceeded", .retryAfter = busy->time }) };
    if (const auto* broken = drawn.find(FaultKind::ServerError)) {
        const bool isAway = broken->status == 503;
        return Reply{ problemResponse({ .code = isAway ? "DEPENDENCY.unavailable"
                : broken->status == 504                ? "DEPENDENCY.timeout"
                                                       : "TRANSIENT.fault",
            .status = broken->status,
            .detail = "A fault of the lab.",
            .retryAfter = isAway ? std::optional<Duration>(std::chrono::seconds(1)) : std::nullopt }) };
    }
    return {};
}

} // namespace

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
    auto desk = Desk::open(m_lab);
    if (!desk)
        return desk.error();
    m_desk = std::move(*desk);
    return {};
}

Reply LabWorker::answer(const Incoming& incoming)
{
    if (m_desk && !m_desk->connection->isAlive())
        m_desk.reset();
    const auto path = pathOf(incoming.request);
    const auto look = lookFor(path);
    if (look && look->route == LookRoute::Faults)
        return { answerFaults(m_lab.faults(), incoming) };
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
    auto reply = isSafeMethod(request.method)
        ? Reply{ answerLook({ m_desk->cashier->books(), *m_desk->sqlStore, m_lab }, request) }
        : change(incoming, request);
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

Reply LabWorker::change(const Incoming& incoming, const HttpRequest& request)
{
    const auto own = incoming.fromHere && !incoming.repeated ? faultsAskedFor(request)
                                                             : Result<std::vector<FaultSpec>>(std::vector<FaultSpec>());
    if (!own)
        return { problemResponse({ .code = "VALIDATION.fault", .status = 400, .detail = own.error().message }) };
    const auto drawn = incoming.repeated ? FaultsOfRequest() : m_lab.faults().draw(*own, attemptOf(request));
    if (auto befallen = befallBefore(m_lab.faults(), drawn))
        return std::move(*befallen);
    if (drawn.find(FaultKind::Duplicate) != nullptr)
        m_lab.deliverAgain(incoming.request);

    auto* handler = m_desk->handlerOf(findUnsafeRoute(request.method, pathOf(request)));
    if (handler == nullptr || !isNamed(pathOf(request)))
        return { notFound() };
    m_desk->setFaults(drawn);
    m_desk->standsStill = drawn.find(FaultKind::Pause) != nullptr;
    Reply reply{ handler->serve(request) };
    m_desk->leave(reply.response);
    drawn.reach(Point::P11);
    if (const auto* timeout = drawn.find(FaultKind::TimeoutAfter)) {
        m_lab.faults().wait(timeout->time);
        reply.end = Reply::End::Silence;
    }
    if (drawn.find(FaultKind::ResetAfter) != nullptr)
        reply.end = Reply::End::Reset;
    return reply;
}

// The reconcile hook for one operation, {"operation":"refund.create","key":"…"}, of whoever asks for it.
HttpResponse LabWorker::reconcile(const HttpRequest& request)
{
    const auto asked = nlohmann::json::parse(request.body, nullptr, false);
    const auto isText = [&](const char* name) { return asked.contains(name) && asked[name].is_string(); };
    if (!asked.is_object() || !isText("operation") || !isText("key"))
        return problemResponse({ .code = "VALIDATION.body",
            .status = 400,
            .detail = R"(The body is {"operation":"refund.create","key":"…"}.)" });
    const auto id =
        operationOf(asked["operation"].get<std::string>(), asked["key"].get<std::string>(), request.principal);
    if (!id || id->operation != "refund.create")
        return notFound();
    if (!m_desk->payouts)
        return notFound();
    m_desk->setFaults({});
    const auto& contract = m_lab.contract(*findUnsafeRoute("POST", "/refunds"));
    const auto report = m_desk->cashier->reconcile(*m_desk->store, contract, *id);
    if (!report)
        return report.error().failure == Failure::NotFound ? notFound() : unavailable(report.error());
    if (report->what == Reconciled::Succeeded)
        m_lab.metrics().add(telemetry::Counter::Created, { { telemetry::Label::OperationType, id->operation } });
    ordered_json body;
    body["result"] = wordOf(report->what);
    body["reason"] = report->reason;
    return jsonResponse(200, body);
}

} // namespace fencepost::app
