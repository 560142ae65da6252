// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "core/clock.h"
#include "core/random.h"
#include "core/service/heartbeat.h"
#include "core/service/http_contract.h"
#include "core/service/running_keys.h"
#include "core/service/terminal_cache.h"

namespace fencepost {

// Why a request is not let in at the moment: a limiter, shedding or an open breaker said so.
struct TurnedAway {
    int status = 503; // or 429
    Duration retryAfter = std::chrono::seconds(1); // with its jitter
};

// What a service gives. Everything outlives the handler; none of them is required but the first three.
struct ServiceParts {
    Store& store;
    const Clock& clock;
    Random& random;
    // Runs its argument in one transaction of the store, which the business writes join: SqlStore::together. Required
    // for ContractMode::SingleTransaction.
    std::function<Status(const std::function<Status()>&)> together = {};
    std::function<std::optional<TurnedAway>(const HttpRequest&)> turnAway = {};
    // Of deadlines and renewals, so that a clock that is set gives nobody an hour more or less. None: the computer's
    // own that never steps.
    const Clock* steady = nullptr;
    std::function<void(Duration)> sleep = {}; // for InFlightAnswer::Wait; none: the thread sleeps
    TerminalCache* cache = nullptr;
    RunningKeys* running = nullptr; // of the process: duplicates of what runs here need not wait for its locks
    // What was answered without the store: telemetry::ObservedStore::answered.
    std::function<void(const Reservation&, const Reserved&)> answered = {};
    // What keeps the lease of an execution outside of a transaction; none, or null: the handler renews, where it must.
    std::function<Heartbeat*(const HttpRequest&)> heartbeat = {};
};

// Invalid: the route asks for what the parts do not have, or has an impossible value.
[[nodiscard]] Status check(const RouteContract& route, const ServiceParts& parts);

} // namespace fencepost
