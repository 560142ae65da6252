// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/protocol/record.h"
#include "core/store/database.h"

namespace fencepost::store {

// What is left of a request that did not come to its end.
struct Unfinished {
    Record record;
    Headers requestHeaders; // none: it was kept by an older program, or not at all
};

// A page of the records that are in progress or may be tried again, oldest first, behind `after`. Unsupported:
// the schema is older than version 4.
[[nodiscard]] Result<std::vector<Unfinished>> unfinishedRecords(
    Connection& connection, const std::optional<Record>& after, int batch);

// One record with what was kept of its request, whatever its state. None: it is not there.
[[nodiscard]] Result<std::optional<Unfinished>> recordWithRequest(Connection& connection, const RecordId& id);

} // namespace fencepost::store
