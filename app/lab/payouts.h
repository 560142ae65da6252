// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/lab/books.h"
#include "app/lab/faults.h"
#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/protocol/policy.h"
#include "core/retry/steady_clock.h"
#include "core/service/vendor_call.h"

namespace fencepost::app {

// The vendor's line of the core's table, with the lab's shorter timeout: one that recognises a repeated call, or one
// that has to be asked.
[[nodiscard]] Vendor vendorOf(EffectClass effect, const Setting<Duration>& timeout);

// The way to the vendor, for one worker: it blocks until the vendor has answered, and sends once, because the caller's
// own retries come back here.
class Payouts {
public:
    explicit Payouts(std::string url, http::ClientTelemetry telemetry = {});

    // Whose trace the calls from here on belong to; empty: each is one of its own.
    void continueTrace(std::string traceparent) { m_traceparent = std::move(traceparent); }

    VendorAnswer send(
        const Refund& refund, const CallIdentity& identity, Duration timeout, const FaultsOfRequest& faults);
    // What the vendor has under a call's key.
    VendorKnowledge ask(const OutboundCall& call);

private:
    http::ClientOutcome exchange(http::ClientRequest request);

    std::string m_url;
    std::string m_traceparent;
    retry::SteadyClock m_steady;
    SystemClock m_wall;
    SystemRandom m_random;
    KeySource m_keys;
    http::TimerAlarm m_alarm;
    http::Client m_client;
};

} // namespace fencepost::app
