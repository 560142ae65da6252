// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/query/filter.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

// The condition of Filter::Op::Had: of our own records by the journal beside them, of messages and dead letters by what
// their rows keep of what became of them. Errors (another's table, a moment that no such table knows) are left in
// `sql`.
[[nodiscard]] std::string momentCondition(ExpressionSql& sql, const Filter& had);

} // namespace fencepost::store
