// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace fencepost {

// The value whose word this is, where the words stand in the order of their enumeration.
template <typename Enum, std::size_t Size>
[[nodiscard]] std::optional<Enum> valueOf(const std::array<std::string_view, Size>& words, std::string_view word)
{
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<Enum>(found - words.begin()));
}

} // namespace fencepost
