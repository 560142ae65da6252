// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/messaging/delivery_attempt.h"
#include "core/protocol/record.h"

namespace fencepost {

enum class OutboxState { Pending, Sending, Sent, Dead };

[[nodiscard]] std::string_view wordOf(OutboxState state) noexcept; // "PENDING", …
[[nodiscard]] std::optional<OutboxState> outboxStateOf(std::string_view word) noexcept;

// What becomes of the later events of an ordering key when one of it is dead.
enum class DeadHead {
    BlockKey, // they wait until it is redriven or discarded
    Skip,
};

// An event to be sent, written in the transaction of the change that it tells about. It is sent at least once, always
// with the same id.
struct OutboxEvent {
    std::string eventId;
    std::string destination; // an URL; the relay's targets know its scheme
    std::string source; // who tells it, of CloudEvents
    std::string type;
    std::string aggregateType;
    std::string aggregateId;
    std::optional<std::string> orderingKey; // those of one key are sent one after the other; none: in any order
    Bytes payload;
    Headers headers = {};
    std::optional<RecordId> record = {}; // the request that wrote it
    std::optional<std::string> correlationId = {};

    bool operator==(const OutboxEvent&) const = default;
};

inline constexpr std::size_t longestEventId = 255;

// The scheme of a destination, in lower case; empty: it has none.
[[nodiscard]] std::string schemeOf(std::string_view destination);
// Why no target could ever send it, in words: an id that no header can carry, headers that would end a line.
[[nodiscard]] std::optional<std::string> whyUnsendable(const OutboxEvent& event);
// The same of its id alone: not every destination can be given every id.
[[nodiscard]] std::optional<std::string> whyNoIdThere(std::string_view eventId, std::string_view destination);
// The same without what only a signature asks for.
[[nodiscard]] std::optional<std::string> whyMalformed(const OutboxEvent& event);

// One row of outbox_messages, without its payload, which may be large and is read when it is sent.
struct OutboxMessage {
    std::int64_t seq = 0;
    OutboxEvent event; // payload: empty
    std::int64_t payloadOctets = 0;
    OutboxState state = OutboxState::Pending;
    int attempt = 0; // in this life
    std::optional<Time> nextAttemptAt;
    std::optional<Owner> owner;
    std::optional<Time> leaseExpiresAt;
    std::vector<DeliveryAttempt> attempts; // those that failed
    Time createdAt;
    std::optional<Time> sentAt;
    std::optional<Time> discardedAt; // dead, and nobody waits for it any more
    // What somebody else wrote there and nobody can read: empty here, and left as it stands in the row.
    bool headersUnreadable = false;
    bool attemptsUnreadable = false;

    bool operator==(const OutboxMessage&) const = default;
};

inline constexpr std::string_view unreadableCode = "unreadable";
// In words; none: all of it can be read.
[[nodiscard]] std::optional<std::string> whyUnreadable(const OutboxMessage& message);

// The id of the event that the handling of another one writes as its `index`th: the same however often it is handled
// (P-083). A UUID of version 8.
[[nodiscard]] std::string derivedEventId(
    std::string_view consumer, std::string_view source, std::string_view eventId, int index);

struct DeliveryFailure {
    std::string code; // a status of HTTP, "timeout", "connection", "connection_lost", "tls"
    std::string error;
    bool retryable = true;
    Duration delay{};
};

// A delivery that failed under this owner; none: it is not the owner's any more.
[[nodiscard]] std::optional<OutboxMessage> decideUndelivered(
    const OutboxMessage& message, const Owner& owner, const DeliveryFailure& failure, int maxAttempts, Time now);
// A claim whose relay is gone: it is sent again, or dead where that was its last attempt; none: its lease is live.
[[nodiscard]] std::optional<OutboxMessage> decideLapsed(const OutboxMessage& message, int maxAttempts, Time now);
// One that cannot be sent because its row cannot be read: dead at once, so that it keeps nobody else waiting.
[[nodiscard]] OutboxMessage decideUnreadable(const OutboxMessage& message, Time now);

} // namespace fencepost
