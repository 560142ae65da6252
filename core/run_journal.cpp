// SPDX-License-Identifier: Apache-2.0
#include "core/run_journal.h"

#include <array>

#include "core/messaging/word_table.h"

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 4> phaseWords{ "RUNNING", "PAUSED", "DONE", "STOPPED" };

} // namespace

std::string_view wordOf(RunPhase phase) noexcept
{
    return phaseWords[static_cast<std::size_t>(phase)];
}

std::optional<RunPhase> runPhaseOf(std::string_view word) noexcept
{
    return valueOf<RunPhase>(phaseWords, word);
}

bool isOver(RunPhase phase) noexcept
{
    return phase == RunPhase::Done || phase == RunPhase::Stopped;
}

} // namespace fencepost
