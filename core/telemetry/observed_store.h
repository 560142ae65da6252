// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/clock.h"
#include "core/telemetry/event.h"
#include "core/telemetry/metrics.h"

namespace fencepost::telemetry {

struct Observation {
    EventSink& events;
    Metrics* metrics = nullptr; // durations of reservations, and what the reaper took
    const Clock* stopwatch = nullptr; // none: no durations. SteadyClock, for it only moves forward
};

// A store that tells of each of its answers. What it answers is the store's own; an error is told of by whoever gets
// it. Used by one thread at a time, like its store; all that it is given outlives it.
class ObservedStore final : public Store {
public:
    ObservedStore(Store& store, Observation observation);

    // Carries `work` out in a transaction of the store, as `transaction` makes it. What happens in it is told of once
    // it is committed, and of what was rolled back nothing is told.
    Status together(
        const std::function<Status(const std::function<Status()>&)>& transaction, const std::function<Status()>& work);

    // Tells of an answer that needed no store.
    void answered(const Reservation& reservation, const Reserved& reserved) { tell(reservation, reserved); }

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
    void tell(const Reservation& reservation, const Reserved& reserved);
    Result<Applied> told(Event event, const RecordId& id, Result<Applied> applied);
    void tell(KeyEvent event);
    [[nodiscard]] std::optional<State> stateBefore(const KeyEvent& event);

    Store& m_store;
    Observation m_observation;
    std::optional<std::vector<KeyEvent>> m_pending; // of the transaction that is open
};

} // namespace fencepost::telemetry
