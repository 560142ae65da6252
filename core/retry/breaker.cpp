// SPDX-License-Identifier: Apache-2.0
#include "core/retry/breaker.h"

#include <algorithm>

namespace fencepost::retry {

namespace {

constexpr std::size_t attempts = 0;
constexpr std::size_t failures = 1;
constexpr std::size_t slowOnes = 2;

BreakerOptions sensible(BreakerOptions options)
{
    options.buckets = std::max(options.buckets, 1);
    options.minimum = std::max(options.minimum, 1);
    options.probes = std::max(options.probes, 1);
    options.openFor = std::min(options.openFor, options.openMost);
    return options;
}

std::string percent(std::int64_t part, std::int64_t whole)
{
    return std::to_string(part * 100 / whole) + "% of " + std::to_string(whole) + " attempts";
}

} // namespace

std::string_view wordOf(BreakerState state) noexcept
{
    switch (state) {
    case BreakerState::Closed:
        return "closed";
    case BreakerState::Open:
        return "open";
    case BreakerState::HalfOpen:
        return "half_open";
    case BreakerState::ForcedOpen:
        return "forced_open";
    case BreakerState::ForcedClosed:
        return "forced_closed";
    }
    return "";
}

Breaker::Breaker(const BreakerOptions& options, const Clock& clock, Random& random)
    : m_options(sensible(options))
    , m_clock(clock)
    , m_random(random)
    , m_counts(m_options.window / m_options.buckets, static_cast<std::size_t>(m_options.buckets))
    , m_openNext(m_options.openFor)
{
}

BreakerState Breaker::state() const
{
    return m_state == BreakerState::Open && m_clock.now() >= m_openUntil ? BreakerState::HalfOpen : m_state;
}

std::optional<Duration> Breaker::retryAfter() const
{
    const auto now = m_clock.now();
    const auto until = [now](Time time) { return std::max(time - now, Duration(0)); };
    switch (m_state) {
    case BreakerState::ForcedOpen:
        return std::nullopt;
    case BreakerState::Open:
        return until(m_openUntil);
    case BreakerState::HalfOpen: {
        if (m_probesPassed + static_cast<int>(m_probes.size()) < m_options.probes)
            return Duration(0);
        const auto first = std::min_element(
            m_probes.begin(), m_probes.end(), [](const Probe& a, const Probe& b) { return a.expires < b.expires; });
        return until(first->expires);
    }
    case BreakerState::Closed:
    case BreakerState::ForcedClosed:
        break;
    }
    return Duration(0);
}

std::optional<Permit> Breaker::admit()
{
    if (m_state == BreakerState::Open && state() == BreakerState::HalfOpen)
        change(BreakerState::HalfOpen, "time to try again");
    switch (m_state) {
    case BreakerState::Closed:
    case BreakerState::ForcedClosed:
        return Permit(m_generation, std::nullopt);
    case BreakerState::Open:
    case BreakerState::ForcedOpen:
        return std::nullopt;
    case BreakerState::HalfOpen:
        break;
    }
    dropExpired();
    if (m_probesPassed + static_cast<int>(m_probes.size()) >= m_options.probes)
        return std::nullopt;
    m_probes.push_back({ ++m_lastProbe, m_clock.now() + m_options.probeLease });
    return Permit(m_generation, m_lastProbe);
}

void Breaker::settle(Permit permit, Health health, Duration took)
{
    if (permit.m_generation != m_generation)
        return;
    const bool slow = took > m_options.slowAfter;
    if (permit.m_probe)
        settleProbe(*permit.m_probe, health, slow);
    else if (m_state == BreakerState::Closed && health != Health::Neutral)
        count(health, slow);
}

void Breaker::count(Health health, bool slow)
{
    const auto now = m_clock.now();
    m_counts.add(now, attempts);
    m_counts.add(now, failures, health == Health::Failure ? 1 : 0);
    m_counts.add(now, slowOnes, slow ? 1 : 0);
    const auto all = m_counts.sum(now, attempts);
    const auto failed = m_counts.sum(now, failures);
    const auto slowed = m_counts.sum(now, slowOnes);
    // A success opens nothing, whatever came before it.
    if (all < m_options.minimum || (health == Health::Success && !slow))
        return;
    if (failed * 100 >= all * m_options.failurePercent)
        open(percent(failed, all) + " failed");
    else if (slowed * 100 >= all * m_options.slowPercent)
        open(percent(slowed, all) + " were slow");
}

void Breaker::settleProbe(std::uint64_t id, Health health, bool slow)
{
    dropExpired();
    const auto probe = std::find_if(m_probes.begin(), m_probes.end(), [id](const Probe& p) { return p.id == id; });
    if (probe == m_probes.end())
        return;
    m_probes.erase(probe);
    if (health == Health::Neutral)
        return;
    if (health == Health::Failure || slow) {
        m_openNext = std::min(m_openNext * 2, m_options.openMost);
        open(health == Health::Failure ? "a probe failed" : "a probe was slow");
    } else if (++m_probesPassed == m_options.probes) {
        m_openNext = m_options.openFor;
        change(BreakerState::Closed, "all probes succeeded");
    }
}

void Breaker::dropExpired()
{
    std::erase_if(m_probes, [now = m_clock.now()](const Probe& probe) { return probe.expires <= now; });
}

void Breaker::open(std::string reason)
{
    // Clients whose breakers opened together must not probe together; the part above the longest time is left out.
    const auto most = std::min(m_openNext + m_openNext / 5, m_options.openMost);
    m_openUntil = m_clock.now() + drawBetween(m_random, m_openNext - m_openNext / 5, most);
    change(BreakerState::Open, std::move(reason));
}

void Breaker::change(BreakerState to, std::string reason)
{
    m_change = { m_state, to, m_clock.now(), std::move(reason) };
    m_state = to;
    ++m_generation;
    m_counts.clear();
    m_probes.clear();
    m_probesPassed = 0;
}

void Breaker::forceOpen(std::string reason)
{
    change(BreakerState::ForcedOpen, std::move(reason));
}

void Breaker::forceClosed(std::string reason)
{
    change(BreakerState::ForcedClosed, std::move(reason));
}

void Breaker::release(std::string reason)
{
    if (m_state == BreakerState::ForcedOpen)
        change(BreakerState::HalfOpen, std::move(reason));
    else if (m_state == BreakerState::ForcedClosed)
        change(BreakerState::Closed, std::move(reason));
}

} // namespace fencepost::retry
