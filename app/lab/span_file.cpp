// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/span_file.h"

namespace fencepost::app {

SpanFile::SpanFile(const std::string& path, std::string service)
    : m_service(std::move(service))
{
    if (!path.empty())
        m_file.open(path, std::ios::app);
}

void SpanFile::write(const std::vector<telemetry::Span>& spans)
{
    const telemetry::TraceResource resource{ { { "service.name", m_service },
        { "service.version", std::string(FENCEPOST_VERSION) } } };
    const auto line = telemetry::otlpJson(resource, spans);
    const std::lock_guard lock(m_mutex);
    // Half a line may stand there from a disk that was full.
    if (!(m_file << (m_broken ? "\n" : "") << line << std::endl)) {
        m_file.clear();
        m_broken = true;
        ++m_lost;
    } else {
        m_broken = false;
    }
}

std::int64_t SpanFile::lost()
{
    const std::lock_guard lock(m_mutex);
    return m_lost;
}

void SpanFile::record(telemetry::Span span)
{
    write({ std::move(span) });
}

} // namespace fencepost::app
