// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/protocol/key_life.h"
#include "core/protocol/transition.h"
#include "core/protocol/vendor.h"

namespace fencepost {

// H(scope, operation, key, request hash, step): one effect of one request, the same in every attempt. 32 octets.
[[nodiscard]] Bytes effectKey(const RecordId& record, const Bytes& requestHash, std::string_view step);
// The same effect in a later life of the record's key, that is asked for anew and not repeated: a vendor that still
// remembers what an earlier life sent would answer with that. The first 24 octets of the effect's key, and the fence
// under which the life began.
[[nodiscard]] Bytes effectKeyOfLife(const Bytes& effectKey, Fence lifeBegan);
// In whichever lives.
[[nodiscard]] bool isSameEffect(const Bytes& key, const Bytes& other);

enum class OutboundState {
    Absent,
    Intent, // it is to be made, and nothing was sent
    Sending, // it may have been sent; found after a crash, nobody knows
    Done,
    Failed, // it is certain that nothing was done
    Unknown, // nobody knows, and somebody has said so
};

[[nodiscard]] std::string_view wordOf(OutboundState state) noexcept; // "INTENT"
[[nodiscard]] std::optional<OutboundState> outboundStateOf(std::string_view word) noexcept;

struct CallId {
    std::string vendor;
    std::string operation; // the vendor's: "payouts.create"
    Bytes key; // effectKey(), or behind an earlier life's effectKeyOfLife()

    auto operator<=>(const CallId&) const = default;
};

// What the vendor said: its name for the thing, and as much of its answer as the caller wants to see again.
struct CallResult {
    std::optional<std::string> ref;
    std::optional<Bytes> reply;
    std::optional<std::string> errorCode;

    bool operator==(const CallResult&) const = default;
};

// One row of outbound_calls.
struct OutboundCall {
    CallId id;
    RecordId record; // on whose behalf
    std::string step;
    OutboundState state = OutboundState::Intent;
    Owner owner; // who wrote INTENT or SENDING last; of an earlier life's that is done, who was answered with it
    Fence fence;
    int sends = 0; // how often SENDING was written
    int openSends = 0; // of these, how many nobody has told the outcome of
    CallResult result;
    Time createdAt;
    Time updatedAt;
    std::optional<Time> firstSentAt; // of those that are open
    std::optional<Time> answerBy; // of the last send; afterwards nothing of it is under way any more
    Time expiresAt;

    bool operator==(const OutboundCall&) const = default;
};

enum class CallEvent {
    Intend,
    Send, // the caller wants to send it now
    Done, // what became of it, from whoever sent it
    Failed,
    Unknown,
    Reconcile, // what the vendor says when it is asked
};

[[nodiscard]] bool isOpen(const OutboundCall& call) noexcept; // nobody knows what became of it
// The error code of a call that is done, and was taken back as an operator says: whatever became of its life, the next
// one has it done anew.
inline constexpr std::string_view takenBackCode = "taken_back";

// What an earlier life of the record's key has left, which had an outcome: it is no longer remembered. A record that
// was deleted without one leaves its calls to whoever comes next.
[[nodiscard]] bool isOfPastLife(const OutboundCall& call, Time now, const KeyLives& lives);
// Whether a call was made for the request that has the record now, and not for one that had the key before: another
// one, or the same in an earlier life. Where nobody knows when the present life began, more of them are its own.
[[nodiscard]] bool isCallOf(const OutboundCall& call, const Record& record, Time now, const KeyLives& lives);

struct CallTrigger {
    CallEvent event = CallEvent::Send;
    CallId id;
    RecordId record; // Intend and Send
    std::string step; // Intend and Send
    Owner owner; // not for Reconcile
    Fence fence;
    Duration safetyMargin{}; // Send: how much more than the vendor's timeout must be left of the lease
    Duration keep{}; // Intend and Send: how long the call is remembered
    Evidence evidence = Evidence::Unknown; // Reconcile
    int seenSends = 0; // Reconcile: the call's when the vendor was asked; evidence about an earlier send says nothing
    CallResult result; // Done, Failed, and Reconcile that says Applied
};

enum class CallOutcome {
    Send, // SENDING is written: send it once, with the key, and be done within the vendor's timeout
    AlreadyDone, // the call's result is the answer
    AskFirst, // it may have been done: nothing is sent before the vendor has been asked
    LeaseTooShort, // renew first: the answer would come after the lease
    Applied,
    LostOwnership, // of the record, or of the call
    TooEarly, // it may still be under way: ask again after answerBy
    Refused,
    NotFound,
    Elsewhere, // another call of the same effect may have done it: nothing is sent before that one is settled
};

[[nodiscard]] std::string_view wordOf(CallOutcome outcome) noexcept; // "send", "already_done", …

enum class CallGuard {
    None,
    NotOwner, // the record is not in progress for this owner and fence, or it is held
    LeaseTooShort, // the record's lease, less the safety margin, ends before the vendor's timeout
    Remembered, // the vendor still recognises the first send
    Sender, // owner and fence are the call's
    SenderInDoubt, // the same, and what became of a send before this one is not known
    SentSince, // it was sent again since the vendor was asked
    SaysApplied,
    UnderWay, // it was sent and its answer may still come
    SaysNotApplied,
    DoneEarlier, // it was done in an earlier life of the key, which this one goes on from
    DoneElsewhere, // another call of the same effect is done
    DoneElsewhereEarlier, // both
    OpenElsewhere, // nobody knows what became of another call of the same effect
};

// The first row of an event whose `from` and guard hold decides. `from` none: any, also absent; `to` none: nothing is
// written.
struct CallTransition {
    std::optional<OutboundState> from;
    CallEvent event;
    CallGuard guard;
    std::optional<OutboundState> to;
    CallOutcome outcome;
    std::string_view reason;
};

[[nodiscard]] std::span<const CallTransition> callTransitions() noexcept;

struct CallDecision {
    CallOutcome outcome = CallOutcome::Refused;
    bool writes = false;
    std::optional<OutboundCall> call; // afterwards; its id is not the trigger's where an earlier life has that one
    std::string reason;
    Time now; // the clock that decided
};

// What is behind the record's and the calls' locks. One effect is made once, whoever makes it: a service that was given
// another vendor meanwhile finds what it sent to the one before.
struct CallLedgerView {
    std::optional<OutboundCall> found; // none: there is no row
    std::vector<OutboundCall> others; // of the same effect: in other lives, to other vendors; only Intend and Send
    std::optional<Record> record; // on whose behalf; only Intend and Send look at it
    KeyLives lives = {}; // of the record's key; only Intend and Send
};

// The ledger's rules: pure, the judge of every store.
[[nodiscard]] CallDecision decideCall(
    const CallLedgerView& view, const Vendor& vendor, const CallTrigger& trigger, Time now);

} // namespace fencepost
