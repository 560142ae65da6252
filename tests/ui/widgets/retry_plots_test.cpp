// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <gmock/gmock.h>

#include "ui/widgets/retry_plots.h"

namespace fencepost::ui {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

constexpr Time noon{ std::chrono::sys_days(std::chrono::year{ 2026 } / 11 / 20) + 12h };

Retries example()
{
    Retries retries;
    retries.basis.range = { noon - 1h, noon };
    retries.attempts = { { 1, "SUCCEEDED", 90 }, { 1, "IN_PROGRESS", 5 }, { 3, "FAILED_FINAL", 4 },
        { 700, "SUCCEEDED", 1 } };
    retries.successAfter = { { 1, "SUCCEEDED", 90 }, { 2, "SUCCEEDED", 10 } };
    for (int i = 0; i < 100; ++i)
        retries.timeToSuccess.add(std::chrono::milliseconds(10 + i));
    return retries;
}

double sumOf(const Plot& plot)
{
    double sum = 0;
    for (const auto& bar : plot.bars)
        for (const auto& [role, value] : bar.parts)
            sum += value;
    return sum;
}

TEST(RetryPlotsTest, AttemptsAreCountedByStateAndLongTailsAreOneBar)
{
    const auto made = attemptsPlot(example());
    EXPECT_EQ(made.title, QStringLiteral("5 of 100 rows were tried again"));
    ASSERT_THAT(made.plot.bars, SizeIs(24));
    EXPECT_EQ(sumOf(made.plot), 100);
    EXPECT_THAT(made.plot.bars[0].parts, SizeIs(2));
    EXPECT_EQ(made.plot.bars[0].filter,
        QStringLiteral("attempts = 1 and created >= 2026-11-20T11:00:00.000000Z and created < "
                       "2026-11-20T12:00:00.000000Z"));
    EXPECT_EQ(made.plot.bars[23].label, QStringLiteral("≥24"));
    EXPECT_TRUE(made.plot.bars[23].filter.startsWith(QStringLiteral("attempts >= 24 ")));
    EXPECT_THAT(made.plot.bars[1].parts, SizeIs(0)) << "a gap stays a gap";
    EXPECT_THAT(attemptsPlot({}).plot.bars, SizeIs(0));
    for (const auto& bar : made.plot.bars)
        EXPECT_TRUE(parseFilter(bar.filter.toStdString())) << bar.filter.toStdString();
}

TEST(RetryPlotsTest, WhatIsNoCountIsOneBar)
{
    Retries retries = example();
    retries.attempts = { { std::numeric_limits<int>::min(), "SUCCEEDED", 2 }, { -7, "SUCCEEDED", 1 },
        { 2, "SUCCEEDED", 3 }, { std::numeric_limits<int>::max(), "SUCCEEDED", 4 } };
    retries.successAfter = retries.attempts;
    for (const auto& made : { attemptsPlot(retries), successAfterPlot(retries) }) {
        ASSERT_THAT(made.plot.bars, SizeIs(26));
        EXPECT_EQ(made.plot.bars[0].label, QStringLiteral("<0"));
        EXPECT_EQ(made.plot.bars[0].parts.front().second, made.plot.bars[0].parts.size() == 1 ? 3 : 2);
        EXPECT_EQ(made.plot.bars[25].label, QStringLiteral("≥24"));
        EXPECT_EQ(sumOf(made.plot), 10);
        for (const auto& bar : made.plot.bars)
            EXPECT_TRUE(bar.filter.isEmpty() || parseFilter(bar.filter.toStdString())) << bar.filter.toStdString();
    }
    EXPECT_TRUE(attemptsPlot(retries).plot.bars[0].filter.startsWith(QStringLiteral("attempts < 0 and ")));
}

TEST(RetryPlotsTest, AnotherAttemptOfWhichNoDelayIsToldIsNoSilence)
{
    Retries retries = example();
    EXPECT_EQ(delaysPlot(retries, nullptr, Kind::Idempotency).none,
        QStringLiteral("No delay before an attempt is known in this time"));
    retries.attempts = { { 1, "SUCCEEDED", 2 } };
    EXPECT_EQ(
        delaysPlot(retries, nullptr, Kind::Idempotency).none, QStringLiteral("Nothing was tried again in this time"));
}

TEST(RetryPlotsTest, TheEnvelopeStandsWhereThePolicyPromisesTheDelays)
{
    auto retries = example();
    AttemptDelays delays;
    delays.operation = "refund.create";
    delays.attempt = 3;
    for (int i = 0; i < 50; ++i)
        delays.delays.add(std::chrono::milliseconds(100 + i * 10));
    auto made = delaysPlot(retries, &delays, Kind::Idempotency);
    EXPECT_FALSE(made.plot.band) << "nothing is promised";
    EXPECT_EQ(sumOf(made.plot), 50);
    delays.promised = retry::DelayRange{ 200ms, 400ms };
    delays.early = 10;
    delays.late = 20;
    made = delaysPlot(retries, &delays, Kind::Idempotency);
    ASSERT_TRUE(made.plot.band);
    EXPECT_LT(made.plot.band->first, made.plot.band->second);
    EXPECT_GT(made.plot.band->first, 0);
    EXPECT_LT(made.plot.band->second, double(made.plot.bars.size()));
    // What lies within the band is what is neither early nor late, but for the bars that its ends cut.
    double within = 0;
    for (std::size_t i = 0; i < made.plot.bars.size(); ++i)
        if (double(i) + 1 > made.plot.band->first && double(i) < made.plot.band->second)
            within += made.plot.bars[i].parts[0].second;
    EXPECT_GE(within, 20);
    EXPECT_TRUE(made.caption.contains(QStringLiteral("10 earlier and 20 later"))) << made.caption.toStdString();
    EXPECT_FALSE(delaysPlot(retries, nullptr, Kind::Idempotency).none.isEmpty());
    // A promise below or above everything is seen beside it.
    const auto bars = made.plot.bars.size();
    for (const auto& far : { retry::DelayRange{ 2ms, 4ms }, retry::DelayRange{ 1h, 2h } }) {
        delays.promised = far;
        const auto beyond = delaysPlot(retries, &delays, Kind::Idempotency);
        EXPECT_GT(beyond.plot.bars.size(), bars);
        EXPECT_GE(beyond.plot.band->first, 0);
        EXPECT_LT(beyond.plot.band->first + 1, beyond.plot.band->second);
        EXPECT_LE(beyond.plot.band->second, double(beyond.plot.bars.size()));
        EXPECT_EQ(sumOf(beyond.plot), 50);
    }
}

TEST(RetryPlotsTest, RetriesStandAgainstTheirBudget)
{
    auto retries = example();
    retries.rateWidth = 1min;
    retries.rates = { { noon - 3min, 100, 10 }, { noon - 2min, 100, 50 }, { noon - 1min, 0, 7 } };
    const auto made = amplificationPlot(retries, models::Zone::utc());
    ASSERT_THAT(made.plot.bars, SizeIs(3));
    EXPECT_EQ(made.plot.line, retryBudget);
    EXPECT_EQ(made.plot.bars[0].parts[0], std::pair(Role::Accent, 0.1));
    EXPECT_EQ(made.plot.bars[1].parts[0], std::pair(Role::Warning, 0.5));
    EXPECT_EQ(made.title, QStringLiteral("67 retries for 200 first attempts: 33.5 %"));
    EXPECT_EQ(made.caption, QStringLiteral("Over the budget in 2 of 3 stretches of 1m"));
    EXPECT_EQ(made.plot.axes, QStringLiteral("↑ retries of first attempts   → time, UTC"));
    EXPECT_THAT(made.plot.bars[0].label, SizeIs(5)) << "of an hour the clock is enough";
    retries.rateWidth = 24h;
    EXPECT_EQ(amplificationPlot(retries, models::Zone::utc()).plot.bars[0].label,
        QString::fromStdString(formatInstant(noon - 3min)).mid(5, 11).replace(QLatin1Char('T'), QLatin1Char(' ')));
    retries.rates = { { noon - 1min, 0, 0 } };
    EXPECT_THAT(amplificationPlot(retries, models::Zone::utc()).plot.bars, SizeIs(0));
}

TEST(RetryPlotsTest, ArrivalsKeepTheirGaps)
{
    auto retries = example();
    retries.arrivalsRange = { noon, noon + 10s };
    retries.arrivals = { { noon, 3 }, { noon + 5s, 40 }, { noon + 9900ms, 1 }, { noon + 11s, 8 } };
    const auto made = arrivalsPlot(retries, models::Zone::utc());
    ASSERT_THAT(made.plot.bars, SizeIs(100));
    EXPECT_EQ(sumOf(made.plot), 44) << "what is outside of it is not shown";
    EXPECT_EQ(made.plot.bars[50].parts[0].second, 40);
    EXPECT_EQ(made.title, QStringLiteral("44 attempts, at most 40 within 100 ms"));
    EXPECT_EQ(csvOf(made.plot).count(u'\n'), 101);
}

TEST(RetryPlotsTest, SuccessIsToldByTimeAndByAttempts)
{
    const auto time = timeToSuccessPlot(example());
    EXPECT_EQ(sumOf(time.plot), 100);
    const auto attempts = successAfterPlot(example());
    EXPECT_EQ(sumOf(attempts.plot), 100);
    EXPECT_EQ(attempts.title, QStringLiteral("90 % of 100 succeeded at the first attempt"));
    EXPECT_EQ(attempts.plot.bars[1].filter,
        QStringLiteral(
            "had(event = finalize and to = SUCCEEDED and attempt = 2 and at >= 2026-11-20T11:00:00.000000Z and at < "
            "2026-11-20T12:00:00.000000Z)"));
    EXPECT_THAT(successAfterPlot({}).plot.bars, SizeIs(0));
    EXPECT_THAT(timeToSuccessPlot({}).plot.bars, SizeIs(0));
}

} // namespace
} // namespace fencepost::ui
