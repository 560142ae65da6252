// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/random.h"
#include "core/store/bindings.h"
#include "core/store/profile_compiler.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

// What a write did to its row, inside an open transaction that the caller commits or rolls back. Not Changed: roll
// back.
struct RowChange {
    ItemResult result = ItemResult::Skipped;
    std::string reason; // skipped: why
    std::string before; // JSON
    std::string after; // JSON; empty: the row is gone
};

// Fencepost's own records: the operator's event of the state machine, with its journal row.
Result<RowChange> changeRecord(Connection& connection, const Change& change, const DecidingClock& now, Random& random);
// Fencepost's own dead letters: replay, discard, restore. A replay is judged again: what is done, worked on or in doubt
// by now is skipped as it would have been left out of the plan.
Result<RowChange> changeLetter(Connection& connection, const Change& change, const StoreClock& clock);
// A foreign table: the guarded statements of its profile's action, or the restore of an undo.
Result<RowChange> changeForeignRow(
    Connection& connection, const BoundProfile& bound, const Change& change, const DecidingClock& now, Random& random);

// The images that the audit keeps. Values over the limit stand as {"octets": N, "sha256": "…"}.
[[nodiscard]] std::string imageOf(const Record& record);
[[nodiscard]] std::string imageOf(const RowImage& image);

} // namespace fencepost::store
