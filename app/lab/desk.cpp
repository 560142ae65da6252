// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/desk.h"

#include <algorithm>
#include <utility>

#include "core/service/problem.h"

namespace fencepost::app {

namespace {

std::vector<telemetry::EventSink*> sinksOf(Lab& lab, RequestTrace& trace)
{
    std::vector<telemetry::EventSink*> sinks{ &lab.eventMetrics() };
    if (lab.log() != nullptr)
        sinks.push_back(lab.log());
    if (lab.spans().isOpen())
        sinks.push_back(&trace);
    return sinks;
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

} // namespace

Desk::Desk(Lab& lab)
    : trace(clock, random)
    , events(sinksOf(lab, trace))
    , m_lab(lab)
{
}

Result<std::unique_ptr<Desk>> Desk::open(Lab& lab)
{
    std::unique_ptr<Desk> desk(new Desk(lab));
    auto connection = store::Connection::open(lab.options().target, Lab::openOptions());
    if (!connection)
        return connection.error();
    desk->connection = std::move(*connection);
    desk->staff();
    for (const auto& route : unsafeRoutes()) {
        auto handler = IdempotentHandler::create(lab.contract(route), desk->parts(),
            [&desk = *desk, &route](Execution& execution) { return desk.carryOut(route, execution); });
        if (!handler)
            return handler.error();
        desk->m_served.push_back({ &route, std::move(*handler) });
    }
    return desk;
}

void Desk::staff()
{
    sqlStore.emplace(*connection, store::StoreClock{});
    faultyStore.emplace(*sqlStore, m_lab.writerQueue(), m_lab.faults());
    store.emplace(*faultyStore, telemetry::Observation{ events, &m_lab.metrics(), &m_lab.steady() });
    const auto vendorUrl = m_lab.vendorUrl();
    if (!vendorUrl.empty())
        payouts.emplace(vendorUrl,
            http::ClientTelemetry{ m_lab.spans().isOpen() ? &calls : nullptr, &m_lab.metrics(), m_lab.privacy() });
    std::map<std::string, Duration, std::less<>> kept;
    for (const auto& route : unsafeRoutes())
        kept.emplace(route.operation, m_lab.contract(route).policy.effects.value);
    cashier.emplace(
        CashierParts{ *connection, clock, random, m_lab.options().destinations, payouts ? &*payouts : nullptr,
            vendorOf(m_lab.refundEffect(), m_lab.options().policy.forRoute({}, {}).vendorTimeout), std::move(kept) });
    mailer.emplace(Mailer::Parts{ *connection, m_lab.faults(), m_lab.metrics(), m_lab.consumerOptions() });
}

ServiceParts Desk::parts()
{
    ServiceParts parts{ *store, clock, random };
    parts.together = [this](const std::function<Status()>& work) {
        return store->together(
            [this](const std::function<Status()>& body) { return faultyStore->together(body); }, work);
    };
    parts.steady = &m_lab.steady();
    parts.cache = m_lab.cache();
    parts.running = &m_lab.running();
    parts.answered = [this](const Reservation& asked, const Reserved& answer) { store->answered(asked, answer); };
    parts.turnAway = [this](const HttpRequest& request) { return enter(request); };
    parts.heartbeat = [this](const HttpRequest&) { return standsStill ? nullptr : &m_lab.heartbeat(); };
    parts.sleep = [this](Duration time) { m_lab.faults().pause(time); };
    return parts;
}

Handled Desk::carryOut(const UnsafeRoute& route, Execution& execution)
{
    const auto names = matched(route.pattern, pathOf(execution.request()));
    trace.executing();
    faultyStore->begin();
    if (execution.left() <= Duration(0))
        return outOfTime();
    auto handled = route.handle(*cashier, execution, names->empty() ? "" : names->front());
    trace.executed();
    return handled;
}

void Desk::setFaults(const FaultsOfRequest& drawn)
{
    faultyStore->setFaults(drawn);
    cashier->setFaults(drawn);
}

IdempotentHandler* Desk::handlerOf(const UnsafeRoute* route)
{
    const auto found =
        std::find_if(m_served.begin(), m_served.end(), [&](const Served& one) { return one.route == route; });
    return found == m_served.end() ? nullptr : &found->handler;
}

// Behind the stored answers and in front of everything that costs something.
std::optional<TurnedAway> Desk::enter(const HttpRequest& request)
{
    constexpr Duration longest = std::chrono::minutes(1);
    auto entered = m_lab.gate().enter(workOf(request, attemptOf(request)), longest);
    if (auto* away = std::get_if<TurnedAway>(&entered))
        return *away;
    m_place = std::get<retry::Slot>(std::move(entered));
    return {};
}

void Desk::leave(const HttpResponse& answer)
{
    if (!m_place)
        return;
    const bool dropped = answer.status == 503 || answer.status == 504;
    m_lab.gate().leave(*std::exchange(m_place, std::nullopt), dropped ? retry::Load::Dropped : retry::Load::Success);
}

} // namespace fencepost::app
