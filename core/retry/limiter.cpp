// SPDX-License-Identifier: Apache-2.0
#include "core/retry/limiter.h"

#include <algorithm>

namespace fencepost::retry {

namespace {

constexpr int heaviestLoad = 10'000;

LimiterOptions ordered(LimiterOptions options)
{
    options.least = std::max(options.least, 1);
    options.most = std::max(options.most, options.least);
    options.start = std::clamp(options.start, options.least, options.most);
    options.backoffPercent = std::clamp(options.backoffPercent, 1, 99);
    return options;
}

} // namespace

Limiter::Limiter(const LimiterOptions& options, const Clock& clock)
    : m_options(ordered(options))
    , m_clock(clock)
    , m_limit(m_options.start)
{
}

std::optional<Slot> Limiter::acquire(Duration lease)
{
    if (inFlight() >= m_limit)
        return std::nullopt;
    const auto expires = m_clock.now() + lease;
    m_firstExpiry = std::min(m_firstExpiry, expires);
    m_leases.push_back({ ++m_lastId, expires });
    return Slot(m_lastId);
}

void Limiter::release(Slot slot, Load load)
{
    const int before = inFlight();
    const auto own = std::lower_bound(m_leases.begin(), m_leases.end(), slot.m_id,
        [](const Lease& lease, std::uint64_t id) { return lease.id < id; });
    if (own == m_leases.end() || own->id != slot.m_id)
        return;
    m_leases.erase(own);
    switch (load) {
    case Load::Success:
        succeed(before);
        break;
    case Load::Dropped:
        m_limit = std::max(m_limit * m_options.backoffPercent / 100, m_options.least);
        m_successes = 0;
        break;
    case Load::Ignored:
        break;
    }
}

void Limiter::succeed(int inFlightBefore)
{
    // What is not used says nothing about what could be.
    if (inFlightBefore * 2 < m_limit)
        return;
    if (++m_successes < m_limit)
        return;
    m_successes = 0;
    m_limit = std::min(m_limit + 1, m_options.most);
}

int Limiter::inFlight()
{
    dropExpired();
    return static_cast<int>(m_leases.size());
}

int Limiter::load()
{
    return inFlight() * 1000 / m_limit;
}

void Limiter::dropExpired()
{
    const auto now = m_clock.now();
    if (now < m_firstExpiry)
        return;
    m_firstExpiry = Time::max();
    std::erase_if(m_leases, [&](const Lease& lease) {
        if (lease.expires <= now)
            return true;
        m_firstExpiry = std::min(m_firstExpiry, lease.expires);
        return false;
    });
}

int loadOfQueue(Duration delay, Duration target)
{
    if (delay <= Duration(0))
        return 0;
    if (target <= Duration(0) || delay / 10 >= target)
        return heaviestLoad;
    return static_cast<int>(delay.count() * 1000 / target.count());
}

} // namespace fencepost::retry
