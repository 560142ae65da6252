// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <QSslConfiguration>

#include "core/clock.h"
#include "core/delivery/target.h"
#include "core/messaging/webhook_signature.h"
#include "core/random.h"
#include "core/telemetry/metrics.h"

namespace fencepost::delivery {

// They outlive the target, and belong to its thread.
struct TargetParts {
    const Clock& steady; // retry::SteadyClock
    const Clock& wall; // SystemClock
    Random& random;
    telemetry::Metrics* metrics = nullptr; // told of every attempt at a webhook; null: nobody is
};

// One of them, or none.
struct NatsCredentials {
    std::string file; // a path: a JWT and its seed, as nsc writes them
    std::string user;
    std::string password;
    std::string token;
};

struct TargetOptions {
    std::vector<WebhookSecret> secrets; // webhooks: none are signed without; several while they are changed
    Duration timeout = std::chrono::seconds(20); // of one attempt
    std::optional<QSslConfiguration> tls{}; // a root of one's own; certificates are verified in any case
    NatsCredentials nats{};
};

// A kind of destination. Another broker is one file with another entry.
struct TargetKind {
    std::string_view name;
    std::span<const std::string_view> schemes; // of the URLs that it sends to
    bool signs; // with TargetOptions::secrets
    Status (*check)(const std::string& url); // Invalid: nothing could ever be sent there
    std::unique_ptr<Target> (*create)(const TargetParts& parts, const TargetOptions& options);
};

[[nodiscard]] std::span<const TargetKind> targetKinds() noexcept;
[[nodiscard]] const TargetKind* targetKindOf(std::string_view scheme) noexcept; // null: there is none
[[nodiscard]] std::vector<std::string> targetSchemes(); // of all kinds

// Of Standard Webhooks and CloudEvents (HTTP binding, binary mode): 2xx is success, 410 means gone, everything else is
// a failure, redirections too.
[[nodiscard]] std::unique_ptr<Target> makeWebhookTarget(const TargetParts& parts, const TargetOptions& options);

// Of CloudEvents (NATS binding, binary mode), accepted once JetStream has stored it. Nats-Msg-Id is the same for all
// attempts and another one for a replay, which JetStream would take for a duplicate otherwise.
[[nodiscard]] std::unique_ptr<Target> makeNatsTarget(const TargetParts& parts, const TargetOptions& options);

[[nodiscard]] std::string contentTypeOf(const OutboxEvent& event);
// The attributes of CloudEvents 1.0 as ce-* and the event's own headers, of which an attribute that the event itself
// does not say is one; what the target sets itself is left out.
[[nodiscard]] Headers cloudEventHeaders(const OutboxMessage& message);

} // namespace fencepost::delivery
