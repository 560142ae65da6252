// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <gtest/gtest.h>

#include "core/profile/library.h"
#include "core/store/stores.h"
#include "models/arrivals.h"
#include "models/stretch_counter.h"
#include "tests/support/dialects.h"
#include "tests/support/large_table.h"
#include "tests/support/temp_database.h"

namespace fencepost::models {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t rows = 100'000;
constexpr Duration apart = 17ms; // of two rows of the table
constexpr Duration whole = apart * rows;

class StretchCounterTest : public ::testing::TestWithParam<store::Dialect> {
protected:
    StretchCounterTest()
        : m_database(GetParam())
    {
    }
    void SetUp() override
    {
        ASSERT_EQ(m_database.problem(), "");
        auto profiles = profile::shippedLibrary();
        ASSERT_TRUE(profiles);
        m_profiles = std::move(*profiles);
        const auto connection = m_database.connect();
        ASSERT_TRUE(connection);
        const auto filled = test::fillRecords(**connection, rows, m_now, true);
        ASSERT_TRUE(filled) << filled.error().message << filled.error().detail;
        auto opened = store::open({ .target = m_database.target(), .profiles = &m_profiles, .auditPath = {} });
        ASSERT_TRUE(opened) << opened.error().message;
        m_backend = std::move(*opened);
        const auto bindings = m_backend->inspector().bindings();
        ASSERT_TRUE(bindings);
        m_records = bindings->front();
        for (const auto& binding : *bindings)
            if (binding.name == "idempotency_records")
                m_records = binding;
    }

    StretchCounter counter(Duration budget, std::optional<Duration> countable = {})
    {
        return { m_backend->inspector(), m_records, nullptr, budget, countable };
    }
    Counts counted(StretchCounter& by, Time from, Time until)
    {
        auto counts = by.count(from, until);
        EXPECT_TRUE(counts && *counts);
        return counts && *counts ? std::move(**counts) : Counts{};
    }

    SystemClock m_clock;
    Time m_now = m_clock.now();
    test::TempDatabase m_database;
    profile::Library m_profiles;
    std::unique_ptr<Backend> m_backend;
    Binding m_records;
};

INSTANTIATE_TEST_SUITE_P(Backends, StretchCounterTest, test::bothDialects(), test::nameOfDialect);

TEST_P(StretchCounterTest, CountsWhatFitsIntoItsBudget)
{
    auto patient = counter(60s);
    const auto counts = counted(patient, m_now - whole, m_now);
    EXPECT_EQ(counts.total.value, rows);
    EXPECT_EQ(counts.total.exactness, Exactness::Exact);
    EXPECT_FALSE(patient.countable()) << "nothing had to be cut";
    EXPECT_EQ(counted(patient, m_now - 2 * whole, m_now - whole).total.value, 0);
}

TEST_P(StretchCounterTest, EstimatesFromSlicesWhatDoesNot)
{
    auto hasty = counter(60s, 10s);
    const auto counts = counted(hasty, m_now - whole, m_now);
    EXPECT_EQ(counts.total.exactness, Exactness::Estimate);
    EXPECT_NEAR(double(counts.total.value), double(rows), rows * 0.02);
    ASSERT_TRUE(counts.byState.contains("SUCCEEDED"));
    EXPECT_EQ(counts.byState.at("SUCCEEDED").exactness, Exactness::Estimate);
    EXPECT_NEAR(double(counts.byState.at("SUCCEEDED").value), rows * 0.889, rows * 0.03);
    // A quarter of the stretch has a quarter of the rows, wherever it lies.
    for (int part = 0; part < 4; ++part) {
        auto again = counter(60s, 10s);
        EXPECT_NEAR(double(counted(again, m_now - whole + part * (whole / 4), m_now - whole + (part + 1) * (whole / 4))
                               .total.value),
            rows / 4.0, rows * 0.01)
            << part;
    }
}

TEST_P(StretchCounterTest, SlicesGrowWhereTheyCostNothing)
{
    auto narrow = counter(60s, 1ms);
    const auto counts = counted(narrow, m_now - whole, m_now);
    EXPECT_EQ(counts.total.exactness, Exactness::Estimate) << "also where no slice met a row";
    ASSERT_TRUE(narrow.countable());
    EXPECT_GE(*narrow.countable(), 1ms);
    EXPECT_LE(*narrow.countable(), 2ms);
}

TEST_P(StretchCounterTest, TheBarsOfALargeTableAreEstimates)
{
    Arrivals before;
    before.width = 5min;
    before.end = m_now;
    before.wanted = 6;
    before.countable = 10s;
    // One stretch counted in an earlier go, which knows how much can be counted.
    before.hours.push_back({ m_now - 5min, {} });
    before.hours.front().counts.total = { 1, Exactness::Exact };
    const auto arrivals = countArrivals(
        m_backend->inspector(), m_records, { .filter = nullptr, .width = 5min, .count = 6, .slice = 60s }, before);
    ASSERT_TRUE(arrivals) << arrivals.error().message;
    ASSERT_EQ(arrivals->hours.size(), 6U);
    EXPECT_TRUE(arrivals->isEstimate());
    EXPECT_TRUE(arrivals->whole);
    EXPECT_NEAR(double(arrivals->hours[2].counts.total.value), 5min / apart, 5min / apart * 0.05);
}

} // namespace
} // namespace fencepost::models
