// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/observed_store.h"

#include <algorithm>
#include <utility>

namespace fencepost::telemetry {

namespace {

// The reason of the transition, in the journal: an unfinished record whose time is over too is taken over from EXPIRED.
constexpr std::string_view takenOver = "taken over";

} // namespace

ObservedStore::ObservedStore(Store& store, Observation observation)
    : m_store(store)
    , m_observation(observation)
{
}

Status ObservedStore::together(
    const std::function<Status(const std::function<Status()>&)>& transaction, const std::function<Status()>& work)
{
    auto done = transaction([&] {
        m_pending.emplace(); // also where the store carries it out again
        return work();
    });
    const auto events = std::exchange(m_pending, std::nullopt);
    if (done && events)
        for (const auto& event : *events)
            m_observation.events.record(event);
    return done;
}

void ObservedStore::tell(KeyEvent event)
{
    if (m_pending)
        m_pending->push_back(std::move(event));
    else
        m_observation.events.record(event);
}

// An answer does not always say which state the record was in. Its journal does, which costs a look; takeovers, retries
// and operators are rare enough for it. What the journal does not have changed nothing.
std::optional<State> ObservedStore::stateBefore(const KeyEvent& event)
{
    const auto journal = m_store.journal(event.id);
    if (!journal)
        return std::nullopt;
    const auto found = std::find_if(journal->rbegin(), journal->rend(), [&](const JournalEntry& entry) {
        return entry.fence == event.fence && entry.at == event.at && entry.event == wordOf(event.event)
            && entry.toState == wordOf(event.to);
    });
    if (found == journal->rend())
        return event.to;
    return found->reason == takenOver ? State::InProgress : stateOf(found->fromState);
}

void ObservedStore::tell(const Reservation& reservation, const Reserved& reserved)
{
    auto event = eventOf(reservation, reserved);
    if (!event.from)
        event = eventOf(reservation, reserved, stateBefore(event));
    tell(std::move(event));
}

Result<Applied> ObservedStore::told(Event event, const RecordId& id, Result<Applied> applied)
{
    if (!applied)
        return applied;
    auto happened = eventOf(event, id, *applied);
    if (!happened.from)
        happened = eventOf(event, id, *applied, stateBefore(happened));
    tell(std::move(happened));
    return applied;
}

Result<std::optional<Reserved>> ObservedStore::replay(const Reservation& reservation)
{
    auto replayed = m_store.replay(reservation);
    if (replayed && *replayed)
        tell(reservation, **replayed);
    return replayed;
}

Result<Reserved> ObservedStore::reserve(const Reservation& reservation)
{
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const auto* const stopwatch = m_observation.metrics == nullptr ? nullptr : m_observation.stopwatch;
    const auto began = stopwatch == nullptr ? Time() : stopwatch->now();
    auto reserved = m_store.reserve(reservation);
    if (stopwatch != nullptr)
        m_observation.metrics->observe(Histogram::StoreReserve, {}, Milliseconds(stopwatch->now() - began).count());
    if (reserved)
        tell(reservation, *reserved);
    return reserved;
}

Result<Applied> ObservedStore::renew(const Claim& claim, Duration lease)
{
    return told(Event::Renew, claim.id, m_store.renew(claim, lease));
}

Result<Applied> ObservedStore::advance(
    const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data)
{
    return told(Event::Advance, claim.id, m_store.advance(claim, recoveryPoint, data));
}

Result<Applied> ObservedStore::finalize(const Claim& claim, const Completion& completion)
{
    return told(Event::Finalize, claim.id, m_store.finalize(claim, completion));
}

Result<Applied> ObservedStore::fail(const Claim& claim, const Failing& failing)
{
    return told(Event::Fail, claim.id, m_store.fail(claim, failing));
}

Result<Applied> ObservedStore::hold(const Claim& claim, const std::string& reason)
{
    return told(Event::Hold, claim.id, m_store.hold(claim, reason));
}

Result<Applied> ObservedStore::reconcile(
    const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor)
{
    return told(Event::Reconcile, id, m_store.reconcile(id, seen, evidence, completion, actor));
}

Result<Applied> ObservedStore::intervene(const Intervention& intervention)
{
    const auto& trigger = intervention.trigger;
    return told(trigger.event, trigger.id, m_store.intervene(intervention));
}

Result<Reaped> ObservedStore::reap(const ReapRequest& request)
{
    auto reaped = m_store.reap(request);
    if (reaped && m_observation.metrics != nullptr)
        addReaped(*m_observation.metrics, *reaped);
    return reaped;
}

Result<std::vector<Result<Reserved>>> ObservedStore::reserveAll(const std::vector<Reservation>& reservations)
{
    auto all = m_store.reserveAll(reservations);
    if (all)
        for (std::size_t i = 0; i < all->size(); ++i)
            if ((*all)[i])
                tell(reservations[i], *(*all)[i]);
    return all;
}

Result<std::vector<Result<Applied>>> ObservedStore::finalizeAll(
    const std::vector<std::pair<Claim, Completion>>& completions)
{
    auto all = m_store.finalizeAll(completions);
    if (all)
        for (std::size_t i = 0; i < all->size(); ++i)
            (*all)[i] = told(Event::Finalize, completions[i].first.id, std::move((*all)[i]));
    return all;
}

Result<std::optional<Record>> ObservedStore::find(const RecordId& id)
{
    return m_store.find(id);
}

Result<std::vector<JournalEntry>> ObservedStore::journal(const RecordId& id)
{
    return m_store.journal(id);
}

Result<std::vector<Conflict>> ObservedStore::conflicts(const RecordId& id)
{
    return m_store.conflicts(id);
}

Result<KeyLives> ObservedStore::livesOf(const RecordId& id)
{
    return m_store.livesOf(id);
}

Result<Time> ObservedStore::now()
{
    return m_store.now();
}

} // namespace fencepost::telemetry
