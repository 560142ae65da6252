// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.h"
#include "core/retry/decision.h"
#include "core/retry/rolling_counts.h"

namespace fencepost::retry {

// What a retry took from its budget. It is given back exactly once, by settle or cancel.
struct Charge {
    std::int64_t amount = 0;
    Time at{};
};

// How an attempt ended, to a budget.
enum class Settled {
    Success,
    Failure, // one that may be retried, or a word of the server not to
    Other, // says nothing about the dependency
};

// How much of a dependency's traffic may be retries; shared by all calls to it. "3 retries everywhere" multiplies an
// outage by four, a budget by 1.2. Not thread-safe: Dependency guards it.
class Budget {
public:
    virtual ~Budget() = default;

    virtual void began() { } // a call, with its first attempt
    virtual void ended() { } // a call, however it went
    // For a retry that is about to be sent. None: the budget is empty, the call stops.
    [[nodiscard]] virtual std::optional<Charge> take(Cost cost) = 0;
    virtual void cancel(const Charge& charge) = 0; // it was not sent after all
    // An attempt came back; the charge is that of a retry, none of the first attempt.
    virtual void settle(const std::optional<Charge>& charge, Settled how) = 0;
    // Retries of normal cost that it would allow one after the other right now.
    [[nodiscard]] virtual std::int64_t balance() = 0;
};

// What fills a budget: every request, or only what succeeds.
enum class DepositOn { Request, Success };

struct FinagleOptions {
    Duration ttl = std::chrono::seconds(10); // 1 to 60 s; how long a request pays for retries
    int percent = 20; // 0 to 1000; of the requests
    int leastPerSecond = 10; // allowed without any request: 10 for a service, 1 for a command line
    DepositOn depositOn = DepositOn::Request;
};

// Finagle's RetryBudget, with one change: deposits count for at most and retries for at least the ttl, where Finagle
// lets both expire bucket by bucket. So at each retry it holds, over the ttl that ends there:
//   retries ≤ percent/100 · requests + leastPerSecond · ttl
class FinagleBudget final : public Budget {
public:
    FinagleBudget(const FinagleOptions& options, const Clock& clock);

    void began() override;
    [[nodiscard]] std::optional<Charge> take(Cost cost) override;
    void cancel(const Charge& charge) override;
    void settle(const std::optional<Charge>& charge, Settled how) override;
    [[nodiscard]] std::int64_t balance() override;

private:
    FinagleOptions m_options;
    const Clock& m_clock;
    RollingCounts<2> m_counts;
};

struct AwsOptions {
    std::int64_t quota = 500;
    std::int64_t cost = 14;
    std::int64_t throttleCost = 5;
    std::int64_t reward = 1; // for a call that succeeds at once
};

// The retry quota of the AWS SDKs, retry behaviour 2.1: a success gives back what its last retry took. It recovers with
// successes only.
class AwsBudget final : public Budget {
public:
    explicit AwsBudget(const AwsOptions& options)
        : m_options(options)
        , m_left(options.quota)
    {
    }

    [[nodiscard]] std::optional<Charge> take(Cost cost) override;
    void cancel(const Charge& charge) override;
    void settle(const std::optional<Charge>& charge, Settled how) override;
    [[nodiscard]] std::int64_t balance() override;
    [[nodiscard]] std::int64_t left() const { return m_left; }

private:
    void put(std::int64_t amount);

    AwsOptions m_options;
    std::int64_t m_left;
};

struct GrpcOptions {
    std::int64_t maxTokens = 10'000; // in thousandths
    std::int64_t tokenRatio = 100; // in thousandths, for each success
};

// The throttle of gRPC's A6: a failure costs a token, a success gives a part of one, and above the half retries are
// allowed. They cost nothing themselves.
class GrpcBudget final : public Budget {
public:
    explicit GrpcBudget(const GrpcOptions& options)
        : m_options(options)
        , m_tokens(options.maxTokens)
    {
    }

    [[nodiscard]] std::optional<Charge> take(Cost cost) override;
    void cancel(const Charge&) override { }
    void settle(const std::optional<Charge>& charge, Settled how) override;
    [[nodiscard]] std::int64_t balance() override;
    [[nodiscard]] std::int64_t tokens() const { return m_tokens; } // in thousandths

private:
    GrpcOptions m_options;
    std::int64_t m_tokens;
};

struct EnvoyOptions {
    int percent = 20; // of the calls that are open
    int leastConcurrent = 3;
};

// Envoy's retry budget: how many retries may be open at once. A call is open from its first attempt to its end, its
// waiting included, so that the base does not shrink while retries back off.
class EnvoyBudget final : public Budget {
public:
    explicit EnvoyBudget(const EnvoyOptions& options)
        : m_options(options)
    {
    }

    void began() override { ++m_calls; }
    void ended() override;
    [[nodiscard]] std::optional<Charge> take(Cost cost) override;
    void cancel(const Charge& charge) override;
    void settle(const std::optional<Charge>& charge, Settled how) override;
    [[nodiscard]] std::int64_t balance() override;

private:
    [[nodiscard]] std::int64_t allowed() const;

    EnvoyOptions m_options;
    std::int64_t m_calls = 0;
    std::int64_t m_retries = 0;
};

} // namespace fencepost::retry
