// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store.h"

namespace fencepost {

// What every store refuses before it looks at a record. Invalid: why.
Status check(const Reservation& reservation);
Status check(const Claim& claim);
// No instant can be computed with it, or it is longer than anything is kept: a thousand years.
Status checkSpan(const std::optional<Duration>& span);
Status check(const ReapRequest& request);
// An operator's event, and nothing else.
Status check(const Intervention& intervention);

// What is asked of a store, as the protocol judges it.
[[nodiscard]] Trigger triggerOf(const Reservation& reservation);
[[nodiscard]] Trigger triggerOf(Event event, const Claim& claim, const Completion& completion = {});
[[nodiscard]] Trigger triggerOf(
    const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor);

// The request that a record is executed for, which the protocol has no opinion about. `before` none: it is the first.
void keepRequest(Record& after, const std::optional<Record>& before, const Reservation& reservation);

} // namespace fencepost
