// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

#include <gmock/gmock.h>

#include "core/retry/limiter.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class LimiterTest : public ::testing::Test {
protected:
    // So many at once, all ending alike.
    void burst(int count, Load load)
    {
        std::vector<Slot> slots;
        for (int i = 0; i < count; ++i) {
            auto slot = limiter.acquire(4s);
            ASSERT_TRUE(slot);
            slots.push_back(std::move(*slot));
        }
        for (auto& slot : slots)
            limiter.release(std::move(slot), load);
    }

    ManualClock clock{ timeFromMicros(1'000'000'000) };
    Limiter limiter{ {}, clock };
};

TEST_F(LimiterTest, LetsAsManyThroughAsItsLimit)
{
    std::vector<Slot> slots;
    while (auto slot = limiter.acquire(4s))
        slots.push_back(std::move(*slot));
    EXPECT_EQ(slots.size(), 20U);
    EXPECT_EQ(limiter.load(), 1000);
    limiter.release(std::move(slots.back()), Load::Ignored);
    EXPECT_EQ(limiter.load(), 950);
    EXPECT_TRUE(limiter.acquire(4s));
}

TEST_F(LimiterTest, GrowsByOneAfterAsManySuccessesAsItsLimit)
{
    burst(19, Load::Success); // the last ten are below half, and count no more
    EXPECT_EQ(limiter.limit(), 20);
    burst(19, Load::Success);
    EXPECT_EQ(limiter.limit(), 21);
}

TEST_F(LimiterTest, DoesNotGrowWhileLessThanHalfIsUsed)
{
    for (int i = 0; i < 1000; ++i)
        burst(9, Load::Success);
    EXPECT_EQ(limiter.limit(), 20);
}

TEST_F(LimiterTest, ShrinksByATenthAfterEachDrop)
{
    std::vector<int> limits;
    for (int i = 0; i < 14; ++i) {
        burst(1, Load::Dropped);
        limits.push_back(limiter.limit());
    }
    EXPECT_THAT(limits, ElementsAre(18, 16, 14, 12, 10, 9, 8, 7, 6, 5, 4, 4, 4, 4));
}

TEST_F(LimiterTest, TakesASlotBackWhenItsLeaseIsOver)
{
    auto lost = limiter.acquire(4s);
    ASSERT_TRUE(lost);
    clock.advance(3999ms);
    EXPECT_EQ(limiter.inFlight(), 1);
    clock.advance(1ms);
    EXPECT_EQ(limiter.inFlight(), 0);
    limiter.release(std::move(*lost), Load::Dropped);
    EXPECT_EQ(limiter.limit(), 20) << "what comes too late counts for nothing";
}

TEST(LimiterHistory, StaysWithinItsBoundsAndLosesNoSlot)
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SeededRandom random(seed);
        ManualClock clock(timeFromMicros(1'000'000'000));
        const LimiterOptions options{ .start = 10, .least = 3, .most = 30 };
        Limiter limiter(options, clock);
        std::vector<Slot> slots;
        bool touchedLeast = false;
        bool grew = false;
        for (int step = 0; step < 5000; ++step) {
            clock.advance(Duration(static_cast<std::int64_t>(random.below(20'000))));
            const auto before = limiter.limit();
            const auto inFlight = limiter.inFlight();
            const bool calm = step / 500 % 2 == 0;
            if (random.below(100) < 55) {
                auto slot = limiter.acquire(Duration(static_cast<std::int64_t>(1 + random.below(2'000'000))));
                ASSERT_EQ(slot.has_value(), inFlight < before);
                if (slot)
                    slots.push_back(std::move(*slot));
            } else if (!slots.empty()) {
                const auto load = random.below(10) < (calm ? 10U : 4U) ? Load::Success : Load::Dropped;
                const auto at = random.below(slots.size());
                std::swap(slots[at], slots.back());
                if (random.below(20) != 0)
                    limiter.release(std::move(slots.back()), load);
                slots.pop_back();
                if (limiter.limit() > before) {
                    grew = true;
                    ASSERT_GE(inFlight * 2, before) << "it grew without being used";
                }
            }
            ASSERT_GE(limiter.limit(), options.least);
            ASSERT_LE(limiter.limit(), options.most);
            ASSERT_LE(limiter.inFlight(), options.most);
            touchedLeast = touchedLeast || limiter.limit() == options.least;
        }
        EXPECT_TRUE(touchedLeast && grew) << "seed " << seed;
        clock.advance(3s);
        EXPECT_EQ(limiter.inFlight(), 0) << "every lease comes back or expires";
    }
}

TEST(LoadOfQueue, IsTheDelayInPartsOfItsTarget)
{
    EXPECT_EQ(loadOfQueue(0s, 100ms), 0);
    EXPECT_EQ(loadOfQueue(-1s, 100ms), 0);
    EXPECT_EQ(loadOfQueue(50ms, 100ms), 500);
    EXPECT_EQ(loadOfQueue(120ms, 100ms), 1200);
    EXPECT_EQ(loadOfQueue(Duration::max(), 100ms), 10'000);
    EXPECT_EQ(loadOfQueue(1s, 0s), 10'000);
}

} // namespace
} // namespace fencepost::retry
