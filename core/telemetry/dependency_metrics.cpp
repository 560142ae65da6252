// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/dependency_metrics.h"

#include <algorithm>

namespace fencepost::telemetry {

DependencyMetrics::DependencyMetrics(Metrics& metrics, std::string dependency)
    : m_metrics(metrics)
    , m_dependency(std::move(dependency))
{
}

void DependencyMetrics::attempt(const retry::Signal& signal, retry::Priority priority)
{
    m_metrics.add(Counter::RetryAttempts,
        { { Label::Dependency, m_dependency }, { Label::Ending, retry::wordOf(signal.ending) } });
    if (signal.ending == retry::Ending::Shed)
        m_metrics.add(Counter::ShedRejected, { { Label::Priority, retry::wordOf(priority) } });
}

void DependencyMetrics::delay(Duration delay)
{
    using Milliseconds = std::chrono::duration<double, std::milli>;
    m_metrics.observe(Histogram::RetryDelay, { { Label::Dependency, m_dependency } }, Milliseconds(delay).count());
}

void DependencyMetrics::update(retry::Dependency& dependency)
{
    dependency.countChanges([this](const retry::Dependency::Gauges& gauges) { show(gauges); });
}

void DependencyMetrics::show(const retry::Dependency::Gauges& gauges)
{
    const auto changes = gauges.uncounted;
    const auto count = [&](std::string_view state, std::uint64_t by) {
        if (by > 0)
            m_metrics.add(
                Counter::BreakerTransitions, { { Label::Dependency, m_dependency }, { Label::State, state } }, by);
    };
    count(retry::wordOf(gauges.lastChange.to), std::min<std::uint64_t>(changes, 1));
    count("other", changes - std::min<std::uint64_t>(changes, 1));
    m_metrics.setBreaker(m_dependency, retry::wordOf(gauges.breaker));
    const auto set = [&](Gauge gauge, double value) {
        m_metrics.set(gauge, { { Label::Dependency, m_dependency } }, value);
    };
    set(Gauge::RetryBudgetBalance, static_cast<double>(gauges.budget));
    set(Gauge::LimiterLimit, gauges.limit);
    set(Gauge::LimiterInFlight, gauges.inFlight);
}

} // namespace fencepost::telemetry
