// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/bindings.h"
#include "core/store/timed_reads.h"

namespace fencepost::store {

// Rows by their attempts and their state; a table without attempts answers none.
[[nodiscard]] Status countAttempts(TimedReads& reads, const BoundProfile& bound, const FilterPtr& filter,
    const DecidingClock& now, std::vector<AttemptCount>& into);
// What the journal tells of records.
[[nodiscard]] Status readRetries(TimedReads& reads, const RetriesRequest& request, Retries& into);
// What the histories of messages tell: the delays between their attempts.
[[nodiscard]] Status readDelays(TimedReads& reads, Kind kind, const RetriesRequest& request, Retries& into);

} // namespace fencepost::store
