// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/retry/dependency.h"
#include "core/telemetry/dependency_metrics.h"
#include "core/telemetry/trace.h"

namespace fencepost::http {

// Whom a client tells of its attempts. They outlive it; null: nobody.
struct ClientTelemetry {
    telemetry::SpanSink* spans = nullptr;
    telemetry::Metrics* metrics = nullptr;
    telemetry::KeyPrivacy privacy{}; // of the spans
};

// What one call tells of itself: a span, under the one that the request's own traceparent names or in a trace of its
// own, with a span for each attempt below it, and the metrics of its dependency.
class CallTelemetry {
public:
    struct About {
        std::string operation; // empty: what the method is
        std::string key; // empty: it has none
        std::string method;
        std::string server; // host
        retry::Priority priority = retry::Priority::Critical;
    };

    // `traceparent` is that of the request, if it has one.
    CallTelemetry(const ClientTelemetry& to, telemetry::DependencyMetrics* metrics, About about,
        std::optional<std::string_view> traceparent, Time now, Random& random);

    // The traceparent of the attempt that begins; none: nobody traces.
    [[nodiscard]] std::optional<std::string> begin(int attempt, Time now);
    // How the attempt ended, or why there was none.
    void settle(const retry::Signal& signal, Time now);
    void wait(Duration delay);
    void finish(const retry::Decision& decision, Time now);

private:
    struct Attempt {
        int number = 0;
        telemetry::TraceContext context;
        Time begin{};
    };

    const ClientTelemetry& m_to;
    telemetry::DependencyMetrics* m_metrics;
    About m_about;
    Random& m_random;
    telemetry::SpanPlace m_call;
    int m_attempts = 0;
    std::optional<Attempt> m_attempt;
};

} // namespace fencepost::http
