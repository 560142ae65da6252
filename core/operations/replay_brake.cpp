// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay_brake.h"

namespace fencepost::operation {

namespace {

// Of a stage that is not over: less tells nothing.
constexpr std::int64_t fewestOutcomes = 20;
constexpr std::int64_t fewestChanges = 3;
constexpr std::int64_t averagedOver = 20;
constexpr int slowFor = 3; // times the limit: a change that is slow by itself says nothing of the database

} // namespace

void ReplayBrake::addChange(Duration took)
{
    m_took += took;
    ++m_changes;
}

void ReplayBrake::restart(const StageReport& sum)
{
    forgive(sum);
    m_took = {};
    m_changes = 0;
}

bool ReplayBrake::hasJustBegun() const
{
    return m_changes < fewestChanges;
}

std::optional<std::string> ReplayBrake::whyPause(const StageReport& sum, bool stageIsOver)
{
    if (m_throttled)
        return "the target asks for fewer (429): lower the rate";
    if (auto slow = whySlow())
        return slow;
    return whyFailing(sum, stageIsOver);
}

std::optional<std::string> ReplayBrake::whySlow()
{
    if (m_slowest <= Duration::zero() || m_changes == 0)
        return std::nullopt;
    const auto average = m_took / m_changes;
    const bool slow = average > m_slowest && m_took >= m_slowest * slowFor;
    if (slow || m_changes >= averagedOver) {
        m_took = {};
        m_changes = 0;
    }
    if (!slow)
        return std::nullopt;
    return "the database takes " + formatDuration(average) + " for a change";
}

std::optional<std::string> ReplayBrake::whyFailing(const StageReport& sum, bool stageIsOver) const
{
    if (m_brake <= 0)
        return std::nullopt;
    // An event may be tried for days before it is dead: what fails until then fails as well.
    const auto failuresOf = [](const StageReport& all) { return all.deadAgain + all.failed + all.failing; };
    const auto failures = failuresOf(sum) - failuresOf(m_forgiven);
    const auto outcomes = failures + sum.succeeded - m_forgiven.succeeded;
    if (failures <= 0 || (!stageIsOver && outcomes < fewestOutcomes))
        return std::nullopt;
    if (static_cast<double>(failures) <= m_brake * static_cast<double>(outcomes))
        return std::nullopt;
    return std::to_string(failures) + " of " + std::to_string(outcomes) + " failed, more than the brake allows"
        + (sum.failing > 0 ? " (" + std::to_string(sum.failing) + " of them are tried again)" : std::string());
}

} // namespace fencepost::operation
