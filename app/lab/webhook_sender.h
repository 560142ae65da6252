// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "app/lab/faults.h"
#include "core/retry/policy.h"
#include "core/store/database.h"
#include "core/telemetry/metrics.h"

namespace fencepost::app {

struct WebhookSenderParts {
    store::Target target;
    store::OpenOptions openOptions;
    std::string url;
    Faults& faults;
    telemetry::Metrics& metrics;
    retry::Policy policy = *retry::presetOf("vendor");
};

// Sends the events that the business transactions have left in the table webhooks, in a thread of its own, until they
// are acknowledged. An event has one id for ever, so that a receiver can tell the second delivery from another event.
class WebhookSender {
public:
    static Result<std::unique_ptr<WebhookSender>> start(const WebhookSenderParts& parts);
    // What is not acknowledged is sent by the next one.
    ~WebhookSender();
    WebhookSender(const WebhookSender&) = delete;
    WebhookSender& operator=(const WebhookSender&) = delete;

private:
    WebhookSender();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace fencepost::app
