// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/effect.h"

#include <algorithm>
#include <limits>

namespace fencepost {

namespace {

void clearOutcome(Record& record)
{
    record.response = {};
    record.errorCode.reset();
    record.completedAt.reset();
}

void clearHold(Record& record)
{
    record.hold = false;
    record.holdReason.reset();
    record.holdBy.reset();
}

void setHold(Record& record, std::string_view reason, const std::string& by)
{
    record.hold = true;
    record.holdReason = std::string(reason);
    record.holdBy = by;
}

// A reconciler has no owner of its own: the record keeps the one that lost its lease.
void takeOwner(Record& record, const Trigger& trigger)
{
    if (!trigger.owner.uuid.empty())
        record.owner = trigger.owner;
}

// Whatever somebody wrote into the row.
int oneMore(int count)
{
    return count == std::numeric_limits<int>::max() ? count : count + 1;
}

// nextval ran before the row was locked, so the record's own fence may be ahead of it. decide() has seen that there is
// one above it.
void takeFence(Record& record, const Trigger& trigger)
{
    record.fence = { std::max(trigger.nextFence.value, record.fence.value + 1) };
}

void acquire(Record& record, const Trigger& trigger, Time now, bool anew)
{
    record.attempt = anew ? 1 : oneMore(record.attempt);
    // Who only tries again may not know the rules of this life: the first of its reservations has set them.
    if (anew) {
        record.recoveryPoint = "started";
        record.recoveryData.reset();
        record.takeover = trigger.takeover;
        record.maxAttempts = trigger.maxAttempts;
    }
    if (anew) {
        record.requestHash = trigger.requestHash;
        record.fingerprintAlg = trigger.fingerprintAlg;
    }
    if (anew || trigger.payloadHash)
        record.payloadHash = trigger.payloadHash;
    record.status = State::InProgress;
    record.owner = trigger.owner;
    takeFence(record, trigger);
    record.notBefore.reset();
    record.tombstoneUntil.reset();
    record.leaseExpiresAt = now + trigger.lease;
    record.startedAt = now;
    record.expiresAt = std::max(record.expiresAt, now + trigger.ttl.value_or(Duration{}));
    clearOutcome(record);
}

void complete(Record& record, State status, const Trigger& trigger, Time now)
{
    const auto ttl = trigger.ttl.value_or(record.expiresAt - record.startedAt);
    record.status = status;
    record.response = trigger.response;
    record.errorCode = trigger.errorCode;
    record.completedAt = now;
    record.notBefore.reset();
    record.expiresAt = std::max(record.expiresAt, now + ttl);
    clearHold(record);
}

void delay(Record& record, const Trigger& trigger, Time now)
{
    record.status = State::FailedRetryable;
    record.notBefore = now + trigger.retryAfter;
    record.errorCode = trigger.errorCode;
    clearHold(record);
}

// A transient failure has no answer of its own, mostly, and whoever asks again must be told something.
void answerUnavailable(Record& record)
{
    if (!record.errorCode)
        record.errorCode = "DEPENDENCY.unavailable";
    if (!record.response.code)
        record.response.code = 503;
}

// An outcome like any other: who was just told that it failed for good must not execute it with the next request.
void spendAttempts(Record& record, const Trigger& trigger, Time now)
{
    const auto ttl = trigger.ttl.value_or(record.expiresAt - record.startedAt);
    record.status = State::FailedFinal;
    record.notBefore.reset();
    record.completedAt = now;
    record.expiresAt = std::max(record.expiresAt, now + ttl);
    answerUnavailable(record);
}

void takeAway(Record& record, const Trigger& trigger, Time now)
{
    record.owner = trigger.owner;
    takeFence(record, trigger);
    record.leaseExpiresAt = now;
}

void release(Record& record, const Trigger& trigger, Time now)
{
    record.status = State::FailedRetryable;
    takeOwner(record, trigger);
    takeFence(record, trigger);
    record.notBefore = now;
    clearHold(record);
    // It was done, and only its answer is missing: the last attempt that was allowed must not tell that it failed.
    if (trigger.event == Event::Reconcile && trigger.response.refId && attemptsSpent(record))
        record.maxAttempts = oneMore(record.attempt);
}

void resolveCompleted(Record& record, State status, const Trigger& trigger, Time now)
{
    // Expired by hand while it was held: the key stays refused until its tombstone is over.
    const bool ended = record.tombstoneUntil && isExpired(record, now);
    const auto expiresAt = record.expiresAt;
    complete(record, status, trigger, now);
    if (ended)
        record.expiresAt = expiresAt;
    takeOwner(record, trigger);
    takeFence(record, trigger);
    if (status == State::FailedFinal && !record.response.code)
        record.response.code = 500;
}

void letTakeOver(Record& record, const Trigger& trigger, Time now)
{
    record.status = State::InProgress;
    record.leaseExpiresAt = now;
    record.notBefore.reset();
    record.takeover = Takeover::Auto;
    // The evidence says that it did not happen, so it may run once more than allowed if need be.
    if (attemptsSpent(record))
        record.maxAttempts = oneMore(record.attempt);
    clearHold(record);
    record.owner = trigger.owner;
    takeFence(record, trigger);
}

void reopen(Record& record, const Trigger& trigger, Time now)
{
    record.status = State::InProgress;
    record.owner = trigger.owner;
    takeFence(record, trigger);
    record.leaseExpiresAt = now;
    record.notBefore.reset();
    clearOutcome(record);
    setHold(record, "operator", trigger.actor);
}

void entomb(Record& record, const Trigger& trigger, Time now)
{
    record.response.body.reset();
    record.response.headers.clear();
    record.requestBody.reset();
    record.recoveryData.reset();
    record.tombstoneUntil = now + trigger.tombstone.value_or(Duration{});
}

} // namespace

bool attemptsSpent(const Record& record)
{
    return record.maxAttempts > 0 && record.attempt >= record.maxAttempts;
}

std::string holdReasonOf(const Trigger& trigger)
{
    return trigger.reason.empty() ? "outcome_unknown" : trigger.reason;
}

bool takesFence(Effect effect)
{
    switch (effect) {
    case Effect::Acquire:
    case Effect::AcquireAnew:
    case Effect::TakeAway:
    case Effect::TakeAwayAndHold:
    case Effect::Release:
    case Effect::ResolveCompleted:
    case Effect::LetTakeOver:
    case Effect::Reopen:
        return true;
    case Effect::Nothing:
    case Effect::Insert:
    case Effect::RenewLease:
    case Effect::AdvancePoint:
    case Effect::Complete:
    case Effect::CompleteSpent:
    case Effect::Delay:
    case Effect::SpendAttempts:
    case Effect::HoldUnknown:
    case Effect::HoldOrphan:
    case Effect::HoldSpent:
    case Effect::HoldByOwner:
    case Effect::Expire:
    case Effect::Unexpire:
    case Effect::Tombstone:
    case Effect::Delete:
        return false;
    }
    return false;
}

Record inserted(const Trigger& trigger, Time now)
{
    Record record;
    record.id = trigger.id;
    record.createdAt = now;
    record.updatedAt = now;
    record.expiresAt = now;
    acquire(record, trigger, now, true);
    record.fence = trigger.nextFence;
    return record;
}

void carryOut(Record& record, const Transition& transition, const Trigger& trigger, Time now)
{
    switch (transition.effect) {
    case Effect::Nothing:
    case Effect::Insert:
    case Effect::Delete:
        return;
    case Effect::Acquire:
        return acquire(record, trigger, now, false);
    case Effect::AcquireAnew:
        return acquire(record, trigger, now, true);
    case Effect::RenewLease:
        record.leaseExpiresAt = now + trigger.lease;
        return;
    case Effect::AdvancePoint:
        record.recoveryPoint = trigger.recoveryPoint.value_or(record.recoveryPoint);
        if (trigger.recoveryData)
            record.recoveryData = trigger.recoveryData;
        return;
    case Effect::Complete:
        return complete(record, *transition.to, trigger, now);
    case Effect::CompleteSpent:
        complete(record, *transition.to, trigger, now);
        return answerUnavailable(record);
    case Effect::Delay:
        return delay(record, trigger, now);
    case Effect::SpendAttempts:
        return spendAttempts(record, trigger, now);
    case Effect::HoldUnknown:
    case Effect::HoldOrphan:
        return setHold(record, "outcome_unknown", trigger.actor);
    case Effect::HoldSpent:
        return setHold(record, "attempts_exhausted", trigger.actor);
    case Effect::HoldByOwner:
        return setHold(record, holdReasonOf(trigger), trigger.actor);
    case Effect::TakeAway:
        return takeAway(record, trigger, now);
    case Effect::TakeAwayAndHold:
        takeAway(record, trigger, now);
        return setHold(record, "operator", trigger.actor);
    case Effect::Release:
        return release(record, trigger, now);
    case Effect::ResolveCompleted:
        return resolveCompleted(record, *transition.to, trigger, now);
    case Effect::LetTakeOver:
        return letTakeOver(record, trigger, now);
    case Effect::Expire:
        record.expiresAt = now;
        if (trigger.tombstone && (isTerminal(record.status) || record.hold))
            record.tombstoneUntil = now + *trigger.tombstone;
        return;
    case Effect::Unexpire:
        record.expiresAt = *trigger.expiresAt;
        record.tombstoneUntil.reset();
        return;
    case Effect::Reopen:
        return reopen(record, trigger, now);
    case Effect::Tombstone:
        return entomb(record, trigger, now);
    }
}

} // namespace fencepost
