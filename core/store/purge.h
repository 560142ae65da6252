// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "core/store/native.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

// Deletes by each of the statements in turn what was over longer ago than the retention, at most a batch of rows in
// all, and answers how many. In a transaction of its own. Each statement knows :retention, :batch and :now.
[[nodiscard]] Result<int> purgeBy(Connection& connection, const StoreClock& clock,
    std::initializer_list<const NamedSql*> statements, Duration retention, int batch);

} // namespace fencepost::store
