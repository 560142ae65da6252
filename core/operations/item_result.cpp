// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/inspector.h"

namespace fencepost {

std::string_view wordOf(ItemResult result) noexcept
{
    constexpr std::array<std::string_view, 4> words = { "changed", "already_done", "skipped", "failed" };
    return words[static_cast<std::size_t>(result)];
}

} // namespace fencepost
