// SPDX-License-Identifier: Apache-2.0
#include "core/evidence/logged_step.h"

#include "core/protocol/shown_step.h"

namespace fencepost {

namespace {

constexpr std::string_view nothing = "unknown";

bool isOver(State state)
{
    return isTerminal(state) || state == State::Expired;
}

std::string_view eventByStates(State from, State to)
{
    if (from == to || from == State::Absent)
        return nothing;
    switch (to) {
    case State::InProgress:
        return from == State::Held ? wordOf(Event::OperatorResolve) : nothing;
    case State::Succeeded:
        return from == State::Expired ? nothing : wordOf(Event::Finalize);
    case State::FailedRetryable:
        return wordOf(Event::Fail);
    case State::FailedFinal:
        // Whoever comes for the next attempt finds that there is none left.
        return from == State::Expired ? nothing : wordOf(from == State::FailedRetryable ? Event::Reserve : Event::Fail);
    case State::Held:
        return isOver(from) ? nothing : wordOf(Event::Hold);
    case State::Absent:
        return isOver(from) ? wordOf(Event::Reap) : nothing;
    default:
        return nothing;
    }
}

} // namespace

std::string_view eventOf(const LoggedStep& step) noexcept
{
    const bool moves = step.from != step.to;
    const auto event = eventOf(step.word);
    // Their outcomes are called like those of a worker and of a request that were refused.
    const bool isOperators = event == Event::OperatorFence || event == Event::OperatorExpire;
    if (step.outcome == "conflict" && !moves)
        return "mismatch";
    if (isArrival(step.outcome) && !moves && !isOperators)
        return step.outcome;
    if (event && (step.from == State::Unknown || step.to == State::Unknown || leads(*event, step.from, step.to)))
        return step.word;
    if (step.begins)
        return wordOf(Event::Reserve);
    const auto byStates = eventByStates(step.from, step.to);
    const bool isNamed = byStates == nothing && !step.word.empty() && !event;
    return isNamed && step.to == State::Unknown ? step.word : byStates;
}

} // namespace fencepost
