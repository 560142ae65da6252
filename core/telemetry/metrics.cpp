// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fencepost::telemetry {

namespace {

constexpr std::string_view other = "other";
constexpr std::size_t longestValue = 128;

constexpr std::array<std::string_view, 9> endings = { "answered", "not_sent", "timed_out", "lost", "cancelled",
    "deadline_over", "breaker_open", "budget_empty", "shed" };
constexpr std::array<std::string_view, 5> states = { "closed", "open", "half_open", "forced_open", "forced_closed" };
constexpr std::array<std::string_view, 4> priorities = { "critical_plus", "critical", "sheddable_plus", "sheddable" };

struct LabelRule {
    std::string_view name;
    std::span<const std::string_view> values = {}; // empty: any, up to a number of them
};
constexpr std::array labelRules = { LabelRule{ "operation_type" }, LabelRule{ "dependency" }, LabelRule{ "consumer" },
    LabelRule{ "ending", endings }, LabelRule{ "state", states }, LabelRule{ "priority", priorities } };

constexpr std::array byOperation = { Label::OperationType };
constexpr std::array byDependency = { Label::Dependency };
constexpr std::array byConsumer = { Label::Consumer };
constexpr std::array byEnding = { Label::Dependency, Label::Ending };
constexpr std::array byState = { Label::Dependency, Label::State };
constexpr std::array byPriority = { Label::Priority };
constexpr std::span<const Label> alone;

constexpr std::array delayBounds = { 50., 100., 200., 400., 800., 1600., 3200., 5000., 10'000., 30'000., 60'000.,
    300'000., 1'800'000., 7'200'000., 86'400'000. };
constexpr std::array reserveBounds = { .1, .25, .5, 1., 2.5, 5., 10., 25., 50., 100., 250., 500., 1000., 2500., 5000. };

constexpr Family counter(Counter id, std::string_view name, std::string_view help, std::span<const Label> labels,
    std::string_view alias = {})
{
    return { MetricKind::Counter, static_cast<int>(id), name, alias, help, labels, {} };
}

constexpr Family gauge(Gauge id, std::string_view name, std::string_view help, std::span<const Label> labels)
{
    return { MetricKind::Gauge, static_cast<int>(id), name, {}, help, labels, {} };
}

constexpr Family histogram(Histogram id, std::string_view name, std::string_view help, std::span<const Label> labels,
    std::span<const double> bounds)
{
    return { MetricKind::Histogram, static_cast<int>(id), name, {}, help, labels, bounds };
}

// The playbook calls two of them by two names, so one count is shown under both.
constexpr std::array table = {
    counter(Counter::Created, "idempotent.created", "Operations whose first answer was stored", byOperation),
    counter(Counter::Replayed, "idempotent.replayed", "Requests that got a stored answer", byOperation,
        "idempotent.replays"),
    counter(Counter::Conflict, "idempotent.conflict", "Requests that used a key with another payload", byOperation,
        "idempotent.conflicts"),
    counter(Counter::InProgress, "idempotent.in_progress", "Requests that met a running execution", byOperation),
    counter(Counter::Takeover, "idempotent.takeover", "Executions taken over after a lease ended", byOperation),
    counter(Counter::Fenced, "idempotent.fenced", "Owners that came too late or were fenced", byOperation),
    counter(Counter::Held, "idempotent.held", "Requests and executions that ended in a hold", byOperation),
    counter(Counter::Expired, "idempotent.expired", "Keys refused or ended because of their age", byOperation),
    counter(Counter::Reaped, "idempotent.reaped", "Records that the reaper took away", alone),
    counter(Counter::RetryAttempts, "retry.attempts", "Attempts of calls by how they ended", byEnding),
    counter(
        Counter::BreakerTransitions, "breaker.transitions", "Changes of a circuit breaker by its new state", byState),
    counter(Counter::ShedRejected, "shed.rejected", "Requests refused for too much load", byPriority),
    counter(Counter::InboxDuplicates, "inbox.duplicates", "Deliveries that were handled before", byConsumer),
    gauge(Gauge::RetryBudgetBalance, "retry.budget.balance", "Retries that the budget still allows", byDependency),
    gauge(Gauge::BreakerState, "breaker.state", "1 for the state that a circuit breaker is in", byState),
    gauge(Gauge::LimiterLimit, "limiter.limit", "Calls that the limiter allows at once", byDependency),
    gauge(Gauge::LimiterInFlight, "limiter.in_flight", "Calls under way", byDependency),
    gauge(Gauge::OutboxLag, "outbox.lag_ms", "Age of the oldest undelivered event in milliseconds", alone),
    gauge(Gauge::OutboxPending, "outbox.pending", "Undelivered events", alone),
    gauge(Gauge::DeadLetterDepth, "dlq.depth", "Dead letters that nobody settled", byConsumer),
    histogram(
        Histogram::RetryDelay, "retry.delay_ms", "Delays before a retry in milliseconds", byDependency, delayBounds),
    histogram(
        Histogram::StoreReserve, "store.reserve_ms", "Durations of reservations in milliseconds", alone, reserveBounds),
};

constexpr MetricKind kindOf(Counter)
{
    return MetricKind::Counter;
}

constexpr MetricKind kindOf(Gauge)
{
    return MetricKind::Gauge;
}

constexpr MetricKind kindOf(Histogram)
{
    return MetricKind::Histogram;
}

template <typename Id> std::size_t indexOf(Id id)
{
    const auto* const found = std::find_if(table.begin(), table.end(),
        [&](const Family& each) { return each.kind == kindOf(id) && each.id == static_cast<int>(id); });
    return static_cast<std::size_t>(found - table.begin());
}

bool isAllowed(Label label, std::string_view value)
{
    const auto allowed = labelRules[static_cast<std::size_t>(label)].values;
    if (!allowed.empty())
        return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
    return value.size() <= longestValue && isUtf8(value);
}

std::vector<std::string> valuesOf(const Family& family, LabelValues labels)
{
    std::vector<std::string> values(family.labels.size());
    for (const auto& [label, value] : labels)
        for (std::size_t i = 0; i < values.size(); ++i)
            if (family.labels[i] == label)
                values[i] = std::string(isAllowed(label, value) ? value : other);
    return values;
}

struct Counted {
    KeyOutcome outcome;
    Counter counter;
};
constexpr std::array countedOutcomes = {
    Counted{ KeyOutcome::Created, Counter::Created },
    Counted{ KeyOutcome::Replayed, Counter::Replayed },
    Counted{ KeyOutcome::Conflict, Counter::Conflict },
    Counted{ KeyOutcome::InProgress, Counter::InProgress },
    Counted{ KeyOutcome::Fenced, Counter::Fenced },
    Counted{ KeyOutcome::TakenOver, Counter::Takeover },
    Counted{ KeyOutcome::Expired, Counter::Expired },
    Counted{ KeyOutcome::Held, Counter::Held },
};

} // namespace

std::span<const Family> families() noexcept
{
    return table;
}

std::string_view nameOf(Label label) noexcept
{
    return labelRules[static_cast<std::size_t>(label)].name;
}

Metrics::Metrics(MetricsOptions options)
    : m_options(options)
    , m_kept(table.size())
{
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        m_kept[i].known.resize(table[i].labels.size());
        // Without labels there is one series, and it is there from the start: a rate over it begins at nothing.
        if (table[i].labels.empty())
            seriesOf(i, {});
    }
}

Metrics::Series& Metrics::seriesOf(std::size_t family, Values values)
{
    auto& kept = m_kept[family];
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto& known = kept.known[i];
        if (values[i] == other || std::find(known.begin(), known.end(), values[i]) != known.end())
            continue;
        if (known.size() < m_options.values)
            known.push_back(values[i]);
        else
            values[i] = std::string(other);
    }
    auto& series = kept.series[std::move(values)];
    if (table[family].kind == MetricKind::Histogram && series.buckets.empty())
        series.buckets.resize(table[family].bounds.size() + 1);
    return series;
}

Metrics::Series Metrics::find(std::size_t family, LabelValues labels) const
{
    const auto values = valuesOf(table[family], labels);
    const std::lock_guard lock(m_mutex);
    const auto& series = m_kept[family].series;
    const auto found = series.find(values);
    return found == series.end() ? Series() : found->second;
}

void Metrics::add(Counter counter, LabelValues labels, std::uint64_t by)
{
    const auto index = indexOf(counter);
    auto values = valuesOf(table[index], labels);
    const std::lock_guard lock(m_mutex);
    seriesOf(index, std::move(values)).count += by;
}

void Metrics::set(Gauge gauge, LabelValues labels, double value)
{
    const auto index = indexOf(gauge);
    auto values = valuesOf(table[index], labels);
    const std::lock_guard lock(m_mutex);
    seriesOf(index, std::move(values)).value = value;
}

void Metrics::setBreaker(std::string_view dependency, std::string_view state)
{
    const auto index = indexOf(Gauge::BreakerState);
    const std::lock_guard lock(m_mutex);
    // All of them are shown, so that a state that was left falls to 0 instead of staying as it was.
    for (const auto each : states)
        seriesOf(index, { valuesOf(table[index], { { Label::Dependency, dependency }, { Label::State, each } }) })
            .value = each == state ? 1 : 0;
}

void Metrics::observe(Histogram histogram, LabelValues labels, double value)
{
    if (std::isnan(value))
        return;
    const auto index = indexOf(histogram);
    const auto bounds = table[index].bounds;
    auto values = valuesOf(table[index], labels);
    // A bound belongs to its bucket: le is "less or equal".
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
    const std::lock_guard lock(m_mutex);
    auto& series = seriesOf(index, std::move(values));
    ++series.buckets[static_cast<std::size_t>(bucket)];
    ++series.count;
    series.value += value;
}

double Metrics::valueOf(Counter counter, LabelValues labels) const
{
    return static_cast<double>(find(indexOf(counter), labels).count);
}

double Metrics::valueOf(Gauge gauge, LabelValues labels) const
{
    return find(indexOf(gauge), labels).value;
}

std::uint64_t Metrics::valueOf(Histogram histogram, LabelValues labels) const
{
    return find(indexOf(histogram), labels).count;
}

void EventMetrics::record(const KeyEvent& event)
{
    for (const auto& [outcome, counter] : countedOutcomes)
        if (event.outcome == outcome)
            m_metrics.add(counter, { { Label::OperationType, event.id.operation } });
    if (event.event == Event::Reap && event.to == State::Absent)
        m_metrics.add(Counter::Reaped);
}

void addReaped(Metrics& metrics, const Reaped& reaped)
{
    const auto gone = reaped.deleted + reaped.tombstoned + reaped.orphans;
    metrics.add(Counter::Reaped, {}, static_cast<std::uint64_t>(gone));
    metrics.add(Counter::Held, {}, static_cast<std::uint64_t>(reaped.held));
}

} // namespace fencepost::telemetry
