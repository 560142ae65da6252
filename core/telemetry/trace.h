// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/random.h"
#include "core/telemetry/event.h"

namespace fencepost::telemetry {

// Octets as they are sent, never all zero.
using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

[[nodiscard]] std::string hexOf(const TraceId& id);
[[nodiscard]] std::string hexOf(const SpanId& id);

// A span as others refer to it (W3C Trace Context, level 1).
struct TraceContext {
    TraceId trace{};
    SpanId span{};
    bool sampled = true;

    bool operator==(const TraceContext&) const = default;
};

[[nodiscard]] TraceContext newTrace(Random& random);
[[nodiscard]] TraceContext childOf(const TraceContext& parent, Random& random); // a new span of the same trace

// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
[[nodiscard]] std::string formatTraceparent(const TraceContext& context);
// None: it is malformed, and whoever reads it begins a new trace. A later version is read by what it shares with 00.
[[nodiscard]] std::optional<TraceContext> parseTraceparent(std::string_view text);

// The first span of whoever was handed `traceparent`: below the one that it names, or of a new trace.
struct Continued {
    TraceContext context;
    std::optional<SpanId> parent;
};
[[nodiscard]] Continued continueTrace(std::optional<std::string_view> traceparent, Random& random);

using AttributeValue = std::variant<std::string, std::int64_t, double, bool>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

struct SpanLink {
    TraceContext to;
    Attributes attributes;

    bool operator==(const SpanLink&) const = default;
};

enum class SpanKind { Internal = 1, Server = 2, Client = 3, Producer = 4, Consumer = 5 }; // OTLP's numbers
enum class SpanStatus { Unset = 0, Ok = 1, Error = 2 };

// One finished span.
struct Span {
    TraceContext context;
    std::optional<SpanId> parent; // none: the first of its trace
    bool remoteParent = false; // it came over the wire
    std::string name;
    SpanKind kind = SpanKind::Internal;
    Time start;
    Time end;
    Attributes attributes;
    std::vector<SpanLink> links;
    SpanStatus status = SpanStatus::Unset;
    std::string message; // of SpanStatus::Error

    bool operator==(const Span&) const = default;
};

// Told of every span that ended. Implementations are safe for concurrent use, and never fail the caller.
class SpanSink {
public:
    virtual ~SpanSink() = default;
    virtual void record(Span span) = 0;
};

// Keeps spans until somebody sends them. What finds it full is dropped and counted: traces may be lost, requests not.
class SpanBuffer final : public SpanSink {
public:
    explicit SpanBuffer(std::size_t capacity = 2048);
    void record(Span span) override;
    [[nodiscard]] std::vector<Span> take(); // all of them, in the order in which they ended
    [[nodiscard]] std::uint64_t dropped() const;

private:
    std::size_t m_capacity;
    mutable std::mutex m_mutex;
    std::vector<Span> m_spans;
    std::uint64_t m_dropped = 0;
};

// The three steps of an execution: idempotency.reserve, .execute, .finalize.
enum class Step { Reserve, Execute, Finalize };

// Where a span stands: who it is, under whom, and from when to when.
struct SpanPlace {
    TraceContext context;
    std::optional<SpanId> parent;
    bool remoteParent = false;
    Time start;
    Time end;
};

// A step of an execution, with what is known of the key at its end.
[[nodiscard]] Span stepSpan(Step step, const SpanPlace& place, const KeyEvent& event, const KeyPrivacy& privacy);

// To the execution that made the answer, where a replay's record has its traceparent as correlation id.
[[nodiscard]] std::optional<SpanLink> linkToOriginal(const Reserved& reserved);
[[nodiscard]] std::optional<SpanLink> linkToOriginal(const std::optional<std::string>& correlationId);

// One attempt of a client's call.
struct ClientAttempt {
    std::string key; // empty: it has none
    std::string method;
    std::string server; // host, without user or query
    int attempt = 1;
    std::optional<int> status; // none: there was no answer
    std::string error; // how it ended without an answer: "timed_out"
};

// A client's span. The first attempt has http.request.resend_count 0.
[[nodiscard]] Span attemptSpan(const SpanPlace& place, const ClientAttempt& attempt, const KeyPrivacy& privacy);

// A client's call with all of its attempts.
struct ClientCall {
    std::string operation; // refund.create
    std::string key; // empty: it has none
    int attempts = 0;
    bool done = false;
    std::string reason; // how it ended
};

// The span that its attempts are under.
[[nodiscard]] Span callSpan(const SpanPlace& place, const ClientCall& call, const KeyPrivacy& privacy);

// Who sends the spans: service.name, service.version and the like.
struct TraceResource {
    Attributes attributes;
};

// One ExportTraceServiceRequest in OTLP's JSON encoding, without a line break: the body of POST /v1/traces with
// Content-Type application/json, or a line of a file.
[[nodiscard]] std::string otlpJson(const TraceResource& resource, std::span<const Span> spans);

} // namespace fencepost::telemetry
