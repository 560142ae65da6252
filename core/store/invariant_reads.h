// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/store/bindings.h"
#include "core/store/timed_reads.h"

namespace fencepost::store {

// What is broken in one of Fencepost's own tables, by the rules of its kind in their order. Rules that find nothing are
// left out, those that take too long are named by the reads.
[[nodiscard]] Result<Violations> brokenRows(
    TimedReads& reads, Kind kind, std::string_view only, const DecidingClock& now);

} // namespace fencepost::store
