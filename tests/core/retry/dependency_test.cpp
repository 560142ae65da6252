// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/retry/dependency.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;

constexpr Work first{ .priority = Priority::CriticalPlus };
constexpr Work again{ .priority = Priority::CriticalPlus, .retry = true };

Decision ended(Health health, Load load)
{
    Decision decision;
    decision.verdict = health == Health::Success ? Verdict::Done : Verdict::Stop;
    decision.health = health;
    decision.load = load;
    return decision;
}

class DependencyTest : public ::testing::Test {
protected:
    // "admitted", or how it was refused.
    std::string admit(const Work& work, std::vector<Admission>& into)
    {
        auto result = dependency.admit(work, Cost::Normal, 3s);
        if (const auto* signal = std::get_if<Signal>(&result))
            return std::string(wordOf(signal->ending));
        into.push_back(std::get<Admission>(std::move(result)));
        return "admitted";
    }
    void fail(int count)
    {
        for (int i = 0; i < count; ++i) {
            std::vector<Admission> own;
            ASSERT_EQ(admit(first, own), "admitted");
            dependency.settle(std::move(own[0]), ended(Health::Failure, Load::Ignored), 10ms);
        }
    }

    ManualClock clock{ timeFromMicros(1'000'000'000) };
    SeededRandom random{ 1 };
    Dependency dependency{ { .budget = { .leastPerSecond = 0 } }, clock, random };
    std::vector<Admission> kept;
};

TEST_F(DependencyTest, RefusesWhenAllPlacesAreTaken)
{
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(admit(first, kept), "admitted");
    auto refused = dependency.admit(first, Cost::Normal, 3s);
    ASSERT_TRUE(std::holds_alternative<Signal>(refused));
    EXPECT_EQ(std::get<Signal>(refused).ending, Ending::Shed);
    EXPECT_GE(std::get<Signal>(refused).retryAfter, 1s);
    EXPECT_LE(std::get<Signal>(refused).retryAfter, 5s);
    clock.advance(4s);
    EXPECT_EQ(admit(first, kept), "admitted") << "the leases are over";
}

TEST_F(DependencyTest, RefusesRetriesThatNobodyPaysFor)
{
    EXPECT_EQ(admit(again, kept), "budget_empty");
    EXPECT_EQ(dependency.gauges().inFlight, 0) << "the place is given back";
    for (int i = 0; i < 5; ++i)
        dependency.began();
    EXPECT_EQ(admit(again, kept), "admitted");
    EXPECT_EQ(admit(again, kept), "budget_empty");
    dependency.withdraw(std::move(kept.back()));
    kept.pop_back();
    EXPECT_EQ(admit(again, kept), "admitted") << "what was not sent costs nothing";
}

TEST_F(DependencyTest, SaysHowLongTheBreakerStaysOpen)
{
    fail(20);
    EXPECT_EQ(dependency.gauges().breaker, BreakerState::Open);
    auto refused = dependency.admit(first, Cost::Normal, 3s);
    ASSERT_TRUE(std::holds_alternative<Signal>(refused));
    EXPECT_EQ(std::get<Signal>(refused).ending, Ending::BreakerOpen);
    EXPECT_GE(std::get<Signal>(refused).retryAfter, 4s);
}

TEST_F(DependencyTest, LosesNoProbeToALaterRefusal)
{
    fail(20);
    clock.advance(6s);
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ(admit(again, kept), "budget_empty");
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(admit(first, kept), "admitted");
    EXPECT_EQ(admit(first, kept), "breaker_open");
}

TEST(DependencyProbes, AreNotLostToAFullLimiter)
{
    ManualClock clock(timeFromMicros(1'000'000'000));
    SeededRandom random(1);
    Dependency dependency({ .limiter = LimiterOptions{ .start = 1, .least = 1 } }, clock, random);
    dependency.forceOpen("test");
    dependency.release("test");
    auto result = dependency.admit(first, Cost::Normal, 3s);
    ASSERT_TRUE(std::holds_alternative<Admission>(result));
    for (int i = 0; i < 10; ++i) {
        auto refused = dependency.admit(first, Cost::Normal, 3s);
        ASSERT_TRUE(std::holds_alternative<Signal>(refused));
        ASSERT_EQ(std::get<Signal>(refused).ending, Ending::Shed) << "by the limiter, every time";
    }
    dependency.withdraw(std::get<Admission>(std::move(result)));
}

TEST_F(DependencyTest, ShedsByTheLoadOfAQueueToo)
{
    dependency.setQueueLoad(1000);
    EXPECT_EQ(admit({ .priority = Priority::Sheddable }, kept), "shed");
    EXPECT_EQ(admit({ .priority = Priority::Critical }, kept), "admitted");
    EXPECT_EQ(dependency.attemptsOf(5), 3);
    EXPECT_EQ(dependency.widening(), 2);
    dependency.setQueueLoad(0);
    EXPECT_EQ(admit({ .priority = Priority::Sheddable }, kept), "admitted");
    EXPECT_EQ(dependency.widening(), 1);
}

TEST_F(DependencyTest, ObeysAnOperator)
{
    dependency.forceOpen("INC-7");
    auto refused = dependency.admit(first, Cost::Normal, 3s);
    ASSERT_TRUE(std::holds_alternative<Signal>(refused));
    EXPECT_EQ(std::get<Signal>(refused).retryAfter, std::nullopt);
    EXPECT_EQ(dependency.gauges().lastChange.reason, "INC-7");
    dependency.release("over");
    EXPECT_EQ(admit(first, kept), "admitted");
}

TEST(DependencyThrottle, RefusesWhatTheServerWouldRefuse)
{
    ManualClock clock(timeFromMicros(1'000'000'000));
    SeededRandom random(1);
    Dependency dependency(
        { .breaker = BreakerOptions{ .minimum = 1'000'000 }, .throttle = ThrottleOptions{} }, clock, random);
    int refused = 0;
    for (int i = 0; i < 1000; ++i) {
        auto result = dependency.admit(first, Cost::Normal, 3s);
        if (auto* admission = std::get_if<Admission>(&result))
            dependency.settle(std::move(*admission), ended(Health::Failure, Load::Ignored), 10ms);
        else
            ++refused;
    }
    EXPECT_GT(refused, 800);
    EXPECT_LT(refused, 950);
    EXPECT_EQ(dependency.gauges().inFlight, 0);
}

TEST(DependencyThrottle, CostsNothingWhereItRefuses)
{
    ManualClock clock(timeFromMicros(1'000'000'000));
    SeededRandom random(1);
    Dependency dependency({ .breaker = BreakerOptions{ .minimum = 1'000'000 }, .throttle = ThrottleOptions{} }, clock,
        random, std::make_unique<AwsBudget>(AwsOptions{ .quota = 14 }));
    int refused = 0;
    for (int i = 0; i < 200; ++i) {
        auto result = dependency.admit(again, Cost::Normal, 3s);
        if (auto* admission = std::get_if<Admission>(&result))
            dependency.withdraw(std::move(*admission));
        else
            refused += std::get<Signal>(result).ending == Ending::Shed ? 1 : 0;
        ASSERT_EQ(dependency.gauges().budget, 1);
    }
    EXPECT_GT(refused, 100);
}

TEST(DependencyBudget, MayBeOfAnotherKind)
{
    ManualClock clock(timeFromMicros(1'000'000'000));
    SeededRandom random(1);
    Dependency dependency({}, clock, random, std::make_unique<AwsBudget>(AwsOptions{ .quota = 14 }));
    auto result = dependency.admit(again, Cost::Normal, 3s);
    ASSERT_TRUE(std::holds_alternative<Admission>(result));
    EXPECT_EQ(dependency.gauges().budget, 0);
    dependency.settle(std::get<Admission>(std::move(result)), ended(Health::Success, Load::Success), 10ms);
    EXPECT_EQ(dependency.gauges().budget, 1);
}

// Eight threads at a half-open breaker: never more than three are on their way.
TEST(DependencyThreads, LetNoMoreThanThreeProbesThrough)
{
    const ManualClock clock(timeFromMicros(1'000'000'000));
    SeededRandom random(1);
    Dependency dependency({}, clock, random);
    dependency.forceOpen("test");
    dependency.release("test");
    std::atomic<int> probes = 0;
    std::atomic<int> most = 0;
    std::atomic<int> admitted = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 2000; ++round) {
                auto result = dependency.admit(first, Cost::Normal, 3s);
                auto* admission = std::get_if<Admission>(&result);
                if (admission == nullptr)
                    continue;
                ++admitted;
                const int now = ++probes;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) { }
                std::this_thread::yield();
                --probes;
                dependency.withdraw(std::move(*admission));
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_GT(admitted, 100);
    EXPECT_LE(most, 3);
    EXPECT_EQ(dependency.gauges().inFlight, 0);
    EXPECT_EQ(dependency.gauges().breaker, BreakerState::HalfOpen);
}

} // namespace
} // namespace fencepost::retry
