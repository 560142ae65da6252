// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/messaging/failure_group.h"
#include "core/messaging/inbox.h"
#include "core/messaging/outbox.h"

namespace fencepost {

enum class DeadLetterKind {
    Inbox, // its handler gave it up
    Outbox, // its relay gave it up
    Conflict, // it came under the id of an event that has another payload
};

enum class DeadLetterState { Dead, Redriven, Discarded };

[[nodiscard]] std::string_view wordOf(DeadLetterKind kind) noexcept; // "inbox", …
[[nodiscard]] std::optional<DeadLetterKind> deadLetterKindOf(std::string_view word) noexcept;
[[nodiscard]] std::string_view wordOf(DeadLetterState state) noexcept; // "DEAD", …
[[nodiscard]] std::optional<DeadLetterState> deadLetterStateOf(std::string_view word) noexcept;

// One row of dead_letters, without its payload. An event that dies again after a redrive is the same row.
struct DeadLetter {
    std::string id; // of what died, the same each time
    DeadLetterKind kind = DeadLetterKind::Inbox;
    std::string consumer; // of kinds Inbox and Conflict, else empty
    std::string source;
    std::string eventId;
    std::string destination; // where it is sent to; empty: nobody here can
    std::string type;
    std::optional<std::string> orderingKey;
    DeadLetterState state = DeadLetterState::Dead;
    int deaths = 1; // what a plan compares and swaps on
    std::string code;
    std::string reason; // in words
    FailureGroup group;
    std::vector<DeliveryAttempt> attempts; // of all its lives
    Headers headers;
    std::optional<std::int64_t> payloadOctets; // none: it was not kept
    Bytes payloadHash; // 32 octets
    std::optional<RecordId> record; // the request that wrote the event
    std::optional<std::string> correlationId;
    Time firstAt; // of the first attempt that is known
    Time deadAt;
    std::optional<Time> settledAt; // redriven or discarded
    std::optional<std::string> settledBy;
    std::optional<std::string> settledBecause;
    std::optional<std::string> runId; // of the latest replay

    bool operator==(const DeadLetter&) const = default;
};

// A letter with the payload that it is written with.
struct NewDeadLetter {
    DeadLetter letter;
    std::optional<Bytes> payload;
};

// A message that is DEAD, with what its last delivery brought.
[[nodiscard]] NewDeadLetter deadLetterOf(const InboxMessage& message, const Delivery& delivery, Time now);
[[nodiscard]] NewDeadLetter deadLetterOf(const OutboxMessage& message, Bytes payload, Time now);
// A delivery under the id of `first`, whose payload is another one.
[[nodiscard]] NewDeadLetter conflictLetterOf(const InboxMessage& first, const Delivery& delivery, Time now);

enum class LetterOutcome {
    Changed,
    NotFound,
    MovedOn, // it died again, was redriven or was discarded since it was seen
    Processed, // its consumer has processed it meanwhile: sending it again would change nothing
    Conflicts, // it would be refused again: it needs an id of its own
    Unchanged, // the edit is none
    Unreachable, // it has no destination, or its payload was not kept
};

[[nodiscard]] std::string_view wordOf(LetterOutcome outcome) noexcept; // "changed", …

// Who decides about a letter and why.
struct LetterDemand {
    int seenDeaths = 0; // as it was seen: compared before anything is changed
    std::string by;
    std::string because;
    std::string runId; // of a replay; else empty
};

// What is known of a letter, all of it read under locks.
struct LetterView {
    std::optional<DeadLetter> letter;
    std::optional<InboxMessage> inbox; // of its consumer
    std::optional<OutboxMessage> outbox; // of its event and destination
    bool takenByAnother = false; // the outbox has another source's event under this id and destination
};

struct LetterDecision {
    LetterOutcome outcome = LetterOutcome::NotFound;
    std::string reason; // in words
    std::optional<DeadLetter> letter; // as it is from now on
    std::optional<InboxMessage> inbox; // begins another life
    std::optional<OutboxMessage> outbox; // as it is from now on
    std::optional<OutboxEvent> event; // where it has no row in the outbox: to be added
    bool ownPayload = false; // of the event; else it is sent with the letter's
};

// P-084: the inbox forgets that it gave the event up and the event is sent again, both or neither, under the same id.
[[nodiscard]] LetterDecision decideRedrive(const LetterView& view, const LetterDemand& demand, Time now);
// Nobody sends it any more, and nobody waits for it.
[[nodiscard]] LetterDecision decideDiscard(const LetterView& view, const LetterDemand& demand, Time now);
// Another payload for the event, under an id of its own.
struct LetterEdit {
    std::string eventId;
    Bytes payload;
};

// Copy on write: the letter stays as it is and is given up, a copy of its event is sent. Under the old id whoever has
// received the event would refuse another payload.
[[nodiscard]] LetterDecision decideEdit(
    const LetterView& view, const LetterDemand& demand, const LetterEdit& edit, Time now);
// The inverse of a discard: what came behind a discarded head may have been sent meanwhile.
[[nodiscard]] LetterDecision decideRestore(const LetterView& view, const LetterDemand& demand);

// Names the run that an event is sent again by: each is another life of the event.
inline constexpr std::string_view runHeader = "replay_run_id";
// Names the event that another one is an edited copy of.
inline constexpr std::string_view editedHeader = "edited_from";
// What is sent along with a replay: what names the first passage (traces, replication) stays behind, the run is added.
[[nodiscard]] Headers headersOfReplay(const Headers& headers, const std::string& runId);

} // namespace fencepost
