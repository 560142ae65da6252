// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/clock.h"
#include "core/protocol/http_message.h"
#include "core/telemetry/trace.h"

namespace fencepost::app {

// What happened to the record of one request, collected into its spans. Used by one thread.
class RequestTrace final : public telemetry::EventSink {
public:
    RequestTrace(const Clock& clock, Random& random)
        : m_clock(clock)
        , m_random(random)
    {
    }

    // A request comes in. Its own traceparent, else a new one, becomes its correlation id where it has none, so that a
    // replay can be linked to the execution that made the answer.
    void begin(HttpRequest& request);
    // Of the request that came in.
    [[nodiscard]] const telemetry::TraceContext& context() const { return m_context; }
    void record(const telemetry::KeyEvent& event) override;
    void executing();
    void executed();
    // As it may be shown: no key is in it.
    struct Path {
        std::string_view route; // the pattern; empty: there is no such route
        std::string path; // empty: it is not shown
    };
    [[nodiscard]] std::vector<telemetry::Span> end(
        const HttpRequest& request, const Path& path, int status, const telemetry::KeyPrivacy& privacy);

private:
    const Clock& m_clock;
    Random& m_random;
    telemetry::TraceContext m_context;
    std::optional<telemetry::SpanId> m_parent;
    Time m_begun;
    std::optional<Time> m_executing;
    std::optional<Time> m_executed;
    std::vector<std::pair<telemetry::KeyEvent, Time>> m_events;
};

} // namespace fencepost::app
