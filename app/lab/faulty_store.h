// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "app/lab/faults.h"
#include "core/store/sql_store.h"
#include "core/store/writer_queue.h"

namespace fencepost::app {

// The store of one worker with the faults of its request: slow, down, or dying between two steps. Where there is a
// writer's queue, records are written through it; who has a transaction open writes on its own connection.
class FaultyStore final : public Store {
public:
    FaultyStore(store::SqlStore& store, store::WriterQueue* queue, Faults& faults);

    // Of the request that is in work now.
    void setFaults(FaultsOfRequest drawn) { m_drawn = std::move(drawn); }
    // The request has its reservation, and is carried out from here on.
    void begin();
    // All of it is committed, or nothing.
    Status together(const std::function<Status()>& body);

    Result<Reserved> reserve(const Reservation& reservation) override;
    Result<std::optional<Reserved>> replay(const Reservation& reservation) override;
    Result<Applied> renew(const Claim& claim, Duration lease) override;
    Result<Applied> advance(
        const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data) override;
    Result<Applied> finalize(const Claim& claim, const Completion& completion) override;
    Result<Applied> fail(const Claim& claim, const Failing& failing) override;
    Result<Applied> hold(const Claim& claim, const std::string& reason) override;
    Result<Applied> reconcile(const RecordId& id, Fence seen, Evidence evidence, const Completion& completion,
        const std::string& actor) override;
    Result<Applied> intervene(const Intervention& intervention) override;
    Result<Reaped> reap(const ReapRequest& request) override;
    Result<std::vector<Result<Reserved>>> reserveAll(const std::vector<Reservation>& reservations) override;
    Result<std::vector<Result<Applied>>> finalizeAll(
        const std::vector<std::pair<Claim, Completion>>& completions) override;
    Result<std::optional<Record>> find(const RecordId& id) override;
    Result<std::vector<JournalEntry>> journal(const RecordId& id) override;
    Result<std::vector<Conflict>> conflicts(const RecordId& id) override;
    Result<KeyLives> livesOf(const RecordId& id) override;
    Result<Time> now() override;

private:
    [[nodiscard]] Status befall();
    [[nodiscard]] bool queues() const { return m_queue != nullptr && !m_together; }
    Result<Reserved> reserveHere(const Reservation& reservation);
    Result<Applied> settle(const std::function<Result<Applied>()>& change);

    store::SqlStore& m_store;
    store::WriterQueue* m_queue;
    Faults& m_faults;
    FaultsOfRequest m_drawn;
    bool m_together = false;
};

} // namespace fencepost::app
