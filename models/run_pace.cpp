// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_pace.h"

#include "models/runs_model.h"

namespace fencepost::models {

namespace {

constexpr auto longest = std::chrono::seconds(20);
constexpr auto shortest = std::chrono::seconds(1); // over less a rate is a guess

} // namespace

void RunPace::add(const OperationRun& run)
{
    if (run.requestId != m_run || run.phase != RunPhase::Running || !isAlive(run))
        m_seen.clear();
    m_run = run.requestId;
    m_total = run.total;
    if (run.phase != RunPhase::Running || !isAlive(run))
        return;
    if (m_seen.empty() || m_seen.back().at < run.now)
        m_seen.push_back({ run.now, run.changed + run.skipped + run.failed });
    while (m_seen.size() > 2 && m_seen.back().at - m_seen[1].at >= longest)
        m_seen.pop_front();
}

std::optional<double> RunPace::perSecond() const
{
    if (m_seen.empty() || m_seen.back().at - m_seen.front().at < shortest)
        return std::nullopt;
    const auto seconds = std::chrono::duration<double>(m_seen.back().at - m_seen.front().at).count();
    return static_cast<double>(m_seen.back().done - m_seen.front().done) / seconds;
}

std::optional<Duration> RunPace::timeLeft() const
{
    const auto rate = perSecond();
    if (!rate || *rate <= 0)
        return std::nullopt;
    const auto left = static_cast<double>(m_total - m_seen.back().done) / *rate;
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(left));
}

} // namespace fencepost::models
