// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/operations/replay.h"

namespace fencepost::operation {

// When a replay pauses by itself: the target of its events asks for fewer, the database has become slow, or too many of
// the outcomes are failures, among them events whose attempts fail while they are not dead yet.
class ReplayBrake {
public:
    ReplayBrake() = default;
    explicit ReplayBrake(const ReplaySettings& settings)
        : m_brake(settings.brake)
        , m_slowest(settings.slowest)
    {
    }

    void addChange(Duration took);
    // The journal is written for several changes at once: it counts among what those took.
    void addWriting(Duration took) { m_took += took; }
    // A target asked to be left alone, and it was not known to wait for that.
    void setThrottled(bool throttled) { m_throttled = throttled; }
    // How long it took before somebody decided to go on is no reason to pause again.
    void restart();

    // Too few changes since the last judgement to tell how long one takes.
    [[nodiscard]] bool hasJustBegun() const;
    // None: there is no reason. `stage`: the outcomes of this one; while it is not over, a few tell nothing. `newest`:
    // those of late.
    [[nodiscard]] std::optional<std::string> whyPause(
        const StageReport& stage, const StageReport& newest, bool stageIsOver);
    // They are so many that the next ones are to be judged by themselves: a target that fails from now on must not be
    // measured by all that it did before.
    [[nodiscard]] bool areEnough(const StageReport& newest) const;

private:
    [[nodiscard]] std::optional<std::string> whySlow();
    [[nodiscard]] std::optional<std::string> whyFailing(const StageReport& outcomes, bool few) const;

    double m_brake = 0;
    Duration m_slowest{};
    Duration m_took{};
    std::int64_t m_changes = 0;
    bool m_throttled = false;
};

} // namespace fencepost::operation
