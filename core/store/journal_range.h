// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/forensics.h"
#include "core/store/database.h"

namespace fencepost::store {

// Where the entries of a stretch of time stand in the journal.
struct JournalRange {
    std::int64_t first = 0; // seq
    std::int64_t last = -1;
};

// The journal has no index by time, which every transition would pay for: it is written in the order of time, but for
// transactions that commit in another order and for clocks that were set. A small journal is read whole; in a large one
// both ends are looked for by halves and set apart by `slack`. Entries are still compared with the range itself.
[[nodiscard]] Result<JournalRange> journalRange(Connection& connection, const TimeRange& range);

} // namespace fencepost::store
