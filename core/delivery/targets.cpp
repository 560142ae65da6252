// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/targets.h"

#include <algorithm>
#include <array>

#include "core/delivery/nats_address.h"
#include "core/http/client_request.h"
#include "core/messaging/event_attribute.h"
#include "core/protocol/ascii.h"

namespace fencepost::delivery {

namespace {

constexpr std::array<std::string_view, 2> webhookSchemes{ "http", "https" };

constexpr std::array<std::string_view, 2> natsSchemes{ "nats", "tls" };

Status checkWebhook(const std::string& url)
{
    const auto checked = http::checked({ .operation = "webhook", .url = url });
    return checked ? Status() : checked.error();
}

Status checkNats(const std::string& url)
{
    const auto address = natsAddressOf(url, NatsSubject::Exact);
    return address ? Status() : address.error();
}

constexpr std::array kinds = {
    TargetKind{ "webhook", webhookSchemes, true, checkWebhook, makeWebhookTarget },
    TargetKind{ "nats", natsSchemes, false, checkNats, makeNatsTarget },
};

// Set by the transport, by the target or from the event's own fields. What begins with Nats- tells a NATS server what
// to do: to delete a stream's messages, for one.
bool isOwn(std::string_view name)
{
    constexpr std::array<std::string_view, 10> own{ "content-type", "webhook-id", "webhook-timestamp",
        "webhook-signature", "te", "keep-alive", "ce-specversion", "ce-id", "ce-source", "ce-type" };
    const auto lower = asciiLower(name);
    return http::isOwnHeader(name) || std::find(own.begin(), own.end(), lower) != own.end()
        || lower.starts_with("nats-");
}

} // namespace

std::span<const TargetKind> targetKinds() noexcept
{
    return kinds;
}

const TargetKind* targetKindOf(std::string_view scheme) noexcept
{
    for (const auto& kind : kinds)
        if (std::find(kind.schemes.begin(), kind.schemes.end(), scheme) != kind.schemes.end())
            return &kind;
    return nullptr;
}

std::vector<std::string> targetSchemes()
{
    std::vector<std::string> schemes;
    for (const auto& kind : kinds)
        schemes.insert(schemes.end(), kind.schemes.begin(), kind.schemes.end());
    return schemes;
}

std::string contentTypeOf(const OutboxEvent& event)
{
    return std::string(lineOf(event.headers, "content-type").value_or("application/json"));
}

Headers cloudEventHeaders(const OutboxMessage& message)
{
    const auto& event = message.event;
    Headers headers;
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty())
            headers.emplace_back("ce-" + std::string(name), encodedAttribute(value));
    };
    add("specversion", "1.0");
    add("id", event.eventId);
    add("source", event.source);
    add("type", event.type);
    // One that is sent again tells when it happened, not when it was put back.
    if (!lineOf(event.headers, "ce-time"))
        add("time", formatInstant(message.createdAt));
    add("subject", event.aggregateId);
    // An extension: ids of two kinds of things may be alike, and each has versions of its own.
    add("aggregatetype", event.aggregateType);
    add("partitionkey", event.orderingKey.value_or(""));
    add("correlationid", event.correlationId.value_or(""));
    for (const auto& [name, value] : event.headers)
        if (!isOwn(name) && !(asciiLower(name).starts_with("ce-") && lineOf(headers, name)))
            headers.emplace_back(name, value);
    return headers;
}

} // namespace fencepost::delivery
