// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <gtest/gtest.h>

#include "core/simulation/dice.h"
#include "core/simulation/event_queue.h"
#include "core/simulation/measures.h"
#include "core/simulation/spread.h"

namespace fencepost::simulation {

namespace {

Duration meanOf(std::string_view text)
{
    const auto spread = *Spread::parse(text);
    const Dice dice(1);
    constexpr int throws = 200'000;
    Duration sum{};
    for (std::uint64_t i = 0; i < throws; ++i)
        sum += spread.at(dice.roll(Throw::Gap, i));
    return sum / throws;
}

TEST(SpreadTest, KeepsItsMean)
{
    for (const std::string_view text :
        { "50ms", "uniform(10ms,50ms)", "exponential(50ms)", "percentiles(0=5ms,50=20ms,99=800ms,100=2s)" }) {
        const auto mean = (*Spread::parse(text)).mean();
        EXPECT_NEAR(double(meanOf(text).count()), double(mean.count()), double(mean.count()) / 100) << text;
        EXPECT_EQ((*Spread::parse(text)).text(), text);
    }
}

TEST(SpreadTest, TakesLogarithmsByIntegersAlone)
{
    for (const std::uint64_t number :
        { std::uint64_t(0), std::uint64_t(1), UINT64_MAX / 3, UINT64_MAX / 2, UINT64_MAX - 1 }) {
        const double fraction = (double(number) + 1) / 18446744073709551616.0;
        EXPECT_NEAR(double(negativeLog(number)) / 4294967296.0, -std::log(fraction), 4e-6) << number;
    }
    EXPECT_EQ(negativeLog(UINT64_MAX), 0U);
}

TEST(SpreadTest, RefusesWhatIsNone)
{
    for (const std::string_view text :
        { "", "5", "-5ms", "uniform(5ms)", "uniform(9ms,5ms)", "normal(5ms)", "exponential(5ms", "percentiles(0=5ms)",
            "percentiles(0=5ms,50=2ms,100=9ms)", "percentiles(1=5ms,100=9ms)" })
        EXPECT_FALSE(Spread::parse(text)) << text;
}

TEST(EventQueueTest, GivesTheEarliestAndOfOneInstantThePlannedFirst)
{
    EventQueue<int> queue;
    const Dice dice(3);
    for (int i = 0; i < 10'000; ++i)
        queue.plan(Time(Duration(dice.roll(Throw::Gap, std::uint64_t(i)) % 500)), i);
    auto last = queue.take();
    while (!queue.isEmpty()) {
        const auto next = queue.take();
        ASSERT_TRUE(last.at < next.at || (last.at == next.at && last.what < next.what));
        last = next;
    }
}

TEST(MeasuresTest, KnowPercentilesWithinASixtyFourth)
{
    Lengths lengths;
    for (int i = 1; i <= 100'000; ++i)
        lengths.add(Duration(i));
    EXPECT_EQ(lengths.count(), 100'000);
    EXPECT_NEAR(double(lengths.percentile(500).count()), 50'000, 50'000 / 64.0);
    EXPECT_NEAR(double(lengths.percentile(990).count()), 99'000, 99'000 / 64.0);
    EXPECT_EQ(lengths.most(), Duration(100'000));
}

TEST(MeasuresTest, WidenTheirStepsInsteadOfHavingMoreOfThem)
{
    Series series(std::chrono::seconds(10));
    for (int second = 0; second < 10'000; ++second)
        ++series.at(std::chrono::seconds(second)).offered;
    std::int64_t sum = 0;
    for (const auto& step : series.steps())
        sum += step.offered;
    EXPECT_EQ(sum, 10'000);
    EXPECT_LE(series.steps().size(), 600U);
}

} // namespace

} // namespace fencepost::simulation
