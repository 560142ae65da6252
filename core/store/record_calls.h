// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/protocol/record.h"
#include "core/result.h"
#include "core/store/database.h"

namespace fencepost::store {

// What was sent to vendors on behalf of a record, as far as it may have had an effect, in words:
// "acme payouts.create po_1, mail send".
struct RecordCalls {
    std::string done; // empty: none is
    std::string open; // nobody knows what became of these
};

// Of each of the records, in their order. Runs in whatever transaction is open. Denied: the role may not read the
// ledger of calls.
[[nodiscard]] Result<std::vector<RecordCalls>> callsOf(Connection& connection, const std::vector<RecordId>& records);

} // namespace fencepost::store
