// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/store/bindings.h"
#include "core/store/timed_reads.h"

namespace fencepost::store {

// An event of the inbox is tried again for as long as its consumer's schedule says; longer ones are rare.
inline constexpr Duration longestSchedule = std::chrono::hours(24) * 7;

// The flows of a table within the range of its reads, not judged yet and in any order.
// `conflicts`: the table of refused requests beside the records can be read.
[[nodiscard]] Result<std::vector<Flow>> recordFlows(TimedReads& reads, bool conflicts);
[[nodiscard]] Result<std::vector<Flow>> messageFlows(TimedReads& reads, Kind kind); // Inbox, Outbox or DeadLetter
// Of a table that keeps no journal: what was created, as it is now.
[[nodiscard]] Result<std::vector<Flow>> arrivalFlows(
    TimedReads& reads, const BoundProfile& bound, const DecidingClock& now);

} // namespace fencepost::store
