// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "core/retry/dependency.h"
#include "core/telemetry/metrics.h"

namespace fencepost::telemetry {

// The metrics of all calls to one dependency. Safe for concurrent use; the metrics outlive it.
class DependencyMetrics {
public:
    DependencyMetrics(Metrics& metrics, std::string dependency);

    // How an attempt ended, or why there was none. What was shed here counts as rejected besides.
    void attempt(const retry::Signal& signal, retry::Priority priority);
    // What is waited before the next attempt.
    void delay(Duration delay);
    // As often as somebody looks, and before each scrape. Changes of the breaker between two looks are counted; of all
    // but the last nobody knows where they led to.
    void update(const retry::Dependency::Gauges& gauges);

private:
    Metrics& m_metrics;
    std::string m_dependency;
    std::mutex m_mutex;
    std::uint64_t m_changes = 0;
};

} // namespace fencepost::telemetry
