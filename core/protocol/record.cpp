// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/record.h"

#include <array>

namespace fencepost {

namespace {

struct StateWord {
    State state;
    std::string_view word;
};

constexpr std::array words = {
    StateWord{ State::Absent, "ABSENT" },
    StateWord{ State::InProgress, "IN_PROGRESS" },
    StateWord{ State::Succeeded, "SUCCEEDED" },
    StateWord{ State::FailedRetryable, "FAILED_RETRYABLE" },
    StateWord{ State::FailedFinal, "FAILED_FINAL" },
    StateWord{ State::Held, "HELD" },
    StateWord{ State::Expired, "EXPIRED" },
    StateWord{ State::Unknown, "UNKNOWN" },
};

constexpr std::array states = { State::Absent, State::InProgress, State::Succeeded, State::FailedRetryable,
    State::FailedFinal, State::Held, State::Expired, State::Unknown };

} // namespace

std::string_view wordOf(State state) noexcept
{
    return words[static_cast<std::size_t>(state)].word;
}

std::optional<State> stateOf(std::string_view word) noexcept
{
    for (const auto& entry : words)
        if (entry.word == word)
            return entry.state;
    return std::nullopt;
}

std::span<const State> allStates() noexcept
{
    return states;
}

bool isStored(State state) noexcept
{
    return state == State::InProgress || state == State::Succeeded || state == State::FailedRetryable
        || state == State::FailedFinal;
}

bool isTerminal(State state) noexcept
{
    return state == State::Succeeded || state == State::FailedFinal;
}

std::string_view wordOf(Takeover takeover) noexcept
{
    return takeover == Takeover::Auto ? "auto" : "manual";
}

std::optional<Takeover> takeoverOf(std::string_view word) noexcept
{
    if (word == "auto")
        return Takeover::Auto;
    if (word == "manual")
        return Takeover::Manual;
    return std::nullopt;
}

bool isLive(const Record& record, Time now) noexcept
{
    return record.status == State::InProgress && record.leaseExpiresAt && *record.leaseExpiresAt > now;
}

bool isExpired(const Record& record, Time now) noexcept
{
    return record.expiresAt <= now;
}

bool isTombstone(const Record& record, Time now) noexcept
{
    return isTerminal(record.status) && isExpired(record, now) && record.tombstoneUntil && *record.tombstoneUntil > now;
}

bool isStuck(const Record& record, Time now) noexcept
{
    return record.status == State::InProgress && !record.hold && !isLive(record, now);
}

State shownState(const Record& record, Time now) noexcept
{
    if (record.hold)
        return State::Held;
    if (isExpired(record, now))
        return State::Expired;
    return record.status;
}

} // namespace fencepost
