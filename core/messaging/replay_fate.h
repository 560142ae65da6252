// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/messaging/dead_letter.h"

namespace fencepost {

// What became of a dead letter that was put back.
enum class ReplayFate {
    Pending, // on its way
    Succeeded, // its consumer processed it; where no inbox here knows it, its destination took it
    DeadAgain,
    Settled, // discarded or put back by somebody else meanwhile
};

[[nodiscard]] std::string_view wordOf(ReplayFate fate) noexcept; // "pending", …

struct FateEvidence {
    std::string id; // of the letter
    DeadLetterKind kind = DeadLetterKind::Inbox;
    DeadLetterState state = DeadLetterState::Redriven;
    int deaths = 1;
    std::string runId; // of its latest replay
    std::optional<OutboxState> outbox; // of its event and destination
    bool tried = false; // in the outbox's present life
    std::string code; // of the latest attempt that failed
    int inboxes = 0; // that know the event
    int processed = 0; // of them
    int dead = 0; // of them
    int failed = 0; // of them, and tried again
};

// `deaths` as the plan saw them; `runId` of the plan.
[[nodiscard]] ReplayFate fateOf(const FateEvidence& evidence, int deaths, std::string_view runId);
// On its way, but what was tried since it was put back has failed.
[[nodiscard]] bool isFailing(const FateEvidence& evidence);
// Its target asked to be left alone for a while (429).
[[nodiscard]] bool isThrottled(const FateEvidence& evidence);

} // namespace fencepost
