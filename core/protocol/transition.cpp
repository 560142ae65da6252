// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/transition.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/protocol/effect.h"

namespace fencepost {

namespace {

constexpr auto absent = State::Absent;
constexpr auto inProgress = State::InProgress;
constexpr auto succeeded = State::Succeeded;
constexpr auto failedRetryable = State::FailedRetryable;
constexpr auto failedFinal = State::FailedFinal;
constexpr auto anyState = std::nullopt;
constexpr auto same = std::nullopt;

// clang-format off
constexpr std::array transitionTable = {
    Transition{ 2, absent,          Event::Reserve, Guard::StaleKey,        Effect::Nothing,       same,            Outcome::KeyExpired, "the key is older than its retention"},
    Transition{ 1, absent,          Event::Reserve, Guard::None,            Effect::Insert,        inProgress,      Outcome::Execute,    "reserved"},
    Transition{ 2, anyState,        Event::Reserve, Guard::StaleKeyOver,    Effect::Nothing,       same,            Outcome::KeyExpired, "the key is older than its retention"},
    Transition{17, succeeded,       Event::Reserve, Guard::Over,            Effect::AcquireAnew,   inProgress,      Outcome::Execute,    "reserved again after expiry"},
    Transition{17, failedFinal,     Event::Reserve, Guard::Over,            Effect::AcquireAnew,   inProgress,      Outcome::Execute,    "reserved again after expiry"},
    Transition{ 3, anyState,        Event::Reserve, Guard::HashDiffers,     Effect::Nothing,       same,            Outcome::Mismatch,   "the request differs from the one that first used this key"},
    Transition{ 2, anyState,        Event::Reserve, Guard::Tombstone,       Effect::Nothing,       same,            Outcome::KeyExpired, "a tombstone refuses this key"},
    Transition{ 7, anyState,        Event::Reserve, Guard::Held,            Effect::Nothing,       same,            Outcome::Held,       "held"},
    Transition{16, succeeded,       Event::Reserve, Guard::Unexpired,       Effect::Nothing,       same,            Outcome::Replay,     "replayed"},
    Transition{16, failedFinal,     Event::Reserve, Guard::Unexpired,       Effect::Nothing,       same,            Outcome::Replay,     "replayed"},
    Transition{ 4, inProgress,      Event::Reserve, Guard::Live,            Effect::Nothing,       same,            Outcome::InFlight,   "somebody else is executing it"},
    Transition{ 7, inProgress,      Event::Reserve, Guard::LeasePastManual, Effect::HoldUnknown,   State::Held,     Outcome::Held,       "outcome_unknown"},
    Transition{ 5, inProgress,      Event::Reserve, Guard::LeasePastSpent,  Effect::HoldSpent,     State::Held,     Outcome::Held,       "attempts_exhausted"},
    Transition{ 5, inProgress,      Event::Reserve, Guard::LeasePastAuto,   Effect::Acquire,       inProgress,      Outcome::Execute,    "taken over"},
    Transition{15, failedRetryable, Event::Reserve, Guard::AttemptsSpent,   Effect::SpendAttempts, failedFinal,     Outcome::Replay,     "attempts_exhausted"},
    Transition{14, failedRetryable, Event::Reserve, Guard::NotYet,          Effect::Nothing,       same,            Outcome::RetryLater, "it may not be executed again yet"},
    Transition{14, failedRetryable, Event::Reserve, Guard::None,            Effect::Acquire,       inProgress,      Outcome::Execute,    "retried"},

    Transition{ 8, inProgress, Event::Renew,    Guard::OwnerNoHold,    Effect::RenewLease,    same,            Outcome::Applied, "renewed"},
    Transition{ 9, inProgress, Event::Advance,  Guard::Owner,          Effect::AdvancePoint,  same,            Outcome::Applied, "recovery point"},
    Transition{10, inProgress, Event::Finalize, Guard::Owner,          Effect::Complete,      succeeded,       Outcome::Applied, "finalized"},
    Transition{11, inProgress, Event::Fail,     Guard::OwnerFinal,     Effect::Complete,      failedFinal,     Outcome::Applied, "failed"},
    Transition{12, inProgress, Event::Fail,     Guard::OwnerSpent,     Effect::CompleteSpent, failedFinal,     Outcome::Applied, "attempts_exhausted"},
    Transition{12, inProgress, Event::Fail,     Guard::OwnerRetryable, Effect::Delay,         failedRetryable, Outcome::Applied, "failed, may be retried"},
    Transition{13, inProgress, Event::Hold,     Guard::OwnerHeldSo,    Effect::Nothing,       same,            Outcome::Applied, ""},
    Transition{13, inProgress, Event::Hold,     Guard::Owner,          Effect::HoldByOwner,   State::Held,     Outcome::Applied, ""},

    Transition{ 6, inProgress, Event::Reconcile, Guard::ReconciledApplied,    Effect::ResolveCompleted, succeeded,       Outcome::Applied, "reconciled: applied"},
    Transition{ 7, inProgress, Event::Reconcile, Guard::ReconciledUnknown,    Effect::HoldUnknown,      State::Held,     Outcome::Applied, "outcome_unknown"},
    Transition{ 5, inProgress, Event::Reconcile, Guard::ReconciledNotApplied, Effect::Release,          failedRetryable, Outcome::Applied, "reconciled: not applied"},

    Transition{19, inProgress,      Event::OperatorFence,   Guard::SeenSafe,              Effect::TakeAway,         same,            Outcome::Applied, ""},
    Transition{19, inProgress,      Event::OperatorFence,   Guard::Seen,                  Effect::TakeAwayAndHold,  State::Held,     Outcome::Applied, ""},
    Transition{23, inProgress,      Event::OperatorRelease, Guard::SeenLeasePast,         Effect::Release,          failedRetryable, Outcome::Applied, ""},
    Transition{20, State::Held,     Event::OperatorResolve, Guard::AsTakeOver,            Effect::LetTakeOver,      inProgress,      Outcome::Applied, ""},
    Transition{20, State::Held,     Event::OperatorResolve, Guard::AsSucceeded,           Effect::ResolveCompleted, succeeded,       Outcome::Applied, ""},
    Transition{20, State::Held,     Event::OperatorResolve, Guard::AsFailedFinal,         Effect::ResolveCompleted, failedFinal,     Outcome::Applied, ""},
    Transition{20, State::Held,     Event::OperatorResolve, Guard::AsFailedRetryable,     Effect::Release,          failedRetryable, Outcome::Applied, ""},
    Transition{21, State::Held,     Event::OperatorExpire,  Guard::SeenNotExpired,        Effect::Expire,           same,            Outcome::Applied, ""},
    Transition{21, anyState,        Event::OperatorExpire,  Guard::SeenNotExpired,        Effect::Expire,           State::Expired,  Outcome::Applied, ""},
    Transition{24, inProgress,      Event::OperatorFail,    Guard::SeenUnresolvedNotLive, Effect::ResolveCompleted, failedFinal,     Outcome::Applied, ""},
    Transition{24, failedRetryable, Event::OperatorFail,    Guard::Seen,                  Effect::ResolveCompleted, failedFinal,     Outcome::Applied, ""},
    Transition{21, State::Expired,  Event::Unexpire,        Guard::SeenExpired,           Effect::Unexpire,         same,            Outcome::Applied, ""},
    Transition{20, anyState,        Event::Reopen,          Guard::SeenLeasePast,         Effect::Reopen,           State::Held,     Outcome::Applied, ""},

    Transition{18, succeeded,       Event::Reap,       Guard::RetentionOverTombstone, Effect::Tombstone,  same,        Outcome::Applied, "tombstone"},
    Transition{18, failedFinal,     Event::Reap,       Guard::RetentionOverTombstone, Effect::Tombstone,  same,        Outcome::Applied, "tombstone"},
    Transition{18, succeeded,       Event::Reap,       Guard::RetentionOver,          Effect::Delete,     absent,      Outcome::Applied, "reaped"},
    Transition{18, failedFinal,     Event::Reap,       Guard::RetentionOver,          Effect::Delete,     absent,      Outcome::Applied, "reaped"},
    Transition{18, inProgress,      Event::ReapOrphan, Guard::OrphanManual,           Effect::HoldOrphan, State::Held, Outcome::Applied, "orphan"},
    Transition{18, inProgress,      Event::ReapOrphan, Guard::Orphan,                 Effect::Delete,     absent,      Outcome::Applied, "orphan"},
    Transition{18, failedRetryable, Event::ReapOrphan, Guard::Orphan,                 Effect::Delete,     absent,      Outcome::Applied, "orphan"},
};
// clang-format on

struct EventWord {
    Event event;
    std::string_view word;
};

constexpr std::array eventWords = {
    EventWord{ Event::Reserve, "reserve" },
    EventWord{ Event::Renew, "renew" },
    EventWord{ Event::Advance, "advance" },
    EventWord{ Event::Finalize, "finalize" },
    EventWord{ Event::Fail, "fail" },
    EventWord{ Event::Hold, "hold" },
    EventWord{ Event::OperatorFence, "operator_fence" },
    EventWord{ Event::OperatorRelease, "operator_release" },
    EventWord{ Event::OperatorResolve, "operator_resolve" },
    EventWord{ Event::OperatorExpire, "operator_expire" },
    EventWord{ Event::OperatorFail, "operator_fail" },
    EventWord{ Event::Unexpire, "unexpire" },
    EventWord{ Event::Reopen, "reopen" },
    EventWord{ Event::Reap, "reap" },
    EventWord{ Event::ReapOrphan, "reap_orphan" },
    EventWord{ Event::Reconcile, "reconcile" },
};

constexpr std::array<std::string_view, 11> outcomeWords = { "execute", "replay", "in_progress", "mismatch",
    "retry_later", "held", "expired", "applied", "fenced", "refused", "not_found" };

bool isStale(const Trigger& trigger, Time now)
{
    return trigger.staleKey == StaleKey::Reject && trigger.keyTime
        && *trigger.keyTime + trigger.ttl.value_or(Duration{}) <= now;
}

bool isOver(const Record& record, Time now)
{
    return isTerminal(record.status) && isExpired(record, now) && !isTombstone(record, now) && !record.hold;
}

bool leasePast(const Record& record, Time now)
{
    return !isLive(record, now);
}

bool retentionOver(const Record& record, const Trigger& trigger, Time now)
{
    return !record.hold && record.expiresAt + trigger.grace <= now && !isTombstone(record, now);
}

bool isOrphan(const Record& record, const Trigger& trigger, Time now)
{
    return !record.hold && leasePast(record, now) && record.expiresAt + trigger.grace <= now;
}

bool matches(const std::optional<State>& from, const Record& record, Time now)
{
    if (!from)
        return true;
    if (*from == State::Held)
        return record.hold;
    if (*from == State::Expired)
        return isExpired(record, now);
    return *from == record.status;
}

// A record whose profile the service no longer knows cannot be compared: it is never executed as if it were the same.
bool isForSameRequest(const Record& record, const Trigger& trigger)
{
    if (record.fingerprintAlg == trigger.fingerprintAlg)
        return record.requestHash == trigger.requestHash;
    return std::any_of(trigger.otherHashes.begin(), trigger.otherHashes.end(), [&](const TaggedHash& other) {
        return other.alg == record.fingerprintAlg && other.hash == record.requestHash;
    });
}

bool holds(Guard guard, const Record& record, const Trigger& trigger, Time now)
{
    const bool owner = record.owner == trigger.owner && record.fence == trigger.fence;
    const bool seen = record.fence == trigger.fence;
    const bool past = leasePast(record, now);
    switch (guard) {
    case Guard::None:
        return true;
    case Guard::StaleKey:
        return isStale(trigger, now);
    case Guard::StaleKeyOver:
        return isOver(record, now) && isStale(trigger, now);
    case Guard::Over:
        return isOver(record, now);
    case Guard::HashDiffers:
        return !isForSameRequest(record, trigger);
    case Guard::Tombstone:
        return isTombstone(record, now);
    case Guard::Held:
        return record.hold;
    case Guard::Unexpired:
        return !isExpired(record, now);
    case Guard::Live:
        return !past;
    case Guard::LeasePastAuto:
        return past && record.takeover == Takeover::Auto && !attemptsSpent(record);
    case Guard::LeasePastSpent:
        return past && record.takeover == Takeover::Auto && attemptsSpent(record);
    case Guard::LeasePastManual:
        return past && record.takeover == Takeover::Manual;
    case Guard::AttemptsSpent:
        return attemptsSpent(record);
    case Guard::NotYet:
        return record.notBefore && *record.notBefore > now;
    case Guard::Owner:
        return owner;
    case Guard::OwnerNoHold:
        return owner && !record.hold;
    case Guard::OwnerHeldSo:
        return owner && record.hold && record.holdReason == holdReasonOf(trigger);
    case Guard::OwnerFinal:
        return owner && !trigger.retryable;
    case Guard::OwnerSpent:
        return owner && trigger.retryable && attemptsSpent(record);
    case Guard::OwnerRetryable:
        return owner && trigger.retryable;
    case Guard::ReconciledApplied:
        return seen && past && trigger.evidence == Evidence::Applied;
    case Guard::ReconciledUnknown:
        return seen && past && !record.hold && trigger.evidence == Evidence::Unknown;
    case Guard::ReconciledNotApplied:
        return seen && past && trigger.evidence == Evidence::NotApplied;
    case Guard::SeenSafe:
        return seen
            && (record.hold || trigger.noHold || (past && !trigger.seenLive && record.takeover == Takeover::Auto));
    case Guard::Seen:
        return seen;
    case Guard::SeenLeasePast:
        return seen && past && !record.hold;
    case Guard::SeenNotLive:
        return seen && past;
    case Guard::SeenUnresolvedNotLive:
        return seen && (past || record.hold);
    case Guard::SeenNotExpired:
        return seen && (past || record.hold) && !isExpired(record, now);
    case Guard::SeenExpired:
        return seen && isExpired(record, now) && trigger.expiresAt;
    case Guard::AsSucceeded:
        return seen && trigger.resolution == Resolution::Succeeded;
    case Guard::AsFailedFinal:
        return seen && trigger.resolution == Resolution::FailedFinal;
    case Guard::AsFailedRetryable:
        return seen && trigger.resolution == Resolution::FailedRetryable;
    case Guard::AsTakeOver:
        return seen && trigger.resolution == Resolution::TakeOver;
    case Guard::RetentionOverTombstone:
        return retentionOver(record, trigger, now) && trigger.tombstone && !record.tombstoneUntil;
    case Guard::RetentionOver:
        return retentionOver(record, trigger, now);
    case Guard::OrphanManual:
        return isOrphan(record, trigger, now) && record.takeover == Takeover::Manual;
    case Guard::Orphan:
        return isOrphan(record, trigger, now);
    }
    return false;
}

// `wasPast`: its lease, before the transition; `record`: afterwards.
std::string reasonOf(const Transition& transition, bool wasPast, const Record& record, const Trigger& trigger)
{
    if (transition.effect == Effect::RenewLease && wasPast)
        return "renewed after its end";
    if (transition.effect == Effect::AdvancePoint)
        return "recovery point " + record.recoveryPoint;
    if (transition.effect == Effect::HoldByOwner)
        return record.holdReason.value_or("");
    // Its service finds the call in the ledger and sends nothing.
    if (transition.effect == Effect::Release && trigger.event == Event::Reconcile && trigger.response.refId)
        return "reconciled: applied as " + *trigger.response.refId + ", to be answered by a takeover";
    if (transition.outcome == Outcome::Held && transition.effect == Effect::Nothing)
        return record.holdReason.value_or("held");
    return transition.reason.empty() ? trigger.reason : std::string(transition.reason);
}

Decision carriedOut(const Transition& transition, std::optional<Record>& record, const Trigger& trigger, Time now)
{
    const bool wasPast = leasePast(*record, now);
    Decision decision{ transition.outcome, transition.row, true, std::nullopt, shownState(*record, now), State::Absent,
        true, {} };
    carryOut(*record, transition, trigger, now);
    record->updatedAt = now;
    decision.reason = reasonOf(transition, wasPast, *record, trigger);
    if (transition.effect == Effect::Delete) {
        record.reset();
        return decision;
    }
    decision.to = shownState(*record, now);
    // A heartbeat in time changes no state, and there are too many of them for a journal.
    decision.journalled = transition.effect != Effect::RenewLease || wasPast;
    return decision;
}

Decision follow(const Transition& transition, std::optional<Record>& record, const Trigger& trigger, Time now)
{
    const auto from = shownState(*record, now);
    // Nobody could be told from the owner before him.
    if (takesFence(transition.effect) && record->fence.value == std::numeric_limits<std::int64_t>::max())
        return { Outcome::Refused, 0, false, std::nullopt, from, from, false, "no fence is left above the record's" };
    if (transition.effect == Effect::Nothing)
        return { transition.outcome, transition.row, false, std::nullopt, from, from, false,
            reasonOf(transition, false, *record, trigger) };
    return carriedOut(transition, record, trigger, now);
}

bool isWorkers(Event event)
{
    return event == Event::Renew || event == Event::Advance || event == Event::Finalize || event == Event::Fail
        || event == Event::Hold;
}

std::string refusalOf(const Record& record, const Trigger& trigger, Time now)
{
    if (trigger.event == Event::Reap || trigger.event == Event::ReapOrphan)
        return record.hold ? "it is held" : "its retention is not over";
    if (trigger.event == Event::Unexpire)
        return "it is not expired";
    if (trigger.event == Event::OperatorResolve)
        return "it is not held";
    if (isTerminal(record.status) && trigger.event != Event::OperatorExpire && trigger.event != Event::Reopen)
        return "it is already " + std::string(wordOf(record.status));
    if (trigger.event == Event::OperatorExpire && isExpired(record, now))
        return "it has expired already";
    if (record.hold)
        return trigger.event == Event::Reopen ? "it is held already" : "it is held: resolve it";
    if (isLive(record, now))
        return "its lease is live: fence it first";
    return "it is " + std::string(wordOf(record.status));
}

Decision refuse(const Record& record, const Trigger& trigger, Time now)
{
    const auto state = shownState(record, now);
    Decision decision{ Outcome::Refused, 0, false, std::nullopt, state, state, false, {} };
    if (isWorkers(trigger.event)) {
        const bool owner = record.owner == trigger.owner && record.fence == trigger.fence;
        decision.outcome = owner && record.status == State::InProgress ? Outcome::Refused : Outcome::LostOwnership;
        decision.reason = record.status != State::InProgress
            ? "the record is already " + std::string(wordOf(record.status))
            : owner ? "the record is held"
                    : "another owner holds fence " + std::to_string(record.fence.value);
        return decision;
    }
    const bool compared = trigger.event != Event::Reap && trigger.event != Event::ReapOrphan;
    if (compared && record.fence != trigger.fence) {
        decision.outcome = Outcome::LostOwnership;
        decision.reason = "it moved on: fence " + std::to_string(trigger.fence.value) + " was seen, it is now "
            + std::to_string(record.fence.value);
        return decision;
    }
    decision.reason = refusalOf(record, trigger, now);
    return decision;
}

Decision decideAbsent(std::optional<Record>& record, const Trigger& trigger, Time now)
{
    for (const auto& transition : transitionTable) {
        if (transition.event != trigger.event || transition.from != State::Absent
            || (transition.guard == Guard::StaleKey && !isStale(trigger, now)))
            continue;
        const bool inserts = transition.effect == Effect::Insert;
        if (inserts)
            record.emplace(inserted(trigger, now));
        return { transition.outcome, transition.row, inserts, std::nullopt, State::Absent,
            inserts ? State::InProgress : State::Absent, inserts, std::string(transition.reason) };
    }
    return { Outcome::NotFound, 0, false, std::nullopt, State::Absent, State::Absent, false,
        "there is no such record" };
}

} // namespace

std::string_view wordOf(Event event) noexcept
{
    return eventWords[static_cast<std::size_t>(event)].word;
}

std::optional<Event> eventOf(std::string_view word) noexcept
{
    for (const auto& entry : eventWords)
        if (entry.word == word)
            return entry.event;
    return std::nullopt;
}

std::string_view wordOf(Outcome outcome) noexcept
{
    return outcomeWords[static_cast<std::size_t>(outcome)];
}

std::span<const Transition> transitions() noexcept
{
    return transitionTable;
}

bool isLegal(State from, State to) noexcept
{
    return from == to || std::any_of(transitionTable.begin(), transitionTable.end(), [&](const Transition& transition) {
        if (transition.to != to)
            return false;
        if (from == State::Absent || transition.from == State::Absent)
            return transition.from == from;
        return !transition.from || transition.from == from || from == State::Expired;
    });
}

Decision decideInPlace(std::optional<Record>& record, const Trigger& trigger, Time now)
{
    if (!record)
        return decideAbsent(record, trigger, now);
    for (const auto& transition : transitionTable)
        if (transition.event == trigger.event && transition.from != State::Absent
            && matches(transition.from, *record, now) && holds(transition.guard, *record, trigger, now))
            return follow(transition, record, trigger, now);
    return refuse(*record, trigger, now);
}

Decision decide(const std::optional<Record>& record, const Trigger& trigger, Time now)
{
    auto own = record;
    auto decision = decideInPlace(own, trigger, now);
    decision.record = std::move(own);
    return decision;
}

} // namespace fencepost
