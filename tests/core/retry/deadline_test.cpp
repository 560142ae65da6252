// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/retry/deadline.h"

namespace fencepost::retry {
namespace {

using namespace std::chrono_literals;

TEST(RequestTimeout, IsMillisecondsUnlessItSaysOtherwise)
{
    EXPECT_EQ(*parseRequestTimeout("1500"), 1500ms);
    EXPECT_EQ(*parseRequestTimeout("1500ms"), 1500ms);
    EXPECT_EQ(*parseRequestTimeout("1.5s"), 1500ms);
    EXPECT_EQ(*parseRequestTimeout("2s"), 2s);
    EXPECT_EQ(*parseRequestTimeout(" 250\t"), 250ms);
    EXPECT_EQ(*parseRequestTimeout("0"), 0ms);
    EXPECT_EQ(*parseRequestTimeout("0.000001s"), 1us);
    EXPECT_EQ(*parseRequestTimeout("0.0000001s"), 0us);
}

TEST(RequestTimeout, IsRefusedWhereItIsNoTime)
{
    for (const char* text : { "", " ", "-1", "+5", "1.5", "1.5ms", "s", "ms", ".5s", "1.s", "1 s", "5m", "1e3", "0x10",
             "1,5s", "abc", "5sms", "\xC2\xB2" }) {
        const auto parsed = parseRequestTimeout(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, "VALIDATION.request_timeout");
        EXPECT_EQ(parsed.error().failure, Failure::Invalid);
    }
}

TEST(RequestTimeout, DoesNotOverflow)
{
    for (const char* text : { "99999999999999999999999", "99999999999999999999999ms", "99999999999999999999.9s" })
        EXPECT_EQ(*parseRequestTimeout(text), 365 * 24h) << text;
}

TEST(RequestTimeout, RoundTripsInMilliseconds)
{
    EXPECT_EQ(formatRequestTimeout(1500ms), "1500");
    EXPECT_EQ(formatRequestTimeout(1999us), "1");
    EXPECT_EQ(formatRequestTimeout(-5s), "0");
    EXPECT_EQ(*parseRequestTimeout(formatRequestTimeout(7s)), 7s);
}

TEST(WorkDeadline, IsTheCallersBudgetUpToTheServersMost)
{
    const auto received = timeFromMicros(1'000'000'000);
    EXPECT_EQ(workDeadline(received, 2s, 5s, 10s), received + 2s);
    EXPECT_EQ(workDeadline(received, 60s, 5s, 10s), received + 10s);
    EXPECT_EQ(workDeadline(received, std::nullopt, 5s, 10s), received + 5s);
    EXPECT_EQ(workDeadline(received, std::nullopt, 50s, 10s), received + 10s);
    EXPECT_EQ(workDeadline(received, 0s, 5s, 10s), received) << "a budget that is used up is not a missing one";
}

TEST(ForwardedBudget, LeavesRoomForTheWayBack)
{
    EXPECT_EQ(forwardedBudget(2s, 300ms), 1650ms);
    EXPECT_EQ(forwardedBudget(2s, 0ms), 1950ms);
    EXPECT_EQ(forwardedBudget(2s, -1s), 1950ms) << "a clock that stepped back gives no time away";
    EXPECT_EQ(forwardedBudget(2s, 1950ms), std::nullopt);
    EXPECT_EQ(forwardedBudget(0s, 0s), std::nullopt);
    EXPECT_EQ(forwardedBudget(2s, 1949ms), 1ms);
}

} // namespace
} // namespace fencepost::retry
