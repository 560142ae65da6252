// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/simulation/memory_effect_guard.h"

namespace fencepost::simulation {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

class StandingClock final : public Clock {
public:
    [[nodiscard]] Time now() const override { return Time(seconds(100)); }
};

class MemoryEffectGuardTest : public testing::Test {
protected:
    // `life`: the fence of the record's first attempt; none: this one's.
    EffectTurn begin(std::int64_t fence, Time now = Time(seconds(100)), std::optional<Fence> life = {})
    {
        const auto began = life.value_or(Fence{ fence });
        const KeyLives lives{ { { 1 }, Fence{ began.value - 1 } }, { began } };
        return MemoryEffectGuard(store, rows, now).begin("a", { fence }, lives, hours(1))->turn;
    }
    bool done(std::int64_t fence, const std::string& ref)
    {
        return *MemoryEffectGuard(store, rows, Time(seconds(100))).done("a", { fence }, ref);
    }

    StandingClock clock;
    MemoryStore store{ clock, false };
    std::vector<EffectRow> rows;
};

TEST_F(MemoryEffectGuardTest, LetsAnEffectHappenOnce)
{
    EXPECT_EQ(begin(1), EffectTurn::Do);
    EXPECT_TRUE(done(1, "rf_1"));
    MemoryEffectGuard guard(store, rows, Time(seconds(101)));
    const auto again = guard.begin("a", { 2 }, { { { 1 } } }, hours(1));
    EXPECT_EQ(again->turn, EffectTurn::AlreadyDone);
    EXPECT_EQ(again->ref, "rf_1");
    EXPECT_FALSE(done(2, "rf_2"));
}

TEST_F(MemoryEffectGuardTest, LetsTheNewerOwnerGoFirst)
{
    EXPECT_EQ(begin(1), EffectTurn::Do);
    EXPECT_EQ(begin(2), EffectTurn::Do) << "the first one never said that it was done";
    EXPECT_FALSE(done(1, "rf_1"));
    EXPECT_EQ(begin(1), EffectTurn::NewerOwner);
    EXPECT_TRUE(done(2, "rf_2"));
}

TEST_F(MemoryEffectGuardTest, ForgetsWhatIsOver)
{
    EXPECT_EQ(begin(1), EffectTurn::Do);
    EXPECT_TRUE(done(1, "rf_1"));
    EXPECT_EQ(begin(2, Time(seconds(100)) + hours(1)), EffectTurn::Do);
    EXPECT_FALSE(MemoryEffectGuard(store, rows, Time()).begin("b", { 1 }, {}, Duration(0)));
}

TEST_F(MemoryEffectGuardTest, RemembersForWhoeverGoesOnWithTheRecord)
{
    const Time start{ seconds(100) };
    EXPECT_EQ(begin(1), EffectTurn::Do);
    EXPECT_TRUE(done(1, "rf_1"));
    EXPECT_EQ(begin(4, start + hours(5), Fence{ 1 }), EffectTurn::AlreadyDone) << "two takeovers died before";
    EXPECT_EQ(begin(5, start + hours(5) + seconds(3599)), EffectTurn::AlreadyDone) << "it was pushed on";
    EXPECT_EQ(begin(6, start + hours(7)), EffectTurn::Do);
}

TEST_F(MemoryEffectGuardTest, RepeatsWhatAnEarlierLifeDidInWhicheverAttempt)
{
    const Time later = Time(seconds(100)) + hours(5);
    EXPECT_EQ(begin(1), EffectTurn::Do);
    EXPECT_TRUE(done(1, "rf_1"));
    EXPECT_EQ(MemoryEffectGuard(store, rows, later).begin("a", { 3 }, {}, hours(1))->turn, EffectTurn::AlreadyDone)
        << "nobody knows when the life of the record began";
    rows.front() = { "a", { 1 }, true, "rf_1", later };
    EXPECT_EQ(begin(3, later, Fence{ 2 }), EffectTurn::Do) << "the first attempt died before it came here";
}

TEST_F(MemoryEffectGuardTest, AsksTheStoreWhoseTheRecordIs)
{
    const RecordId id{ "scope", "pay", "k1" };
    const Owner owner("00000000-0000-4000-8000-000000000001");
    Trigger trigger{ .event = Event::Reserve, .id = id, .owner = owner };
    trigger.requestHash = Bytes(32, 'a');
    trigger.lease = seconds(30);
    trigger.ttl = hours(1);
    const auto reserved = store.judge(Trigger(trigger));
    ASSERT_EQ(reserved.outcome, Outcome::Execute);
    MemoryEffectGuard guard(store, rows, clock.now());
    EXPECT_TRUE(*guard.owns({ id, owner, reserved.record->fence }));
    EXPECT_FALSE(*guard.owns({ id, owner, { reserved.record->fence.value + 1 } }));
    EXPECT_FALSE(*guard.owns({ { "scope", "pay", "k2" }, owner, reserved.record->fence }));
}

// What a world does by judge() is what a service does by the store's own functions.
TEST_F(MemoryEffectGuardTest, StandsBesideAStoreWhoseShortWayLeadsToTheSameRecords)
{
    MemoryStore whole(clock, true);
    const RecordId id{ "scope", "pay", "k1" };
    const Owner owner("00000000-0000-4000-8000-000000000001");
    Reservation reservation;
    reservation.id = id;
    reservation.requestHash = Bytes(32, 'a');
    reservation.owner = owner;
    reservation.lease = seconds(30);
    reservation.ttl = hours(1);
    const auto reserved = whole.reserve(reservation);
    ASSERT_TRUE(reserved);
    Trigger trigger{ .event = Event::Reserve, .id = id, .owner = owner };
    trigger.requestHash = reservation.requestHash;
    trigger.lease = reservation.lease;
    trigger.ttl = reservation.ttl;
    const auto judged = store.judge(Trigger(trigger));
    EXPECT_EQ(judged.outcome, reserved->outcome);
    EXPECT_EQ(*judged.record, *reserved->record);
    Completion completion;
    completion.response.code = 201;
    const Claim claim{ id, owner, judged.record->fence };
    ASSERT_EQ(whole.finalize(claim, completion)->outcome, Outcome::Applied);
    Trigger finalize{ .event = Event::Finalize, .id = id, .owner = owner, .fence = claim.fence };
    finalize.response.code = 201;
    EXPECT_EQ(store.judge(std::move(finalize)).outcome, Outcome::Applied);
    EXPECT_EQ(*store.look(id), **whole.find(id));
}

} // namespace

} // namespace fencepost::simulation
