// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/structured_event.h"

#include <nlohmann/json.hpp>

#include "core/protocol/ascii.h"

namespace fencepost {

namespace {

bool isStructuredType(std::string_view contentType)
{
    return asciiLower(std::string(contentType.substr(0, contentType.find_first_of("; \t"))))
        == "application/cloudevents+json";
}

// A NUL is told as it was written: no database's text can hold it.
std::string textOf(const nlohmann::json& value)
{
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    return text.find('\0') == std::string::npos ? text : value.dump();
}

} // namespace

std::optional<EventAttributes> structuredAttributes(std::string_view contentType, const Bytes& payload)
{
    if (!isStructuredType(contentType))
        return std::nullopt;
    // The data may be large, and is not looked at.
    const auto attributesOnly = [](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
        using Event = nlohmann::json::parse_event_t;
        return depth == 0 || (depth == 1 && (event == Event::key || (event == Event::value && !value.is_null())));
    };
    const auto envelope = nlohmann::json::parse(payload, attributesOnly, false);
    EventAttributes attributes;
    if (envelope.is_object())
        for (const auto& [name, value] : envelope.items())
            attributes[name] = textOf(value);
    return attributes;
}

} // namespace fencepost
