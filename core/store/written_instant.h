// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fencepost::store {

// What a text says in epoch microseconds, by the same rules as the statements of SQLite that compare such texts, at a
// fraction of their cost: 2026-11-20 23:45:47.123456+02:00, any of its tails absent, UTC where it names no zone.
// Nothing where it is no such text. As SQLite's functions do, it reads up to the first NUL.
[[nodiscard]] std::optional<std::int64_t> microsOfWritten(std::string_view text) noexcept;

} // namespace fencepost::store
