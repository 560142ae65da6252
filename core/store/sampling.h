// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/bindings.h"

namespace fencepost::store {

// Of one table, when a database is opened.
inline constexpr Duration longestSample = std::chrono::seconds(2);
// Of all its views together: what a view does before it answers is its author's.
inline constexpr Duration longestOfViews = std::chrono::seconds(4);

// Few enough rows to be sorted each time that a page is read.
[[nodiscard]] Result<bool> isSmall(Connection& connection, const BoundProfile& bound);
// Warns of values of the state's column that the profile does not know: their rows are shown as UNKNOWN.
Status checkValues(Connection& connection, BoundProfile& bound);
// The database knows the time zones that the profile names.
Status checkZones(Connection& connection, const BoundProfile& bound);

} // namespace fencepost::store
