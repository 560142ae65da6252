// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/event_world.h"
#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr std::uint32_t noRow = UINT32_MAX;
constexpr Duration slotWidth = std::chrono::milliseconds(100);

} // namespace

Delivery EventWorld::deliveryOf(const EventThing& event) const
{
    Delivery delivery;
    delivery.id = { "consumer", event.outbox.event.source, event.outbox.event.eventId };
    delivery.payloadHash = hashOf(event.who);
    delivery.type = event.outbox.event.type;
    delivery.destination = event.outbox.event.destination;
    delivery.orderingKey = event.outbox.event.orderingKey;
    return delivery;
}

void EventWorld::arrive(std::uint32_t place, std::uint32_t attempt)
{
    if (const auto slot = m_world.since() / slotWidth; slot != m_slot) {
        auto& peak = m_world.m_outcome[Measure::PeakHandling];
        peak = std::max(peak, m_slotCount);
        m_slot = slot;
        m_slotCount = 0;
    }
    ++m_slotCount;
    const auto& event = m_events[place];
    if (m_world.active(FaultKind::ConsumerOutage, event.who << 8U | attempt) != nullptr) {
        if (m_world.traces(event.request))
            tell(place, "consumer", "finds it down");
        acknowledge(place, attempt, false, Duration(0));
        return letGo(place);
    }
    if (m_busy < m_settings.consumers)
        receive(place, attempt);
    else
        m_waiting.emplace_back(place, attempt);
}

void EventWorld::arriveRecorded(std::uint32_t index)
{
    const auto& delivery = m_world.m_scenario.deliveries[index];
    const auto [known, isNew] = m_recorded.try_emplace({ delivery.source, delivery.event }, nowhere);
    if (isNew) {
        known->second = m_events.add();
        auto& event = m_events[known->second];
        event.recorded = true;
        event.who = index;
        event.outbox.event.eventId = delivery.event;
        event.outbox.event.source = delivery.source;
    }
    auto row = noRow;
    auto& rows = m_world.m_outcome.inbox;
    if (m_world.m_options.keepsLogs && rows.size() < keptLogRows) {
        row = static_cast<std::uint32_t>(rows.size());
        rows.push_back({ delivery.event, delivery.source, m_world.m_now, std::nullopt, std::nullopt });
    }
    auto& event = m_events[known->second];
    ++event.holds;
    const auto place = known->second;
    if (m_settings.inbox) {
        const InboxArrival arrival{ ownerOf(lowOf(++m_owners)), m_settings.lease, mostAttempts() };
        auto decision = decideArrival({ event.inbox, {}, {} }, deliveryOf(event), arrival, m_world.m_now);
        if (decision.message)
            event.inbox = std::move(decision.message);
        if (decision.reception != Reception::Process) {
            if (decision.reception == Reception::Done)
                finishRow(row, exchange::InboxResult::Replayed);
            return letGo(place);
        }
    }
    ++m_busy;
    m_world.plan(delivery.took, { .happening = Happening::EventHandled, .place = place, .number = lowOf(m_owners), .extra = row });
}

void EventWorld::finishRow(std::uint32_t row, exchange::InboxResult result)
{
    if (row == noRow)
        return;
    m_world.m_outcome.inbox[row].processed = m_world.m_now;
    m_world.m_outcome.inbox[row].result = result;
}

void EventWorld::receive(std::uint32_t place, std::uint32_t attempt)
{
    auto& event = m_events[place];
    const auto turn = static_cast<std::uint64_t>(event.received);
    if (m_settings.inbox) {
        const InboxArrival arrival{ ownerOf(lowOf(++m_owners)), m_settings.lease, mostAttempts() };
        auto decision = decideArrival({ event.inbox, {}, {} }, deliveryOf(event), arrival, m_world.m_now);
        const bool wasDead = event.inbox && event.inbox->state == InboxState::Dead;
        if (decision.message)
            event.inbox = std::move(decision.message);
        if (m_world.traces(event.request))
            tell(place, "inbox", "is received: " + decision.reason);
        if (decision.reception == Reception::Dead && !wasDead)
            deadInInbox(place);
        if (decision.reception != Reception::Process) {
            acknowledge(place, attempt, isAcknowledged(decision.reception), decision.wait);
            return letGo(place);
        }
    }
    ++m_busy;
    if (m_world.strikes(crashAt(15), event.who, turn, m_world.m_scenario.crash[15])) {
        ++m_world.m_outcome[Measure::Crashes];
        if (m_world.traces(event.request))
            tell(place, "consumer", "is left: it dies before its handler runs (p15)");
        m_world.plan(m_world.m_scenario.service.restart, { .happening = Happening::HandlerUp });
        return letGo(place);
    }
    m_world.plan(m_world.draw(m_settings.time, Throw::EventTime, event.who, turn),
        { .happening = Happening::EventHandled, .place = place, .number = lowOf(m_owners), .extra = attempt });
}

void EventWorld::handled(const What& what)
{
    const auto& event = m_events[what.place];
    const auto turn = static_cast<std::uint64_t>(event.received);
    const bool well =
        event.recorded || (!event.poison && !m_world.strikes(Throw::EventError, event.who, turn, m_settings.errors));
    --m_busy;
    if (well)
        succeeded(what.place, what.extra, ownerOf(what.number));
    else
        failed(what.place, what.extra, ownerOf(what.number));
    letGo(what.place);
    nextWaiting();
}

void EventWorld::nextWaiting()
{
    while (m_busy < m_settings.consumers && !m_waiting.empty()) {
        const auto [place, attempt] = m_waiting.front();
        m_waiting.pop_front();
        receive(place, attempt);
    }
}

void EventWorld::failed(std::uint32_t place, std::uint32_t attempt, const Owner& owner)
{
    auto& event = m_events[place];
    auto delay = Duration(0);
    if (m_settings.inbox) {
        delay = retryDelay(event, event.inbox->attempt);
        const HandlingFailure failure{ .code = event.poison ? "poison" : "DEPENDENCY.unavailable",
            .error = event.poison ? "no handler can handle it" : "the handler failed",
            .delay = delay };
        auto settled = decideFailed(event.inbox, owner, failure, mostAttempts(), m_world.m_now);
        // Somebody else has it by now: whatever becomes of it is theirs to say.
        const bool isOwn = settled.message.has_value();
        if (isOwn)
            event.inbox = std::move(settled.message);
        if (isOwn && event.inbox->state == InboxState::Dead) {
            deadInInbox(place);
            return acknowledge(place, attempt, true, Duration(0));
        }
    }
    if (m_world.traces(event.request))
        tell(place, "consumer", event.poison ? "cannot be handled" : "fails for a moment");
    acknowledge(place, attempt, false, delay);
}

void EventWorld::succeeded(std::uint32_t place, std::uint32_t attempt, const Owner& owner)
{
    auto& event = m_events[place];
    auto& outcome = m_world.m_outcome;
    if (m_settings.inbox) {
        auto settled = decideProcessed({ event.inbox, {}, {} }, owner, "handled", m_world.m_now);
        if (settled.settlement != InboxSettlement::Applied) {
            if (m_world.traces(event.request))
                tell(place, "consumer", "comes too late: a later attempt has it, and nothing of this one is kept");
            return event.recorded ? void() : acknowledge(place, attempt, false, Duration(0));
        }
        event.inbox = std::move(settled.message);
    }
    if (++event.effects == 1) {
        ++outcome[Measure::EventsHandled];
    } else {
        ++outcome[Measure::DoubledEvents];
        m_world.violate("I7", event.request,
            "the effect of event " + event.outbox.event.eventId + " happens for the time "
                + std::to_string(event.effects));
    }
    if (event.recorded)
        return finishRow(attempt, exchange::InboxResult::Ok);
    auto& last = m_handledLast[event.key];
    outcome[Measure::LateEvents] += event.outbox.seq < last && event.effects == 1 ? 1 : 0;
    last = std::max(last, event.outbox.seq);
    if (m_world.traces(event.request))
        tell(place, "consumer", "is handled");
    const auto turn = static_cast<std::uint64_t>(event.received);
    if (m_world.strikes(crashAt(16), event.who, turn, m_world.m_scenario.crash[16])) {
        ++outcome[Measure::Crashes];
        ++m_busy;
        m_world.plan(m_world.m_scenario.service.restart, { .happening = Happening::HandlerUp });
        return;
    }
    acknowledge(place, attempt, true, Duration(0));
}

void EventWorld::deadInInbox(std::uint32_t place)
{
    auto& event = m_events[place];
    auto& outcome = m_world.m_outcome;
    ++outcome[Measure::DeadLetters];
    outcome[Measure::DeadAgain] += event.redriven ? 1 : 0;
    event.letter = deadLetterOf(*event.inbox, deliveryOf(event), m_world.m_now).letter;
    m_letters.emplace(event.outbox.seq, place);
    if (m_world.traces(event.request))
        tell(place, "consumer", "is given up: a dead letter");
}

void EventWorld::redrive(const What& what)
{
    if (m_letters.empty())
        return;
    if (m_settings.redrive == Redrive::AtOnce) {
        const auto letters = m_letters;
        for (const auto& [seq, place] : letters)
            redriveOne(place);
        return;
    }
    // What dies again behind this redrive is not sent a second time.
    const auto last = what.extra == 0 ? m_letters.rbegin()->first : std::int64_t(what.extra);
    const auto [seq, place] = *m_letters.begin();
    if (seq > last)
        return;
    redriveOne(place);
    m_world.plan(Duration(microsPerThousandth / m_settings.redriveRate),
        { .happening = Happening::Redrive, .extra = static_cast<std::uint32_t>(last) });
}

void EventWorld::redriveOne(std::uint32_t place)
{
    auto& event = m_events[place];
    const LetterDemand demand{
        .seenDeaths = event.letter->deaths, .by = "operator", .because = "the consumer was mended", .runId = "redrive"
    };
    auto decision = decideRedrive({ event.letter, event.inbox, event.outbox }, demand, m_world.m_now);
    m_letters.erase({ event.outbox.seq, place });
    if (decision.outcome != LetterOutcome::Changed)
        return;
    ++m_world.m_outcome[Measure::Redriven];
    event.redriven = true;
    event.letter.reset();
    if (decision.inbox)
        event.inbox = std::move(decision.inbox);
    if (m_world.traces(event.request))
        tell(place, "operator", "is sent again");
    if (!decision.outbox)
        return;
    event.outbox = std::move(*decision.outbox);
    m_unsent.emplace(event.outbox.seq, place);
    m_keys[event.key].emplace(event.outbox.seq, place);
    offer(place);
    wakeRelays();
}

} // namespace fencepost::simulation
