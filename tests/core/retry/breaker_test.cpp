// SPDX-License-Identifier: GPL-3.0-or-later
#include <optional>
#include <vector>

#include <gmock/gmock.h>

#include "core/retry/breaker.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class BreakerTest : public ::testing::Test {
protected:
    void attempt(Health health, Duration took = 10ms)
    {
        auto permit = breaker.admit();
        ASSERT_TRUE(permit);
        breaker.settle(std::move(*permit), health, took);
    }
    void open()
    {
        for (int i = 0; i < 20; ++i)
            attempt(Health::Failure);
        ASSERT_EQ(breaker.state(), BreakerState::Open);
    }
    // Until it lets probes through.
    void wait() { clock.advance(*breaker.retryAfter()); }

    ManualClock clock{ timeFromMicros(1'000'000'000) };
    SeededRandom random{ 1 };
    Breaker breaker{ {}, clock, random };
};

TEST_F(BreakerTest, OpensAtHalfFailuresOfTwentyAttempts)
{
    for (int i = 0; i < 19; ++i)
        attempt(Health::Failure);
    EXPECT_EQ(breaker.state(), BreakerState::Closed) << "19 say nothing yet";
    attempt(Health::Success);
    EXPECT_EQ(breaker.state(), BreakerState::Closed) << "a success asks nothing of the past";
}

TEST_F(BreakerTest, CountsTheRateOverTheWindow)
{
    for (int i = 0; i < 10; ++i) {
        attempt(Health::Success);
        if (i < 9)
            attempt(Health::Failure);
    }
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
    attempt(Health::Failure);
    EXPECT_EQ(breaker.state(), BreakerState::Open);
    EXPECT_EQ(breaker.lastChange().reason, "50% of 20 attempts failed");
    EXPECT_FALSE(breaker.admit());
}

TEST_F(BreakerTest, ForgetsWhatLeftTheWindow)
{
    for (int i = 0; i < 19; ++i)
        attempt(Health::Failure);
    clock.advance(31s);
    attempt(Health::Failure);
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
}

TEST_F(BreakerTest, OpensWhenNearlyAllAreSlow)
{
    for (int i = 0; i < 19; ++i)
        attempt(Health::Success, i < 4 ? 10ms : 5001ms);
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
    attempt(Health::Success, 6s);
    EXPECT_EQ(breaker.state(), BreakerState::Open);
    EXPECT_THAT(breaker.lastChange().reason, HasSubstr("were slow"));
}

TEST_F(BreakerTest, DoesNotCountWhatSaysNothing)
{
    for (int i = 0; i < 100; ++i)
        attempt(Health::Neutral, 1h);
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
    EXPECT_EQ(breaker.generation(), 0U);
}

TEST_F(BreakerTest, ClosesAfterThreeProbesAndNeverLetsAFourthThrough)
{
    open();
    EXPECT_GE(*breaker.retryAfter(), 4s);
    EXPECT_LE(*breaker.retryAfter(), 6s);
    wait();
    EXPECT_EQ(breaker.state(), BreakerState::HalfOpen);
    std::vector<Permit> probes;
    for (int i = 0; i < 3; ++i) {
        auto probe = breaker.admit();
        ASSERT_TRUE(probe);
        EXPECT_TRUE(probe->isProbe());
        probes.push_back(std::move(*probe));
    }
    EXPECT_FALSE(breaker.admit());
    EXPECT_EQ(breaker.retryAfter(), 4s) << "when the first lease is over";
    for (auto& probe : probes)
        breaker.settle(std::move(probe), Health::Success, 10ms);
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
}

TEST_F(BreakerTest, WaitsTwiceAsLongEachTimeThatAProbeFails)
{
    open();
    for (const Duration expected : { 10s, 20s, 40s, 60s, 60s }) {
        wait();
        attempt(Health::Failure);
        ASSERT_EQ(breaker.state(), BreakerState::Open);
        EXPECT_GE(*breaker.retryAfter(), expected * 4 / 5);
        EXPECT_LE(*breaker.retryAfter(), std::min<Duration>(expected * 6 / 5, 60s));
    }
    wait();
    for (int i = 0; i < 3; ++i)
        attempt(Health::Success);
    ASSERT_EQ(breaker.state(), BreakerState::Closed);
    open();
    EXPECT_LE(*breaker.retryAfter(), 6s) << "closing starts over";
}

TEST_F(BreakerTest, TakesASlowProbeForAFailedOne)
{
    open();
    wait();
    attempt(Health::Success, 6s);
    EXPECT_EQ(breaker.state(), BreakerState::Open);
    EXPECT_EQ(breaker.lastChange().reason, "a probe was slow");
}

TEST_F(BreakerTest, TakesProbesBackThatSayNothingOrNeverReturn)
{
    open();
    wait();
    attempt(Health::Neutral);
    auto lost = breaker.admit();
    auto second = breaker.admit();
    auto third = breaker.admit();
    ASSERT_TRUE(lost && second && third);
    EXPECT_FALSE(breaker.admit());
    clock.advance(4s);
    EXPECT_EQ(breaker.state(), BreakerState::HalfOpen);
    auto fresh = breaker.admit();
    ASSERT_TRUE(fresh) << "the leases are over";
    breaker.settle(std::move(*lost), Health::Failure, 10ms);
    EXPECT_EQ(breaker.state(), BreakerState::HalfOpen) << "what returns after its lease changes nothing";
    breaker.settle(std::move(*fresh), Health::Success, 10ms);
    attempt(Health::Success);
    attempt(Health::Success);
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
}

TEST_F(BreakerTest, IgnoresResultsOfAnEarlierState)
{
    auto early = breaker.admit();
    ASSERT_TRUE(early);
    open();
    wait();
    auto probe = breaker.admit();
    ASSERT_TRUE(probe);
    breaker.settle(std::move(*early), Health::Failure, 10ms);
    EXPECT_EQ(breaker.state(), BreakerState::HalfOpen);
    const auto generation = breaker.generation();
    breaker.forceOpen("maintenance");
    breaker.release("over");
    EXPECT_EQ(breaker.generation(), generation + 2);
    breaker.settle(std::move(*probe), Health::Failure, 10ms);
    EXPECT_EQ(breaker.state(), BreakerState::HalfOpen);
}

TEST_F(BreakerTest, DoesNotCountWhatWasSentBeforeItLastClosed)
{
    std::vector<Permit> early;
    for (int i = 0; i < 40; ++i)
        early.push_back(std::move(*breaker.admit()));
    open();
    wait();
    for (int i = 0; i < 3; ++i)
        attempt(Health::Success);
    ASSERT_EQ(breaker.state(), BreakerState::Closed);
    for (auto& permit : early)
        breaker.settle(std::move(permit), Health::Failure, 10ms);
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
}

TEST_F(BreakerTest, ObeysAnOperator)
{
    breaker.forceOpen("INC-7");
    EXPECT_EQ(breaker.state(), BreakerState::ForcedOpen);
    EXPECT_EQ(breaker.lastChange().reason, "INC-7");
    EXPECT_FALSE(breaker.admit());
    EXPECT_EQ(breaker.retryAfter(), std::nullopt);
    clock.advance(24h);
    EXPECT_FALSE(breaker.admit());
    breaker.release("mended");
    EXPECT_EQ(breaker.state(), BreakerState::HalfOpen) << "it asks the probes first";
    breaker.forceClosed("must go through");
    for (int i = 0; i < 100; ++i)
        attempt(Health::Failure);
    EXPECT_EQ(breaker.state(), BreakerState::ForcedClosed);
    breaker.release("over");
    EXPECT_EQ(breaker.state(), BreakerState::Closed);
    for (int i = 0; i < 19; ++i)
        attempt(Health::Failure);
    EXPECT_EQ(breaker.state(), BreakerState::Closed) << "it counts anew";
}

// Random histories: admissions, results late and early, lost probes, operators, time.
TEST(BreakerHistory, KeepsItsPromises)
{
    struct Open {
        Permit permit;
        std::uint64_t generation;
        Time admitted;
        bool probe;
    };
    int closed = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SeededRandom random(seed);
        SeededRandom jitter(seed + 1000);
        ManualClock clock(timeFromMicros(1'000'000'000));
        const BreakerOptions options{ .minimum = 5 };
        Breaker breaker(options, clock, jitter);
        std::vector<Open> open;
        std::uint64_t lastGeneration = 0;
        for (int step = 0; step < 4000; ++step) {
            clock.advance(Duration(static_cast<std::int64_t>(random.below(400'000))));
            const auto choice = random.below(1000);
            if (choice < 450) {
                const auto before = breaker.state();
                if (auto permit = breaker.admit()) {
                    ASSERT_TRUE(before != BreakerState::Open && before != BreakerState::ForcedOpen);
                    const bool probe = permit->isProbe();
                    open.push_back({ std::move(*permit), breaker.generation(), clock.now(), probe });
                } else {
                    ASSERT_TRUE(before != BreakerState::Closed && before != BreakerState::ForcedClosed);
                }
            } else if (choice < 950 && !open.empty()) {
                const auto at = random.below(open.size());
                auto result = std::move(open[at]);
                open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
                const auto generation = breaker.generation();
                const auto state = breaker.state();
                const bool calm = step / 250 % 2 == 0;
                const auto health = random.below(10) < (calm ? 9U : 2U) ? Health::Success
                    : random.below(3) == 0                              ? Health::Neutral
                                                                        : Health::Failure;
                const bool stale = result.generation != generation
                    || (result.probe && clock.now() >= result.admitted + options.probeLease);
                breaker.settle(std::move(result.permit), health, 10ms);
                ASSERT_TRUE(!stale || breaker.generation() == generation) << "a late result changed something";
                closed += state == BreakerState::HalfOpen && breaker.state() == BreakerState::Closed ? 1 : 0;
            } else if (choice < 990 && !open.empty()) {
                open.pop_back(); // lost for ever
            } else if (choice == 998) {
                breaker.forceOpen("history");
            } else if (choice == 999) {
                breaker.release("history");
            }
            int probes = 0;
            for (const auto& entry : open)
                probes += entry.probe && entry.generation == breaker.generation()
                    && clock.now() < entry.admitted + options.probeLease;
            ASSERT_LE(probes, options.probes) << "seed " << seed << " step " << step;
            ASSERT_GE(breaker.generation(), lastGeneration);
            lastGeneration = breaker.generation();
            const auto wait = breaker.retryAfter();
            ASSERT_TRUE(!wait || (*wait >= 0s && *wait <= options.openMost));
        }
        // Nobody may have to free it by hand: without an operator's stop it closes again.
        breaker.release("history");
        for (int i = 0; i < 10 && breaker.state() != BreakerState::Closed; ++i) {
            clock.advance(60s);
            if (auto permit = breaker.admit())
                breaker.settle(std::move(*permit), Health::Success, 10ms);
        }
        EXPECT_EQ(breaker.state(), BreakerState::Closed) << "seed " << seed;
    }
    EXPECT_GT(closed, 60) << "the histories have to get as far as that";
}

} // namespace
} // namespace fencepost::retry
