// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/outbound_ledger.h"
#include "core/store.h"

namespace fencepost {

// What was sent to vendors for the request that has the record now, in the order in which it was begun; not what an
// earlier life of its key has left and nobody remembers. Errors are the store's and the ledger's.
[[nodiscard]] Result<std::vector<OutboundCall>> callsOf(
    Store& store, OutboundLedger& ledger, const Record& record, Time now);

} // namespace fencepost
