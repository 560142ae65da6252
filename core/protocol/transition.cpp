// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/transition.h"

#include <algorithm>
#include <array>

namespace fencepost {

namespace {

// Order matters: the first row of an event whose guard holds decides.
constexpr std::array table = {
    Transition{ 2, State::Absent, Event::Reserve, Guard::StaleKey, std::nullopt, Outcome::KeyExpired },
    Transition{ 1, State::Absent, Event::Reserve, Guard::None, State::InProgress, Outcome::Execute },
    Transition{ 2, State::Succeeded, Event::Reserve, Guard::StaleKey, std::nullopt, Outcome::KeyExpired },
    Transition{ 17, State::Succeeded, Event::Reserve, Guard::Over, State::InProgress, Outcome::Execute },
    Transition{ 2, State::FailedFinal, Event::Reserve, Guard::StaleKey, std::nullopt, Outcome::KeyExpired },
    Transition{ 17, State::FailedFinal, Event::Reserve, Guard::Over, State::InProgress, Outcome::Execute },
    Transition{ 3, std::nullopt, Event::Reserve, Guard::HashDiffers, std::nullopt, Outcome::Mismatch },
    Transition{ 2, std::nullopt, Event::Reserve, Guard::Tombstone, std::nullopt, Outcome::KeyExpired },
    Transition{ 7, std::nullopt, Event::Reserve, Guard::Held, std::nullopt, Outcome::Held },
    Transition{ 16, State::Succeeded, Event::Reserve, Guard::Unexpired, std::nullopt, Outcome::Replay },
    Transition{ 16, State::FailedFinal, Event::Reserve, Guard::Unexpired, std::nullopt, Outcome::Replay },
    Transition{ 4, State::InProgress, Event::Reserve, Guard::Live, std::nullopt, Outcome::InFlight },
    Transition{ 5, State::InProgress, Event::Reserve, Guard::LeasePastAuto, State::InProgress, Outcome::Execute },
    Transition{ 5, State::InProgress, Event::Reserve, Guard::LeasePastSpent, State::Held, Outcome::Held },
    Transition{ 7, State::InProgress, Event::Reserve, Guard::LeasePastManual, State::Held, Outcome::Held },
    Transition{ 15, State::FailedRetryable, Event::Reserve, Guard::AttemptsSpent, State::FailedFinal, Outcome::Replay },
    Transition{ 14, State::FailedRetryable, Event::Reserve, Guard::NotYet, std::nullopt, Outcome::RetryLater },
    Transition{ 14, State::FailedRetryable, Event::Reserve, Guard::AttemptsLeft, State::InProgress, Outcome::Execute },

    Transition{ 8, State::InProgress, Event::Renew, Guard::OwnerFenceNoHold, std::nullopt, Outcome::Applied },
    Transition{ 9, State::InProgress, Event::Advance, Guard::OwnerAndFence, std::nullopt, Outcome::Applied },
    Transition{ 10, State::InProgress, Event::Finalize, Guard::OwnerAndFence, State::Succeeded, Outcome::Applied },
    Transition{ 11, State::InProgress, Event::Fail, Guard::OwnerAndFence, State::FailedFinal, Outcome::Applied },
    Transition{ 12, State::InProgress, Event::Fail, Guard::OwnerAndFence, State::FailedRetryable, Outcome::Applied },
    Transition{ 13, State::InProgress, Event::Hold, Guard::OwnerAndFence, State::Held, Outcome::Applied },

    Transition{ 5, State::InProgress, Event::Reconcile, Guard::LeasePast, State::FailedRetryable, Outcome::Applied },
    Transition{ 6, State::InProgress, Event::Reconcile, Guard::LeasePast, State::Succeeded, Outcome::Applied },
    Transition{ 7, State::InProgress, Event::Reconcile, Guard::LeasePast, State::Held, Outcome::Applied },

    Transition{ 19, State::InProgress, Event::OperatorFence, Guard::SeenFence, std::nullopt, Outcome::Applied },
    Transition{ 19, State::InProgress, Event::OperatorFence, Guard::SeenFence, State::Held, Outcome::Applied },
    Transition{ 23, State::InProgress, Event::OperatorRelease, Guard::SeenFenceLeasePast, State::FailedRetryable,
        Outcome::Applied },
    Transition{ 20, State::Held, Event::OperatorResolve, Guard::SeenFence, State::InProgress, Outcome::Applied },
    Transition{ 20, State::Held, Event::OperatorResolve, Guard::SeenFence, State::Succeeded, Outcome::Applied },
    Transition{ 20, State::Held, Event::OperatorResolve, Guard::SeenFence, State::FailedFinal, Outcome::Applied },
    Transition{ 20, State::Held, Event::OperatorResolve, Guard::SeenFence, State::FailedRetryable, Outcome::Applied },
    Transition{ 21, std::nullopt, Event::OperatorExpire, Guard::SeenFenceNotLive, State::Expired, Outcome::Applied },
    Transition{
        24, State::InProgress, Event::OperatorFail, Guard::SeenFenceNotLive, State::FailedFinal, Outcome::Applied },
    Transition{
        24, State::FailedRetryable, Event::OperatorFail, Guard::SeenFence, State::FailedFinal, Outcome::Applied },
    Transition{ 24, State::Held, Event::OperatorFail, Guard::SeenFence, State::FailedFinal, Outcome::Applied },
    Transition{ 21, State::Expired, Event::Unexpire, Guard::SeenFence, std::nullopt, Outcome::Applied },
    Transition{ 20, State::Succeeded, Event::Reopen, Guard::SeenFence, State::Held, Outcome::Applied },
    Transition{ 20, State::FailedFinal, Event::Reopen, Guard::SeenFence, State::Held, Outcome::Applied },
    Transition{ 20, State::FailedRetryable, Event::Reopen, Guard::SeenFence, State::Held, Outcome::Applied },
    Transition{ 20, State::InProgress, Event::Reopen, Guard::SeenFenceNotLive, State::Held, Outcome::Applied },
    Transition{ 18, State::Succeeded, Event::Reap, Guard::RetentionOver, State::Absent, Outcome::Applied },
    Transition{ 18, State::FailedFinal, Event::Reap, Guard::RetentionOver, State::Absent, Outcome::Applied },
    Transition{ 18, State::InProgress, Event::ReapOrphan, Guard::OrphanOver, State::Absent, Outcome::Applied },
    Transition{ 18, State::FailedRetryable, Event::ReapOrphan, Guard::OrphanOver, State::Absent, Outcome::Applied },
    Transition{ 18, State::InProgress, Event::ReapOrphan, Guard::OrphanOver, State::Held, Outcome::Applied },
};

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

bool attemptsSpent(const Record& record)
{
    return record.maxAttempts > 0 && record.attempt >= record.maxAttempts;
}

bool isStale(const Trigger& trigger, Time now)
{
    return trigger.staleKey == StaleKey::Reject && trigger.keyTime
        && *trigger.keyTime + trigger.ttl.value_or(Duration{}) <= now;
}

bool isOver(const Record& record, Time now)
{
    return isTerminal(record.status) && isExpired(record, now) && !isTombstone(record, now) && !record.hold;
}

bool presents(const Record& record, const Trigger& trigger)
{
    return record.owner == trigger.owner && record.fence == trigger.fence;
}

Fence nextFence(const Record& record, const Trigger& trigger)
{
    return { std::max(trigger.nextFence.value, record.fence.value + 1) };
}

Decision refuse(Outcome outcome, int row, const Record& record, Time now, std::string reason)
{
    const auto state = shownState(record, now);
    return { outcome, row, false, record, state, state, false, std::move(reason) };
}

Decision change(
    int row, Outcome outcome, const Record& before, std::optional<Record> after, Time now, std::string reason)
{
    if (after)
        after->updatedAt = now;
    const auto from = shownState(before, now);
    const auto to = after ? shownState(*after, now) : State::Absent;
    return { outcome, row, true, std::move(after), from, to, true, std::move(reason) };
}

void clearOutcome(Record& record)
{
    record.response = {};
    record.errorCode.reset();
    record.completedAt.reset();
}

Record reserved(const Trigger& trigger, Time now)
{
    Record record;
    record.id = trigger.id;
    record.requestHash = trigger.requestHash;
    record.payloadHash = trigger.payloadHash;
    record.owner = trigger.owner;
    record.fence = trigger.nextFence;
    record.leaseExpiresAt = now + trigger.lease;
    record.createdAt = now;
    record.startedAt = now;
    record.updatedAt = now;
    record.expiresAt = now + trigger.ttl.value_or(Duration{});
    record.takeover = trigger.takeover;
    record.maxAttempts = trigger.maxAttempts;
    return record;
}

// Rows 5, 14 and 17: an existing row gets a new owner.
Record acquired(const Record& before, const Trigger& trigger, Time now)
{
    Record record = before;
    const bool anew = isTerminal(before.status);
    record.requestHash = trigger.requestHash;
    record.payloadHash = trigger.payloadHash;
    record.status = State::InProgress;
    record.owner = trigger.owner;
    record.fence = nextFence(before, trigger);
    record.attempt = anew ? 1 : before.attempt + 1;
    if (anew) {
        record.recoveryPoint = "started";
        record.recoveryData.reset();
    }
    record.notBefore.reset();
    record.tombstoneUntil.reset();
    record.leaseExpiresAt = now + trigger.lease;
    record.startedAt = now;
    record.expiresAt = std::max(before.expiresAt, now + trigger.ttl.value_or(Duration{}));
    record.takeover = trigger.takeover;
    record.maxAttempts = trigger.maxAttempts;
    clearOutcome(record);
    return record;
}

Record held(const Record& before, std::string reason, std::string by)
{
    Record record = before;
    record.hold = true;
    record.holdReason = std::move(reason);
    record.holdBy = std::move(by);
    return record;
}

void clearHold(Record& record)
{
    record.hold = false;
    record.holdReason.reset();
    record.holdBy.reset();
}

Decision decideReserve(const std::optional<Record>& existing, const Trigger& trigger, Time now)
{
    if (!existing) {
        if (isStale(trigger, now))
            return { Outcome::KeyExpired, 2, false, std::nullopt, State::Absent, State::Absent, false,
                "the key is older than its retention" };
        auto record = reserved(trigger, now);
        return { Outcome::Execute, 1, true, std::move(record), State::Absent, State::InProgress, true, "reserved" };
    }
    const auto& record = *existing;
    if (isOver(record, now)) {
        if (isStale(trigger, now))
            return refuse(Outcome::KeyExpired, 2, record, now, "the key is older than its retention");
        return change(17, Outcome::Execute, record, acquired(record, trigger, now), now, "reserved again after expiry");
    }
    if (record.requestHash != trigger.requestHash)
        return refuse(Outcome::Mismatch, 3, record, now, "the request differs from the one that first used this key");
    if (isTombstone(record, now))
        return refuse(Outcome::KeyExpired, 2, record, now, "a tombstone refuses this key");
    if (record.hold)
        return refuse(Outcome::Held, 7, record, now, record.holdReason.value_or("held"));
    if (isTerminal(record.status))
        return refuse(Outcome::Replay, 16, record, now, "replayed");
    if (record.status == State::InProgress) {
        if (isLive(record, now))
            return refuse(Outcome::InFlight, 4, record, now, "somebody else is executing it");
        if (record.takeover == Takeover::Manual)
            return change(
                7, Outcome::Held, record, held(record, "outcome_unknown", trigger.actor), now, "outcome_unknown");
        if (attemptsSpent(record))
            return change(
                5, Outcome::Held, record, held(record, "attempts_exhausted", trigger.actor), now, "attempts_exhausted");
        return change(5, Outcome::Execute, record, acquired(record, trigger, now), now, "taken over");
    }
    if (attemptsSpent(record)) {
        auto after = record;
        after.status = State::FailedFinal;
        after.notBefore.reset();
        after.completedAt = now;
        if (!after.errorCode)
            after.errorCode = "DEPENDENCY.unavailable";
        if (!after.response.code)
            after.response.code = 503;
        return change(15, Outcome::Replay, record, std::move(after), now, "attempts_exhausted");
    }
    if (record.notBefore && *record.notBefore > now)
        return refuse(Outcome::RetryLater, 14, record, now, "it may not be executed again yet");
    return change(14, Outcome::Execute, record, acquired(record, trigger, now), now, "retried");
}

Decision decideRenew(const Record& record, const Trigger& trigger, Time now)
{
    if (record.hold)
        return refuse(Outcome::Refused, 8, record, now, "the record is held");
    const bool late = !isLive(record, now);
    auto after = record;
    after.leaseExpiresAt = now + trigger.lease;
    auto decision =
        change(8, Outcome::Applied, record, std::move(after), now, late ? "renewed after its end" : "renewed");
    decision.journalled = late;
    return decision;
}

Decision decideAdvance(const Record& record, const Trigger& trigger, Time now)
{
    auto after = record;
    after.recoveryPoint = trigger.recoveryPoint.value_or(record.recoveryPoint);
    after.recoveryData = trigger.recoveryData ? trigger.recoveryData : record.recoveryData;
    return change(9, Outcome::Applied, record, std::move(after), now,
        "recovery point " + trigger.recoveryPoint.value_or(record.recoveryPoint));
}

Record completed(const Record& before, State status, const Trigger& trigger, Time now)
{
    auto record = before;
    record.status = status;
    record.response = trigger.response;
    record.errorCode = trigger.errorCode;
    record.completedAt = now;
    const auto ttl = trigger.ttl.value_or(before.expiresAt - before.startedAt);
    record.expiresAt = std::max(before.expiresAt, now + ttl);
    clearHold(record);
    return record;
}

Decision decideFail(const Record& record, const Trigger& trigger, Time now)
{
    if (!trigger.retryable)
        return change(11, Outcome::Applied, record, completed(record, State::FailedFinal, trigger, now), now, "failed");
    if (attemptsSpent(record))
        return change(12, Outcome::Applied, record, completed(record, State::FailedFinal, trigger, now), now,
            "attempts_exhausted");
    auto after = record;
    after.status = State::FailedRetryable;
    after.notBefore = now + trigger.retryAfter;
    after.errorCode = trigger.errorCode;
    clearHold(after);
    return change(12, Outcome::Applied, record, std::move(after), now, "failed, may be retried");
}

// Rows 8 to 13: only the owner with its fence.
Decision decideWorker(const Record& record, const Trigger& trigger, Time now)
{
    const int row = trigger.event == Event::Renew ? 8
        : trigger.event == Event::Advance         ? 9
        : trigger.event == Event::Finalize        ? 10
        : trigger.event == Event::Hold            ? 13
        : trigger.retryable                       ? 12
                                                  : 11;
    if (record.status != State::InProgress || !presents(record, trigger))
        return refuse(Outcome::LostOwnership, row, record, now,
            record.status == State::InProgress ? "another owner holds fence " + std::to_string(record.fence.value)
                                               : "the record is already " + std::string(wordOf(record.status)));
    if (trigger.event == Event::Renew)
        return decideRenew(record, trigger, now);
    if (trigger.event == Event::Advance)
        return decideAdvance(record, trigger, now);
    if (trigger.event == Event::Finalize)
        return change(
            10, Outcome::Applied, record, completed(record, State::Succeeded, trigger, now), now, "finalized");
    if (trigger.event == Event::Fail)
        return decideFail(record, trigger, now);
    return change(13, Outcome::Applied, record,
        held(record, trigger.reason.empty() ? "outcome_unknown" : trigger.reason, trigger.actor), now,
        trigger.reason.empty() ? "outcome_unknown" : trigger.reason);
}

Decision decideReconcile(const Record& record, const Trigger& trigger, Time now)
{
    if (record.status != State::InProgress || record.fence != trigger.fence)
        return refuse(Outcome::Refused, 6, record, now, "it moved on");
    if (isLive(record, now))
        return refuse(Outcome::Refused, 6, record, now, "its lease is live");
    if (trigger.evidence == Evidence::Applied) {
        auto after = completed(record, State::Succeeded, trigger, now);
        after.fence = nextFence(record, trigger);
        return change(6, Outcome::Applied, record, std::move(after), now, "reconciled: applied");
    }
    if (trigger.evidence == Evidence::Unknown) {
        if (record.hold)
            return refuse(Outcome::Refused, 7, record, now, "it is held already");
        return change(
            7, Outcome::Applied, record, held(record, "outcome_unknown", trigger.actor), now, "outcome_unknown");
    }
    auto after = record;
    after.status = State::FailedRetryable;
    after.fence = nextFence(record, trigger);
    after.notBefore = now;
    clearHold(after);
    return change(5, Outcome::Applied, record, std::move(after), now, "reconciled: not applied");
}

Decision decideFence(const Record& record, const Trigger& trigger, Time now)
{
    if (record.status != State::InProgress)
        return refuse(Outcome::Refused, 19, record, now, "only a record in progress has an owner to fence");
    const bool safe = record.takeover == Takeover::Auto && !isLive(record, now);
    auto after = record;
    after.owner = trigger.owner;
    after.fence = nextFence(record, trigger);
    after.leaseExpiresAt = now;
    if (!record.hold && !safe && !trigger.noHold)
        after = held(after, "operator", trigger.actor);
    return change(19, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideRelease(const Record& record, const Trigger& trigger, Time now)
{
    if (record.status != State::InProgress)
        return refuse(Outcome::Refused, 23, record, now, "only a record in progress can be released");
    if (record.hold)
        return refuse(Outcome::Refused, 23, record, now, "it is held: resolve it");
    if (isLive(record, now))
        return refuse(Outcome::Refused, 23, record, now, "its lease is live: fence it first");
    auto after = record;
    after.status = State::FailedRetryable;
    after.owner = trigger.owner;
    after.fence = nextFence(record, trigger);
    after.notBefore = now;
    return change(23, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideResolve(const Record& record, const Trigger& trigger, Time now)
{
    if (!record.hold)
        return refuse(Outcome::Refused, 20, record, now, "it is not held");
    auto after = record;
    switch (trigger.resolution) {
    case Resolution::Succeeded:
        after = completed(record, State::Succeeded, trigger, now);
        break;
    case Resolution::FailedFinal:
        after = completed(record, State::FailedFinal, trigger, now);
        if (!after.response.code)
            after.response.code = 500;
        break;
    case Resolution::FailedRetryable:
        after.status = State::FailedRetryable;
        after.notBefore = now;
        break;
    case Resolution::TakeOver:
        // The evidence says that the effect did not happen, so the next same request may run it, once more than allowed
        // if need be.
        after.status = State::InProgress;
        after.leaseExpiresAt = now;
        after.notBefore.reset();
        after.takeover = Takeover::Auto;
        if (attemptsSpent(record))
            after.maxAttempts = record.attempt + 1;
        break;
    }
    clearHold(after);
    after.owner = trigger.owner;
    after.fence = nextFence(record, trigger);
    return change(20, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideExpire(const Record& record, const Trigger& trigger, Time now)
{
    if (record.hold)
        return refuse(Outcome::Refused, 21, record, now, "it is held: resolve it first");
    if (isLive(record, now))
        return refuse(Outcome::Refused, 21, record, now, "its lease is live: fence it first");
    if (isExpired(record, now))
        return refuse(Outcome::Refused, 21, record, now, "it has expired already");
    auto after = record;
    after.expiresAt = now;
    if (trigger.tombstone && isTerminal(record.status))
        after.tombstoneUntil = now + *trigger.tombstone;
    return change(21, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideOperatorFail(const Record& record, const Trigger& trigger, Time now)
{
    if (isTerminal(record.status))
        return refuse(Outcome::Refused, 24, record, now, "it is already " + std::string(wordOf(record.status)));
    if (!record.hold && isLive(record, now))
        return refuse(Outcome::Refused, 24, record, now, "its lease is live: fence it first");
    auto after = completed(record, State::FailedFinal, trigger, now);
    after.owner = trigger.owner;
    after.fence = nextFence(record, trigger);
    after.notBefore.reset();
    if (!after.response.code)
        after.response.code = 500;
    return change(24, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideUnexpire(const Record& record, const Trigger& trigger, Time now)
{
    if (!isExpired(record, now) || !trigger.expiresAt)
        return refuse(Outcome::Refused, 21, record, now, "it is not expired");
    auto after = record;
    after.expiresAt = *trigger.expiresAt;
    after.tombstoneUntil.reset();
    return change(21, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideReopen(const Record& record, const Trigger& trigger, Time now)
{
    if (record.hold)
        return refuse(Outcome::Refused, 20, record, now, "it is held already");
    if (isLive(record, now))
        return refuse(Outcome::Refused, 20, record, now, "somebody is executing it");
    auto after = held(record, "operator", trigger.actor);
    after.status = State::InProgress;
    after.owner = trigger.owner;
    after.fence = nextFence(record, trigger);
    after.leaseExpiresAt = now;
    after.notBefore.reset();
    clearOutcome(after);
    return change(20, Outcome::Applied, record, std::move(after), now, trigger.reason);
}

Decision decideReap(const Record& record, const Trigger& trigger, Time now)
{
    if (record.hold || !isTerminal(record.status))
        return refuse(Outcome::Refused, 18, record, now, "it is unresolved");
    if (record.expiresAt + trigger.grace > now || isTombstone(record, now))
        return refuse(Outcome::Refused, 18, record, now, "its retention is not over");
    if (!trigger.tombstone || record.tombstoneUntil)
        return change(18, Outcome::Applied, record, std::nullopt, now, "reaped");
    auto after = record;
    after.response.body.reset();
    after.response.headers.clear();
    after.requestBody.reset();
    after.recoveryData.reset();
    after.tombstoneUntil = now + *trigger.tombstone;
    return change(18, Outcome::Applied, record, std::move(after), now, "tombstone");
}

Decision decideReapOrphan(const Record& record, const Trigger& trigger, Time now)
{
    if (record.hold || isTerminal(record.status) || isLive(record, now))
        return refuse(Outcome::Refused, 18, record, now, "it is not an orphan");
    if (record.expiresAt + trigger.grace > now)
        return refuse(Outcome::Refused, 18, record, now, "its orphan grace is not over");
    if (record.takeover == Takeover::Manual && record.status == State::InProgress)
        return change(18, Outcome::Applied, record, held(record, "outcome_unknown", trigger.actor), now, "orphan");
    return change(18, Outcome::Applied, record, std::nullopt, now, "orphan");
}

Decision decideOperator(const Record& record, const Trigger& trigger, Time now)
{
    if (record.fence != trigger.fence)
        return refuse(Outcome::LostOwnership, 0, record, now,
            "it moved on: fence " + std::to_string(trigger.fence.value) + " was seen, it is now "
                + std::to_string(record.fence.value));
    switch (trigger.event) {
    case Event::OperatorFence:
        return decideFence(record, trigger, now);
    case Event::OperatorRelease:
        return decideRelease(record, trigger, now);
    case Event::OperatorResolve:
        return decideResolve(record, trigger, now);
    case Event::OperatorExpire:
        return decideExpire(record, trigger, now);
    case Event::OperatorFail:
        return decideOperatorFail(record, trigger, now);
    case Event::Unexpire:
        return decideUnexpire(record, trigger, now);
    case Event::Reopen:
        return decideReopen(record, trigger, now);
    case Event::Reserve:
    case Event::Renew:
    case Event::Advance:
    case Event::Finalize:
    case Event::Fail:
    case Event::Hold:
    case Event::Reap:
    case Event::ReapOrphan:
    case Event::Reconcile:
        break;
    }
    return refuse(Outcome::Refused, 0, record, now, "not an operator's event");
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
    return table;
}

bool isLegal(State from, State to) noexcept
{
    if (from == to)
        return true;
    return std::any_of(table.begin(), table.end(), [&](const Transition& t) {
        // An expired row is still its status underneath, so whatever leaves the status leaves Expired too.
        const bool leaves = !t.from || *t.from == from || (from == State::Expired && *t.from != State::Absent)
            || (t.to == State::Absent && from == State::Expired);
        return leaves && t.to && *t.to == to && from != State::Absent ? true : leaves && t.from == from && t.to == to;
    });
}

Decision decide(const std::optional<Record>& record, const Trigger& trigger, Time now)
{
    if (trigger.event == Event::Reserve)
        return decideReserve(record, trigger, now);
    if (!record)
        return { Outcome::NotFound, 0, false, std::nullopt, State::Absent, State::Absent, false,
            "there is no such record" };
    switch (trigger.event) {
    case Event::Renew:
    case Event::Advance:
    case Event::Finalize:
    case Event::Fail:
    case Event::Hold:
        return decideWorker(*record, trigger, now);
    case Event::Reconcile:
        return decideReconcile(*record, trigger, now);
    case Event::Reap:
        return decideReap(*record, trigger, now);
    case Event::ReapOrphan:
        return decideReapOrphan(*record, trigger, now);
    case Event::Reserve:
    case Event::OperatorFence:
    case Event::OperatorRelease:
    case Event::OperatorResolve:
    case Event::OperatorExpire:
    case Event::OperatorFail:
    case Event::Unexpire:
    case Event::Reopen:
        break;
    }
    return decideOperator(*record, trigger, now);
}

} // namespace fencepost
