// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "core/protocol/transition.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time start = timeFromMicros(1'700'000'000'000'000);

Trigger reserve(const char* owner, const char* hash = "h")
{
    return { .event = Event::Reserve,
        .id = { "s", "o", "k" },
        .owner = { owner },
        .requestHash = hash,
        .lease = 60s,
        .ttl = 24h };
}

// Plays a story against decide() and draws the shown states: "reserve fail reserve" -> "ABSENT > IN_PROGRESS > …".
class Story : public ::testing::Test {
protected:
    Decision play(Trigger trigger)
    {
        trigger.nextFence = { ++fence };
        auto decision = decide(record, trigger, now);
        if (decision.writes)
            record = decision.record;
        return decision;
    }

    Decision play(
        Event event, void (*adjust)(Trigger&) = [](Trigger&) {})
    {
        Trigger trigger = reserve("worker");
        trigger.event = event;
        trigger.ttl.reset();
        if (record) {
            trigger.fence = record->fence;
            trigger.owner = event >= Event::OperatorFence ? Owner{ "operator" } : record->owner;
        }
        trigger.actor = "person";
        trigger.reason = "because";
        adjust(trigger);
        return play(trigger);
    }

    std::string path(const std::string& words)
    {
        std::istringstream stream(words);
        std::string text = "ABSENT";
        for (std::string word; stream >> word;) {
            const auto event = eventOf(word);
            const auto decision = word == "wait" ? Decision{}
                : *event == Event::Reserve       ? play(reserve("worker"))
                                                 : play(*event, [](Trigger& t) { t.retryable = true; });
            if (word == "wait")
                now += 2min;
            else
                text += " > " + std::string(wordOf(decision.to));
        }
        return text;
    }

    Time now = start;
    std::int64_t fence = 0;
    std::optional<Record> record;
};

} // namespace

TEST_F(Story, TakesNoFenceWhereNoneIsLeft)
{
    const auto last = std::numeric_limits<std::int64_t>::max();
    int taken = 0;
    for (const auto status : { State::InProgress, State::Succeeded, State::FailedRetryable, State::FailedFinal })
        for (const bool hold : { false, true })
            for (const auto event : { Event::Reserve, Event::OperatorFence, Event::OperatorRelease,
                     Event::OperatorResolve, Event::OperatorFail, Event::Reopen, Event::Reconcile, Event::Finalize }) {
                Record before;
                before.requestHash = "h";
                before.owner = { "a" };
                before.status = status;
                before.hold = hold && !isTerminal(status);
                before.leaseExpiresAt = start;
                before.expiresAt = event == Event::Reserve ? start : start + 24h;
                before.fence = { last - 1 };
                auto trigger = reserve(event == Event::Finalize ? "a" : "b");
                trigger.event = event;
                trigger.fence = before.fence;
                trigger.resolution = Resolution::TakeOver;
                trigger.evidence = Evidence::Applied;
                trigger.nextFence = {};
                const auto one = decide(before, trigger, start + 1h);
                before.fence = trigger.fence = { last };
                const auto none = decide(before, trigger, start + 1h);
                if (one.record && one.record->fence.value == last && one.writes) {
                    ++taken;
                    EXPECT_EQ(none.outcome, Outcome::Refused) << wordOf(event);
                    EXPECT_EQ(none.reason, "no fence is left above the record's") << wordOf(event);
                    EXPECT_FALSE(none.writes) << wordOf(event);
                    EXPECT_EQ(none.record->fence.value, last) << wordOf(event);
                } else {
                    EXPECT_EQ(none.outcome, one.outcome) << wordOf(event);
                    EXPECT_EQ(none.reason, one.reason) << wordOf(event);
                }
            }
    EXPECT_GT(taken, 10);
}

TEST_F(Story, TheHappyPath)
{
    EXPECT_EQ(path("reserve renew advance finalize reserve"),
        "ABSENT > IN_PROGRESS > IN_PROGRESS > IN_PROGRESS > SUCCEEDED > SUCCEEDED");
}

TEST_F(Story, ATransientFailureIsRetried)
{
    EXPECT_EQ(
        path("reserve fail reserve finalize"), "ABSENT > IN_PROGRESS > FAILED_RETRYABLE > IN_PROGRESS > SUCCEEDED");
}

TEST_F(Story, AFencedLiveOwnerLeavesAHoldToResolve)
{
    EXPECT_EQ(
        path("reserve operator_fence reserve operator_resolve"), "ABSENT > IN_PROGRESS > HELD > HELD > FAILED_FINAL");
}

TEST_F(Story, AResolutionCanBeTakenBackWithANewFence)
{
    path("reserve operator_fence operator_resolve");
    const auto before = record->fence;
    EXPECT_EQ(play(Event::Reopen).to, State::Held);
    EXPECT_GT(record->fence, before);
    EXPECT_FALSE(record->response.code);
}

TEST_F(Story, ALeaseEndsAtItsInstant)
{
    play(reserve("a"));
    now += 60s - 1us;
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::InFlight);
    now += 1us;
    const auto decision = play(reserve("b"));
    EXPECT_EQ(decision.outcome, Outcome::Execute);
    EXPECT_EQ(decision.row, 5);
    EXPECT_EQ(record->attempt, 2);
    EXPECT_EQ(record->owner.uuid, "b");
}

TEST_F(Story, TheFencedOwnerIsRefusedEverything)
{
    play(reserve("a"));
    const auto old = *record;
    play(Event::OperatorFence);
    for (const auto event : { Event::Renew, Event::Advance, Event::Finalize, Event::Fail, Event::Hold }) {
        Trigger trigger = reserve("a");
        trigger.event = event;
        trigger.fence = old.fence;
        const auto decision = play(trigger);
        EXPECT_EQ(decision.outcome, Outcome::LostOwnership) << wordOf(event);
        EXPECT_FALSE(decision.writes);
    }
}

TEST_F(Story, AnotherPayloadNeverTakesAnUnresolvedRecord)
{
    play(reserve("a"));
    now += 48h;
    EXPECT_EQ(play(reserve("b", "other")).outcome, Outcome::Mismatch);
    play(Event::OperatorFence, [](Trigger& t) { t.noHold = false; });
    EXPECT_EQ(play(reserve("b", "other")).outcome, Outcome::Mismatch);
}

TEST_F(Story, ManualTakeoverBecomesAVisibleHold)
{
    auto first = reserve("a");
    first.takeover = Takeover::Manual;
    play(first);
    now += 61s;
    const auto decision = play(reserve("b"));
    EXPECT_EQ(decision.outcome, Outcome::Held);
    EXPECT_EQ(decision.row, 7);
    EXPECT_EQ(record->holdReason, "outcome_unknown");
    EXPECT_EQ(play(reserve("b")).writes, false);
}

TEST_F(Story, SpentAttemptsHoldATakeoverAndEndARetry)
{
    auto first = reserve("a");
    first.maxAttempts = 1;
    play(first);
    now += 61s;
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::Held);
    EXPECT_EQ(record->holdReason, "attempts_exhausted");
    EXPECT_EQ(play(Event::OperatorResolve, [](Trigger& t) { t.resolution = Resolution::FailedRetryable; }).to,
        State::FailedRetryable);
    const auto decision = play(reserve("c"));
    EXPECT_EQ(decision.row, 15);
    EXPECT_EQ(decision.outcome, Outcome::Replay);
    EXPECT_EQ(record->status, State::FailedFinal);
    EXPECT_EQ(record->errorCode, "DEPENDENCY.unavailable");
}

TEST_F(Story, TheLastTransientFailureIsFinal)
{
    auto first = reserve("a");
    first.maxAttempts = 1;
    play(first);
    EXPECT_EQ(play(Event::Fail, [](Trigger& t) { t.retryable = true; }).to, State::FailedFinal);
    EXPECT_EQ(record->response.code, 503);
    EXPECT_EQ(record->errorCode, "DEPENDENCY.unavailable");
}

TEST_F(Story, ATakeoverAndARetryFollowTheRulesOfTheFirstReservation)
{
    auto first = reserve("a");
    first.maxAttempts = 3;
    play(first);
    now += 61s;
    auto second = reserve("b");
    second.takeover = Takeover::Manual;
    EXPECT_EQ(play(second).row, 5);
    play(Event::Fail, [](Trigger& t) { t.retryable = true; });
    EXPECT_EQ(play(second).row, 14);
    EXPECT_EQ(record->takeover, Takeover::Auto);
    EXPECT_EQ(record->maxAttempts, 3);
    play(Event::Finalize);
    now += 25h;
    EXPECT_EQ(play(second).row, 17);
    EXPECT_EQ(record->takeover, Takeover::Manual);
    EXPECT_EQ(record->maxAttempts, 0);
}

TEST_F(Story, AHoldForTheSameReasonIsAppliedAlready)
{
    const auto hold = [](Trigger& t) { t.reason = "no answer"; };
    play(reserve("a"));
    EXPECT_TRUE(play(Event::Hold, hold).writes);
    const auto again = play(Event::Hold, hold);
    EXPECT_EQ(again.outcome, Outcome::Applied);
    EXPECT_EQ(again.row, 13);
    EXPECT_FALSE(again.writes);
    EXPECT_FALSE(again.journalled);
    EXPECT_TRUE(play(Event::Hold, [](Trigger& t) { t.reason = "asked the bank"; }).writes);
    EXPECT_EQ(record->holdReason, "asked the bank");
}

TEST_F(Story, ARetryWaitsForItsDelay)
{
    play(reserve("a"));
    play(Event::Fail, [](Trigger& t) {
        t.retryable = true;
        t.retryAfter = 5s;
    });
    now += 5s - 1us;
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::RetryLater);
    EXPECT_EQ(play(reserve("b", "other")).outcome, Outcome::Mismatch);
    now += 1us;
    EXPECT_EQ(play(reserve("b")).row, 14);
}

TEST_F(Story, AfterExpiryTheKeyIsFreeForAnything)
{
    path("reserve finalize");
    now += 25h;
    const auto before = *record;
    const auto decision = play(reserve("b", "other"));
    EXPECT_EQ(decision.row, 17);
    EXPECT_EQ(record->attempt, 1);
    EXPECT_EQ(record->recoveryPoint, "started");
    EXPECT_GT(record->fence, before.fence);
    EXPECT_EQ(record->createdAt, before.createdAt);
}

TEST_F(Story, AnExpiredTimeBearingKeyIsRefusedWhereThatIsAsked)
{
    auto late = reserve("a");
    late.staleKey = StaleKey::Reject;
    late.keyTime = now - 24h;
    EXPECT_EQ(play(late).outcome, Outcome::KeyExpired);
    late.keyTime = now - 24h + 1us;
    EXPECT_EQ(play(late).outcome, Outcome::Execute);
}

TEST_F(Story, ATombstoneRefusesUntilItEnds)
{
    path("reserve finalize");
    EXPECT_EQ(play(Event::OperatorExpire, [](Trigger& t) { t.tombstone = 1h; }).to, State::Expired);
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::KeyExpired);
    EXPECT_EQ(play(reserve("b", "other")).outcome, Outcome::Mismatch);
    now += 1h;
    EXPECT_EQ(play(reserve("b", "other")).outcome, Outcome::Execute);
}

TEST_F(Story, ExpiringAndTakingItBackLeavesTheRecordAsItWas)
{
    path("reserve finalize");
    const auto before = *record;
    play(Event::OperatorExpire);
    EXPECT_EQ(play(Event::OperatorExpire).outcome, Outcome::Refused);
    play(Event::Unexpire, [](Trigger& t) { t.expiresAt = start + 24h; });
    EXPECT_EQ(*record, before);
}

TEST_F(Story, LiveRecordsAreFencedBeforeAnythingElse)
{
    play(reserve("a"));
    for (const auto event : { Event::OperatorRelease, Event::OperatorFail })
        EXPECT_EQ(play(event).reason, "its lease is live: fence it first") << wordOf(event);
    EXPECT_EQ(play(Event::OperatorResolve).reason, "it is not held");
}

// Row 21: the fence of a live lease holds the record, because its worker may be sending right now. Its key may end
// then, but the hold stands over the expiry (row 17): nothing executes until it is known what became of it.
TEST_F(Story, ALiveRecordIsFencedBeforeItExpiresAndStaysHeld)
{
    play(reserve("a"));
    EXPECT_EQ(play(Event::OperatorExpire).reason, "its lease is live: fence it first");
    EXPECT_EQ(play(Event::OperatorFence).to, State::Held);
    const auto expired = play(Event::OperatorExpire, [](Trigger& t) { t.tombstone = 72h; });
    EXPECT_EQ(expired.outcome, Outcome::Applied);
    EXPECT_EQ(expired.to, State::Held);
    EXPECT_EQ(record->expiresAt, now);
    EXPECT_EQ(play(Event::OperatorExpire).reason, "it has expired already");

    now += 48h;
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::Held);
    EXPECT_EQ(play(reserve("c", "another")).outcome, Outcome::Mismatch);
    EXPECT_EQ(play(Event::Reap).outcome, Outcome::Refused);
    EXPECT_EQ(play(Event::ReapOrphan).outcome, Outcome::Refused);

    play(Event::OperatorResolve, [](Trigger& t) { t.resolution = Resolution::Succeeded; });
    EXPECT_EQ(play(reserve("d")).outcome, Outcome::KeyExpired) << "the tombstone waits behind the hold";
    now += 25h;
    EXPECT_EQ(play(reserve("e")).outcome, Outcome::Execute);
}

TEST_F(Story, TheOperatorsFenceHoldsUnlessThatIsSafe)
{
    play(reserve("a"));
    now += 61s;
    EXPECT_EQ(play(Event::OperatorFence).to, State::InProgress);
    EXPECT_FALSE(record->hold);
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::Execute);
    EXPECT_EQ(play(Event::OperatorFence, [](Trigger& t) { t.noHold = true; }).to, State::InProgress);
    EXPECT_EQ(play(reserve("c")).outcome, Outcome::Execute);
    EXPECT_EQ(play(Event::OperatorFence).to, State::Held);
}

TEST_F(Story, AnOperatorActsOnWhatWasSeenOrNotAtAll)
{
    play(reserve("a"));
    now += 61s;
    play(reserve("b"));
    const auto decision = play(Event::OperatorFence, [](Trigger& t) { t.fence = { 1 }; });
    EXPECT_EQ(decision.outcome, Outcome::LostOwnership);
    EXPECT_EQ(decision.reason, "it moved on: fence 1 was seen, it is now 2");
}

TEST_F(Story, TheRightOwnerMayFinalizeAHeldRecord)
{
    path("reserve hold");
    EXPECT_TRUE(record->hold);
    EXPECT_EQ(play(Event::Renew).outcome, Outcome::Refused);
    EXPECT_EQ(play(Event::Finalize).to, State::Succeeded);
    EXPECT_FALSE(record->hold);
}

TEST_F(Story, ALateRenewalIsAllowedAndJournalled)
{
    play(reserve("a"));
    EXPECT_FALSE(play(Event::Renew).journalled);
    now += 2min;
    EXPECT_TRUE(play(Event::Renew).journalled);
}

TEST_F(Story, ReconciliationDecidesOnlyAfterTheLease)
{
    play(reserve("a"));
    EXPECT_EQ(play(Event::Reconcile).outcome, Outcome::Refused);
    now += 61s;
    EXPECT_EQ(play(Event::Reconcile, [](Trigger& t) { t.evidence = Evidence::Unknown; }).to, State::Held);
    EXPECT_EQ(play(Event::Reconcile, [](Trigger& t) { t.evidence = Evidence::Applied; }).to, State::Succeeded);
}

// Its answer alone is missing: to spend the attempts would tell the client to have it done again.
TEST_F(Story, WhatWasDoneIsAnsweredByOneMoreAttempt)
{
    const auto once = [](Trigger trigger) {
        trigger.maxAttempts = 1;
        return trigger;
    };
    play(once(reserve("a")));
    now += 61s;
    play(Event::Reconcile, [](Trigger& t) {
        t.evidence = Evidence::NotApplied;
        t.response.refId = "po_1";
    });
    EXPECT_EQ(play(once(reserve("b"))).outcome, Outcome::Execute);
    now += 61s;
    play(Event::Reconcile, [](Trigger& t) { t.evidence = Evidence::NotApplied; });
    EXPECT_EQ(play(once(reserve("c"))).to, State::FailedFinal) << "nothing was done, and that was its last attempt";
}

TEST_F(Story, TheReaperTakesWhatIsOverAndNothingElse)
{
    path("reserve finalize");
    EXPECT_EQ(play(Event::Reap).outcome, Outcome::Refused);
    now += 25h;
    EXPECT_EQ(play(Event::Reap, [](Trigger& t) { t.tombstone = 1h; }).to, State::Expired);
    EXPECT_EQ(play(Event::Reap).outcome, Outcome::Refused);
    now += 1h;
    EXPECT_EQ(play(Event::Reap, [](Trigger& t) { t.tombstone = 1h; }).to, State::Absent);
    EXPECT_FALSE(record);
}

TEST_F(Story, OrphansGoOrBecomeAHold)
{
    play(reserve("a"));
    now += 25h;
    EXPECT_EQ(play(Event::Reap).outcome, Outcome::Refused);
    const auto kept = record;
    EXPECT_EQ(play(Event::ReapOrphan).to, State::Absent);
    record = kept;
    record->takeover = Takeover::Manual;
    EXPECT_EQ(play(Event::ReapOrphan).to, State::Held);
}

TEST_F(Story, AZeroLeaseIsOverAtOnce)
{
    auto first = reserve("a");
    first.lease = 0s;
    play(first);
    EXPECT_TRUE(record->leaseExpiresAt);
    EXPECT_EQ(play(reserve("b")).outcome, Outcome::Execute);
}

TEST(TheTable, LeadsOnlyWhereTheProtocolAllows)
{
    EXPECT_TRUE(isLegal(State::Absent, State::InProgress));
    EXPECT_TRUE(isLegal(State::InProgress, State::Succeeded));
    EXPECT_TRUE(isLegal(State::Held, State::FailedRetryable));
    EXPECT_TRUE(isLegal(State::Expired, State::InProgress));
    EXPECT_FALSE(isLegal(State::Succeeded, State::FailedRetryable));
    EXPECT_FALSE(isLegal(State::Succeeded, State::FailedFinal));
    EXPECT_FALSE(isLegal(State::Absent, State::Succeeded));
    EXPECT_FALSE(isLegal(State::FailedFinal, State::Succeeded));
}

// Random histories: no step may break what must hold over all time.
TEST(Invariants, HoldOverRandomHistories)
{
    SeededRandom random(20261120);
    for (int history = 0; history < 2'000; ++history) {
        std::optional<Record> record;
        Time now = start;
        std::int64_t counter = 0;
        std::int64_t highest = 0;
        for (int step = 0; step < 50; ++step) {
            now += Duration(static_cast<std::int64_t>(random.below(40)) * 1'000'000);
            if (random.below(20) == 0)
                now += 25h;
            Trigger trigger = reserve(random.below(2) ? "a" : "b", random.below(8) ? "h" : "other");
            trigger.event = static_cast<Event>(random.below(static_cast<std::uint64_t>(Event::Reconcile) + 1));
            trigger.nextFence = { ++counter };
            trigger.fence =
                record ? Fence{ record->fence.value - static_cast<std::int64_t>(random.below(4) == 0) } : Fence{ 1 };
            trigger.takeover = random.below(3) ? Takeover::Auto : Takeover::Manual;
            trigger.maxAttempts = static_cast<int>(random.below(4));
            trigger.retryable = random.below(2);
            trigger.evidence = static_cast<Evidence>(random.below(3));
            trigger.resolution = static_cast<Resolution>(random.below(4));
            if (random.below(2))
                trigger.tombstone = 1h;
            const auto before = record;
            const auto decision = decide(record, trigger, now);
            ASSERT_EQ(decision.writes ? decision.row != 0 : true, true);
            if (!decision.writes) {
                ASSERT_EQ(decision.record, before);
                continue;
            }
            ASSERT_TRUE(isLegal(decision.from, decision.to)) << wordOf(decision.from) << " > " << wordOf(decision.to);
            record = decision.record;
            if (!record)
                continue;
            ASSERT_TRUE(isStored(record->status));
            ASSERT_TRUE(record->status != State::InProgress || record->leaseExpiresAt);
            ASSERT_TRUE(
                !record->hold || record->status == State::InProgress || record->status == State::FailedRetryable);
            if (before && before->owner != record->owner) {
                ASSERT_GT(record->fence, before->fence);
            }
            ASSERT_GE(record->fence.value, highest);
            highest = record->fence.value;
            if (before && isTerminal(before->status) && !isExpired(*before, now)
                && trigger.event < Event::OperatorFence) {
                ASSERT_TRUE(
                    trigger.event == Event::Reserve ? !decision.writes : decision.outcome == Outcome::LostOwnership);
            }
        }
    }
}
