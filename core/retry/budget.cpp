// SPDX-License-Identifier: Apache-2.0
#include "core/retry/budget.h"

#include <algorithm>

namespace fencepost::retry {

namespace {

using std::chrono::seconds;

// Ten buckets as in Finagle, and one more for retries: the oldest is only partly within the ttl.
constexpr std::size_t depositBuckets = 10;
constexpr std::size_t deposits = 0;
constexpr std::size_t retries = 1;

FinagleOptions withinLimits(FinagleOptions options)
{
    options.ttl = std::clamp<Duration>(options.ttl, seconds(1), seconds(60));
    options.percent = std::clamp(options.percent, 0, 1000);
    options.leastPerSecond = std::max(options.leastPerSecond, 0);
    return options;
}

Duration bucketWidth(const FinagleOptions& options)
{
    return withinLimits(options).ttl / static_cast<std::int64_t>(depositBuckets);
}

} // namespace

FinagleBudget::FinagleBudget(const FinagleOptions& options, const Clock& clock)
    : m_options(withinLimits(options))
    , m_clock(clock)
    , m_counts(bucketWidth(options), depositBuckets + 1)
{
}

void FinagleBudget::began()
{
    if (m_options.depositOn == DepositOn::Request)
        m_counts.add(m_clock.now(), deposits);
}

std::int64_t FinagleBudget::balance()
{
    const auto now = m_clock.now();
    const auto earned = m_counts.sum(now, deposits, depositBuckets) * m_options.percent / 100;
    const auto reserve = m_options.leastPerSecond * m_options.ttl / seconds(1);
    return std::max<std::int64_t>(earned + reserve - m_counts.sum(now, retries), 0);
}

std::optional<Charge> FinagleBudget::take(Cost)
{
    if (balance() == 0)
        return std::nullopt;
    const auto now = m_clock.now();
    m_counts.add(now, retries);
    return Charge{ 1, now };
}

void FinagleBudget::cancel(const Charge& charge)
{
    m_counts.remove(m_clock.now(), charge.at, retries);
}

void FinagleBudget::settle(const std::optional<Charge>&, Settled how)
{
    if (m_options.depositOn == DepositOn::Success && how == Settled::Success)
        m_counts.add(m_clock.now(), deposits);
}

std::optional<Charge> AwsBudget::take(Cost cost)
{
    const auto amount = cost == Cost::Throttle ? m_options.throttleCost : m_options.cost;
    if (m_left < amount)
        return std::nullopt;
    m_left -= amount;
    return Charge{ amount };
}

void AwsBudget::put(std::int64_t amount)
{
    m_left = std::min(m_left + amount, m_options.quota);
}

void AwsBudget::cancel(const Charge& charge)
{
    put(charge.amount);
}

void AwsBudget::settle(const std::optional<Charge>& charge, Settled how)
{
    if (how == Settled::Success)
        put(charge ? charge->amount : m_options.reward);
}

std::int64_t AwsBudget::balance()
{
    return m_left / std::max<std::int64_t>(m_options.cost, 1);
}

std::optional<Charge> GrpcBudget::take(Cost)
{
    return m_tokens * 2 > m_options.maxTokens ? std::optional(Charge{}) : std::nullopt;
}

void GrpcBudget::settle(const std::optional<Charge>&, Settled how)
{
    if (how == Settled::Success)
        m_tokens = std::min(m_tokens + m_options.tokenRatio, m_options.maxTokens);
    else if (how == Settled::Failure)
        m_tokens = std::max<std::int64_t>(m_tokens - 1000, 0);
}

std::int64_t GrpcBudget::balance()
{
    const auto above = m_tokens - m_options.maxTokens / 2;
    return above <= 0 ? 0 : (above + 999) / 1000;
}

void EnvoyBudget::ended()
{
    m_calls = std::max<std::int64_t>(m_calls - 1, 0);
}

std::int64_t EnvoyBudget::allowed() const
{
    return std::max<std::int64_t>(m_options.leastConcurrent, m_calls * m_options.percent / 100);
}

std::int64_t EnvoyBudget::balance()
{
    return std::max<std::int64_t>(allowed() - m_retries, 0);
}

std::optional<Charge> EnvoyBudget::take(Cost)
{
    if (m_retries + 1 > allowed())
        return std::nullopt;
    ++m_retries;
    return Charge{ 1 };
}

void EnvoyBudget::cancel(const Charge&)
{
    m_retries = std::max<std::int64_t>(m_retries - 1, 0);
}

void EnvoyBudget::settle(const std::optional<Charge>& charge, Settled)
{
    if (charge)
        cancel(*charge);
}

} // namespace fencepost::retry
