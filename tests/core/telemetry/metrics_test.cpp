// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/retry/breaker.h"
#include "core/retry/decision.h"
#include "core/retry/shedding.h"
#include "core/telemetry/metrics.h"
#include "tests/core/telemetry/prometheus_grammar.h"

namespace fencepost::telemetry {
namespace {

using test::readPrometheus;
using testing::HasSubstr;
using testing::Not;

KeyEvent happened(KeyOutcome outcome, const std::string& operation = "POST /refunds")
{
    KeyEvent event;
    event.id = { "acme", operation, "refund:ch_9ab:1000" };
    event.outcome = outcome;
    return event;
}

std::string read(const Metrics& metrics)
{
    const auto text = metrics.text();
    EXPECT_EQ(readPrometheus(text).problem, "") << text;
    return text;
}

TEST(Metrics, AreTheNamesOfTheContract)
{
    std::set<std::string> names;
    for (const auto& family : families())
        for (const auto name : { family.name, family.alias })
            EXPECT_TRUE(name.empty() || names.insert(std::string(name)).second) << name;
    EXPECT_EQ(names,
        (std::set<std::string>{ "idempotent.created", "idempotent.replayed", "idempotent.replays",
            "idempotent.conflict", "idempotent.conflicts", "idempotent.in_progress", "idempotent.takeover",
            "idempotent.fenced", "idempotent.held", "idempotent.expired", "idempotent.reaped", "retry.delay_ms",
            "retry.attempts", "retry.budget.balance", "breaker.state", "breaker.transitions", "limiter.limit",
            "limiter.in_flight", "shed.rejected", "outbox.lag_ms", "outbox.pending", "inbox.duplicates", "dlq.depth",
            "store.reserve_ms" }));
}

TEST(Metrics, MapNamesAsPrometheusWantsThem)
{
    EXPECT_EQ(prometheusName("idempotent.created", MetricKind::Counter), "idempotent_created_total");
    EXPECT_EQ(prometheusName("retry.budget.balance", MetricKind::Gauge), "retry_budget_balance");
    EXPECT_EQ(prometheusName("retry.delay_ms", MetricKind::Histogram), "retry_delay_ms");
    EXPECT_EQ(Metrics::contentType, "text/plain; version=0.0.4; charset=utf-8");
}

TEST(Metrics, ShowBothNamesOfThePlaybookFromOneCount)
{
    Metrics metrics;
    EventMetrics sink(metrics);
    sink.record(happened(KeyOutcome::Created));
    for (int i = 0; i < 3; ++i)
        sink.record(happened(KeyOutcome::Replayed));
    sink.record(happened(KeyOutcome::Conflict));
    const auto text = read(metrics);
    EXPECT_THAT(text,
        HasSubstr("# HELP idempotent_created_total Operations whose first answer was stored\n"
                  "# TYPE idempotent_created_total counter\n"
                  "idempotent_created_total{operation_type=\"POST /refunds\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("\nidempotent_replayed_total{operation_type=\"POST /refunds\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("\nidempotent_replays_total{operation_type=\"POST /refunds\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("\nidempotent_conflict_total{operation_type=\"POST /refunds\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("\nidempotent_conflicts_total{operation_type=\"POST /refunds\"} 1\n"));
}

TEST(Metrics, CountEveryOutcome)
{
    Metrics metrics;
    EventMetrics sink(metrics);
    for (const auto outcome : allKeyOutcomes())
        sink.record(happened(outcome));
    sink.record({ .id = { "acme", "POST /refunds", "k" } });
    for (const auto counter : { Counter::Created, Counter::Replayed, Counter::Conflict, Counter::InProgress,
             Counter::Takeover, Counter::Fenced, Counter::Held, Counter::Expired })
        EXPECT_EQ(metrics.valueOf(counter, { { Label::OperationType, "POST /refunds" } }), 1)
            << static_cast<int>(counter);
    addReaped(metrics, { .deleted = 5, .tombstoned = 2, .orphans = 1, .held = 3 });
    EXPECT_EQ(metrics.valueOf(Counter::Reaped), 8);
    read(metrics);
}

TEST(Metrics, NeverShowAKeyAnOwnerOrAScope)
{
    Metrics metrics;
    EventMetrics sink(metrics);
    for (const auto outcome : allKeyOutcomes()) {
        auto event = happened(outcome);
        event.owner = "0f0f0f0f-0000-4000-8000-000000000001";
        event.correlationId = "correlation";
        sink.record(event);
    }
    const auto text = read(metrics);
    for (const char* secret : { "ch_9ab", "0f0f0f0f", "acme", "correlation" })
        EXPECT_THAT(text, Not(HasSubstr(secret)));
    for (const auto& family : families())
        for (const auto label : family.labels)
            EXPECT_THAT(std::string(nameOf(label)), Not(HasSubstr("key")));
}

TEST(Metrics, BoundTheValuesOfALabel)
{
    Metrics metrics({ .values = 3 });
    EventMetrics sink(metrics);
    for (int i = 0; i < 1000; ++i)
        sink.record(happened(KeyOutcome::Created, "POST /refunds/" + std::to_string(i)));
    sink.record(happened(KeyOutcome::Created, "POST /refunds/1"));
    const auto parsed = readPrometheus(read(metrics));
    EXPECT_EQ(parsed.families.at("idempotent_created_total").samples.size(), 4U);
    EXPECT_EQ(metrics.valueOf(Counter::Created, { { Label::OperationType, "other" } }), 997);
    EXPECT_EQ(metrics.valueOf(Counter::Created, { { Label::OperationType, "POST /refunds/1" } }), 2);
}

TEST(Metrics, TakeOnlyTheWordsOfAClosedLabel)
{
    Metrics metrics;
    metrics.add(Counter::ShedRejected, { { Label::Priority, "sheddable" } });
    metrics.add(Counter::ShedRejected, { { Label::Priority, "refund:ch_9ab" } });
    EXPECT_EQ(metrics.valueOf(Counter::ShedRejected, { { Label::Priority, "sheddable" } }), 1);
    EXPECT_EQ(metrics.valueOf(Counter::ShedRejected, { { Label::Priority, "other" } }), 1);
    metrics.add(Counter::ShedRejected, { { Label::Priority, "critical" }, { Label::Dependency, "no label of it" } });
    EXPECT_THAT(read(metrics), Not(HasSubstr("no label of it")));
    // The words are those that the parts themselves use.
    for (int i = 0; i <= static_cast<int>(retry::Ending::Shed); ++i)
        metrics.add(Counter::RetryAttempts, { { Label::Ending, wordOf(static_cast<retry::Ending>(i)) } });
    for (int i = 0; i <= static_cast<int>(retry::BreakerState::ForcedClosed); ++i)
        metrics.add(Counter::BreakerTransitions, { { Label::State, wordOf(static_cast<retry::BreakerState>(i)) } });
    for (int i = 0; i <= static_cast<int>(retry::Priority::Sheddable); ++i)
        metrics.add(Counter::ShedRejected, { { Label::Priority, wordOf(static_cast<retry::Priority>(i)) } });
    EXPECT_EQ(metrics.valueOf(Counter::RetryAttempts, { { Label::Ending, "other" } }), 0);
    EXPECT_EQ(metrics.valueOf(Counter::BreakerTransitions, { { Label::State, "other" } }), 0);
    EXPECT_EQ(metrics.valueOf(Counter::ShedRejected, { { Label::Priority, "other" } }), 1);
}

TEST(Metrics, EscapeWhatALabelMayHold)
{
    const std::string hostile = "a\\b\"c\nd{}=, \xc3\xa4#";
    Metrics metrics;
    metrics.set(Gauge::LimiterLimit, { { Label::Dependency, hostile } }, 20);
    EXPECT_THAT(read(metrics), HasSubstr("limiter_limit{dependency=\"a\\\\b\\\"c\\nd{}=, \xc3\xa4#\"} 20\n"));
    const auto parsed = readPrometheus(metrics.text());
    EXPECT_EQ(parsed.families.at("limiter_limit").samples.at(0).labels.at("dependency"), hostile);

    metrics.set(Gauge::LimiterLimit, { { Label::Dependency, "\xff" } }, 1);
    metrics.set(Gauge::LimiterLimit, { { Label::Dependency, std::string(129, 'x') } }, 2);
    EXPECT_EQ(metrics.valueOf(Gauge::LimiterLimit, { { Label::Dependency, "other" } }), 2);
    read(metrics);
}

TEST(Metrics, SortObservationsIntoBuckets)
{
    Metrics metrics;
    for (const double value : { 0.0, 137.0, 200.0, 281.0, 1e9 })
        metrics.observe(Histogram::RetryDelay, { { Label::Dependency, "bank" } }, value);
    metrics.observe(Histogram::RetryDelay, { { Label::Dependency, "bank" } }, std::nan(""));
    const auto text = read(metrics);
    EXPECT_THAT(text,
        HasSubstr("# TYPE retry_delay_ms histogram\n"
                  "retry_delay_ms_bucket{dependency=\"bank\",le=\"50\"} 1\n"
                  "retry_delay_ms_bucket{dependency=\"bank\",le=\"100\"} 1\n"
                  "retry_delay_ms_bucket{dependency=\"bank\",le=\"200\"} 3\n"
                  "retry_delay_ms_bucket{dependency=\"bank\",le=\"400\"} 4\n"));
    EXPECT_THAT(text,
        HasSubstr("retry_delay_ms_bucket{dependency=\"bank\",le=\"86400000\"} 4\n"
                  "retry_delay_ms_bucket{dependency=\"bank\",le=\"+Inf\"} 5\n"
                  "retry_delay_ms_sum{dependency=\"bank\"} 1000000618\n"
                  "retry_delay_ms_count{dependency=\"bank\"} 5\n"));
    EXPECT_EQ(metrics.valueOf(Histogram::RetryDelay, { { Label::Dependency, "bank" } }), 5U);
}

TEST(Metrics, ShowWhatHasNoLabelsFromTheStart)
{
    const auto text = read(Metrics());
    EXPECT_THAT(text, HasSubstr("\nidempotent_reaped_total 0\n"));
    EXPECT_THAT(text, HasSubstr("\nstore_reserve_ms_bucket{le=\"0.25\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("\nstore_reserve_ms_count 0\n"));
    EXPECT_THAT(text, Not(HasSubstr("idempotent_created_total")));
}

TEST(Metrics, PrintEveryNumber)
{
    Metrics metrics;
    const auto shown = [&](double value) {
        metrics.set(Gauge::OutboxLag, {}, value);
        return readPrometheus(read(metrics)).families.at("outbox_lag_ms").samples.at(0).text;
    };
    EXPECT_EQ(shown(0), "0");
    EXPECT_EQ(shown(100'000), "100000");
    EXPECT_EQ(shown(0.1), "0.1");
    EXPECT_EQ(shown(-2.5), "-2.5");
    EXPECT_EQ(shown(1e300), "1e+300");
    EXPECT_EQ(shown(std::nan("")), "NaN");
    EXPECT_EQ(shown(std::numeric_limits<double>::infinity()), "+Inf");
    EXPECT_EQ(shown(-std::numeric_limits<double>::infinity()), "-Inf");
}

TEST(Metrics, LeaveTheStateThatABreakerLeft)
{
    Metrics metrics;
    metrics.setBreaker("bank", "open");
    metrics.setBreaker("mail", "closed");
    metrics.setBreaker("bank", "half_open");
    const auto state = [&](std::string_view dependency, std::string_view word) {
        return metrics.valueOf(Gauge::BreakerState, { { Label::Dependency, dependency }, { Label::State, word } });
    };
    EXPECT_EQ(state("bank", "open"), 0);
    EXPECT_EQ(state("bank", "half_open"), 1);
    EXPECT_EQ(state("mail", "closed"), 1);
    EXPECT_THAT(read(metrics), HasSubstr("breaker_state{dependency=\"bank\",state=\"open\"} 0\n"));
}

TEST(Metrics, LoseNoCountUnderConcurrentUse)
{
    Metrics metrics;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&metrics] {
                EventMetrics sink(metrics);
                for (int i = 0; i < 2000; ++i) {
                    sink.record(happened(KeyOutcome::Replayed, "op" + std::to_string(i % 100)));
                    metrics.observe(Histogram::StoreReserve, {}, 0.3);
                    EXPECT_TRUE(i % 500 != 0 || readPrometheus(metrics.text()).problem.empty());
                }
            });
    }
    double sum = 0;
    const auto parsed = readPrometheus(metrics.text());
    for (const auto& sample : parsed.families.at("idempotent_replays_total").samples)
        sum += sample.value;
    EXPECT_EQ(sum, 8000);
    EXPECT_EQ(metrics.valueOf(Histogram::StoreReserve), 8000U);
}

// A reader that accepts everything would prove nothing.
TEST(PrometheusGrammar, RefusesWhatTheFormatForbids)
{
    const std::string head = "# TYPE a_total counter\n";
    for (const std::string text : { "a_total 1\n", "# TYPE a_total counter\na_total 1", "# TYPE a_total count\n",
             "# TYPE a_total counter\n# TYPE a_total counter\n", "# TYPE a counter\na 1\n" })
        EXPECT_NE(readPrometheus(text).problem, "") << text;
    for (const std::string text :
        { "a_total{x=\"1} 1\n", "a_total{x=\"1\",x=\"2\"} 1\n", "a_total{x:y=\"1\"} 1\n", "a_total{x=\"\\t\"} 1\n",
            "a_total 1\na_total 1\n", "a_total one\n", "a_total -1\n", "b_total 1\n", "1a 1\n" })
        EXPECT_NE(readPrometheus(head + text).problem, "") << text;
    EXPECT_EQ(readPrometheus(head + "a_total{x=\"1\",} 1\na_total 2e3\n").problem, "");
    const std::string histogram = "# TYPE h histogram\nh_bucket{le=\"1\"} 2\n";
    EXPECT_EQ(readPrometheus(histogram + "h_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 2\n").problem, "");
    for (const char* text : { "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n", "h_sum 1\nh_count 2\n",
             "h_bucket{le=\"+Inf\"} 2\nh_count 2\n", "h_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 3\n",
             "h_bucket{le=\"0.5\"} 2\nh_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 2\n" })
        EXPECT_NE(readPrometheus(histogram + text).problem, "") << text;
}

} // namespace
} // namespace fencepost::telemetry
