// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lab/faults.h"
#include "app/lab/http_server.h"
#include "core/delivery/targets.h"
#include "core/service/http_contract.h"
#include "core/store/database.h"

namespace fencepost::app {

// How the lab serves. Without a value a setting is the protocol's default.
struct LabOptions {
    store::Target target;
    HttpServerOptions server;
    Policy policy; // what the rest does not say, over the financial profile; in one transaction unless either says more
    std::optional<ContractMode> mode;
    std::optional<EffectClass> effect; // of a refund
    std::optional<InFlightAnswer> inFlight;
    std::optional<Duration> wait; // InFlightAnswer::Wait
    std::optional<Duration> lease;
    std::optional<Duration> ttl;
    int cached = 0; // terminal records that are kept in memory; 0: none
    std::vector<std::string> destinations; // of events; empty: none are written
    delivery::TargetOptions delivery; // what webhooks are signed with, and NATS is told
    std::string consumeUrl; // of a stream of events; empty: none is read
    std::string consumer = "mailer"; // who reads it
    std::optional<int> maxAttempts; // of an event, sent or received; none: the policy's
    std::vector<FaultSpec> faults;
    std::uint64_t seed = 1; // of the faults' chances
    std::string spansPath; // OTLP JSON, a line for each request; empty: none
    std::string logPath; // JSON lines; empty: none; "-": standard error
};

} // namespace fencepost::app
