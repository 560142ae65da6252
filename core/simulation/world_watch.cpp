// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/event_world.h"
#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr Duration arrivalSlot = std::chrono::milliseconds(100);
constexpr Duration herdWindow = std::chrono::seconds(10);
constexpr std::int64_t factorScale = 1'000;
constexpr std::int64_t shareScale = 1'000'000;
constexpr std::size_t sampledDependencies = 100;

} // namespace

void World::violate(std::string_view rule, std::uint64_t request, std::string what)
{
    ++m_outcome[Measure::Violations];
    trace(request, "oracle", std::string(rule) + ": " + what);
    if (m_outcome.violations.size() < keptViolations)
        m_outcome.violations.push_back({ std::string(rule), std::move(what), since(), request });
    if (m_options.stopsAtViolation)
        m_stop = true;
}

void World::trace(std::uint64_t request, std::string actor, std::string text, std::string state)
{
    if (traces(request) && m_outcome.trace.size() < keptTraceLines)
        m_outcome.trace.push_back({ since(), request, std::move(actor), std::move(text), std::move(state) });
}

void World::countArrival()
{
    if (const auto begins = m_slot * arrivalSlot; since() < begins || since() >= begins + arrivalSlot) {
        closeArrivals();
        m_slot = since() / arrivalSlot;
    }
    ++m_slotCount;
}

// Behind the last fault, and behind the last breaker that it opened: before, there is nobody who could come in a herd.
void World::lookForRecovery()
{
    if (!m_lastFaultEnd || m_recovers || m_activeCount > 0)
        return;
    for (std::size_t i = 0; i < std::min(m_dependencies.size(), sampledDependencies); ++i)
        if (m_dependencies[i] && m_dependencies[i]->dependency->gauges().breaker != retry::BreakerState::Closed)
            return;
    m_recovers = m_slot;
    m_herdMost = m_herdSum = 0;
}

void World::closeArrivals()
{
    m_outcome[Measure::Peak100ms] = std::max(m_outcome[Measure::Peak100ms], m_slotCount);
    lookForRecovery();
    constexpr auto slots = herdWindow / arrivalSlot;
    if (m_recovers && m_slot < *m_recovers + slots) {
        m_herdMost = std::max(m_herdMost, m_slotCount);
        m_herdSum += m_slotCount;
        if (m_herdSum > 0)
            m_outcome[Measure::Herd] = m_herdMost * factorScale * (m_slot - *m_recovers + 1) / m_herdSum;
    }
    m_slotCount = 0;
}

std::int64_t World::capacityOf(Duration width) const
{
    std::int64_t capacity = 0;
    for (const auto& node : m_nodes) {
        if (!node.up)
            continue;
        auto mean = m_scenario.service.time.mean() + 2 * m_scenario.service.storeTime.mean();
        if (const auto* slow = active(FaultKind::Brownout, 0))
            mean *= slow->factor;
        if (!active(FaultKind::Outage, 0) && mean > Duration(0))
            capacity += width * m_scenario.service.workers / mean;
    }
    return capacity;
}

void World::sample()
{
    auto& series = m_outcome.series;
    auto& step = series.at(since() - Duration(1));
    std::int64_t queue = 0;
    std::int64_t busy = 0;
    for (const auto& node : m_nodes) {
        queue += static_cast<std::int64_t>(node.queue.size());
        busy += static_cast<std::int64_t>(node.running.size());
    }
    step.capacity += capacityOf(series.width());
    step.queue = std::max(step.queue, queue);
    step.busy = std::max(step.busy, busy);
    std::int64_t open = 0;
    std::int64_t budget = 0;
    for (std::size_t i = 0; i < std::min(m_dependencies.size(), sampledDependencies); ++i) {
        if (!m_dependencies[i])
            continue;
        const auto gauges = m_dependencies[i]->dependency->gauges();
        open += gauges.breaker == retry::BreakerState::Closed ? 0 : 1;
        budget += gauges.budget;
    }
    step.openBreakers = std::max(step.openBreakers, open);
    step.budget = budget;
    if (m_events)
        m_events->sample(step);
    m_outcome.mostInFlight = std::max(m_outcome.mostInFlight, m_requests.living());
    // The axis goes on for as long as something else does.
    if (m_queue.isEmpty())
        return;
    const auto next = std::max(m_now + series.width(), m_queue.next());
    m_queue.plan(next, { .happening = Happening::Sample });
    standStillUntil(next - m_scenario.start);
}

// Nothing happens before that, so what is so now is so in each step of the axis between the two samples.
void World::standStillUntil(Duration next)
{
    auto& series = m_outcome.series;
    const auto last = since() - Duration(1);
    if (next - Duration(1) < last + 2 * series.width())
        return;
    auto now = series.at(last);
    (void)series.at(next - Duration(1)); // the steps are as wide by now as they will be then
    const auto width = series.width();
    now.capacity = capacityOf(width);
    for (auto at = (last / width + 1) * width; at + width < next; at += width) {
        auto& step = series.at(at);
        step.capacity = now.capacity;
        step.queue = now.queue;
        step.busy = now.busy;
        step.openBreakers = now.openBreakers;
        step.budget = now.budget;
        step.lag = now.lag;
        step.deadLetters = now.deadLetters;
    }
}

void World::finish()
{
    closeArrivals();
    auto& out = m_outcome;
    for (const auto& [key, place] : m_pool)
        leaveBehind(m_subjects[place], 0);
    out.lasted = since();
    for (const auto& guarded : m_dependencies)
        if (guarded)
            out[Measure::BreakerOpened] += static_cast<std::int64_t>(guarded->dependency->gauges().breakerChanges);
    if (m_events)
        m_events->finish();
    if (out[Measure::Calls] > 0) {
        out[Measure::Amplification] = out[Measure::Attempts] * factorScale / out[Measure::Calls];
        out[Measure::SuccessRate] = out[Measure::Succeeded] * shareScale / out[Measure::Calls];
    }
    if (m_faultFirst > 0)
        out[Measure::OutageRetryShare] = m_faultRetries * shareScale / m_faultFirst;
    constexpr int half = 500;
    constexpr int twentieth = 950;
    constexpr int hundredth = 990;
    out[Measure::LatencyP50] = out.latency.percentile(half).count();
    out[Measure::LatencyP95] = out.latency.percentile(twentieth).count();
    out[Measure::LatencyP99] = out.latency.percentile(hundredth).count();
    out[Measure::LatencyMost] = out.latency.most().count();
    out[Measure::DelayP50] = out.delays.percentile(half).count();
    out[Measure::DelayP95] = out.delays.percentile(twentieth).count();
    std::sort(out.happened.strikes.begin(), out.happened.strikes.end());
}

} // namespace fencepost::simulation
