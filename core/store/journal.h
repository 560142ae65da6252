// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store.h"
#include "core/store/database.h"

namespace fencepost::store {

// Appends to idempotency_transitions, inside the caller's transaction. `seq` is the database's.
Status addTransition(Connection& connection, const JournalEntry& entry);

// A refused arrival: counted in idempotency_conflicts, and journalled when it is seen for the first time. At most 16
// presented hashes per key have a row of their own, all others share one (I8). The record is not touched.
Status noteConflict(Connection& connection, const Conflict& conflict, const JournalEntry& entry);

[[nodiscard]] Result<std::vector<JournalEntry>> transitionsOf(Connection& connection, const RecordId& id);
[[nodiscard]] Result<std::vector<Conflict>> conflictsOf(Connection& connection, const RecordId& id);

} // namespace fencepost::store
