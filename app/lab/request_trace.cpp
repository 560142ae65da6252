// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/request_trace.h"

namespace fencepost::app {

using telemetry::Step;

void RequestTrace::begin(HttpRequest& request)
{
    m_begun = m_clock.now();
    m_executing.reset();
    m_executed.reset();
    m_events.clear();
    const auto line = lineOf(request.headers, "traceparent");
    const auto continued = telemetry::continueTrace(line, m_random);
    m_parent = continued.parent;
    m_context = continued.context;
    if (!lineOf(request.headers, "x-correlation-id"))
        request.headers.emplace_back("X-Correlation-Id", telemetry::formatTraceparent(m_context));
}

void RequestTrace::record(const telemetry::KeyEvent& event)
{
    m_events.emplace_back(event, m_clock.now());
}

void RequestTrace::executing()
{
    m_executing = m_clock.now();
}

void RequestTrace::executed()
{
    m_executed = m_clock.now();
}

std::vector<telemetry::Span> RequestTrace::end(
    const HttpRequest& request, const Path& path, int status, const telemetry::KeyPrivacy& privacy)
{
    const auto now = m_clock.now();
    telemetry::Span server{ .context = m_context,
        .parent = m_parent,
        .remoteParent = m_parent.has_value(),
        .name = request.method + (path.route.empty() ? "" : ' ' + std::string(path.route)),
        .kind = telemetry::SpanKind::Server,
        .start = m_begun,
        .end = now };
    server.attributes = { { "http.request.method", request.method },
        { "http.response.status_code", static_cast<std::int64_t>(status) } };
    if (!path.route.empty())
        server.attributes.emplace_back("http.route", std::string(path.route));
    if (!path.path.empty())
        server.attributes.emplace_back("url.path", path.path);
    if (status >= 500)
        server.status = telemetry::SpanStatus::Error;
    std::vector<telemetry::Span> spans;
    const auto add = [&](Step step, Time start, Time end, const telemetry::KeyEvent& event) {
        spans.push_back(telemetry::stepSpan(
            step, { telemetry::childOf(m_context, m_random), m_context.span, false, start, end }, event, privacy));
    };
    for (const auto& [event, at] : m_events) {
        if (event.event == Event::Reserve) {
            add(Step::Reserve, m_begun, m_executing.value_or(at), event);
            if (m_executing)
                add(Step::Execute, *m_executing, m_executed.value_or(now), event);
            if (event.outcome != telemetry::KeyOutcome::Replayed)
                continue;
            if (auto link = telemetry::linkToOriginal(event.originalCorrelationId))
                spans.back().links.push_back(std::move(*link));
        } else if (m_executed) {
            add(Step::Finalize, *m_executed, at, event);
        }
    }
    spans.insert(spans.begin(), std::move(server));
    return spans;
}

} // namespace fencepost::app
