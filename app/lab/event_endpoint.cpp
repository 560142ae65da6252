// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/event_endpoint.h"

#include <nlohmann/json.hpp>

#include "app/lab/json_response.h"
#include "app/lab/refund_event.h"
#include "core/delivery/cloud_event.h"
#include "core/service/problem.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view binding = "http";

// One event that came by itself: whoever sent it is the broker, and the answer tells him what became of it.
class PushedEvent final : public delivery::Source {
public:
    explicit PushedEvent(Delivery delivery)
        : m_delivery(std::move(delivery))
    {
    }

    [[nodiscard]] std::optional<Duration> again() const { return m_again; }

    Result<std::optional<Delivery>> next(Duration) override { return std::exchange(m_delivery, std::nullopt); }
    Status acknowledge() override { return {}; }
    Status deliverAgain(Duration delay) override
    {
        m_again = delay;
        return {};
    }
    Status extend() override { return {}; }

private:
    std::optional<Delivery> m_delivery;
    std::optional<Duration> m_again;
};

std::optional<HttpResponse> distrust(const EventEndpoint& endpoint, const Incoming& incoming, Time now)
{
    if (endpoint.verifier == nullptr) {
        if (incoming.fromHere)
            return {};
        return problemResponse({ .code = "AUTH.required",
            .status = 403,
            .detail = "There is no secret here, so that nobody but this computer is believed." });
    }
    const auto verdict = endpoint.verifier->check(incoming.request.headers, incoming.request.body, now);
    if (verdict == SignatureVerdict::Valid)
        return {};
    return problemResponse({ .code = "AUTH.signature",
        .status = 401,
        .detail = "The webhook is not believed: its signature is " + std::string(wordOf(verdict)) + "." });
}

// What a webhook is signed with is its id. Attributes that say anything else are somebody's between the sender and
// here.
std::optional<Delivery> deliveryOf(const EventEndpoint& endpoint, const HttpRequest& request)
{
    auto delivery = delivery::deliveryOf(request.headers, request.body, binding);
    const auto webhookId =
        delivery::keyPartOf(std::string(lineOf(request.headers, "webhook-id").value_or("")), binding);
    if (delivery.id.eventId.empty())
        delivery.id.eventId = webhookId;
    if (delivery.id.eventId.empty() || (!webhookId.empty() && delivery.id.eventId != webhookId))
        return {};
    delivery.id.consumer = webhookConsumer;
    // Standard Webhooks says neither source nor type outside of the payload.
    if (const auto payload = readEvent(request.body); payload && delivery.id.source.empty())
        delivery.id.source = delivery::keyPartOf(payload->source, binding);
    if (delivery.id.source.empty())
        delivery.id.source = webhookConsumer;
    delivery.destination = endpoint.url;
    // The others are the transport's, and a secret may be among them.
    delivery.headers.clear();
    if (const auto type = lineOf(request.headers, "content-type"))
        delivery.headers.emplace_back("Content-Type", *type);
    return delivery;
}

std::vector<FaultSpec> faultsOf(const Incoming& incoming)
{
    std::vector<FaultSpec> specs;
    if (incoming.fromHere)
        for (const auto line : linesOf(incoming.request.headers, faultHeader))
            if (const auto read = parseFaults(line))
                specs.insert(specs.end(), read->begin(), read->end());
    return specs;
}

HttpResponse unavailable(const std::string& why, Duration again)
{
    return problemResponse({ .code = "DEPENDENCY.unavailable", .status = 503, .detail = why, .retryAfter = again });
}

} // namespace

HttpResponse receiveEvent(const EventEndpoint& endpoint, const Incoming& incoming, Time now)
{
    if (auto refusal = distrust(endpoint, incoming, now))
        return std::move(*refusal);
    auto delivery = deliveryOf(endpoint, incoming.request);
    if (!delivery)
        return problemResponse({ .code = "VALIDATION.event",
            .status = 400,
            .detail = "An event is named by webhook-id or by ce-id, and by both alike." });
    PushedEvent source(std::move(*delivery));
    const auto consumed = endpoint.mailer.handleNext(source, Duration(0), faultsOf(incoming));
    if (!consumed)
        return unavailable(inWords(consumed.error()), std::chrono::seconds(1));
    const auto& outcome = **consumed;
    if (!outcome.acknowledged)
        return unavailable(outcome.outcome + ": " + outcome.reason, source.again().value_or(std::chrono::seconds(1)));
    return jsonResponse(200, ordered_json{ { "outcome", outcome.outcome } });
}

} // namespace fencepost::app
