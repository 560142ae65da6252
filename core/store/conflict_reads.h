// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/timed_reads.h"

namespace fencepost::store {

// Refused arrivals of the reads' range, of Fencepost's own records or inbox.
[[nodiscard]] Status readConflicts(TimedReads& reads, Kind kind, int most, Conflicts& into);
[[nodiscard]] Result<std::optional<ConflictCase>> readCase(Connection& connection, const RecordId& id);
// Of an event of the inbox; its id as a RefusedArrival's. The first payload is looked for beside it `inOutbox`.
[[nodiscard]] Result<std::optional<ConflictCase>> readInboxCase(
    Connection& connection, const RecordId& id, bool inOutbox);

} // namespace fencepost::store
