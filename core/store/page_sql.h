// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/inspector.h"
#include "core/store/expression_sql.h"
#include "core/store/row_projection.h"

namespace fencepost::store {

// One run of rows that an index gives in order. A page walks the segments of its order one after the other, so that
// rows without a value (or, by lease, without a lease that matters) come last without spoiling the index.
struct Segment {
    std::string condition; // empty: all
    std::vector<const CatalogColumn*> columns; // of the keyset; ends with the identity
    bool firstIsThere = false; // by the condition: the first column of each row has a value
};

// The orders that this table can be read in at any depth: by an index, or small enough to be sorted each time.
[[nodiscard]] std::vector<std::string> ordersOf(const BoundProfile& bound, bool small);

struct PageWalk {
    const BoundProfile* bound = nullptr;
    FilterPtr filter;
    std::string order;
    bool descending = true;
    DecidingClock now;
    bool sortInstead = false; // the filter is selective: sort what it finds instead of walking the order's index
    std::function<std::string(ExpressionSql& sql)> mark; // one more column, a number; empty: none
    std::map<std::string, std::string> parameters; // of the profile, by name; others take their standard
};

[[nodiscard]] Result<std::vector<Segment>> segmentsOf(const PageWalk& walk);

struct CompiledPage {
    SqlText text;
    RowProjection projection;
    const CatalogColumn* first = nullptr; // the segment's
    std::optional<int> ownColumn; // the place of the segment's first column where it is no part of the identity
    std::optional<int> mark; // the place of the walk's
};

// One statement: the rows of a segment behind `from` (its keyset values, nullPart for none), at most `limit`.
// `backward` walks against the order.
[[nodiscard]] Result<CompiledPage> compilePage(const PageWalk& walk, const Segment& segment,
    const std::optional<std::vector<std::string>>& from, bool backward, int limit);

} // namespace fencepost::store
