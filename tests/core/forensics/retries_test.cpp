// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/forensics/retries.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

TEST(SpanHistogramTest, HasEverySpanInOneStep)
{
    SpanHistogram histogram;
    std::int64_t added = 0;
    for (std::int64_t micros = 1; micros < 400'000'000'000; micros = micros * 5 / 4 + 1, ++added)
        histogram.add(Duration(micros));
    histogram.add(-5s);
    ++added;
    histogram.add(Duration(24h) * 365 * 50);
    ++added;
    EXPECT_EQ(histogram.count(), added);
    EXPECT_EQ(histogram.least(), 0s);
    EXPECT_EQ(histogram.most(), Duration(24h) * 365 * 50);
    std::int64_t counted = 0;
    const auto steps = histogram.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        counted += steps[i].count;
        EXPECT_LT(steps[i].from, steps[i].until);
        if (i > 0) {
            EXPECT_EQ(steps[i].from, steps[i - 1].until) << "no gaps";
        }
    }
    EXPECT_EQ(counted, added);
    EXPECT_EQ(steps.front().from, 0s);
    EXPECT_EQ(steps.back().until, histogram.most() + 1us);
}

TEST(SpanHistogramTest, AStepBeginsAtItsEdge)
{
    SpanHistogram histogram;
    histogram.add(999us);
    histogram.add(1ms);
    histogram.add(9'999us);
    histogram.add(10ms);
    const auto steps = histogram.steps();
    EXPECT_EQ(steps[0], (SpanHistogram::Step{ 0s, 1ms, 1 }));
    EXPECT_EQ(steps[1], (SpanHistogram::Step{ 1ms, 1'334us, 1 }));
    EXPECT_EQ(steps[8], (SpanHistogram::Step{ 7'499us, 10ms, 1 }));
    EXPECT_EQ(steps[9].from, 10ms);
    EXPECT_EQ(steps.size(), 10U);
}

TEST(SpanHistogramTest, AQuantileIsOneOfTheSpans)
{
    SpanHistogram histogram;
    EXPECT_EQ(histogram.quantile(0.5), 0s);
    EXPECT_TRUE(histogram.steps().empty());
    for (int i = 0; i < 99; ++i)
        histogram.add(5s);
    histogram.add(100s);
    EXPECT_EQ(histogram.quantile(0.5), 5s);
    EXPECT_EQ(histogram.quantile(0.99), 5s);
    EXPECT_EQ(histogram.quantile(1), 100s);
    SpanHistogram few;
    for (const auto span : { 70ms, 71ms, 72ms, 73ms })
        few.add(span);
    EXPECT_EQ(few.quantile(0), 70ms);
    EXPECT_EQ(few.quantile(0.5), 71ms);
    EXPECT_EQ(few.quantile(0.95), 73ms);
}

TEST(AmplificationTest, IsAllAttemptsToFirstOnes)
{
    EXPECT_EQ(amplificationOf({}), 0);
    EXPECT_EQ(amplificationOf({ { {}, 0, 5 } }), 0) << "nothing began";
    EXPECT_DOUBLE_EQ(amplificationOf({ { {}, 8, 0 }, { {}, 2, 2 } }), 1.2);
}

} // namespace
