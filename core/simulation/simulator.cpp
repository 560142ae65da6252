// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/simulator.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

struct RuleWord {
    std::string_view rule;
    std::string_view meaning;
};

constexpr std::array rules = {
    RuleWord{ "I1", "at most one owner may finalize per fence" },
    RuleWord{ "I2", "the fence of a record only rises" },
    RuleWord{ "I3", "a record at its end does not change" },
    RuleWord{ "I4", "a stored response stays the same, and answers nobody but whom it was made for" },
    RuleWord{ "I5", "a replay runs no handler" },
    RuleWord{ "I6", "no request is refused for ever without a hold that somebody sees" },
    RuleWord{ "I7", "an effect happens at most once" },
    RuleWord{ "I8", "a mismatch does not change the record" },
    RuleWord{ "I9", "the row of an effect is unique" },
};

} // namespace

std::string_view meaningOfRule(std::string_view rule) noexcept
{
    const auto* found =
        std::find_if(rules.begin(), rules.end(), [&](const RuleWord& word) { return word.rule == rule; });
    return found == rules.end() ? std::string_view() : found->meaning;
}

} // namespace fencepost::simulation
