// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/time.h"

using namespace fencepost;
using namespace std::chrono_literals;

TEST(Instants, RoundTripWithMicroseconds)
{
    for (const char* text :
        { "2026-11-20T23:45:47.123456Z", "1969-12-31T23:59:59.999999Z", "2024-02-29T00:00:00.000000Z" })
        EXPECT_EQ(formatInstant(*parseInstant(text)), text);
}

TEST(Instants, OffsetsAndShortFormsAreAccepted)
{
    EXPECT_EQ(*parseInstant("2026-11-20T01:30:00+02:00"), *parseInstant("2026-11-19T23:30:00Z"));
    EXPECT_EQ(*parseInstant("2026-11-20 01:30"), *parseInstant("2026-11-20T01:30:00Z"));
    EXPECT_EQ(*parseInstant("2026-11-20"), *parseInstant("2026-11-20T00:00:00Z"));
    EXPECT_EQ(*parseInstant("2026-11-20T01:30:00-0330"), *parseInstant("2026-11-20T05:00:00Z"));
}

TEST(Instants, NonsenseIsRefused)
{
    for (const char* text : { "", "now", "2026-13-01", "2026-02-30", "2026-11-20T24:00:00Z", "2026-11-20T01:30:00+2",
             "2026-11-20T01:30:00.Z" })
        EXPECT_FALSE(parseInstant(text)) << text;
}

TEST(Durations, PlainAndIsoFormsAreAccepted)
{
    EXPECT_EQ(*parseDuration("5m"), 5min);
    EXPECT_EQ(*parseDuration("1h30m"), 90min);
    EXPECT_EQ(*parseDuration("1h 30m"), 90min);
    EXPECT_EQ(*parseDuration("250ms"), 250ms);
    EXPECT_EQ(*parseDuration("1.5s"), 1500ms);
    EXPECT_EQ(*parseDuration("PT5M"), 5min);
    EXPECT_EQ(*parseDuration("P1DT2H"), 26h);
    EXPECT_EQ(*parseDuration("PT0.25S"), 250ms);
}

TEST(Durations, ABareNumberHasNoUnit)
{
    for (const char* text : { "", "5", "m", "5x", "-5m", "PT", "P", "P5M", "99999999999999w", "5m3" })
        EXPECT_FALSE(parseDuration(text)) << text;
    EXPECT_FALSE(parseDuration("99999999999999999999s")); // more than any number holds
    EXPECT_FALSE(parseDuration("PT99999999999999999999S"));
}

TEST(Durations, AreSaidInAtMostTwoUnits)
{
    EXPECT_EQ(formatDuration(7min + 12s), "7m 12s");
    EXPECT_EQ(formatDuration(26h + 3min + 1s), "1d 2h");
    EXPECT_EQ(formatDuration(350ms), "350ms");
    EXPECT_EQ(formatDuration(-90s), "-1m 30s");
    EXPECT_EQ(formatDuration(0s), "0us");
    EXPECT_EQ(formatDuration(24h), "1d");
}
