// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/zone.h"

namespace fencepost::models {
namespace {

QString formatted(const char* zone, const char* instant, Precision precision = Precision::Milliseconds)
{
    return Zone::named(QString::fromLatin1(zone))->format(*parseInstant(instant), precision);
}

TEST(ZoneTest, AlwaysShowsTheOffset)
{
    EXPECT_EQ(formatted("UTC", "2026-11-20T23:45:47.123456Z"), QStringLiteral("2026-11-20T23:45:47.123Z"));
    EXPECT_EQ(
        formatted("Europe/Berlin", "2026-11-20T23:45:47.123456Z"), QStringLiteral("2026-11-21T00:45:47.123+01:00"));
    EXPECT_EQ(formatted("Asia/Kathmandu", "2026-11-20T23:45:47.123456Z", Precision::Microseconds),
        QStringLiteral("2026-11-21T05:30:47.123456+05:45"));
    EXPECT_EQ(formatted("America/St_Johns", "2026-11-20T23:45:47Z", Precision::Seconds),
        QStringLiteral("2026-11-20T20:15:47-03:30"));
}

TEST(ZoneTest, TellsTheTwoHoursApartThatTheClockShowsTwice)
{
    EXPECT_EQ(formatted("Europe/Berlin", "2026-10-25T00:30:00Z", Precision::Seconds),
        QStringLiteral("2026-10-25T02:30:00+02:00"));
    EXPECT_EQ(formatted("Europe/Berlin", "2026-10-25T01:30:00Z", Precision::Seconds),
        QStringLiteral("2026-10-25T02:30:00+01:00"));
    EXPECT_EQ(formatted("Europe/Berlin", "2026-03-29T00:59:59Z", Precision::Seconds),
        QStringLiteral("2026-03-29T01:59:59+01:00"));
    EXPECT_EQ(formatted("Europe/Berlin", "2026-03-29T01:00:00Z", Precision::Seconds),
        QStringLiteral("2026-03-29T03:00:00+02:00"));
    EXPECT_EQ(formatted("Australia/Lord_Howe", "2026-04-04T15:00:00Z", Precision::Seconds),
        QStringLiteral("2026-04-05T01:30:00+10:30"))
        << "a change of half an hour";
}

TEST(ZoneTest, WhatItShowsCanBeReadBack)
{
    for (const auto* zone : { "UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York" }) {
        const auto instant = *parseInstant("2026-10-25T01:30:00.654321Z");
        const auto text = Zone::named(QString::fromLatin1(zone))->format(instant, Precision::Microseconds);
        EXPECT_EQ(*parseInstant(text.toStdString()), instant) << zone;
    }
}

TEST(ZoneTest, NamesRoundTripAndUnknownOnesAreRefused)
{
    for (const auto* name : { "UTC", "local", "Europe/Berlin" })
        EXPECT_EQ(Zone::named(QString::fromLatin1(name))->name(), QString::fromLatin1(name));
    const auto refused = Zone::named(QStringLiteral("Mars/Olympus"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Invalid);
    EXPECT_TRUE(Zone::available().contains(QStringLiteral("Europe/Berlin")));
}

TEST(ZoneTest, SpeaksOfAgesInWholeSeconds)
{
    const auto now = *parseInstant("2026-11-20T12:00:00Z");
    EXPECT_EQ(relativeText(now - std::chrono::milliseconds(432'900), now), QStringLiteral("7m 12s ago"));
    EXPECT_EQ(relativeText(now + std::chrono::seconds(90), now), QStringLiteral("in 1m 30s"));
    EXPECT_EQ(durationText(std::chrono::milliseconds(350)), QStringLiteral("350ms"));
}

} // namespace
} // namespace fencepost::models
