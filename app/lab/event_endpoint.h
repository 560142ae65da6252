// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "app/lab/http_server.h"
#include "app/lab/mailer.h"
#include "core/messaging/webhook_signature.h"

namespace fencepost::app {

constexpr const char* eventsPath = "/events";
constexpr const char* webhookConsumer = "webhook";
constexpr const char* relayConsumer = "relay"; // of letters that a relay gave up, in metrics

struct EventEndpoint {
    Mailer& mailer;
    const WebhookVerifier* verifier; // null: there is no secret, and only this computer is believed
    std::string url; // of itself, where a dead letter would be sent again
};

// Receives one webhook, of Standard Webhooks or of CloudEvents' binary mode, under webhookConsumer. 2xx once it
// needs not come again, whatever became of it.
[[nodiscard]] HttpResponse receiveEvent(const EventEndpoint& endpoint, const Incoming& incoming, Time now);

} // namespace fencepost::app
