// SPDX-License-Identifier: GPL-3.0-or-later
#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/retry/budget.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;

constexpr Time start = timeFromMicros(1'000'000'000);

int drain(Budget& budget)
{
    int taken = 0;
    while (budget.take(Cost::Normal))
        ++taken;
    return taken;
}

// Finagle's own figure: 20% of 10,000 requests and 10 per second for 10 s, at one instant.
TEST(FinagleBudget, AllowsAFifthOfTheRequestsAndAReserve)
{
    ManualClock clock(start);
    FinagleBudget budget({}, clock);
    for (int i = 0; i < 10'000; ++i)
        budget.began();
    EXPECT_EQ(budget.balance(), 2100);
    EXPECT_EQ(drain(budget), 2100);
    EXPECT_EQ(budget.balance(), 0);
}

TEST(FinagleBudget, ForgetsRequestsAndRetriesAfterItsTtl)
{
    ManualClock clock(start);
    FinagleBudget budget({ .leastPerSecond = 0 }, clock);
    for (int i = 0; i < 100; ++i)
        budget.began();
    EXPECT_EQ(drain(budget), 20);
    clock.advance(11s);
    EXPECT_EQ(budget.balance(), 0) << "old requests pay for nothing";
    for (int i = 0; i < 100; ++i)
        budget.began();
    EXPECT_EQ(drain(budget), 20) << "and old retries cost nothing";
}

TEST(FinagleBudget, RecoversByTimeAlone)
{
    ManualClock clock(start);
    FinagleBudget budget({}, clock);
    EXPECT_EQ(drain(budget), 100);
    clock.advance(11s);
    EXPECT_EQ(drain(budget), 100);
}

TEST(FinagleBudget, IsFilledBySuccessesWhereItIsTold)
{
    ManualClock clock(start);
    FinagleBudget budget({ .leastPerSecond = 0, .depositOn = DepositOn::Success }, clock);
    for (int i = 0; i < 100; ++i)
        budget.began();
    EXPECT_EQ(budget.balance(), 0);
    for (int i = 0; i < 50; ++i) {
        budget.settle(std::nullopt, Settled::Success);
        budget.settle(std::nullopt, Settled::Failure);
    }
    EXPECT_EQ(budget.balance(), 10);
}

TEST(FinagleBudget, TakesBackWhatWasNotSent)
{
    ManualClock clock(start);
    FinagleBudget budget({}, clock);
    const auto charge = budget.take(Cost::Normal);
    ASSERT_TRUE(charge);
    EXPECT_EQ(budget.balance(), 99);
    clock.advance(3s);
    budget.cancel(*charge);
    EXPECT_EQ(budget.balance(), 100);
    const auto old = budget.take(Cost::Normal);
    clock.advance(1h);
    budget.cancel(*old);
    EXPECT_EQ(budget.balance(), 100) << "what is forgotten is not given back again";
}

TEST(FinagleBudget, StandsAClockThatStepsBack)
{
    ManualClock clock(start);
    FinagleBudget budget({}, clock);
    EXPECT_EQ(drain(budget), 100);
    clock.advance(-1h);
    EXPECT_EQ(drain(budget), 0) << "nothing is forgotten";
    clock.advance(1h + 11s);
    EXPECT_EQ(drain(budget), 100);
}

// The bound of protocol §3.8, at every retry of a random history.
TEST(FinagleBudget, NeverAllowsMoreThanItsShareInAnyTtl)
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SeededRandom random(seed);
        ManualClock clock(start + Duration(static_cast<std::int64_t>(random.below(10'000'000))));
        const FinagleOptions options{ .ttl = std::chrono::seconds(1 + random.below(60)),
            .percent = static_cast<int>(random.below(120)),
            .leastPerSecond = static_cast<int>(random.below(12)) };
        FinagleBudget budget(options, clock);
        std::deque<Time> requests;
        std::deque<Time> retries;
        std::int64_t admitted = 0;
        for (int step = 0; step < 3000; ++step) {
            clock.advance(
                Duration(static_cast<std::int64_t>(random.below(random.below(10) == 0 ? 3'000'000 : 30'000))));
            for (auto count = random.below(4); count > 0; --count) {
                budget.began();
                requests.push_back(clock.now());
            }
            for (auto count = random.below(5); count > 0; --count) {
                if (!budget.take(Cost::Normal))
                    continue;
                ++admitted;
                retries.push_back(clock.now());
                const auto since = clock.now() - options.ttl;
                while (!requests.empty() && requests.front() <= since)
                    requests.pop_front();
                while (!retries.empty() && retries.front() <= since)
                    retries.pop_front();
                ASSERT_LE(static_cast<std::int64_t>(retries.size()) * 100,
                    static_cast<std::int64_t>(requests.size()) * options.percent
                        + options.leastPerSecond * (options.ttl / 1s) * 100)
                    << "seed " << seed << " step " << step;
            }
        }
        EXPECT_TRUE(admitted > 0 || (options.percent == 0 && options.leastPerSecond == 0));
    }
}

// The published cases of the AWS SDKs.
TEST(AwsBudget, FollowsThePublishedQuota)
{
    AwsBudget budget({});
    const auto first = budget.take(Cost::Normal);
    EXPECT_EQ(budget.left(), 486);
    budget.settle(std::nullopt, Settled::Failure);
    const auto second = budget.take(Cost::Normal);
    EXPECT_EQ(budget.left(), 472);
    budget.settle(second, Settled::Success);
    EXPECT_EQ(budget.left(), 486) << "the last acquisition comes back, the one before does not";
    budget.settle(std::nullopt, Settled::Success);
    EXPECT_EQ(budget.left(), 487);
    static_cast<void>(first);
}

TEST(AwsBudget, AsksLessForAThrottle)
{
    AwsBudget budget({});
    const auto charge = budget.take(Cost::Throttle);
    EXPECT_EQ(budget.left(), 495);
    budget.settle(charge, Settled::Success);
    EXPECT_EQ(budget.left(), 500);
}

TEST(AwsBudget, StopsWhenItIsUsedUpAndNeverGoesOverItsQuota)
{
    AwsBudget budget({ .quota = 20 });
    EXPECT_TRUE(budget.take(Cost::Normal));
    EXPECT_EQ(budget.left(), 6);
    EXPECT_FALSE(budget.take(Cost::Normal));
    EXPECT_TRUE(budget.take(Cost::Throttle)) << "6 is enough for a cheap one";
    EXPECT_EQ(budget.left(), 1);
    for (int i = 0; i < 100; ++i)
        budget.settle(std::nullopt, Settled::Success);
    EXPECT_EQ(budget.left(), 20);
}

// The cases of gRPC's A6 for 4 tokens and a ratio of 0.8.
TEST(GrpcBudget, FollowsThePublishedCases)
{
    GrpcBudget budget({ .maxTokens = 4000, .tokenRatio = 800 });
    const auto allowed = [&] { return budget.take(Cost::Normal).has_value(); };
    const auto after = [&](Settled how) {
        budget.settle(std::nullopt, how);
        return std::pair(budget.tokens(), allowed());
    };
    EXPECT_TRUE(allowed());
    EXPECT_EQ(after(Settled::Failure), std::pair(std::int64_t{ 3000 }, true));
    EXPECT_EQ(after(Settled::Failure), std::pair(std::int64_t{ 2000 }, false));
    EXPECT_EQ(after(Settled::Failure), std::pair(std::int64_t{ 1000 }, false));
    EXPECT_EQ(after(Settled::Failure), std::pair(std::int64_t{ 0 }, false));
    EXPECT_EQ(after(Settled::Failure), std::pair(std::int64_t{ 0 }, false));
    EXPECT_EQ(after(Settled::Success), std::pair(std::int64_t{ 800 }, false));
    EXPECT_EQ(after(Settled::Success), std::pair(std::int64_t{ 1600 }, false));
    EXPECT_EQ(after(Settled::Other), std::pair(std::int64_t{ 1600 }, false));
    EXPECT_EQ(after(Settled::Success), std::pair(std::int64_t{ 2400 }, true));
    EXPECT_EQ(after(Settled::Success), std::pair(std::int64_t{ 3200 }, true));
    EXPECT_EQ(after(Settled::Success), std::pair(std::int64_t{ 4000 }, true));
    EXPECT_EQ(after(Settled::Success), std::pair(std::int64_t{ 4000 }, true));
}

TEST(EnvoyBudget, AllowsAFifthOfTheOpenCallsAndAtLeastThree)
{
    EnvoyBudget budget({});
    EXPECT_EQ(drain(budget), 3);
    EnvoyBudget busy({});
    for (int i = 0; i < 100; ++i)
        busy.began();
    const auto first = busy.take(Cost::Normal);
    EXPECT_EQ(drain(busy), 19);
    busy.settle(first, Settled::Failure);
    EXPECT_EQ(drain(busy), 1);
    for (int i = 0; i < 50; ++i)
        busy.ended();
    EXPECT_EQ(busy.balance(), 0) << "20 are open and 10 are allowed";
}

// Whatever happens, retries never exceed max(3, 20% of the open calls) when one is admitted, and all come back.
TEST(EnvoyBudget, NeverAdmitsOneTooMany)
{
    SeededRandom random(3);
    EnvoyBudget budget({});
    std::int64_t calls = 0;
    std::vector<Charge> open;
    for (int step = 0; step < 20'000; ++step) {
        const auto choice = random.below(4);
        if (choice == 0) {
            budget.began();
            ++calls;
        } else if (choice == 1 && calls > 0) {
            budget.ended();
            --calls;
        } else if (choice == 2) {
            if (const auto charge = budget.take(Cost::Normal)) {
                open.push_back(*charge);
                ASSERT_LE(static_cast<std::int64_t>(open.size()), std::max<std::int64_t>(3, calls / 5));
            }
        } else if (!open.empty()) {
            if (random.below(2) == 0)
                budget.settle(open.back(), Settled::Other);
            else
                budget.cancel(open.back());
            open.pop_back();
        }
    }
    for (const auto& charge : open)
        budget.cancel(charge);
    while (calls-- > 0)
        budget.ended();
    EXPECT_EQ(budget.balance(), 3);
}

} // namespace
} // namespace fencepost::retry
