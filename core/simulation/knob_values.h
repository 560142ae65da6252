// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/simulation/scenario_knobs.h"

namespace fencepost::simulation {

// What the values of settings look like as text, and how they are read.

inline constexpr std::int64_t wholeChance = 1'000'000; // a chance that is certain
inline constexpr std::int64_t wholeDay = 24 * 3'600 * wholeChance;

// What stands between blanks.
[[nodiscard]] std::vector<std::string_view> wordsOf(std::string_view words);
// A number in the form's own unit.
[[nodiscard]] std::string written(KnobForm form, std::int64_t value);

// "path: "value" is what".
[[nodiscard]] Error refused(std::string_view path, std::string_view value, const std::string& what);
// A number of the form within the bounds. Invalid: the message names the path and what was expected.
[[nodiscard]] Result<std::int64_t> bounded(
    std::string_view path, KnobForm form, std::int64_t least, std::int64_t most, std::string_view value);
[[nodiscard]] Result<int> wordAt(std::string_view path, std::string_view words, std::string_view value);
[[nodiscard]] Result<bool> flagOf(std::string_view path, std::string_view value);

} // namespace fencepost::simulation
