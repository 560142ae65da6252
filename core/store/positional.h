// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fencepost::store {

// A statement in libpq's words: each :name is a $number, the same one wherever it occurs.
struct Positional {
    std::string text;
    std::vector<std::string> names; // of $1, $2, …
};

// Looks past quotes, comments and casts (::).
[[nodiscard]] Positional positional(std::string_view sql);

} // namespace fencepost::store
