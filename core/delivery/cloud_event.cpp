// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/cloud_event.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <QString>

#include "core/messaging/event_attribute.h"
#include "core/messaging/outbox.h"
#include "core/messaging/structured_event.h"
#include "core/protocol/ascii.h"
#include "core/protocol/fingerprint.h"
#include "core/protocol/http_message.h"

namespace fencepost::delivery {

namespace {

// What every database takes as text.
std::string textOf(std::string_view octets)
{
    return isUtf8(octets) ? std::string(octets)
                          : QString::fromUtf8(octets.data(), static_cast<qsizetype>(octets.size())).toStdString();
}

class Attributes {
public:
    Attributes(const Headers& headers, const Bytes& payload)
        : m_headers(headers)
        , m_envelope(
              structuredAttributes(lineOf(headers, "content-type").value_or(""), payload).value_or(EventAttributes()))
    {
    }

    // Empty: neither says it.
    [[nodiscard]] std::string operator[](const char* name) const
    {
        if (const auto line = lineOf(m_headers, std::string("ce-") + name))
            return decodedAttribute(*line);
        const auto found = m_envelope.find(name);
        return found == m_envelope.end() ? std::string() : found->second;
    }

private:
    const Headers& m_headers;
    EventAttributes m_envelope;
};

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
    const Attributes attributes(headers, payload);
    const auto named = [&](const char* name) {
        const auto text = attributes[name];
        return text.empty() ? std::nullopt : std::optional(keyPartOf(text, binding));
    };
    Delivery delivery;
    delivery.id.source = named("source").value_or("");
    delivery.id.eventId = named("id").value_or("");
    delivery.type = textOf(attributes["type"]);
    delivery.subject = named("subject");
    delivery.aggregateType = named("aggregatetype");
    delivery.version = numberOf(attributes["version"]);
    delivery.correlationId = named("correlationid");
    delivery.orderingKey = named("partitionkey");
    delivery.headers = ownHeaders(headers);
    delivery.payloadHash = payloadDigest(payload);
    delivery.payload = std::move(payload);
    return delivery;
}

} // namespace fencepost::delivery
