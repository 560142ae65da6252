// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/messaging/dead_letter.h"

namespace fencepost {

// What sending a dead letter again would do, as far as its own database tells.
enum class ReplayVerdict {
    Succeeded, // its consumer is done with it: a no-op
    Racing, // somebody works on it under a live lease
    Safe, // whoever had it is gone, or it never arrived
    Conflict, // its consumer knows another payload under this id
    Unknown, // nothing tells whether it had its effect: it may be doubled
};

[[nodiscard]] std::string_view wordOf(ReplayVerdict verdict) noexcept; // "succeeded", …
[[nodiscard]] std::string_view titleOf(ReplayVerdict verdict) noexcept; // "already succeeded, would be a no-op"
[[nodiscard]] std::optional<ReplayVerdict> replayVerdictOf(std::string_view word) noexcept;

// Whether an attempt that ended with this code proves that nothing was done: the endpoint was not reached, or refused
// the event before it did anything (P-124). What was begun and lost its answer, what failed inside and what says that
// somebody else is at it proves nothing.
[[nodiscard]] bool provesNothingHappened(std::string_view code) noexcept;

// What one consumer's inbox knows of the event.
struct InboxEvidence {
    std::string consumer;
    InboxState state = InboxState::Received;
    bool live = false; // its lease
    bool samePayload = true;
};

// A record whose key is the event's id: of a consumer that guards its effect by itself. The request that wrote the
// event is none.
struct RecordEvidence {
    std::string scope;
    State status = State::Unknown; // as it is stored
    bool live = false;
    bool held = false;
    bool autoTakeover = false;
    bool expired = false; // a same request is executed again, whatever became of the first
    bool samePayload = true; // or it is not known
    bool own = true; // the consumer's; else it only has the event's id for its key, and proves nothing was done or not
};

struct ReplayEvidence {
    DeadLetterKind kind = DeadLetterKind::Inbox;
    bool hasDestination = false;
    bool hasPayload = false; // here or in the outbox
    bool idFits = true; // its destination can be given its id
    bool elsewhere = false; // its event goes to other destinations too
    std::vector<InboxEvidence> inbox; // of its consumer, or of all where that is not known
    std::vector<InboxEvidence> others; // of the other consumers of its event
    std::vector<RecordEvidence> records;
    bool beingSent = false; // a relay has it under a live lease
    std::string behind; // an earlier event of its ordering key that was not sent; empty: there is none
    std::vector<std::string> codes; // of its attempts, oldest first
    std::string edited; // what an edit of another letter of its event says; empty: there was none
};

struct JudgedReplay {
    ReplayVerdict verdict = ReplayVerdict::Unknown;
    std::string reason; // in words
    std::string unsendable; // why it cannot be sent from here whatever the verdict; empty: it can
    std::string behind; // the event that goes before it; empty: there is none
    // Why a copy under another id may have the effect twice, whatever the verdict: it goes to everybody who is at the
    // destination, and none of them tells it from a new event. Empty: nobody else is known to have had it.
    std::string copyDoubles;
};

// The strongest evidence decides: another payload, then a live lease, then what is done, then what nobody can say. What
// became of an event at one of several destinations is told by the attempts there alone: an inbox does not say from
// which of them it came.
[[nodiscard]] JudgedReplay judgeReplay(const ReplayEvidence& evidence);

} // namespace fencepost
