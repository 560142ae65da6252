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

std::int64_t partOf(std::int64_t value, std::int64_t share)
{
    return value / shareScale * share + value % shareScale * share / shareScale;
}

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

void World::trace(std::uint64_t request, std::string actor, std::string text, std::uint32_t subject)
{
    if (!traces(request) || m_outcome.trace.size() >= keptTraceLines)
        return;
    auto key = subject == nowhere ? std::string() : m_subjects[subject].id.key;
    m_outcome.trace.push_back(
        { since(), request, std::move(actor), std::move(text), stateOf(subject), std::move(key) });
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

// A fault that strikes a part of the requests takes as much of it, whichever these are.
std::int64_t World::capacityOf(Duration width) const
{
    auto handling = m_scenario.service.time.mean().count();
    auto left = shareScale;
    for (std::size_t i = 0; m_activeCount > 0 && i < m_active.size(); ++i) {
        const auto& fault = m_scenario.faults[i];
        if (m_active[i] && fault.kind == FaultKind::Outage)
            left = partOf(left, shareScale - fault.share);
        if (m_active[i] && fault.kind == FaultKind::Brownout)
            handling += partOf(handling * (fault.factor - 1), fault.share);
    }
    const auto takes = Duration(handling) + 2 * m_scenario.service.storeTime.mean();
    if (takes <= Duration(0))
        return 0;
    const auto up = std::count_if(m_nodes.begin(), m_nodes.end(), [](const Node& node) { return node.up; });
    return partOf(up * (width * m_scenario.service.workers / takes), left);
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
    step.capacity = capacityOf(series.width());
    step.queue = std::max(step.queue, queue);
    step.busy = std::max(step.busy, busy);
    std::int64_t open = 0;
    std::int64_t budget = 0;
    for (std::size_t i = 0; i < std::min(m_dependencies.size(), sampledDependencies); ++i) {
        if (!m_dependencies[i]) {
            budget += m_freshBudget;
            continue;
        }
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
    // At the end of the step in which something happens next: each has its sample, or stands still.
    const auto then = std::max(since(), m_queue.next() - m_scenario.start);
    const auto next = (then / series.width() + 1) * series.width();
    m_queue.plan(m_scenario.start + next, { .happening = Happening::Sample });
    standStillUntil(next);
}

// Nothing happens before the last step of those up to `next`: what is so now is so in each of the others.
void World::standStillUntil(Duration next)
{
    auto& series = m_outcome.series;
    const auto last = since() - Duration(1);
    const auto now = series.at(last);
    (void)series.at(next - Duration(1)); // the steps are as wide by now as they will be then
    const auto width = series.width();
    const auto capacity = capacityOf(width);
    const auto ownStep = last / width;
    const auto lastStep = (next - Duration(1)) / width;
    for (auto place = ownStep; place < lastStep; ++place) {
        auto& step = series.at(place * width);
        step.capacity = capacity;
        if (place == ownStep)
            continue;
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
    // Somebody stopped it within a step.
    if (!m_queue.isEmpty())
        out.series.at(since()).capacity = capacityOf(out.series.width());
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
