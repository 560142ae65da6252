// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fencepost {

// As one word of a POSIX shell, in quotes where it would not be one without.
[[nodiscard]] std::string shellWord(std::string_view text);
// The words of a command as a line to be pasted.
[[nodiscard]] std::string shellLine(const std::vector<std::string>& words);

} // namespace fencepost
