// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/store/named_sql.h"

namespace fencepost::store {

class Parameters;
struct SqlText;

// A statement as it can be given to the database by hand: its values stand where their names were, as literals of its
// dialect, and a semicolon ends it.
[[nodiscard]] std::string runnable(const NamedSql& sql, Dialect dialect, const Parameters& parameters);
[[nodiscard]] std::string runnable(const SqlText& text, Dialect dialect);

} // namespace fencepost::store
