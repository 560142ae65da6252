// SPDX-License-Identifier: Apache-2.0
#include "core/retry/policy.h"

#include <algorithm>
#include <array>

#include "core/in_quotes.h"

namespace fencepost::retry {

namespace {

using namespace std::chrono_literals;

constexpr std::array<Duration, 4> vendorSteps = { 500ms, 2s, 5s, 30s };
// The tenth step is the first delivery, at once.
constexpr std::array<Duration, 9> webhookSteps = { 5s, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h };

constexpr Duration longestExtra = 30s;
constexpr Duration clampWidth = 5s;

constexpr std::array presetTable = {
    Policy{
        .name = "playbook",
        .source = "the playbook's schedule: 0, 100-200, 200-400, 400-800, 800-1600 ms, at most 10 s",
        .backoff = { .growth = Growth::Exponential, .jitter = Jitter::RangeX2, .base = 100ms, .cap = 2s },
        .attempts = 5,
        .total = 10s,
    },
    Policy{
        .name = "atlas",
        .source = "the atlas's example: immediate, 100-200, 300-600, 700-1400 ms",
        .backoff = { .growth = Growth::Series, .jitter = Jitter::RangeX2, .base = 100ms, .cap = 2s },
        .attempts = 4,
        .total = 10s,
    },
    Policy{
        .name = "vendor",
        .source = "vendor calls: 500 ms, 2 s, 5 s, 30 s, then dead-letter",
        .backoff = { .growth = Growth::Steps,
            .jitter = Jitter::UpTo10,
            .base = 500ms,
            .cap = 30s,
            .steps = vendorSteps },
        .attempts = 5,
        .attemptTimeout = 15s,
        .deadLetters = true,
    },
    Policy{
        .name = "aws",
        .alias = "aws_v2_1",
        .source = "AWS SDKs, standard retry behaviour 2.1",
        .backoff = { .growth = Growth::Exponential,
            .jitter = Jitter::Full,
            .base = 50ms,
            .throttledBase = 1s,
            .cap = 20s },
        .attempts = 3,
        .retryAfter = RetryAfterRule::Clamp,
        .serverErrors = ServerErrors::Transient,
    },
    Policy{
        .name = "grpc",
        .alias = "grpc_a6",
        .source = "gRPC proposal A6, client retries",
        .backoff = { .growth = Growth::Exponential, .jitter = Jitter::PlusMinus20, .base = 100ms, .cap = 1s },
        .attempts = 4,
    },
    Policy{
        .name = "polly",
        .source = "Polly v8, decorrelated jitter v2",
        .backoff = { .growth = Growth::Exponential, .jitter = Jitter::PollyV2, .base = 2s, .cap = 30s },
        .attempts = 4,
    },
    Policy{
        .name = "stripe",
        .source = "Stripe's SDKs: 0.5 s doubled up to 5 s, half of it jitter, never under 0.5 s",
        .backoff = { .growth = Growth::Exponential, .jitter = Jitter::Equal, .base = 500ms, .cap = 5s, .floor = 500ms },
        .attempts = 3,
        .attemptTimeout = 15s,
    },
    Policy{
        .name = "standard_webhooks",
        .source = "Standard Webhooks: 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h",
        .backoff = { .growth = Growth::Steps, .jitter = Jitter::UpTo10, .base = 5s, .cap = 24h, .steps = webhookSteps },
        .attempts = 10,
        .attemptTimeout = 20s,
        .deadLetters = true,
    },
};

} // namespace

std::span<const Policy> presets() noexcept
{
    return presetTable;
}

Result<Policy> presetOf(std::string_view name)
{
    std::string known;
    for (const auto& policy : presetTable) {
        if (!name.empty() && (policy.name == name || policy.alias == name))
            return policy;
        known += (known.empty() ? "" : ", ") + std::string(policy.name);
    }
    return invalid(inQuotes(name) + " is not a preset; expected one of " + known);
}

Duration withRetryAfter(RetryAfterRule rule, Duration delay, const std::optional<Duration>& asked, Random& random)
{
    if (!asked)
        return delay;
    switch (rule) {
    case RetryAfterRule::Floor: {
        const auto wanted = std::max(*asked, Duration(0));
        return std::max(delay, wanted) + drawBetween(random, Duration(0), std::min(wanted / 10, longestExtra));
    }
    case RetryAfterRule::Clamp:
        return std::clamp(*asked, delay, delay + clampWidth);
    }
    return delay;
}

Duration delayAfter(const Policy& policy, int attempts, const std::optional<Duration>& asked, Random& random)
{
    // A delay hangs on those before it as long as they grow: further back is nothing but work.
    constexpr int furthestBack = 128;
    const int skipped = std::max(attempts - furthestBack, 0);
    Delays delays(policy.backoff, skipped);
    Duration delay{};
    for (int attempt = skipped; attempt < attempts; ++attempt)
        delay = delays.next(random);
    return withRetryAfter(policy.retryAfter, delay, asked, random);
}

Duration longestCall(const Policy& policy)
{
    constexpr Duration endless = std::chrono::hours(24 * 3650);
    // A server may ask for more time than any delay takes, up to the end of the whole call.
    if (policy.total && policy.attempts > 1)
        return std::min(*policy.total, endless);
    const auto most = std::min(policy.total.value_or(endless), endless);
    auto whole = policy.attemptTimeout;
    for (int retry = 1; retry < policy.attempts && whole < most; ++retry)
        whole += rangeOf(policy.backoff, retry).most + policy.attemptTimeout;
    return std::min(whole, most);
}

} // namespace fencepost::retry
