// SPDX-License-Identifier: Apache-2.0
#include "core/retry/shedding.h"

#include <algorithm>
#include <array>

#include "core/retry/backoff.h"

namespace fencepost::retry {

namespace {

using std::chrono::seconds;

// Above 1000, which only the delay of a queue can reach, the more important follow.
constexpr std::array rungs = {
    Rung{ 700, std::nullopt, std::nullopt, true, false, "background retries are shed first" },
    Rung{ 800, std::nullopt, Priority::SheddablePlus, true, false, "retries of sheddable work are shed" },
    Rung{ 900, std::nullopt, Priority::SheddablePlus, true, true, "retries of sheddable work are shed" },
    Rung{ 1000, Priority::Sheddable, Priority::SheddablePlus, true, true, "sheddable work is shed" },
    Rung{ 1100, Priority::SheddablePlus, Priority::SheddablePlus, true, true, "all sheddable work is shed" },
    Rung{ 1200, Priority::Critical, Priority::Critical, true, true, "all but the most critical work is shed" },
};
constexpr int hysteresis = 100;

constexpr int throttleBuckets = 24;
constexpr std::size_t requests = 0;
constexpr std::size_t accepts = 1;

bool isAtMost(Priority priority, const std::optional<Priority>& bound)
{
    return bound && priority >= *bound;
}

} // namespace

std::string_view wordOf(Priority priority) noexcept
{
    switch (priority) {
    case Priority::CriticalPlus:
        return "critical_plus";
    case Priority::Critical:
        return "critical";
    case Priority::SheddablePlus:
        return "sheddable_plus";
    case Priority::Sheddable:
        return "sheddable";
    }
    return "";
}

std::span<const Rung> ladder() noexcept
{
    return rungs;
}

void Shedding::update(int load)
{
    while (m_rung < rungs.size() && load >= rungs[m_rung].enter)
        ++m_rung;
    while (m_rung > 0 && load < rungs[m_rung - 1].enter - hysteresis)
        --m_rung;
}

std::optional<Refusal> Shedding::refusalOf(const Work& work, Random& random) const
{
    if (m_rung == 0)
        return std::nullopt;
    const auto& rung = rungs[m_rung - 1];
    const bool backgroundRetry = work.retry && work.background;
    const auto priority = backgroundRetry ? Priority::Sheddable : work.priority;
    if ((backgroundRetry && rung.refusesBackgroundRetries) || isAtMost(priority, rung.refuses)
        || (work.retry && isAtMost(priority, rung.refusesRetries)))
        return Refusal{ rung.reason, drawBetween(random, seconds(1), seconds(5)) };
    return std::nullopt;
}

int Shedding::attemptsOf(int attempts) const
{
    return m_rung > 0 && rungs[m_rung - 1].halves ? std::max((attempts + 1) / 2, 1) : attempts;
}

int Shedding::widening() const
{
    return m_rung > 0 && rungs[m_rung - 1].halves ? 2 : 1;
}

Throttle::Throttle(const ThrottleOptions& options)
    : m_options(options)
    , m_counts(options.window / throttleBuckets, throttleBuckets)
{
}

int Throttle::refusals(Time now)
{
    const auto sent = m_counts.sum(now, requests);
    const auto surplus = std::max<std::int64_t>(sent - m_options.factor * m_counts.sum(now, accepts), 0);
    return static_cast<int>(std::min(surplus * 1000 / (sent + 1), std::int64_t{ m_options.mostPercent } * 10));
}

bool Throttle::admit(Time now, Random& random)
{
    const auto chance = refusals(now);
    m_counts.add(now, requests);
    return chance == 0 || random.below(1000) >= static_cast<std::uint64_t>(chance);
}

void Throttle::accepted(Time now)
{
    m_counts.add(now, accepts);
}

} // namespace fencepost::retry
