// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/retry/token_bucket.h"

using namespace fencepost;
using namespace fencepost::retry;
using namespace std::chrono_literals;

namespace {

// Turns in a minute of somebody who sleeps as long as the bucket says.
int turnsOfAMinute(TokenBucket& bucket, ManualClock& clock)
{
    const auto end = clock.now() + 60s;
    int turns = 0;
    while (clock.now() < end) {
        if (const auto wait = bucket.take(clock.now()); wait > Duration::zero())
            clock.advance(wait);
        else
            ++turns;
    }
    return turns;
}

} // namespace

TEST(TokenBucketTest, GrantsAsManyTurnsAsItsRateSays)
{
    for (const double rate : { 0.1, 1.0, 7.5, 100.0, 5'000.0 }) {
        ManualClock clock(timeFromMicros(0));
        TokenBucket bucket(rate, clock.now());
        EXPECT_NEAR(turnsOfAMinute(bucket, clock), rate * 60, 1 + rate * 60 * 0.01) << rate;
    }
}

TEST(TokenBucketTest, WhoComesLateCatchesUpWithATenthOfASecond)
{
    ManualClock clock(timeFromMicros(0));
    TokenBucket bucket(100, clock.now());
    clock.advance(1h);
    int atOnce = 0;
    while (bucket.take(clock.now()) == Duration::zero())
        ++atOnce;
    EXPECT_EQ(atOnce, 10);
}

TEST(TokenBucketTest, ItsRateChangesAtOnce)
{
    ManualClock clock(timeFromMicros(0));
    TokenBucket bucket(0.1, clock.now());
    EXPECT_EQ(bucket.take(clock.now()), Duration::zero());
    EXPECT_GT(bucket.take(clock.now()), 9s);
    bucket.setRate(1'000, clock.now());
    EXPECT_LE(bucket.take(clock.now()), 2ms);
    bucket.setRate(0, clock.now());
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(bucket.take(clock.now()), Duration::zero()) << "no limit";
}
