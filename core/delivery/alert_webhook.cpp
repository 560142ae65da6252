// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/alert_webhook.h"

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/without_credentials.h"

namespace fencepost::delivery {

namespace {

// Those that nobody took for so long are no news any more.
constexpr std::size_t mostWaiting = 1'000;

std::string inOctets(const nlohmann::json& payload)
{
    return payload.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string payloadOf(const AlertChange& change)
{
    using nlohmann::json;
    const auto& state = change.state;
    return inOctets(json{ { "rule", textOf(state.rule) }, { "firing", state.firing },
        { "value", state.reading ? json(state.reading->value) : json() },
        { "exact", state.reading ? json(state.reading->exact) : json() },
        { "binding", state.reading && !state.reading->binding.empty() ? json(state.reading->binding) : json() },
        { "at", formatInstant(change.at) }, { "words", alertInWords(change) } });
}

} // namespace

AlertWebhook::AlertWebhook(const TargetParts& parts, const TargetOptions& options, std::string url, std::string source)
    : m_random(parts.random)
    , m_url(std::move(url))
    , m_source(std::move(source))
    , m_target(makeWebhookTarget(parts, options))
{
}

AlertWebhook::~AlertWebhook() = default;

void AlertWebhook::tell(const AlertChange& change)
{
    post(change.state.firing ? "fencepost.alert.fired" : "fencepost.alert.ceased", change.state.rule.measure->id,
        change.at, payloadOf(change));
}

void AlertWebhook::tellWhetherWatched(bool watched, Time at)
{
    post(watched ? "fencepost.watch.resumed" : "fencepost.watch.lost", "watch", at,
        inOctets({ { "watching", watched }, { "at", formatInstant(at) },
            { "words",
                watched ? "The rules are looked at again."
                        : "Nothing is known of any rule: the connection is lost." } }));
}

void AlertWebhook::post(std::string type, std::string about, Time at, std::string payload)
{
    if (m_gone)
        return;
    Parcel parcel;
    parcel.message.seq = ++m_told;
    auto& event = parcel.message.event;
    event.eventId = uuid4(m_random);
    event.destination = m_url;
    event.source = m_source;
    event.type = std::move(type);
    event.aggregateType = "alert";
    event.aggregateId = std::move(about);
    event.headers = { { "Content-Type", "application/json" } };
    parcel.message.createdAt = at;
    parcel.payload = std::move(payload);
    parcel.destination = m_url;
    m_waiting.push_back(std::move(parcel));
    // The first may be on its way.
    if (m_waiting.size() > mostWaiting)
        m_waiting.erase(m_waiting.begin() + 1);
    tend();
}

void AlertWebhook::tend()
{
    if (m_sending || m_waiting.empty())
        return;
    m_sending = true;
    ++m_waiting.front().message.attempt;
    m_target->deliver(m_waiting.front(), [this](const DeliveryResult& result) { ended(result); });
}

void AlertWebhook::ended(const DeliveryResult& result)
{
    m_sending = false;
    if (result.delivered == Delivered::Accepted) {
        m_problem.reset();
        m_waiting.pop_front();
        tend();
        return;
    }
    m_problem =
        withoutCredentials(m_url) + ": " + (result.error.empty() ? result.code : withoutCredentials(result.error));
    m_gone = result.delivered == Delivered::Gone;
    if (m_gone)
        m_waiting.clear();
    else if (!result.retryable)
        m_waiting.pop_front();
}

} // namespace fencepost::delivery
