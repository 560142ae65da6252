// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

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

// After fillRecords(): each record gets the body of its request, headers and the body of its response, with an e-mail
// address and a card number among what may be shown.
Status fillBodies(store::Connection& connection);

// After fillRecords() with as many rows: as many journal entries (the two of each newer record), for one record in ten
// a message that was sent and one that was received (one in a thousand of them is still due), and one dead letter for
// each thousand records. Ids: keyOf(), eventOf() and correlationOf() of a multiple of ten, which is the record.
Status fillHistory(store::Connection& connection, std::int64_t rows, Time now);
[[nodiscard]] std::string keyOf(std::int64_t record);
[[nodiscard]] std::string eventOf(std::int64_t record);
[[nodiscard]] std::string correlationOf(std::int64_t record);

} // namespace fencepost::test
