// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/protocol/transition.h"

namespace fencepost {

// What a transition does to the record. decide() has seen before that it may.

[[nodiscard]] bool attemptsSpent(const Record& record);
[[nodiscard]] std::string holdReasonOf(const Trigger& trigger);

// Whether the effect needs a fence above the record's.
[[nodiscard]] bool takesFence(Effect effect);

[[nodiscard]] Record inserted(const Trigger& trigger, Time now);
void carryOut(Record& record, const Transition& transition, const Trigger& trigger, Time now);

} // namespace fencepost
