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

namespace fencepost::delivery {

// They outlive the target, and belong to its thread.
struct TargetParts {
    const Clock& steady; // retry::SteadyClock
    const Clock& wall; // SystemClock
    Random& random;
};

struct TargetOptions {
    std::vector<WebhookSecret> secrets; // webhooks: none are signed without; several while they are changed
    Duration timeout = std::chrono::seconds(20); // of one attempt
    std::optional<QSslConfiguration> tls{}; // a root of one's own; certificates are verified in any case
};

// A kind of destination. Another broker is one file with another entry.
struct TargetKind {
    std::string_view name;
    std::span<const std::string_view> schemes; // of the URLs that it sends to
    std::unique_ptr<Target> (*create)(const TargetParts& parts, const TargetOptions& options);
};

[[nodiscard]] std::span<const TargetKind> targetKinds() noexcept;
[[nodiscard]] const TargetKind* targetKindOf(std::string_view scheme) noexcept; // null: there is none
[[nodiscard]] std::vector<std::string> targetSchemes(); // of all kinds

// Of Standard Webhooks and CloudEvents (HTTP binding, binary mode): 2xx is success, 410 means gone, everything else is
// a failure, redirections too.
[[nodiscard]] std::unique_ptr<Target> makeWebhookTarget(const TargetParts& parts, const TargetOptions& options);

// The attributes of CloudEvents 1.0 and the event's own headers, as `prefix` + name; what the target sets itself is
// left out.
[[nodiscard]] Headers cloudEventHeaders(const OutboxMessage& message, std::string_view prefix);

} // namespace fencepost::delivery
