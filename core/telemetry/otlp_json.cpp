// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <nlohmann/json.hpp>

#include "core/telemetry/trace.h"

namespace fencepost::telemetry {

namespace {

using nlohmann::ordered_json;

// OTLP's JSON is proto3's with three exceptions: ids are hexadecimal, enumerations are numbers, and names are in
// lowerCamelCase only. 64-bit integers are decimal strings, absent fields have their default.

// fixed64 of nanoseconds: from 1970 to 2554.
std::string nanosOf(Time time)
{
    constexpr auto most = std::numeric_limits<std::uint64_t>::max() / 1000;
    const auto micros = microsOf(time);
    if (micros <= 0)
        return "0";
    return std::to_string(std::min(static_cast<std::uint64_t>(micros), most) * 1000);
}

ordered_json valueOf(const AttributeValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return { { "stringValue", *text } };
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return { { "intValue", std::to_string(*integer) } };
    if (const auto* boolean = std::get_if<bool>(&value))
        return { { "boolValue", *boolean } };
    const auto number = std::get<double>(value);
    if (number != number)
        return { { "doubleValue", "NaN" } };
    if (number - number != 0)
        return { { "doubleValue", number > 0 ? "Infinity" : "-Infinity" } };
    return { { "doubleValue", number } };
}

ordered_json listOf(const Attributes& attributes)
{
    auto list = ordered_json::array();
    for (const auto& [key, value] : attributes)
        list.push_back({ { "key", key }, { "value", valueOf(value) } });
    return list;
}

// Bits 0 to 7 are W3C's trace flags; bit 8 says that bit 9 is known, bit 9 that the context came over the wire.
constexpr unsigned sampledFlag = 0x1;
constexpr unsigned knowsRemote = 0x100;
constexpr unsigned isRemote = 0x200;

ordered_json linkOf(const SpanLink& link)
{
    ordered_json object;
    object["traceId"] = hexOf(link.to.trace);
    object["spanId"] = hexOf(link.to.span);
    object["attributes"] = listOf(link.attributes);
    // A link leads to another request, wherever that was.
    object["flags"] = (link.to.sampled ? sampledFlag : 0U) | knowsRemote | isRemote;
    return object;
}

ordered_json spanOf(const Span& span)
{
    ordered_json object;
    object["traceId"] = hexOf(span.context.trace);
    object["spanId"] = hexOf(span.context.span);
    if (span.parent)
        object["parentSpanId"] = hexOf(*span.parent);
    object["flags"] = (span.context.sampled ? sampledFlag : 0U) | knowsRemote | (span.remoteParent ? isRemote : 0U);
    object["name"] = span.name;
    object["kind"] = static_cast<int>(span.kind);
    object["startTimeUnixNano"] = nanosOf(span.start);
    object["endTimeUnixNano"] = nanosOf(span.end);
    object["attributes"] = listOf(span.attributes);
    if (!span.links.empty()) {
        object["links"] = ordered_json::array();
        for (const auto& link : span.links)
            object["links"].push_back(linkOf(link));
    }
    if (span.status != SpanStatus::Unset) {
        object["status"]["code"] = static_cast<int>(span.status);
        if (!span.message.empty())
            object["status"]["message"] = span.message;
    }
    return object;
}

} // namespace

std::string otlpJson(const TraceResource& resource, std::span<const Span> spans)
{
    ordered_json scope;
    scope["scope"] = { { "name", "fencepost" }, { "version", FENCEPOST_VERSION } };
    scope["spans"] = ordered_json::array();
    for (const auto& span : spans)
        scope["spans"].push_back(spanOf(span));
    ordered_json whole;
    whole["resource"]["attributes"] = listOf(resource.attributes);
    whole["scopeSpans"] = ordered_json::array({ std::move(scope) });
    ordered_json request;
    request["resourceSpans"] = ordered_json::array({ std::move(whole) });
    return request.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

} // namespace fencepost::telemetry
