// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace.h"

#include <algorithm>

namespace fencepost::telemetry {

namespace {

template <std::size_t N> bool isZero(const std::array<std::uint8_t, N>& id)
{
    return std::all_of(id.begin(), id.end(), [](std::uint8_t octet) { return octet == 0; });
}

template <std::size_t N> std::array<std::uint8_t, N> fresh(Random& random)
{
    std::array<std::uint8_t, N> id{};
    while (isZero(id))
        for (std::size_t i = 0; i < N; i += 8) {
            auto number = random.next();
            for (std::size_t j = 0; j < 8; ++j, number >>= 8U)
                id[i + j] = static_cast<std::uint8_t>(number & 0xffU);
        }
    return id;
}

// Only lower case: two spellings of one id would be two ids to somebody.
std::optional<std::uint8_t> nibble(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<std::uint8_t>(c - 'a' + 10);
    return std::nullopt;
}

template <std::size_t N> std::optional<std::array<std::uint8_t, N>> readHex(std::string_view text)
{
    std::array<std::uint8_t, N> octets{};
    for (std::size_t i = 0; i < N; ++i) {
        const auto high = nibble(text[2 * i]);
        const auto low = nibble(text[2 * i + 1]);
        if (!high || !low)
            return std::nullopt;
        octets[i] = static_cast<std::uint8_t>(*high << 4U | *low);
    }
    return octets;
}

constexpr std::array<std::string_view, 3> stepNames = { "idempotency.reserve", "idempotency.execute",
    "idempotency.finalize" };

std::string shown(const std::string& key, const KeyPrivacy& privacy)
{
    return privacy.showKeys ? key : keyHash(key, privacy.salt);
}

Span spanAt(const SpanPlace& place)
{
    Span span;
    span.context = place.context;
    span.parent = place.parent;
    span.remoteParent = place.remoteParent;
    span.start = place.start;
    span.end = std::max(place.start, place.end); // wall clocks step back
    return span;
}

} // namespace

std::string hexOf(const TraceId& id)
{
    return toHex({ reinterpret_cast<const char*>(id.data()), id.size() });
}

std::string hexOf(const SpanId& id)
{
    return toHex({ reinterpret_cast<const char*>(id.data()), id.size() });
}

TraceContext newTrace(Random& random)
{
    return { fresh<16>(random), fresh<8>(random), true };
}

TraceContext childOf(const TraceContext& parent, Random& random)
{
    return { parent.trace, fresh<8>(random), parent.sampled };
}

std::string formatTraceparent(const TraceContext& context)
{
    return "00-" + hexOf(context.trace) + '-' + hexOf(context.span) + (context.sampled ? "-01" : "-00");
}

std::optional<TraceContext> parseTraceparent(std::string_view text)
{
    constexpr std::size_t length = 55;
    if (text.size() < length || text[2] != '-' || text[35] != '-' || text[52] != '-')
        return std::nullopt;
    const auto version = readHex<1>(text.substr(0, 2));
    const auto trace = readHex<16>(text.substr(3, 32));
    const auto span = readHex<8>(text.substr(36, 16));
    const auto flags = readHex<1>(text.substr(53, 2));
    if (!version || !trace || !span || !flags || (*version)[0] == 0xff || isZero(*trace) || isZero(*span))
        return std::nullopt;
    // Version 00 has nothing behind the flags, a later one a dash and what nobody here knows.
    if (text.size() > length && ((*version)[0] == 0 || text[length] != '-'))
        return std::nullopt;
    return TraceContext{ *trace, *span, ((*flags)[0] & 1U) != 0 };
}

Continued continueTrace(std::optional<std::string_view> traceparent, Random& random)
{
    if (const auto parent = traceparent ? parseTraceparent(*traceparent) : std::nullopt)
        return { childOf(*parent, random), parent->span };
    return { newTrace(random), std::nullopt };
}

SpanBuffer::SpanBuffer(std::size_t capacity)
    : m_capacity(capacity)
{
}

void SpanBuffer::record(Span span)
{
    if (!span.context.sampled)
        return;
    const std::lock_guard lock(m_mutex);
    if (m_spans.size() < m_capacity)
        m_spans.push_back(std::move(span));
    else
        ++m_dropped;
}

std::vector<Span> SpanBuffer::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_spans, {});
}

std::uint64_t SpanBuffer::dropped() const
{
    const std::lock_guard lock(m_mutex);
    return m_dropped;
}

Span stepSpan(Step step, const SpanPlace& place, const KeyEvent& event, const KeyPrivacy& privacy)
{
    auto span = spanAt(place);
    span.name = std::string(stepNames[static_cast<std::size_t>(step)]);
    span.attributes = { { "idempotency_key", shown(event.id.key, privacy) },
        { "attempt", static_cast<std::int64_t>(event.attempt) }, { "operation_type", event.id.operation },
        { "fence", event.fence.value }, { "to_state", std::string(wordOf(event.to)) } };
    if (event.from)
        span.attributes.emplace_back("from_state", std::string(wordOf(*event.from)));
    if (event.outcome)
        span.attributes.emplace_back("idempotency.outcome", std::string(wordOf(*event.outcome)));
    if (event.errorCode)
        span.attributes.emplace_back("error_code", *event.errorCode);
    // A conflict or a replayed failure is an answer as it should be; a hold or a lost lease is not.
    if (event.level == Level::Error || event.outcome == KeyOutcome::Fenced) {
        span.status = SpanStatus::Error;
        span.message = event.errorCode.value_or(std::string(wordOf(event.to)));
    }
    return span;
}

std::optional<SpanLink> linkToOriginal(const Reserved& reserved)
{
    if (reserved.outcome != Outcome::Replay || !reserved.record)
        return std::nullopt;
    return linkToOriginal(reserved.record->correlationId);
}

std::optional<SpanLink> linkToOriginal(const std::optional<std::string>& correlationId)
{
    const auto original = correlationId ? parseTraceparent(*correlationId) : std::nullopt;
    if (!original)
        return std::nullopt;
    return SpanLink{ *original, { { "fencepost.link", std::string("original_execution") } } };
}

Span attemptSpan(const SpanPlace& place, const ClientAttempt& attempt, const KeyPrivacy& privacy)
{
    auto span = spanAt(place);
    span.name = attempt.method;
    span.kind = SpanKind::Client;
    if (!attempt.key.empty())
        span.attributes.emplace_back("idempotency_key", shown(attempt.key, privacy));
    span.attributes.emplace_back("attempt", static_cast<std::int64_t>(attempt.attempt));
    span.attributes.emplace_back("http.request.method", attempt.method);
    span.attributes.emplace_back("http.request.resend_count", static_cast<std::int64_t>(attempt.attempt - 1));
    span.attributes.emplace_back("server.address", attempt.server);
    if (attempt.status)
        span.attributes.emplace_back("http.response.status_code", static_cast<std::int64_t>(*attempt.status));
    if (!attempt.status || *attempt.status >= 400) {
        const auto type = attempt.status ? std::to_string(*attempt.status) : attempt.error;
        span.attributes.emplace_back("error.type", type);
        span.status = SpanStatus::Error;
        span.message = attempt.error;
    }
    return span;
}

Span callSpan(const SpanPlace& place, const ClientCall& call, const KeyPrivacy& privacy)
{
    auto span = spanAt(place);
    span.name = call.operation;
    if (!call.key.empty())
        span.attributes.emplace_back("idempotency_key", shown(call.key, privacy));
    span.attributes.emplace_back("fencepost.attempts", static_cast<std::int64_t>(call.attempts));
    span.attributes.emplace_back("fencepost.reason", call.reason);
    if (!call.done) {
        span.status = SpanStatus::Error;
        span.message = call.reason;
    }
    return span;
}

} // namespace fencepost::telemetry
