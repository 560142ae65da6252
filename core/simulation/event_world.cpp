// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/event_world.h"

#include <algorithm>

#include "core/messaging/outbox_claim.h"
#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr Duration afterTheLoad = std::chrono::seconds(60);
constexpr Duration statement = std::chrono::milliseconds(1);

} // namespace

EventWorld::EventWorld(World& world)
    : m_world(world)
    , m_settings(world.m_scenario.events)
    , m_policy(policyOf(m_settings))
    , m_relays(m_settings.on ? static_cast<std::size_t>(m_settings.relays) : 0)
    , m_keys(static_cast<std::size_t>(m_settings.keys))
    , m_handledLast(static_cast<std::size_t>(m_settings.keys))
{
}

void EventWorld::begin()
{
    if (m_settings.redrive != Redrive::None)
        m_world.plan(m_settings.redriveAt, { .happening = Happening::Redrive });
    const auto& deliveries = m_world.m_scenario.deliveries;
    for (std::size_t i = 0; i < deliveries.size(); ++i)
        m_world.plan(deliveries[i].at,
            { .happening = Happening::EventArrive, .flags = 1, .place = static_cast<std::uint32_t>(i) });
}

int EventWorld::mostAttempts() const
{
    return m_settings.deadLetters ? static_cast<int>(m_settings.attempts) : INT32_MAX;
}

Duration EventWorld::retryDelay(const EventThing& event, int attempts) const
{
    OwnRandom random;
    random.begin(m_world.m_dice.roll(Throw::EventDelay, event.who, event.received));
    return retry::delayAfter(m_policy, attempts, std::nullopt, random);
}

void EventWorld::tell(std::uint32_t place, std::string actor, std::string text)
{
    const auto& event = m_events[place];
    m_world.trace(event.request, std::move(actor), "event " + event.outbox.event.eventId + " " + std::move(text));
}

void EventWorld::write(const Request& request)
{
    const auto place = m_events.add();
    auto& event = m_events[place];
    event.who = request.number << effectBits | request.effects;
    event.request = request.number;
    event.key = static_cast<std::uint32_t>(
        Dice::below(m_world.m_dice.roll(Throw::EventKey, event.who), static_cast<std::uint64_t>(m_settings.keys)));
    event.poison = m_world.strikes(Throw::EventPoison, event.who, 0, m_settings.poison);
    auto& row = event.outbox;
    row.seq = ++m_seq;
    row.event.eventId = "ev_" + std::to_string(row.seq);
    row.event.destination = "sim:consumer";
    row.event.source = "payments";
    row.event.type = "payment.made";
    row.event.orderingKey = "k" + std::to_string(event.key + 1);
    row.createdAt = m_world.m_now;
    row.nextAttemptAt = m_world.m_now;
    ++m_world.m_outcome[Measure::EventsWritten];
    m_unsent.emplace(row.seq, place);
    m_keys[event.key].emplace(row.seq, place);
    if (m_world.traces(event.request))
        tell(place, "outbox", "is written with its effect");
    offer(place);
    wakeRelays();
}

// Those of one key are sent one after the other: the first of them may be claimed.
void EventWorld::offer(std::uint32_t place)
{
    const auto& event = m_events[place];
    const auto& row = event.outbox;
    const auto& key = m_keys[event.key];
    if (!key.empty() && key.begin()->second == place && row.state == OutboxState::Pending)
        m_ready.emplace(row.nextAttemptAt.value_or(m_world.m_now), row.seq, place);
}

void EventWorld::stepAside(std::uint32_t place)
{
    const auto key = m_events[place].key;
    m_keys[key].erase(m_events[place].outbox.seq);
    if (!m_keys[key].empty())
        offer(m_keys[key].begin()->second);
}

void EventWorld::unclaim(std::uint32_t place)
{
    const auto& row = m_events[place].outbox;
    if (row.leaseExpiresAt)
        m_claimed.erase({ *row.leaseExpiresAt, row.seq, place });
}

// What is tried for ever is watched for a while.
bool EventWorld::isGivenUp() const
{
    return !m_settings.deadLetters && m_world.since() > m_world.m_scenario.load.duration + afterTheLoad;
}

void EventWorld::pollAgain(std::uint32_t relay, Duration in)
{
    auto& looksAt = m_relays[relay].looksAt;
    const auto at = m_world.m_now + in;
    if (looksAt && *looksAt <= at)
        return;
    looksAt = at;
    m_world.plan(in, { .happening = Happening::RelayPoll, .place = relay });
}

void EventWorld::wakeRelays()
{
    for (std::uint32_t relay = 0; relay < m_relays.size(); ++relay)
        if (m_relays[relay].up)
            pollAgain(relay, m_settings.poll);
}

void EventWorld::poll(std::uint32_t index)
{
    auto& relay = m_relays[index];
    if (relay.looksAt != m_world.m_now)
        return;
    relay.looksAt.reset();
    if (isGivenUp())
        return;
    relay.up = true;
    retakeLapsed();
    const auto claimed = claim(index);
    for (const auto place : claimed) {
        if (relay.up)
            send(index, place);
        else
            m_events[place].orphaned = true;
    }
    if (!relay.up)
        return pollAgain(index, m_world.m_scenario.service.restart);
    if (claimed.size() == static_cast<std::size_t>(m_settings.batch))
        return pollAgain(index, statement);
    auto next = Time::max();
    for (const auto* waiting : { &m_ready, &m_claimed })
        if (!waiting->empty())
            next = std::min(next, std::get<Time>(*waiting->begin()));
    if (next < Time::max())
        pollAgain(index, std::max(next - m_world.m_now, m_settings.poll));
}

void EventWorld::retakeLapsed()
{
    while (!m_claimed.empty() && std::get<Time>(*m_claimed.begin()) <= m_world.m_now) {
        const auto place = std::get<std::uint32_t>(*m_claimed.begin());
        m_claimed.erase(m_claimed.begin());
        auto& event = m_events[place];
        if (auto after = decideLapsed(event.outbox, mostAttempts(), m_world.m_now))
            event.outbox = std::move(*after);
        if (event.outbox.state == OutboxState::Dead)
            deadInOutbox(place);
        else
            offer(place);
    }
}

std::vector<std::uint32_t> EventWorld::claim(std::uint32_t relay)
{
    std::vector<std::uint32_t> claimed;
    while (!m_ready.empty() && std::get<Time>(*m_ready.begin()) <= m_world.m_now
        && claimed.size() < static_cast<std::size_t>(m_settings.batch)) {
        const auto place = std::get<std::uint32_t>(*m_ready.begin());
        m_ready.erase(m_ready.begin());
        auto& event = m_events[place];
        auto after = decideClaimed(event.outbox, ownerOf(++m_owners), m_settings.lease, m_world.m_now);
        if (!after)
            continue;
        event.outbox = std::move(*after);
        event.orphaned = false;
        m_claimed.emplace(*event.outbox.leaseExpiresAt, event.outbox.seq, place);
        claimed.push_back(place);
        if (m_world.traces(event.request))
            tell(place, "relay " + std::to_string(relay + 1), "is claimed");
    }
    return claimed;
}

void EventWorld::crashRelay(std::uint32_t relay, std::uint32_t place, int point)
{
    ++m_world.m_outcome[Measure::Crashes];
    m_relays[relay].up = false;
    m_events[place].orphaned = true;
    if (m_world.traces(m_events[place].request))
        tell(place, "relay " + std::to_string(relay + 1), "is left: it dies at p" + std::to_string(point));
}

void EventWorld::send(std::uint32_t relay, std::uint32_t place)
{
    auto& event = m_events[place];
    const auto& scenario = m_world.m_scenario;
    const auto turn = static_cast<std::uint64_t>(++event.received);
    if (m_world.strikes(crashAt(13), event.who, turn, scenario.crash[13]))
        return crashRelay(relay, place, 13);
    ++m_world.m_outcome[Measure::EventsSent];
    if (m_world.traces(event.request))
        tell(place, "relay " + std::to_string(relay + 1), "is sent, delivery " + std::to_string(turn));
    const auto attempt = static_cast<std::uint32_t>(event.outbox.attempt);
    const auto way = m_world.draw(m_settings.latency, Throw::EventWay, event.who, turn);
    const auto arrives = [&](Duration in) {
        ++event.holds;
        m_world.plan(in, { .happening = Happening::EventArrive, .place = place, .extra = attempt });
    };
    if (!m_world.strikes(Throw::EventLost, event.who, turn, m_settings.loss))
        arrives(way);
    if (m_world.strikes(Throw::EventDuplicated, event.who, turn, m_settings.duplicates))
        arrives(way + m_world.draw(m_settings.duplicateAfter, Throw::EventDuplicateAfter, event.who, turn));
    if (m_world.strikes(crashAt(14), event.who, turn, scenario.crash[14]))
        return crashRelay(relay, place, 14);
    ++event.holds;
    m_world.plan(m_policy.attemptTimeout, { .happening = Happening::EventTimeout, .place = place, .extra = attempt });
}

void EventWorld::answered(const What& what)
{
    auto& event = m_events[what.place];
    const auto& row = event.outbox;
    const bool awaited = row.state == OutboxState::Sending && !event.orphaned
        && row.attempt == static_cast<int>(what.extra) && row.leaseExpiresAt > m_world.m_now;
    if (awaited && what.code == status::good) {
        sent(what.place);
    } else if (awaited) {
        DeliveryFailure failure{ .code = what.code == 0 ? "timeout" : std::to_string(what.code),
            .error = what.code == 0 ? "no answer came in time" : "the consumer did not take it",
            .delay = std::max(retryDelay(event, row.attempt), Duration(what.number)) };
        notDelivered(what.place, failure);
    }
    letGo(what.place);
}

void EventWorld::notDelivered(std::uint32_t place, const DeliveryFailure& failure)
{
    auto& event = m_events[place];
    unclaim(place);
    if (auto after = decideUndelivered(event.outbox, *event.outbox.owner, failure, mostAttempts(), m_world.m_now))
        event.outbox = std::move(*after);
    if (m_world.traces(event.request))
        tell(place, "relay", "is not delivered: " + failure.error);
    if (event.outbox.state == OutboxState::Dead)
        deadInOutbox(place);
    else
        offer(place);
    wakeRelays();
}

void EventWorld::sent(std::uint32_t place)
{
    auto& event = m_events[place];
    auto& row = event.outbox;
    auto after = decideSent(row, *row.owner, m_world.m_now);
    if (!after)
        return;
    unclaim(place);
    row = std::move(*after);
    auto& lag = m_world.m_outcome[Measure::LagMost];
    lag = std::max<std::int64_t>(lag, (m_world.m_now - row.createdAt).count());
    m_unsent.erase(row.seq);
    stepAside(place);
    if (m_world.traces(event.request))
        tell(place, "relay", "is marked as sent");
    wakeRelays();
}

void EventWorld::deadInOutbox(std::uint32_t place)
{
    auto& event = m_events[place];
    auto& outcome = m_world.m_outcome;
    ++outcome[Measure::DeadLetters];
    outcome[Measure::DeadAgain] += event.redriven ? 1 : 0;
    event.letter = deadLetterOf(event.outbox, Bytes(event.outbox.event.eventId), m_world.m_now).letter;
    m_letters.emplace(event.outbox.seq, place);
    if (m_world.traces(event.request))
        tell(place, "relay", "is given up: a dead letter");
    if (m_settings.deadHead == DeadHeadRule::Skip)
        stepAside(place);
}

void EventWorld::letGo(std::uint32_t place)
{
    auto& event = m_events[place];
    if (--event.holds > 0 || event.recorded || event.letter || event.outbox.state != OutboxState::Sent)
        return;
    m_events.remove(place);
}

void EventWorld::handle(const What& what)
{
    switch (what.happening) {
    case Happening::RelayPoll:
        poll(what.place);
        break;
    case Happening::EventArrive:
        if (what.flags == 1)
            arriveRecorded(what.place);
        else
            arrive(what.place, what.extra);
        break;
    case Happening::EventHandled:
        handled(what);
        break;
    case Happening::EventAnswered:
    case Happening::EventTimeout:
        answered(what);
        break;
    case Happening::HandlerUp:
        --m_busy;
        nextWaiting();
        break;
    case Happening::Redrive:
        redrive(what);
        break;
    default:
        break;
    }
}

void EventWorld::acknowledge(std::uint32_t place, std::uint32_t attempt, bool well, Duration wait)
{
    auto& event = m_events[place];
    if (event.recorded)
        return;
    const auto turn = static_cast<std::uint64_t>(event.received);
    if (m_world.strikes(Throw::EventAckLost, event.who, turn, m_settings.ackLoss))
        return;
    ++event.holds;
    const auto micros = std::min<std::int64_t>(wait.count(), UINT32_MAX);
    m_world.plan(m_world.draw(m_settings.latency, Throw::EventWay, event.who, turn + (std::uint64_t(1) << 32U)),
        { .happening = Happening::EventAnswered,
            .code = static_cast<std::uint16_t>(well ? status::good : status::unavailable),
            .place = place,
            .number = static_cast<std::uint32_t>(micros),
            .extra = attempt });
}

void EventWorld::sample(SeriesStep& step) const
{
    step.deadLetters = static_cast<std::int64_t>(m_letters.size());
    if (m_unsent.empty())
        return;
    const auto& oldest = m_events[m_unsent.begin()->second].outbox;
    step.lag = std::max<std::int64_t>(step.lag, (m_world.m_now - oldest.createdAt).count());
}

void EventWorld::finish()
{
    auto& outcome = m_world.m_outcome;
    outcome[Measure::Undelivered] = static_cast<std::int64_t>(m_unsent.size());
    outcome[Measure::PeakHandling] = std::max(outcome[Measure::PeakHandling], m_slotCount);
    if (m_unsent.empty())
        return;
    const auto& oldest = m_events[m_unsent.begin()->second].outbox;
    auto& lag = outcome[Measure::LagMost];
    lag = std::max<std::int64_t>(lag, (m_world.m_now - oldest.createdAt).count());
}

} // namespace fencepost::simulation
