// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/store/database.h"

namespace fencepost::store {

// About how many rows a table of an SQLite file has, in about a millisecond whatever its size: random ways down its
// tree, each weighted by how many there were to choose from (Knuth, Estimating the efficiency of backtrack programs,
// 1975). SQLite itself knows only what an ANALYZE once found. What is still in the write-ahead log is not seen. Nothing
// where the tree cannot be read.
[[nodiscard]] std::optional<std::int64_t> estimateRows(Connection& connection, const std::string& table);

} // namespace fencepost::store
