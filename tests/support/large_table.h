// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/store/database.h"

namespace fencepost::test {

// What fillRecords() makes of `rows`: one in a thousand in progress, every 27th of these stuck for a long time, one in
// a hundred to be retried, one in ten failed; the rest succeeded. created_at follows no order of the key.
struct LargeTable {
    std::int64_t rows = 0;
    std::int64_t inProgress = 0;
    std::int64_t stuck = 0;
};

// Makes Fencepost's tables and fills idempotency_records within the database, indexes last. Statistics are gathered
// where `analyse` says so.
Result<LargeTable> fillRecords(store::Connection& connection, std::int64_t rows, Time now, bool analyse);

} // namespace fencepost::test
