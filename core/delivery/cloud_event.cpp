// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/cloud_event.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <QString>

#include "core/messaging/outbox.h"
#include "core/protocol/ascii.h"
#include "core/protocol/http_message.h"

namespace fencepost::delivery {

namespace {

// What every database takes as text.
std::string textOf(std::string_view octets)
{
    return isUtf8(octets) ? std::string(octets)
                          : QString::fromUtf8(octets.data(), static_cast<qsizetype>(octets.size())).toStdString();
}

// CloudEvents, HTTP binding §3.1.3.2, which the NATS binding follows.
std::string decoded(std::string_view value)
{
    std::string out;
    for (std::size_t at = 0; at < value.size(); ++at) {
        const auto octet = percentAt(value, at);
        // A NUL would end the text in some databases.
        const bool coded = octet && *octet != '\0';
        out += coded ? *octet : value[at];
        at += coded ? 2 : 0;
    }
    return out;
}

std::string attribute(const Headers& headers, std::string_view name)
{
    return decoded(lineOf(headers, name).value_or(""));
}

std::optional<std::int64_t> numberOf(const std::string& text)
{
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                       : std::nullopt;
}

// What is sent along when it is sent again. Attributes with a place of their own in a letter are told from there.
Headers ownHeaders(const Headers& headers)
{
    constexpr std::array<std::string_view, 6> placed{ "ce-specversion", "ce-id", "ce-source", "ce-type",
        "ce-partitionkey", "ce-correlationid" };
    Headers own;
    for (const auto& header : headers)
        if (isToken(header.first) && isFieldValue(header.second)
            && std::find(placed.begin(), placed.end(), asciiLower(header.first)) == placed.end())
            own.emplace_back(header.first, textOf(header.second));
    return own;
}

} // namespace

std::string keyPartOf(const std::string& text, std::string_view binding)
{
    return isUtf8(text) && text.size() <= longestEventId ? text : derivedEventId(binding, {}, text, 0);
}

Delivery deliveryOf(const Headers& headers, Bytes payload, std::string_view binding)
{
    const auto named = [&](std::string_view name) {
        const auto text = attribute(headers, name);
        return text.empty() ? std::nullopt : std::optional(keyPartOf(text, binding));
    };
    Delivery delivery;
    delivery.id.source = named("ce-source").value_or("");
    delivery.id.eventId = named("ce-id").value_or("");
    delivery.type = textOf(attribute(headers, "ce-type"));
    delivery.subject = named("ce-subject");
    delivery.version = numberOf(attribute(headers, "ce-version"));
    delivery.correlationId = named("ce-correlationid");
    delivery.orderingKey = named("ce-partitionkey");
    delivery.headers = ownHeaders(headers);
    delivery.payloadHash = sha256(payload);
    delivery.payload = std::move(payload);
    return delivery;
}

} // namespace fencepost::delivery
