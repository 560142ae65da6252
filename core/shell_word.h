// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

// As one word of a POSIX shell, in quotes where it would not be one without.
[[nodiscard]] std::string shellWord(std::string_view text);

} // namespace fencepost
