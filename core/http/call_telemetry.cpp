// SPDX-License-Identifier: Apache-2.0
#include "core/http/call_telemetry.h"

namespace fencepost::http {

CallTelemetry::CallTelemetry(const ClientTelemetry& to, telemetry::DependencyMetrics* metrics, About about,
    std::optional<std::string_view> traceparent, Time now, Random& random)
    : m_to(to)
    , m_metrics(metrics)
    , m_about(std::move(about))
    , m_random(random)
{
    if (m_to.spans == nullptr)
        return;
    m_call.start = now;
    const auto continued = telemetry::continueTrace(traceparent, random);
    m_call.context = continued.context;
    m_call.parent = continued.parent;
}

std::optional<std::string> CallTelemetry::begin(int attempt, Time now)
{
    ++m_attempts;
    m_attempt = Attempt{ attempt, {}, now };
    if (m_to.spans == nullptr)
        return {};
    m_attempt->context = telemetry::childOf(m_call.context, m_random);
    return telemetry::formatTraceparent(m_attempt->context);
}

void CallTelemetry::settle(const retry::Signal& signal, Time now)
{
    if (m_metrics != nullptr)
        m_metrics->attempt(signal, m_about.priority);
    if (!m_attempt)
        return;
    const auto attempt = *m_attempt;
    m_attempt.reset();
    if (m_to.spans == nullptr || !attempt.context.sampled)
        return;
    telemetry::ClientAttempt told{ m_about.key, m_about.method, m_about.server, attempt.number };
    if (signal.ending == retry::Ending::Answered)
        told.status = signal.status;
    else
        told.error = retry::wordOf(signal.ending);
    const telemetry::SpanPlace place{ attempt.context, m_call.context.span, false, attempt.begin, now };
    m_to.spans->record(telemetry::attemptSpan(place, told, m_to.privacy));
}

void CallTelemetry::wait(Duration delay)
{
    if (m_metrics != nullptr)
        m_metrics->delay(delay);
}

void CallTelemetry::finish(const retry::Decision& decision, Time now)
{
    if (m_to.spans == nullptr || !m_call.context.sampled)
        return;
    m_call.end = now;
    m_to.spans->record(telemetry::callSpan(m_call,
        { m_about.operation.empty() ? m_about.method : m_about.operation, m_about.key, m_attempts,
            decision.verdict == retry::Verdict::Done, std::string(decision.reason) },
        m_to.privacy));
}

} // namespace fencepost::http
