// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/protocol/record.h"

namespace fencepost {

// What may happen to a record.
enum class Event {
    Reserve,
    Renew,
    Advance,
    Finalize,
    Fail, // by the owner: retryable or final
    Hold,
    OperatorFence,
    OperatorRelease,
    OperatorResolve,
    OperatorExpire,
    OperatorFail,
    Unexpire, // inverse of OperatorExpire
    Reopen, // inverse of OperatorResolve and OperatorFail: back to HELD with a new fence
    Reap, // retention is over: tombstone or deletion
    ReapOrphan, // nobody came back for it
    Reconcile, // the reconcile hook learned the outcome of a record whose lease ended
};

[[nodiscard]] std::string_view wordOf(Event event) noexcept;
[[nodiscard]] std::optional<Event> eventOf(std::string_view word) noexcept;

enum class Resolution { Succeeded, FailedFinal, FailedRetryable, TakeOver };
enum class StaleKey { Execute, Reject };
enum class Evidence { Applied, NotApplied, Unknown };

// A request hash and the fingerprint profile that made it.
struct TaggedHash {
    std::string alg;
    Bytes hash; // 32 octets
};

// Arguments of an event. Unused members keep their defaults.
struct Trigger {
    Event event = Event::Reserve;
    RecordId id;
    Owner owner; // presented by a worker; the new owner for Reserve and operator events
    Fence fence; // presented by a worker, or seen by the operator
    Fence nextFence; // the store-wide counter's next value
    Bytes requestHash;
    std::string fingerprintAlg = "v1";
    std::vector<TaggedHash> otherHashes;
    std::optional<Bytes> payloadHash;
    Duration lease{};
    std::optional<Duration> ttl; // none on Finalize: as long again as the reservation asked for
    Takeover takeover = Takeover::Auto;
    int maxAttempts = 0;
    StaleKey staleKey = StaleKey::Execute;
    std::optional<Time> keyTime; // of a time-bearing key (ULID, UUIDv7, First-Sent)
    bool retryable = false; // Fail
    Duration retryAfter{}; // Fail, retryable
    Resolution resolution = Resolution::FailedFinal;
    Evidence evidence = Evidence::Unknown;
    Response response;
    std::optional<std::string> errorCode;
    std::optional<std::string> recoveryPoint;
    std::optional<std::string> recoveryData;
    std::string reason; // operator's reason, hold reason, evidence text
    std::string actor; // who, for the journal
    bool noHold = false; // OperatorFence: leave it free for takeover
    bool seenLive = false; // OperatorFence: the lease that the operator saw was live, so a hold was agreed to
    std::optional<Time> expiresAt; // Unexpire: what it was
    std::optional<Duration> tombstone; // OperatorExpire, Reap: refuse the key that much longer
    Duration grace{}; // Reap, ReapOrphan
};

enum class Outcome {
    Execute, // reserve won: the caller owns the execution
    Replay,
    InFlight, // somebody else is executing
    Mismatch, // same key, other request
    RetryLater, // FAILED_RETRYABLE before not_before
    Held,
    KeyExpired,
    Applied, // worker's or operator's event took effect
    LostOwnership, // owner or fence is no longer the record's
    Refused, // the guard of the row says no; reason tells why
    NotFound,
};

// "execute", "replay", "in_progress", "mismatch", "retry_later", "held", "expired", "applied", "fenced", "refused",
// "not_found".
[[nodiscard]] std::string_view wordOf(Outcome outcome) noexcept;

// The condition of a row. Guards of operator events include that the fence is still the one that was seen.
enum class Guard {
    None,
    StaleKey, // a time-bearing key older than its retention, where that is refused
    StaleKeyOver, // the same for a record whose retention and tombstone are over
    Over, // terminal, expired, tombstone over
    HashDiffers,
    Tombstone,
    Held,
    Unexpired,
    Live,
    LeasePastAuto, // takeover auto, attempts left
    LeasePastSpent, // takeover auto, attempts exhausted
    LeasePastManual,
    AttemptsSpent,
    NotYet, // now < not_before
    Owner, // owner and fence are the record's
    OwnerNoHold,
    OwnerHeldSo, // held already, for the same reason
    OwnerFinal, // the owner reports a terminal failure
    OwnerSpent, // a transient failure, attempts exhausted
    OwnerRetryable, // a transient failure
    ReconciledApplied, // lease past; what the reconcile hook learned
    ReconciledUnknown,
    ReconciledNotApplied,
    SeenSafe, // takeover auto and the lease past already when it was seen, or --no-hold, or held: no new hold
    Seen,
    SeenLeasePast, // not held
    SeenNotLive,
    SeenUnresolvedNotLive, // not live, or held
    SeenNotExpired, // not live, or held; not yet expired
    SeenExpired,
    AsSucceeded,
    AsFailedFinal,
    AsFailedRetryable,
    AsTakeOver,
    RetentionOverTombstone, // the body goes first, the row later
    RetentionOver,
    OrphanManual,
    Orphan,
};

// What a row writes.
enum class Effect {
    Nothing,
    Insert,
    Acquire, // new owner and fence; response, error and not_before cleared; takeover and max_attempts stay
    AcquireAnew, // the same, as if it were absent: attempt 1, recovery point started, the reservation's rules
    RenewLease,
    AdvancePoint,
    Complete, // response, completed_at, a longer expiry; hold cleared
    CompleteSpent, // the same for a transient failure: a DEPENDENCY failure unless something else was given
    Delay, // not_before; hold cleared
    SpendAttempts, // the last attempt is used up: a stored DEPENDENCY failure
    HoldUnknown,
    HoldSpent,
    HoldByOwner,
    HoldOrphan,
    TakeAway, // new fence, owner = operator, lease ends now
    TakeAwayAndHold,
    Release, // new fence, not_before = now
    ResolveCompleted, // Complete with a new fence
    LetTakeOver, // the effect did not happen: the next same request may run it
    Expire,
    Unexpire,
    Reopen, // back to HELD with a new fence
    Tombstone, // bodies and headers cleared
    Delete,
};

// One row of protocol §3.3: number as there. `from` none: any stored state; `to` none: stays as it is.
// The first row of an event whose `from` and guard hold decides.
struct Transition {
    int row;
    std::optional<State> from;
    Event event;
    Guard guard;
    Effect effect;
    std::optional<State> to;
    Outcome outcome;
    std::string_view reason; // what the journal or the refusal says; empty: the trigger's own
};

// The whole state machine. Tests, the diagrams and the documentation read it.
[[nodiscard]] std::span<const Transition> transitions() noexcept;

// Whether some row leads from one shown state to the other. An expired record is still its status underneath.
[[nodiscard]] bool isLegal(State from, State to) noexcept;

struct Decision {
    Outcome outcome = Outcome::Refused;
    int row = 0; // of protocol §3.3; 0: no row allows it
    bool writes = false; // the record changes
    std::optional<Record> record; // afterwards; none: there is none
    State from = State::Absent; // shown states, for the journal
    State to = State::Absent;
    bool journalled = false; // the change belongs into idempotency_transitions
    std::string reason; // why it was refused, or what the journal says
};

// The protocol: pure, total, the judge of every store. `record` none: there is no row.
[[nodiscard]] Decision decide(const std::optional<Record>& record, const Trigger& trigger, Time now);
// The same for whoever keeps records himself: it changes where it stands, and the decision has no copy of it.
[[nodiscard]] Decision decideInPlace(std::optional<Record>& record, const Trigger& trigger, Time now);

} // namespace fencepost
