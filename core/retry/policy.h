// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/retry/backoff.h"

namespace fencepost::retry {

// How a server's Retry-After joins a policy's own delay.
enum class RetryAfterRule {
    Floor, // never earlier: max(delay, asked) + U(0, min(asked/10, 30 s))
    Clamp, // within [delay, delay + 5 s], so that no server parks a client (AWS, retry behaviour 2.1)
};

// Which 5xx are worth another attempt.
enum class ServerErrors {
    All, // the playbook's reading, 501 and 505 too
    Transient, // 500, 502, 503, 504
};

// How often, how long and how patiently one logical call is tried. All presets are one table.
struct Policy {
    std::string_view name;
    std::string_view alias = {}; // also known as; empty: no other name
    std::string_view source = {}; // whose numbers these are
    Backoff backoff{};
    int attempts = 1; // the first one included
    std::optional<Duration> total{}; // of the whole call with its waiting; none: only the caller's deadline
    Duration attemptTimeout = std::chrono::seconds(3); // of one attempt, cut to what is left
    Duration leastAttempt = std::chrono::milliseconds(50); // no attempt is started with less left than this
    RetryAfterRule retryAfter = RetryAfterRule::Floor;
    ServerErrors serverErrors = ServerErrors::All;
    bool retriesRequestTimeout = false; // 408
    bool deadLetters = false; // what is given up goes to the dead letters
};

// playbook, atlas, vendor, aws, grpc, polly, stripe, standard_webhooks, in this order.
[[nodiscard]] std::span<const Policy> presets() noexcept;
// By name or alias. Invalid: the message lists the names.
[[nodiscard]] Result<Policy> presetOf(std::string_view name);

// What a policy waits when the server asked for a time, none included; `delay` is the drawn one.
[[nodiscard]] Duration withRetryAfter(
    RetryAfterRule rule, Duration delay, const std::optional<Duration>& asked, Random& random);

// The delay behind so many attempts, as the policy would have drawn it had one process made all of them.
[[nodiscard]] Duration delayAfter(
    const Policy& policy, int attempts, const std::optional<Duration>& asked, Random& random);

// From the first attempt's start to the last one's end where all of them fail as late as they can. A server may ask for
// more time: up to the policy's total where it has one, and otherwise that is not counted.
[[nodiscard]] Duration longestCall(const Policy& policy);

} // namespace fencepost::retry
