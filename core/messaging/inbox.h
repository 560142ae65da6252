// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/messaging/delivery_attempt.h"
#include "core/protocol/record.h"
#include "core/time.h"

namespace fencepost {

// CloudEvents: source and id together are the event, and each consumer remembers it for itself.
struct InboxId {
    std::string consumer;
    std::string source;
    std::string eventId;

    auto operator<=>(const InboxId&) const = default;
};

enum class InboxState { Received, Processing, Processed, Failed, Dead };

[[nodiscard]] std::string_view wordOf(InboxState state) noexcept; // "RECEIVED", …
[[nodiscard]] std::optional<InboxState> inboxStateOf(std::string_view word) noexcept;

// One delivery of an event to one consumer.
struct Delivery {
    InboxId id;
    Bytes payloadHash; // 32 octets
    // Of the effect, where several events stand for one: "commission:<order>". Two events of a consumer with the same
    // are carried out once.
    std::optional<std::string> dedupeKey;
    // Of what the event tells about, and where it stands in its history: an older one is not applied over a newer.
    std::optional<std::string> subject;
    std::optional<std::int64_t> version;
    std::optional<std::string> correlationId;
    std::optional<std::string> aggregateType = {}; // what kind of thing the subject is; none: it is not told
    // For a dead letter, so that it can be looked at and sent again.
    std::string type = {};
    std::string destination = {}; // where it is sent to reach this consumer again; empty: nobody here can
    Headers headers = {};
    std::optional<Bytes> payload = {};
    std::optional<std::string> orderingKey = {}; // it is sent again in the order of its key
};

// What has a history of its own, as the inbox names it: two kinds of things may have one id. TYPE/SUBJECT, or its
// digest where that is longer than an event id may be; the subject alone where no kind is told. None: of nothing in
// particular.
[[nodiscard]] std::optional<std::string> historyOf(const Delivery& delivery);

// One row of inbox_messages.
struct InboxMessage {
    InboxId id;
    std::optional<std::string> dedupeKey;
    Bytes payloadHash;
    InboxState state = InboxState::Received;
    std::optional<Owner> owner;
    std::optional<Time> leaseExpiresAt;
    int receiveCount = 1;
    int attempt = 0; // in this life
    std::optional<Time> nextAttemptAt;
    Time receivedAt;
    std::optional<Time> processedAt;
    std::optional<std::string> result;
    std::optional<std::string> correlationId;
    std::optional<std::string> subject;
    std::optional<std::int64_t> version;
    std::vector<DeliveryAttempt> attempts; // those that failed
    bool holdsEffect = false; // no other event of the consumer with its dedupe key is carried out

    bool operator==(const InboxMessage&) const = default;
};

enum class Reception {
    Process, // the caller handles it now, under its lease
    Done, // processed before: acknowledge it
    Dead, // given up: acknowledge it, it is among the dead letters
    Overtaken, // a later version of its subject was applied: acknowledge it
    Busy, // somebody else handles it, or it waits for its next attempt: do not acknowledge it
    Conflict, // the same event with another payload: it became a dead letter of its own, acknowledge it
};

[[nodiscard]] std::string_view wordOf(Reception reception) noexcept; // "process", …
[[nodiscard]] bool isAcknowledged(Reception reception) noexcept;

// What is known where a delivery arrives, all of it read under one lock.
struct InboxView {
    std::optional<InboxMessage> message; // of this event
    std::optional<InboxMessage> sameEffect; // another event with its dedupe key that holds the effect
    std::optional<std::int64_t> head; // the latest version of its subject that was applied
};

struct InboxArrival {
    Owner owner;
    Duration lease{};
    int maxAttempts = 5;
};

struct InboxDecision {
    Reception reception = Reception::Busy;
    std::string reason; // in words
    std::optional<InboxMessage> message; // as it is from now on; none: it stays as it was
    std::optional<InboxMessage> lapsed; // the other event, whose handler is gone
    Duration wait{}; // until it is worth delivering again
};

// protocol §3.9. A handler that is killed counts as an attempt: an event that kills every handler dies too.
[[nodiscard]] InboxDecision decideArrival(
    const InboxView& view, const Delivery& delivery, const InboxArrival& arrival, Time now);

// One that is recorded before anybody handles it; the arrival at a handler counts it.
[[nodiscard]] InboxDecision decideAccepted(
    const std::optional<InboxMessage>& message, const Delivery& delivery, Time now);

enum class InboxSettlement {
    Applied,
    Lost, // it is somebody else's now: undo what was done
    Overtaken, // a later version was applied meanwhile: undo what was done
};

struct InboxSettled {
    InboxSettlement settlement = InboxSettlement::Lost;
    std::optional<InboxMessage> message;
};

[[nodiscard]] InboxSettled decideProcessed(
    const InboxView& view, const Owner& owner, const std::string& result, Time now);

struct HandlingFailure {
    std::string code;
    std::string error;
    bool retryable = true; // false: it would fail again whatever is done, it dies at once
    Duration delay{};
};

// Failed, to be tried again behind the delay, or dead.
[[nodiscard]] InboxSettled decideFailed(const std::optional<InboxMessage>& message, const Owner& owner,
    const HandlingFailure& failure, int maxAttempts, Time now);

} // namespace fencepost
