// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <optional>
#include <variant>

#include "core/protocol/policy.h"
#include "core/random.h"
#include "core/retry/limiter.h"
#include "core/retry/shedding.h"
#include "core/service/service_parts.h"
#include "core/telemetry/metrics.h"

namespace fencepost::app {

// How many requests are executed at once, and who is refused first: the limiter and the shedding ladder in front of the
// handlers. Any thread.
class Gate {
public:
    Gate(const Clock& steady, telemetry::Metrics& metrics)
        : m_steady(steady)
        , m_metrics(metrics)
    {
    }

    // As the policy has it; before the first request.
    void open(const RoutePolicy& policy);
    // A place until leave(), or for as long as the lease at most.
    [[nodiscard]] std::variant<retry::Slot, TurnedAway> enter(const retry::Work& work, Duration lease);
    void leave(retry::Slot slot, retry::Load load);

private:
    void show();
    TurnedAway refuse(const retry::Work& work, Duration retryAfter);

    const Clock& m_steady;
    telemetry::Metrics& m_metrics;
    std::mutex m_mutex;
    SystemRandom m_random;
    std::optional<retry::Limiter> m_limiter;
    retry::Shedding m_shedding;
};

// Which attempt of a call a request is, by its Idempotency-Attempt; else the first.
[[nodiscard]] int attemptOf(const HttpRequest& request);
// What a request says of itself: its Fencepost-Priority, and whether it is a retry.
[[nodiscard]] retry::Work workOf(const HttpRequest& request, int attempt);

} // namespace fencepost::app
