// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/profile/dictionary.h"

namespace fencepost::profile {

namespace {

enum class Stage { Waiting, Running, Done, Failed, Retryable, Final, Dead, Redriven, Dropped };

struct StateWord {
    std::string_view word; // without underscores
    Stage stage;
};

constexpr std::array stateWords = {
    StateWord{ "pending", Stage::Waiting },
    StateWord{ "new", Stage::Waiting },
    StateWord{ "available", Stage::Waiting },
    StateWord{ "scheduled", Stage::Waiting },
    StateWord{ "delayed", Stage::Waiting },
    StateWord{ "queued", Stage::Waiting },
    StateWord{ "enqueued", Stage::Waiting },
    StateWord{ "received", Stage::Waiting },
    StateWord{ "ready", Stage::Waiting },
    StateWord{ "waiting", Stage::Waiting },
    StateWord{ "created", Stage::Waiting },
    StateWord{ "unprocessed", Stage::Waiting },
    StateWord{ "unsent", Stage::Waiting },
    StateWord{ "processing", Stage::Running },
    StateWord{ "inprogress", Stage::Running },
    StateWord{ "started", Stage::Running },
    StateWord{ "executing", Stage::Running },
    StateWord{ "running", Stage::Running },
    StateWord{ "active", Stage::Running },
    StateWord{ "doing", Stage::Running },
    StateWord{ "publishing", Stage::Running },
    StateWord{ "sending", Stage::Running },
    StateWord{ "locked", Stage::Running },
    StateWord{ "claimed", Stage::Running },
    StateWord{ "complete", Stage::Done },
    StateWord{ "completed", Stage::Done },
    StateWord{ "succeeded", Stage::Done },
    StateWord{ "success", Stage::Done },
    StateWord{ "successful", Stage::Done },
    StateWord{ "finished", Stage::Done },
    StateWord{ "done", Stage::Done },
    StateWord{ "ok", Stage::Done },
    StateWord{ "handled", Stage::Done },
    StateWord{ "published", Stage::Done },
    StateWord{ "dispatched", Stage::Done },
    StateWord{ "delivered", Stage::Done },
    StateWord{ "processed", Stage::Done },
    StateWord{ "sent", Stage::Done },
    StateWord{ "acked", Stage::Done },
    StateWord{ "failed", Stage::Failed },
    StateWord{ "error", Stage::Failed },
    StateWord{ "failure", Stage::Failed },
    StateWord{ "retryable", Stage::Retryable },
    StateWord{ "failedretryable", Stage::Retryable },
    StateWord{ "retry", Stage::Retryable },
    StateWord{ "retrying", Stage::Retryable },
    StateWord{ "failedfinal", Stage::Final },
    StateWord{ "cancelled", Stage::Final },
    StateWord{ "canceled", Stage::Final },
    StateWord{ "aborted", Stage::Final },
    StateWord{ "rejected", Stage::Final },
    StateWord{ "dead", Stage::Dead },
    StateWord{ "deadletter", Stage::Dead },
    StateWord{ "abandoned", Stage::Dead },
    StateWord{ "blocked", Stage::Dead },
    StateWord{ "quarantined", Stage::Dead },
    StateWord{ "retried", Stage::Redriven },
    StateWord{ "replayed", Stage::Redriven },
    StateWord{ "redriven", Stage::Redriven },
    StateWord{ "requeued", Stage::Redriven },
    StateWord{ "resolved", Stage::Redriven },
    StateWord{ "ignored", Stage::Dropped },
    StateWord{ "discarded", Stage::Dropped },
};

// By stage, in the order of the enum. Empty: rows of that kind have no such state.
struct KindStates {
    Kind kind;
    std::array<std::string_view, 9> states;
};

constexpr std::array kindStates = {
    KindStates{ Kind::Idempotency,
        { "IN_PROGRESS", "IN_PROGRESS", "SUCCEEDED", "FAILED_FINAL", "FAILED_RETRYABLE", "FAILED_FINAL", "DEAD", "",
            "DEAD" } },
    KindStates{ Kind::Inbox,
        { "RECEIVED", "PROCESSING", "PROCESSED", "FAILED", "FAILED", "DEAD", "DEAD", "RECEIVED", "DEAD" } },
    KindStates{ Kind::Outbox,
        { "PENDING", "SENDING", "DISPATCHED", "FAILED", "FAILED", "DEAD", "DEAD", "PENDING", "DISCARDED" } },
    KindStates{ Kind::DeadLetter,
        { "DEAD", "DEAD", "REDRIVEN", "DEAD", "DEAD", "DISCARDED", "DEAD", "REDRIVEN", "DISCARDED" } },
    KindStates{ Kind::Job,
        { "PENDING", "IN_PROGRESS", "SUCCEEDED", "FAILED_RETRYABLE", "FAILED_RETRYABLE", "FAILED_FINAL", "DEAD",
            "PENDING", "DEAD" } },
    KindStates{ Kind::Lock,
        { "PENDING", "IN_PROGRESS", "SUCCEEDED", "FAILED_FINAL", "FAILED_RETRYABLE", "FAILED_FINAL", "DEAD", "",
            "DEAD" } },
};

} // namespace

std::optional<std::string_view> stateOf(Kind kind, std::string_view value)
{
    const auto word = withoutUnderscores(snakeCase(value));
    const auto* states = std::find_if(
        kindStates.begin(), kindStates.end(), [kind](const KindStates& candidate) { return candidate.kind == kind; });
    const auto* found = std::find_if(
        stateWords.begin(), stateWords.end(), [&](const StateWord& candidate) { return candidate.word == word; });
    if (states == kindStates.end() || found == stateWords.end())
        return std::nullopt;
    const auto state = states->states[static_cast<std::size_t>(found->stage)];
    return state.empty() ? std::nullopt : std::optional(state);
}

} // namespace fencepost::profile
