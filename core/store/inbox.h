// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/messaging/inbox.h"
#include "core/store/database.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

struct Received {
    Reception reception = Reception::Busy;
    std::string reason; // in words
    Duration wait{}; // until it is worth delivering again
    std::optional<InboxMessage> message; // as it is now; none: another payload is known under its id
};

// inbox_messages: each event is handled once per consumer, however often it is delivered (protocol §3.9). What a
// consumer gives up, and an event that comes under a known id with another payload, becomes a dead letter in the same
// transaction. Used by one thread, beside the store on the same connection. Errors are the store's: after one the
// delivery is not acknowledged.
class Inbox {
public:
    Inbox(Connection& connection, StoreClock clock);

    // Records the delivery before anybody handles it.
    Result<Received> accept(const Delivery& delivery);
    // Process: the caller handles it now, under its lease.
    Result<Received> receive(const Delivery& delivery, const InboxArrival& arrival);
    // Carries out the handler's effect on this connection and marks the event as processed, both or neither. The
    // effect is not begun where the answer is not Applied, and its error undoes all of it. Where the handler's work
    // is done elsewhere there is no effect.
    using Effect = std::function<Status()>;
    Result<InboxSettlement> settle(
        const InboxId& id, const Owner& owner, const std::string& result, const Effect& effect = nullptr);
    // Applied or Lost. `delivery` is what a dead letter keeps.
    Result<InboxSettled> fail(
        const Delivery& delivery, const Owner& owner, const HandlingFailure& failure, int maxAttempts);
    // False: the owner lost it.
    Result<bool> renew(const InboxId& id, const Owner& owner, Duration lease);

    Result<std::optional<InboxMessage>> find(const InboxId& id);
    // Forgets what was processed longer ago than this, which is the window within which a duplicate is known. Answers
    // how many; nothing that is not processed goes.
    Result<int> purge(Duration retention, int batch);

private:
    // None: another delivery came between, ask again.
    using Judged = Result<std::optional<Received>>;
    Result<Received> judged(const std::function<Judged()>& once);
    Judged receiveOnce(const Delivery& delivery, const InboxArrival& arrival);
    Judged acceptOnce(const Delivery& delivery);
    Judged carryOut(const InboxView& view, const Delivery& delivery, InboxDecision decision, Time now);
    Result<std::optional<std::int64_t>> head(const InboxId& id, const std::optional<std::string>& subject, bool locked);
    Result<Time> now();

    Connection& m_connection;
    StoreClock m_clock;
};

} // namespace fencepost::store
