// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/protocol/cron_schedule.h"

using namespace fencepost;

namespace {

std::string next(const char* schedule, const char* after)
{
    const auto parsed = CronSchedule::parse(schedule);
    if (!parsed)
        return parsed.error().message;
    const auto slot = parsed->nextAfter(*parseInstant(after));
    return slot ? formatInstant(*slot).substr(0, 16) : "never";
}

std::string last(const char* schedule, const char* until)
{
    const auto slot = CronSchedule::parse(schedule)->lastUntil(*parseInstant(until));
    return slot ? formatInstant(*slot).substr(0, 16) : "never";
}

TEST(CronSchedules, HaveSlots)
{
    struct Case {
        const char* schedule;
        const char* after;
        const char* slot;
    };
    // 2026-11-20 is a Friday.
    for (const auto& [schedule, after, slot] : {
             Case{ "* * * * *", "2026-11-20T10:00:00Z", "2026-11-20T10:01" },
             Case{ "* * * * *", "2026-11-20T09:59:59.999999Z", "2026-11-20T10:00" },
             Case{ "0 2 * * *", "2026-11-20T02:00:00Z", "2026-11-21T02:00" },
             Case{ "*/15 8-17 * * MON-FRI", "2026-11-20T17:45:00Z", "2026-11-23T08:00" },
             Case{ "0-30/10,45 * * * *", "2026-11-20T10:30:00Z", "2026-11-20T10:45" },
             Case{ "5/20 * * * *", "2026-11-20T10:25:00Z", "2026-11-20T10:45" },
             Case{ "0 0 1 jan *", "2026-11-20T10:00:00Z", "2027-01-01T00:00" },
             Case{ "0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00" },
             Case{ "0 0 31 2 *", "2026-11-20T10:00:00Z", "never" },
             Case{ "0 0 * * 7", "2026-11-20T10:00:00Z", "2026-11-22T00:00" },
             Case{ "0 0 * * 0", "2026-11-20T10:00:00Z", "2026-11-22T00:00" },
             Case{ "59 23 31 12 *", "2026-12-31T23:58:00Z", "2026-12-31T23:59" },
             // Either day is enough where both are restricted, and both are needed where one begins with *.
             Case{ "0 0 13 * FRI", "2026-11-20T10:00:00Z", "2026-11-27T00:00" },
             Case{ "0 0 13 * FRI", "2026-12-11T10:00:00Z", "2026-12-13T00:00" },
             Case{ "0 0 */2 * FRI", "2026-11-20T10:00:00Z", "2026-11-27T00:00" },
             Case{ "0 0 */2 * SUN", "2026-11-20T10:00:00Z", "2026-11-29T00:00" },
             // Days of the week from 1, Sunday.
             Case{ "cron(0 * * * ? *)", "2026-11-20T10:00:00Z", "2026-11-20T11:00" },
             Case{ "cron(30 6 ? * 1 *)", "2026-11-20T10:00:00Z", "2026-11-22T06:30" },
             Case{ "cron(30 6 ? * 2-6/2 *)", "2026-11-20T10:00:00Z", "2026-11-23T06:30" },
             Case{ "cron(0 0 ? * MON *)", "2026-11-20T10:00:00Z", "2026-11-23T00:00" },
             Case{ "cron(0/15 9 13 * ? *)", "2026-11-20T10:00:00Z", "2026-12-13T09:00" },
         })
        EXPECT_EQ(next(schedule, after), slot) << schedule << " after " << after;
    // A Sunday on a 29th of February, over 2100.
    EXPECT_EQ(next("0 0 29 2 */7", "2096-01-01T00:00:00Z"), "2128-02-29T00:00");
    EXPECT_EQ(last("0 2 * * *", "2026-11-20T02:00:00Z"), "2026-11-20T02:00");
    EXPECT_EQ(last("0 2 * * *", "2026-11-20T01:59:59Z"), "2026-11-19T02:00");
    EXPECT_EQ(last("0 0 29 2 *", "2027-01-01T00:00:00Z"), "2024-02-29T00:00");
}

TEST(CronSchedules, GoForwardAndBackTheSameWay)
{
    for (const auto* text : { "*/7 3,15 * * *", "0 0 1,15 * MON", "30 12 * 2-4 *" }) {
        const auto schedule = *CronSchedule::parse(text);
        auto at = *parseInstant("2026-01-01T00:00:00Z");
        for (int i = 0; i < 300; ++i) {
            const auto slot = schedule.nextAfter(at);
            ASSERT_TRUE(slot);
            ASSERT_GT(*slot, at);
            ASSERT_EQ(schedule.lastUntil(*slot), slot);
            ASSERT_LE(*schedule.lastUntil(*slot - Duration(1)), at);
            at = *slot;
        }
    }
}

TEST(CronSchedules, KnowWhetherTheyEverCome)
{
    for (const auto* comes : { "0 0 29 2 *", "0 0 30 2,4 *", "0 0 30 2 MON", "0 0 */31 2 *", "* * * * *" }) {
        const auto parsed = CronSchedule::parse(comes);
        ASSERT_TRUE(parsed) << comes;
        EXPECT_TRUE(parsed->everComes()) << comes;
    }
    for (const auto* never : { "0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 31 feb */2", "cron(0 0 30 2 ? *)" }) {
        const auto parsed = CronSchedule::parse(never);
        ASSERT_TRUE(parsed) << never;
        EXPECT_FALSE(parsed->everComes()) << never;
        EXPECT_FALSE(parsed->nextAfter(*parseInstant("2026-11-20T10:00:00Z"))) << never;
    }
}

TEST(CronSchedules, AreRefusedWithTheFieldAndWhatItExpects)
{
    for (const auto* text : { "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
             "* * * * 8", "*/0 * * * *", "5-1 * * * *", "a * * * *", "1,,2 * * * *", "1- * * * *", "-1 * * * *",
             "* * * foo *", "* * * * MONDAY", "+1 * * * *", "99999999999 * * * *", "*/99999 * * * *", "@daily",
             "* * * * MON-", "1/ * * * *", "cron(0 * * * ?)", "cron(0 * * * * *)", "cron(0 * ? * ? *)",
             "cron(0 * * * ? 2026)", "cron(0 0 ? * 0 *)", "cron(0 0 ? * 8 *)", "cron(0 0 ? * 11 *)",
             "cron(0 0 L * ? *)", "cron()", "cron(", "rate(5 minutes)" })
        EXPECT_FALSE(CronSchedule::parse(text)) << text;
    const auto refused = CronSchedule::parse("0 25 * * *");
    EXPECT_EQ(refused.error().message, "\"25\" is no hour of a schedule");
    EXPECT_EQ(refused.error().detail, "expected 0 to 23, *, ranges, lists or steps, such as 0-30/10");
}

} // namespace
