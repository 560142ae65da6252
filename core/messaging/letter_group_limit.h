// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fencepost {

// Groups of dead letters that are read at once, the most frequent first. As many as these: there may be more.
inline constexpr std::size_t mostLetterGroups = 1'000;

} // namespace fencepost
