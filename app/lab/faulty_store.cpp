// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/faulty_store.h"

namespace fencepost::app {

FaultyStore::FaultyStore(store::SqlStore& store, store::WriterQueue* queue, Faults& faults)
    : m_store(store)
    , m_queue(queue)
    , m_faults(faults)
{
}

Status FaultyStore::befall()
{
    if (const auto* slow = m_drawn.find(FaultKind::SlowDatabase))
        m_faults.wait(slow->time);
    if (m_drawn.find(FaultKind::DatabaseDown) != nullptr)
        return Error{ Failure::Unavailable, "The database is down", "a fault of the lab" };
    return {};
}

Status FaultyStore::together(const std::function<Status()>& body)
{
    if (auto down = befall(); !down)
        return down;
    m_together = true;
    auto done = m_store.together(body);
    m_together = false;
    if (done)
        m_drawn.reach(Point::P10);
    return done;
}

Result<Reserved> FaultyStore::reserveHere(const Reservation& reservation)
{
    if (!m_drawn.isArmed(Point::P2))
        return queues() ? m_queue->reserve(reservation) : m_store.reserve(reservation);
    if (m_together) {
        auto reserved = m_store.reserve(reservation);
        m_drawn.reach(Point::P2);
        return reserved;
    }
    std::optional<Result<Reserved>> reserved;
    const auto done = m_store.together([&]() -> Status {
        reserved.emplace(m_store.reserve(reservation));
        m_drawn.reach(Point::P2);
        return *reserved ? Status() : Status(reserved->error());
    });
    if (!done)
        return done.error();
    return std::move(*reserved);
}

Result<std::optional<Reserved>> FaultyStore::replay(const Reservation& reservation)
{
    if (const auto down = befall(); !down)
        return down.error();
    return m_store.replay(reservation);
}

Result<Reserved> FaultyStore::reserve(const Reservation& reservation)
{
    m_drawn.reach(Point::P1);
    if (const auto down = befall(); !down)
        return down.error();
    return reserveHere(reservation);
}

void FaultyStore::begin()
{
    if (!m_together)
        m_drawn.reach(Point::P3);
}

// The last step of a request. In a transaction it is not the last one: that is the commit.
Result<Applied> FaultyStore::settle(const std::function<Result<Applied>()>& change)
{
    if (!m_together)
        m_drawn.reach(Point::P9);
    if (const auto down = befall(); !down)
        return down.error();
    auto applied = change();
    if (applied && !m_together)
        m_drawn.reach(Point::P10);
    return applied;
}

Result<Applied> FaultyStore::finalize(const Claim& claim, const Completion& completion)
{
    return settle(
        [&] { return queues() ? m_queue->finalize(claim, completion) : m_store.finalize(claim, completion); });
}

Result<Applied> FaultyStore::fail(const Claim& claim, const Failing& failing)
{
    return settle([&] { return queues() ? m_queue->fail(claim, failing) : m_store.fail(claim, failing); });
}

Result<Applied> FaultyStore::hold(const Claim& claim, const std::string& reason)
{
    return settle([&] { return queues() ? m_queue->hold(claim, reason) : m_store.hold(claim, reason); });
}

Result<Applied> FaultyStore::renew(const Claim& claim, Duration lease)
{
    if (const auto down = befall(); !down)
        return down.error();
    return m_store.renew(claim, lease);
}

Result<Applied> FaultyStore::advance(
    const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data)
{
    if (const auto down = befall(); !down)
        return down.error();
    return m_store.advance(claim, recoveryPoint, data);
}

Result<Applied> FaultyStore::reconcile(
    const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor)
{
    return m_store.reconcile(id, seen, evidence, completion, actor);
}

Result<Applied> FaultyStore::intervene(const Intervention& intervention)
{
    return m_store.intervene(intervention);
}

Result<Reaped> FaultyStore::reap(const ReapRequest& request)
{
    return m_store.reap(request);
}

Result<std::vector<Result<Reserved>>> FaultyStore::reserveAll(const std::vector<Reservation>& reservations)
{
    return m_store.reserveAll(reservations);
}

Result<std::vector<Result<Applied>>> FaultyStore::finalizeAll(
    const std::vector<std::pair<Claim, Completion>>& completions)
{
    return m_store.finalizeAll(completions);
}

Result<std::optional<Record>> FaultyStore::find(const RecordId& id)
{
    if (const auto down = befall(); !down)
        return down.error();
    return m_store.find(id);
}

Result<std::vector<JournalEntry>> FaultyStore::journal(const RecordId& id)
{
    return m_store.journal(id);
}

Result<std::vector<Conflict>> FaultyStore::conflicts(const RecordId& id)
{
    return m_store.conflicts(id);
}

Result<KeyLives> FaultyStore::livesOf(const RecordId& id)
{
    return m_store.livesOf(id);
}

Result<Time> FaultyStore::now()
{
    if (const auto down = befall(); !down)
        return down.error();
    return m_store.now();
}

} // namespace fencepost::app
