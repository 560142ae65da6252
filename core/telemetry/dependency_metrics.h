// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    // As often as somebody looks, and before each scrape. Changes of the breaker between two looks are counted, by one
    // of those who share it; of all but the last nobody knows where they led to.
    void update(retry::Dependency& dependency);

private:
    void show(const retry::Dependency::Gauges& gauges);

    Metrics& m_metrics;
    std::string m_dependency;
};

} // namespace fencepost::telemetry
