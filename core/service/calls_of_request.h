// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/outbound_ledger.h"

namespace fencepost {

// What was sent to vendors for the request that has the record now, in the order in which it was begun; not what an
// earlier life of its key has left. Errors are the ledger's.
[[nodiscard]] Result<std::vector<OutboundCall>> callsOf(OutboundLedger& ledger, const Record& record, Time now);

} // namespace fencepost
