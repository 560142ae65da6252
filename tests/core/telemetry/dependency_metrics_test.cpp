// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/retry/call.h"
#include "core/telemetry/dependency_metrics.h"
#include "tests/core/telemetry/prometheus_grammar.h"

namespace fencepost::telemetry {
namespace {

using namespace std::chrono_literals;

class DependencyMetricsTest : public ::testing::Test {
protected:
    // A call by the real machine to a dependency that always fails.
    void call()
    {
        retry::Call call({ .policy = *retry::presetOf("playbook"), .hasKey = true }, dependency, clock, random);
        std::optional<Time> before;
        retry::carryOut(
            call,
            [&](const retry::Call::Send&) {
                if (before)
                    shown.delay(clock.now() - *before);
                before = clock.now();
                const retry::Signal signal{ .ending = retry::Ending::Answered, .status = 503 };
                shown.attempt(signal, retry::Priority::Critical);
                ++attempts;
                return signal;
            },
            [&](Time until) { clock.set(until); });
    }

    [[nodiscard]] double changes(std::string_view state) const
    {
        return metrics.valueOf(Counter::BreakerTransitions, { { Label::Dependency, "bank" }, { Label::State, state } });
    }

    [[nodiscard]] double isIn(std::string_view state) const
    {
        return metrics.valueOf(Gauge::BreakerState, { { Label::Dependency, "bank" }, { Label::State, state } });
    }

    ManualClock clock{ timeFromMicros(1'000'000'000) };
    SeededRandom shared{ 1 };
    SeededRandom random{ 2 };
    retry::Dependency dependency{ {}, clock, shared };
    Metrics metrics;
    DependencyMetrics shown{ metrics, "bank" };
    int attempts = 0;
};

TEST_F(DependencyMetricsTest, ShowsABreakerThatOpens)
{
    shown.update(dependency);
    EXPECT_EQ(isIn("closed"), 1);
    EXPECT_EQ(changes("open"), 0);
    for (int i = 0; i < 60 && dependency.gauges().breaker == retry::BreakerState::Closed; ++i)
        call();
    shown.update(dependency);
    shown.update(dependency);
    EXPECT_EQ(isIn("open"), 1);
    EXPECT_EQ(isIn("closed"), 0);
    EXPECT_EQ(changes("open"), 1);
    const LabelValues bank = { { Label::Dependency, "bank" } };
    EXPECT_EQ(metrics.valueOf(Gauge::LimiterLimit, bank), dependency.gauges().limit);
    EXPECT_EQ(metrics.valueOf(Gauge::RetryBudgetBalance, bank), static_cast<double>(dependency.gauges().budget));
    EXPECT_EQ(metrics.valueOf(Counter::RetryAttempts, { { Label::Dependency, "bank" }, { Label::Ending, "answered" } }),
        attempts);
    EXPECT_GT(metrics.valueOf(Histogram::RetryDelay, bank), 0U);
    EXPECT_EQ(test::readPrometheus(metrics.text()).problem, "");
}

TEST_F(DependencyMetricsTest, CountsChangesThatNobodySaw)
{
    shown.update(dependency);
    dependency.forceOpen("maintenance");
    dependency.forceClosed("a mistake");
    dependency.forceOpen("maintenance");
    shown.update(dependency);
    EXPECT_EQ(changes("forced_open"), 1);
    EXPECT_EQ(changes("other"), 2);
    EXPECT_EQ(isIn("forced_open"), 1);
}

// Several clients that share a breaker count into one registry.
TEST_F(DependencyMetricsTest, CountsEachChangeOnceHoweverManyShareIt)
{
    DependencyMetrics other{ metrics, "bank" };
    shown.update(dependency);
    dependency.forceOpen("maintenance");
    for (int i = 0; i < 3; ++i) {
        shown.update(dependency);
        other.update(dependency);
    }
    EXPECT_EQ(changes("forced_open"), 1);
    EXPECT_EQ(changes("other"), 0);
}

TEST_F(DependencyMetricsTest, CountsWhatWasShedByItsPriority)
{
    shown.attempt({ .ending = retry::Ending::Shed }, retry::Priority::Sheddable);
    shown.attempt({ .ending = retry::Ending::TimedOut }, retry::Priority::Sheddable);
    EXPECT_EQ(metrics.valueOf(Counter::ShedRejected, { { Label::Priority, "sheddable" } }), 1);
    EXPECT_EQ(metrics.valueOf(Counter::RetryAttempts, { { Label::Dependency, "bank" }, { Label::Ending, "shed" } }), 1);
}

TEST_F(DependencyMetricsTest, MeasuresDelaysInMilliseconds)
{
    shown.delay(137ms);
    shown.delay(250us);
    const auto parsed = test::readPrometheus(metrics.text());
    for (const auto& sample : parsed.families.at("retry_delay_ms").samples)
        if (sample.name == "retry_delay_ms_sum") {
            EXPECT_EQ(sample.text, "137.25");
        }
    EXPECT_EQ(metrics.valueOf(Histogram::RetryDelay, { { Label::Dependency, "bank" } }), 2U);
}

} // namespace
} // namespace fencepost::telemetry
