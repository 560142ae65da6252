// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fencepost {

// Whether a text that parseInstant understands says how far its clock is from UTC. Behind the date, nothing but an
// offset has one of these.
[[nodiscard]] inline bool tellsOffset(std::string_view instant)
{
    constexpr std::size_t date = 10; // 2026-11-20
    return instant.size() > date && instant.find_first_of("Zz+-", date) != std::string_view::npos;
}

} // namespace fencepost
