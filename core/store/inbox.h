// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/clock.h"
#include "core/ids.h"
#include "core/store/database.h"

namespace fencepost::store {

// One delivery of an event to one consumer.
struct Delivery {
    std::string consumer;
    std::string source;
    std::string eventId;
    Bytes payloadHash; // 32 octets
    std::optional<std::string> dedupeKey;
    std::optional<std::string> correlationId;
};

enum class Reception {
    Process, // the caller handles it now, under its lease
    Done, // processed before, or given up: acknowledge it
    Busy, // another handler has it, or it waits for its next attempt: do not acknowledge it
    Conflict, // the same event with another payload
};

// inbox_messages: each event is handled once per consumer, however often it is delivered. Used by one thread.
class Inbox {
public:
    // The clock decides in SQLite; PostgreSQL uses its own where there is none.
    Inbox(Connection& connection, const Clock* clock);

    // Records the delivery before anybody handles it.
    Status accept(const Delivery& delivery);
    Result<Reception> receive(const Delivery& delivery, const Owner& owner, Duration lease, int maxAttempts);
    // False: the owner lost it.
    Result<bool> settle(const Delivery& delivery, const Owner& owner, const std::string& result);
    // Tried again after the delay; dead once the attempts are used up.
    Result<bool> fail(const Delivery& delivery, const Owner& owner, Duration delay, int maxAttempts);

private:
    Result<Statement*> prepare(const NamedSql& sql, const Delivery& delivery);

    Connection& m_connection;
    const Clock* m_clock;
};

} // namespace fencepost::store
