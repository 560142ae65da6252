// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/protocol/key_life.h"
#include "core/store.h"
#include "core/store/database.h"
#include "core/store/native.h"

namespace fencepost::store {

// A JournalEntry that is yet to be written. All of it is views.
struct JournalRow {
    const RecordId& id;
    std::string_view fromState;
    std::string_view toState;
    std::string_view event;
    Fence fence;
    int attempt = 0;
    std::string_view owner;
    std::string_view actor;
    std::string_view reason;
    Time at;
};

// Appends to idempotency_transitions, inside the caller's transaction. `seq` is the database's.
Status addTransition(Connection& connection, const JournalRow& entry);

// A refused arrival: counted in idempotency_conflicts, and journalled when it is seen for the first time. At most 8
// presented hashes and 7 fenced owners per key have a row of their own, all others of a kind share one (I8). The record
// is not touched.
Status noteConflict(Connection& connection, const Conflict& conflict, const JournalRow& entry);

// The record is gone, or its key begins a new life: what was refused before is no conflict of it.
Status forgetConflicts(Connection& connection, const RecordId& id);

[[nodiscard]] Result<std::vector<JournalEntry>> transitionsOf(Connection& connection, const RecordId& id);
// In whatever transaction is open. None: the journal does not say.
[[nodiscard]] Result<KeyLives> livesOf(Connection& connection, const RecordId& id);
// event, to_state, attempt and fence from the column `first` on.
void addToLives(const NativeRow& row, int first, LivesOfJournal& journal);
[[nodiscard]] Result<std::vector<Conflict>> conflictsOf(Connection& connection, const RecordId& id);

} // namespace fencepost::store
