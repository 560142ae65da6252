// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shown_states.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/profile/words.h"

namespace fencepost::ui {

namespace {

bool isKeyed(Kind kind)
{
    return kind == Kind::Idempotency || kind == Kind::Job || kind == Kind::Lock;
}

template <std::size_t Count> bool contains(const std::array<std::string_view, Count>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool isExpected(const Binding& binding, std::string_view word)
{
    if (word == "UNKNOWN")
        return false;
    if (binding.native)
        return word != "DISPATCHED" && !(isKeyed(binding.kind) && (word == "PENDING" || word == "DEAD"))
            && !(binding.kind == Kind::Outbox && (word == "FAILED" || word == "DISCARDED"));
    // What only our own protocol says of a row, and what somebody else's keys seldom are.
    static constexpr std::array<std::string_view, 4> oursOnly{ "HELD", "EXPIRED", "SENT", "DISCARDED" };
    if (binding.kind != Kind::DeadLetter && contains(oursOnly, word))
        return false;
    return binding.kind != Kind::Idempotency || (word != "PENDING" && word != "DEAD");
}

} // namespace

std::vector<std::string> expectedStates(const Binding& binding)
{
    std::vector<std::string> states;
    for (const auto word : profile::stateWordsOf(binding.kind))
        if (isExpected(binding, word))
            states.emplace_back(word);
    return states;
}

std::vector<std::string> possibleStates(Kind kind)
{
    const auto& words = profile::stateWordsOf(kind);
    return { words.begin(), words.end() };
}

bool tellsHolds(const Binding& binding)
{
    return binding.native || std::find(binding.fields.begin(), binding.fields.end(), "hold") != binding.fields.end();
}

bool tellsConflicts(const Binding& binding)
{
    return binding.native && binding.kind == Kind::Idempotency;
}

} // namespace fencepost::ui
