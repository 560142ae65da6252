// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/replay_fate.h"

#include <array>

namespace fencepost {

std::string_view wordOf(ReplayFate fate) noexcept
{
    constexpr std::array<std::string_view, 4> words{ "pending", "succeeded", "dead_again", "settled" };
    return words[static_cast<std::size_t>(fate)];
}

ReplayFate fateOf(const FateEvidence& evidence, int deaths, std::string_view runId)
{
    if (evidence.deaths > deaths || evidence.outbox == OutboxState::Dead || evidence.dead > 0)
        return ReplayFate::DeadAgain;
    if (evidence.state != DeadLetterState::Redriven || evidence.runId != runId)
        return ReplayFate::Settled;
    if (evidence.inboxes > 0)
        return evidence.processed == evidence.inboxes ? ReplayFate::Succeeded : ReplayFate::Pending;
    // What is no longer there was purged, which nothing undelivered ever is.
    const bool arrived = !evidence.outbox || evidence.outbox == OutboxState::Sent;
    return arrived ? ReplayFate::Succeeded : ReplayFate::Pending;
}

bool isFailing(const FateEvidence& evidence)
{
    return evidence.failed > 0 || (evidence.tried && evidence.outbox == OutboxState::Pending);
}

bool isThrottled(const FateEvidence& evidence)
{
    const bool unsent = evidence.outbox == OutboxState::Pending || evidence.outbox == OutboxState::Dead;
    return evidence.tried && unsent && evidence.code == "429";
}

} // namespace fencepost
