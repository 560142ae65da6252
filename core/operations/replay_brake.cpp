// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay_brake.h"

#include <algorithm>

namespace fencepost::operation {

namespace {

// Of a stage that is not over: less tells nothing.
constexpr std::int64_t fewestOutcomes = 20;
constexpr std::int64_t fewestProving = 200;
constexpr double allowedOnce = 2; // failures among as many as prove it: one is none too many
constexpr std::int64_t fewestChanges = 3;
constexpr std::int64_t averagedOver = 20;
// Times the limit: a change that is slow by itself says nothing of the database. A row of 50 MB is written for seconds.
constexpr int slowFor = 3;
constexpr int slowAlone = 15; // where there is no other change to compare it with

// An event may be tried for days before it is dead: what fails until then fails as well.
std::int64_t failuresOf(const StageReport& outcomes)
{
    return outcomes.deadAgain + outcomes.failed + outcomes.failing;
}

} // namespace

void ReplayBrake::addChange(Duration took)
{
    m_took += took;
    ++m_changes;
}

void ReplayBrake::restart()
{
    m_took = {};
    m_changes = 0;
}

bool ReplayBrake::hasJustBegun() const
{
    return m_changes < fewestChanges;
}

std::optional<std::string> ReplayBrake::whyPause(const StageReport& stage, const StageReport& newest, bool stageIsOver)
{
    if (m_throttled)
        return "the target asks for fewer (429): lower the rate";
    if (auto slow = whySlow())
        return slow;
    if (auto failing = whyFailing(stage, stageIsOver))
        return failing;
    return whyFailing(newest, false);
}

std::optional<std::string> ReplayBrake::whySlow()
{
    if (m_slowest <= Duration::zero() || m_changes == 0)
        return std::nullopt;
    const auto average = m_took / m_changes;
    const bool slow = average > m_slowest && m_took >= m_slowest * (m_changes > 1 ? slowFor : slowAlone);
    if (slow || m_changes >= averagedOver) {
        m_took = {};
        m_changes = 0;
    }
    if (!slow)
        return std::nullopt;
    return "the database takes " + formatDuration(average) + " for a change";
}

bool ReplayBrake::areEnough(const StageReport& newest) const
{
    const auto failures = failuresOf(newest);
    const auto needed = std::max(static_cast<double>(fewestProving), m_brake > 0 ? allowedOnce / m_brake : 0);
    return static_cast<double>(failures + newest.succeeded) >= needed;
}

// `few` are enough to tell.
std::optional<std::string> ReplayBrake::whyFailing(const StageReport& outcomes, bool few) const
{
    if (m_brake <= 0)
        return std::nullopt;
    const auto failures = failuresOf(outcomes);
    const auto all = failures + outcomes.succeeded;
    if (failures <= 0 || (!few && all < fewestOutcomes))
        return std::nullopt;
    if (static_cast<double>(failures) <= m_brake * static_cast<double>(all))
        return std::nullopt;
    const auto again = outcomes.failing;
    return std::to_string(failures) + " of " + std::to_string(all) + " failed, more than the brake allows"
        + (again > 0 ? " (" + std::to_string(again) + " of them are tried again)" : std::string());
}

} // namespace fencepost::operation
