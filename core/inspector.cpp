// SPDX-License-Identifier: Apache-2.0
#include "core/inspector.h"

#include <array>

namespace fencepost {

std::string_view wordOf(Exactness exactness) noexcept
{
    constexpr std::array<std::string_view, 3> words = { "exact", "at_least", "estimate" };
    return words[static_cast<std::size_t>(exactness)];
}

std::string_view wordOf(ItemResult result) noexcept
{
    constexpr std::array<std::string_view, 4> words = { "changed", "already_done", "skipped", "failed" };
    return words[static_cast<std::size_t>(result)];
}

} // namespace fencepost
