// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/query/filter.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

// How many of the rows a tally looks at.
struct Sampling {
    std::optional<double> percent; // PostgreSQL: of the table's pages
    std::optional<std::int64_t> rows; // the first that come
};

// Per state: word, rows, of these stuck, of these expiring within the hour. The last two may be told of all of them
// instead, in a row without a word.
[[nodiscard]] Result<SqlText> compileTally(
    const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now, const Sampling& sampling);

// Rows by attempts and state: attempts, word, rows. The table has attempts.
[[nodiscard]] Result<SqlText> compileAttempts(
    const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now, const Sampling& sampling);

enum class Countable { Stuck, ExpiringSoon, State };

// The number of rows of one kind, counted up to `most` + 1.
[[nodiscard]] Result<SqlText> compileCount(const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now,
    Countable what, const std::string& state, std::int64_t most);

enum class Leased { InProgress, Stuck }; // a stuck record may be shown as expired

// The earliest lease of these records. Nothing where the table has no leases.
[[nodiscard]] Result<std::optional<SqlText>> compileOldestLease(
    const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now, Leased which);

} // namespace fencepost::store
