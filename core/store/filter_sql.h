// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/query/filter.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

// The condition of a filter; errors (a field that the table does not have) are left in `sql`.
[[nodiscard]] std::string filterCondition(ExpressionSql& sql, const Filter& filter);
// The column is this text, in its own type, so that its index is used; nothing where it cannot be one of its values.
[[nodiscard]] std::optional<std::string> equalTo(
    ExpressionSql& sql, const CatalogColumn& column, const std::string& value);
// A key without its scope is found through the primary key, from one scope to the next.
[[nodiscard]] bool walksScopes(const BoundProfile& bound);
[[nodiscard]] std::string stateCondition(ExpressionSql& sql, std::string_view state);
[[nodiscard]] std::string stuckCondition(ExpressionSql& sql);
[[nodiscard]] std::string heldCondition(ExpressionSql& sql);
// As a filter: denied where the role may not read the conflicts.
[[nodiscard]] std::string conflictCondition(ExpressionSql& sql);
// Of one row.
[[nodiscard]] std::string conflictOf(const ExpressionSql& sql);

// Whether every row that the filter lets through is one that a small partial index knows: unfinished, stuck, held or in
// conflict. SQLite is then told not to walk another index for the order.
[[nodiscard]] bool isSelective(const BoundProfile& bound, const Filter& filter);
// Whether an index holds what this part finds in just this order, so that nothing need be sorted.
[[nodiscard]] bool isServedInOrder(const BoundProfile& bound, const Filter& part, std::string_view order);
// Whether an index holds what this part finds, in no order of ours but that of creation.
[[nodiscard]] bool hasOwnIndex(const Filter& part);
// The part of a selective filter that makes it so.
[[nodiscard]] const Filter& selectivePart(const BoundProfile& bound, const Filter& filter);

} // namespace fencepost::store
