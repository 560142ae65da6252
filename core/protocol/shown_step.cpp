// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/shown_step.h"

#include <algorithm>
#include <array>

namespace fencepost {

namespace {

bool startsAt(const Transition& transition, State from)
{
    if (transition.guard == Guard::Over)
        return from == State::Expired;
    if (!transition.from || *transition.from == from)
        return true;
    if (from == State::Held)
        return *transition.from == State::InProgress || *transition.from == State::FailedRetryable;
    return from == State::Expired && *transition.from != State::Absent;
}

// What gives a record back without a longer retention leaves it expired where that was over already.
bool keepsExpiry(const Transition& transition)
{
    switch (transition.effect) {
    case Effect::Release:
    case Effect::LetTakeOver:
    case Effect::TakeAway:
    case Effect::Delay:
    case Effect::ResolveCompleted:
        return true;
    default:
        return false;
    }
}

bool endsAt(const Transition& transition, State from, State to)
{
    if (to == State::Expired && keepsExpiry(transition))
        return true;
    if (transition.to)
        return *transition.to == to;
    return from == to || transition.event == Event::Unexpire;
}

bool leads(const Transition& transition, State from, State to)
{
    return startsAt(transition, from) && endsAt(transition, from, to);
}

} // namespace

bool leads(Event event, State from, State to) noexcept
{
    const auto all = transitions();
    return std::any_of(all.begin(), all.end(),
        [&](const Transition& transition) { return transition.event == event && leads(transition, from, to); });
}

bool leads(State from, State to) noexcept
{
    const auto all = transitions();
    return from == to || from == State::Absent
        || std::any_of(
            all.begin(), all.end(), [&](const Transition& transition) { return leads(transition, from, to); });
}

bool isArrival(std::string_view word) noexcept
{
    constexpr std::array<std::string_view, 6> arrivals{ "mismatch", "fenced", "in_progress", "replayed", "held",
        "expired" };
    return std::find(arrivals.begin(), arrivals.end(), word) != arrivals.end();
}

} // namespace fencepost
