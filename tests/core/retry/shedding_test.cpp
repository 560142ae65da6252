// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/retry/shedding.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;

constexpr std::array priorities = { Priority::CriticalPlus, Priority::Critical, Priority::SheddablePlus,
    Priority::Sheddable };

// Who passes at a load: a letter each for critical_plus, critical, sheddable_plus and sheddable, first attempts, then
// retries, then background retries of critical_plus.
std::string passing(const Shedding& shedding)
{
    SeededRandom random(1);
    std::string text;
    for (const bool retry : { false, true }) {
        for (const auto priority : priorities)
            text += shedding.refusalOf({ .priority = priority, .retry = retry }, random) ? '.' : 'x';
        text += ' ';
    }
    const Work background{ .priority = Priority::CriticalPlus, .retry = true, .background = true };
    return text + (shedding.refusalOf(background, random) ? '.' : 'x');
}

std::string passingAt(int load)
{
    Shedding shedding;
    shedding.update(load);
    return passing(shedding);
}

TEST(Shedding, TakesTheLeastImportantFirst)
{
    EXPECT_EQ(passingAt(0), "xxxx xxxx x");
    EXPECT_EQ(passingAt(699), "xxxx xxxx x");
    EXPECT_EQ(passingAt(700), "xxxx xxxx .");
    EXPECT_EQ(passingAt(800), "xxxx xx.. .");
    EXPECT_EQ(passingAt(900), "xxxx xx.. .");
    EXPECT_EQ(passingAt(1000), "xxx. xx.. .");
    EXPECT_EQ(passingAt(1100), "xx.. xx.. .");
    EXPECT_EQ(passingAt(1200), "x... x... .");
    EXPECT_EQ(passingAt(100'000), "x... x... .");
}

TEST(Shedding, HalvesAttemptsAndDoublesDelaysFromNineTenths)
{
    Shedding shedding;
    shedding.update(899);
    EXPECT_EQ(shedding.attemptsOf(5), 5);
    EXPECT_EQ(shedding.widening(), 1);
    shedding.update(900);
    EXPECT_EQ(shedding.attemptsOf(5), 3);
    EXPECT_EQ(shedding.attemptsOf(4), 2);
    EXPECT_EQ(shedding.attemptsOf(1), 1);
    EXPECT_EQ(shedding.widening(), 2);
}

TEST(Shedding, StepsDownOnlyATenthBelow)
{
    Shedding shedding;
    shedding.update(1000);
    EXPECT_EQ(shedding.rung(), 4U);
    shedding.update(900);
    EXPECT_EQ(shedding.rung(), 4U);
    shedding.update(899);
    EXPECT_EQ(shedding.rung(), 3U);
    shedding.update(700);
    EXPECT_EQ(shedding.rung(), 2U);
    shedding.update(599);
    EXPECT_EQ(shedding.rung(), 0U);
}

TEST(Shedding, SpreadsWhenTheRefusedComeBack)
{
    Shedding shedding;
    shedding.update(1000);
    SeededRandom random(1);
    Duration least = 1h;
    Duration most{};
    for (int i = 0; i < 1000; ++i) {
        const auto refusal = shedding.refusalOf({ .priority = Priority::Sheddable }, random);
        ASSERT_TRUE(refusal);
        EXPECT_FALSE(refusal->reason.empty());
        least = std::min(least, refusal->retryAfter);
        most = std::max(most, refusal->retryAfter);
    }
    EXPECT_GE(least, 1s);
    EXPECT_LE(most, 5s);
    EXPECT_GT(most - least, 3s);
}

// Whoever is refused, nobody less important passes; and a heavier load never lets more through.
TEST(Shedding, IsMonotonicInPriorityAndLoad)
{
    SeededRandom random(9);
    for (int step = 0; step < 2000; ++step) {
        Shedding lighter;
        Shedding heavier;
        const auto load = static_cast<int>(random.below(1500));
        lighter.update(load);
        heavier.update(load + static_cast<int>(random.below(500)));
        for (const bool retry : { false, true }) {
            bool refused = false;
            for (const auto priority : priorities) {
                const Work work{ .priority = priority, .retry = retry };
                const bool now = lighter.refusalOf(work, random).has_value();
                ASSERT_TRUE(now || !refused);
                ASSERT_TRUE(!now || heavier.refusalOf(work, random));
                refused = now;
            }
        }
    }
}

TEST(Throttle, RefusesMoreTheLessIsAccepted)
{
    const Time now = timeFromMicros(1'000'000'000);
    SeededRandom random(1);
    Throttle throttle({});
    EXPECT_EQ(throttle.refusals(now), 0);
    EXPECT_TRUE(throttle.admit(now, random));
    EXPECT_EQ(throttle.refusals(now), 500) << "one request, none accepted";
    throttle.accepted(now);
    EXPECT_EQ(throttle.refusals(now), 0);
    for (int i = 0; i < 100; ++i)
        static_cast<void>(throttle.admit(now, random));
    EXPECT_EQ(throttle.refusals(now), 900) << "some always pass";
    EXPECT_EQ(throttle.refusals(now + 120s), 0) << "the window is over";
}

TEST(Throttle, LetsAboutTwiceThroughWhatIsAccepted)
{
    ManualClock clock(timeFromMicros(1'000'000'000));
    SeededRandom random(4);
    Throttle throttle({});
    std::int64_t sent = 0;
    std::int64_t accepted = 0;
    // The server takes 10 per second of 100.
    for (int second = 0; second < 600; ++second) {
        int room = 10;
        for (int i = 0; i < 100; ++i) {
            clock.advance(10ms);
            if (!throttle.admit(clock.now(), random))
                continue;
            sent += second >= 300 ? 1 : 0;
            if (room-- > 0) {
                throttle.accepted(clock.now());
                accepted += second >= 300 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(sent, accepted * 17 / 10);
    EXPECT_LT(sent, accepted * 23 / 10);
}

} // namespace
} // namespace fencepost::retry
