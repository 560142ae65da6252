// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/telemetry/event.h"

namespace fencepost::telemetry {

enum class Counter {
    Created,
    Replayed,
    Conflict,
    InProgress,
    Takeover,
    Fenced,
    Held,
    Expired,
    Reaped,
    RetryAttempts,
    BreakerTransitions,
    ShedRejected,
    InboxDuplicates,
};

enum class Gauge {
    RetryBudgetBalance,
    BreakerState, // 1 for the state that it is in, 0 for the others
    LimiterLimit,
    LimiterInFlight,
    OutboxLag,
    OutboxPending,
    DeadLetterDepth,
};

enum class Histogram { RetryDelay, StoreReserve };

// All that a sample may be told apart by. There is no label for a key, an owner or a tenant: each value of a label is a
// series that lives as long as the process. The last three have closed sets of values.
enum class Label { OperationType, Dependency, Consumer, Ending, State, Priority };

enum class MetricKind { Counter, Gauge, Histogram };

// One metric as it is declared. Its names are those of the protocol, with dots.
struct Family {
    MetricKind kind;
    int id; // of Counter, Gauge or Histogram
    std::string_view name;
    std::string_view alias; // shows the same value; empty: it has one name
    std::string_view help;
    std::span<const Label> labels;
    std::span<const double> bounds; // Histogram: upper bounds, ascending, without +Inf
};

[[nodiscard]] std::span<const Family> families() noexcept;
[[nodiscard]] std::string_view nameOf(Label label) noexcept; // "operation_type", "dependency", …

// "idempotent.created", Counter -> "idempotent_created_total".
[[nodiscard]] std::string prometheusName(std::string_view name, MetricKind kind);

struct LabelValue {
    Label label;
    std::string_view value;
};
using LabelValues = std::initializer_list<LabelValue>;

struct MetricsOptions {
    std::size_t values = 64; // distinct ones of each label of a metric; the next ones count as "other"
};

// The metrics of a process, or of a part of it: there is no global one. Safe for concurrent use.
class Metrics {
public:
    explicit Metrics(MetricsOptions options = {});

    void add(Counter counter, LabelValues labels = {}, std::uint64_t by = 1);
    void set(Gauge gauge, LabelValues labels, double value);
    void observe(Histogram histogram, LabelValues labels, double value); // what is no number is not counted
    // Gauge::BreakerState, for all states of one dependency at once.
    void setBreaker(std::string_view dependency, std::string_view state);

    // 0: never counted. Of a histogram: how often it was observed.
    [[nodiscard]] double valueOf(Counter counter, LabelValues labels = {}) const;
    [[nodiscard]] double valueOf(Gauge gauge, LabelValues labels = {}) const;
    [[nodiscard]] std::uint64_t valueOf(Histogram histogram, LabelValues labels = {}) const;

    // Prometheus text exposition format 0.0.4, families and series in a fixed order.
    [[nodiscard]] std::string text() const;
    static constexpr std::string_view contentType = "text/plain; version=0.0.4; charset=utf-8";

private:
    using Values = std::vector<std::string>; // in the order of the family's labels
    struct Series {
        std::uint64_t count = 0; // Counter; Histogram: observations
        double value = 0; // Gauge; Histogram: sum
        std::vector<std::uint64_t> buckets; // Histogram: not cumulative, the last one is +Inf
    };
    struct Kept {
        std::map<Values, Series> series;
        std::vector<std::vector<std::string>> known; // of each label
    };

    static void appendHistogram(
        std::string& out, std::string_view name, const Family& family, const Values& values, const Series& series);
    Series& seriesOf(std::size_t family, Values values);
    [[nodiscard]] Series find(std::size_t family, LabelValues labels) const; // empty: never counted

    MetricsOptions m_options;
    mutable std::mutex m_mutex;
    std::vector<Kept> m_kept; // of each family
};

// Counts events by their outcome and operation type.
class EventMetrics final : public EventSink {
public:
    explicit EventMetrics(Metrics& metrics)
        : m_metrics(metrics)
    {
    }
    void record(const KeyEvent& event) override;

private:
    Metrics& m_metrics;
};

// A pass of the reaper: what it deleted or entombed is reaped, what it had to hold is held.
void addReaped(Metrics& metrics, const Reaped& reaped);

} // namespace fencepost::telemetry
