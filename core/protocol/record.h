// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/time.h"

namespace fencepost {

// Four of these are stored (isStored); the others are what a reader sees.
enum class State {
    Absent,
    InProgress,
    Succeeded,
    FailedRetryable,
    FailedFinal,
    Held, // outcome unknown or an operator's stop; stored as a status with hold = 1
    Expired, // past expires_at
    Unknown, // a value that no mapping knows: counted and shown, never dropped
};

// The protocol's word: IN_PROGRESS. One table serves SQL, JSON, logs and the user interface.
[[nodiscard]] std::string_view wordOf(State state) noexcept;
[[nodiscard]] std::optional<State> stateOf(std::string_view word) noexcept;
[[nodiscard]] std::span<const State> allStates() noexcept;
[[nodiscard]] bool isStored(State state) noexcept;
[[nodiscard]] bool isTerminal(State state) noexcept;

// Who may run a record again after its lease ended without an outcome.
enum class Takeover {
    Auto, // anybody with the same request: the effect is local or the provider is idempotent
    Manual, // nobody before the outcome is known: it becomes a hold
};

[[nodiscard]] std::string_view wordOf(Takeover takeover) noexcept;
[[nodiscard]] std::optional<Takeover> takeoverOf(std::string_view word) noexcept;

// Ordered, duplicates kept: replays are byte-identical.
using Headers = std::vector<std::pair<std::string, std::string>>;

// What the first execution answered; replays give the same bytes.
struct Response {
    std::optional<int> code;
    Headers headers;
    std::optional<Bytes> body;
    std::optional<Bytes> bodyDigest; // SHA-256 of the whole body, also where it was not stored
    bool truncated = false; // the body was over the inline cap and is not stored
    std::optional<std::string> refType;
    std::optional<std::string> refId;

    bool operator==(const Response&) const = default;
};

// One row of idempotency_records.
struct Record {
    RecordId id;
    Bytes requestHash; // 32 octets
    std::string fingerprintAlg = "v1";
    std::optional<Bytes> payloadHash;
    State status = State::InProgress; // stored states only
    Owner owner;
    Fence fence;
    int attempt = 1;
    std::optional<Time> leaseExpiresAt;
    std::optional<Time> notBefore; // FAILED_RETRYABLE: not executed again before
    bool hold = false;
    std::optional<std::string> holdReason; // outcome_unknown, attempts_exhausted, operator, …
    std::optional<std::string> holdBy;
    std::string recoveryPoint = "started";
    std::optional<std::string> recoveryData; // JSON of the phase
    Response response;
    std::optional<std::string> errorCode;
    std::optional<std::string> providerRequestId;
    std::optional<std::string> correlationId;
    std::optional<std::string> requestMethod;
    std::optional<std::string> requestTarget;
    std::optional<Bytes> requestBody;
    std::optional<Time> firstSentAt;
    Time createdAt; // never changes: pages are ordered by it
    Time startedAt; // of the current attempt
    Time updatedAt;
    std::optional<Time> completedAt;
    Time expiresAt;
    Takeover takeover = Takeover::Auto;
    int maxAttempts = 0; // 0: no limit
    std::optional<Time> tombstoneUntil;

    bool operator==(const Record&) const = default;
};

// A lease ends at its instant: one microsecond before it is live, at it no longer.
[[nodiscard]] bool isLive(const Record& record, Time now) noexcept;
[[nodiscard]] bool isExpired(const Record& record, Time now) noexcept;
// Expired, but refused to everybody until tombstone_until.
[[nodiscard]] bool isTombstone(const Record& record, Time now) noexcept;
// In progress, not held, its lease past: nobody works on it any more.
[[nodiscard]] bool isStuck(const Record& record, Time now) noexcept;
// What a reader sees: Held, else Expired, else the status.
[[nodiscard]] State shownState(const Record& record, Time now) noexcept;

} // namespace fencepost
