// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/operations/plan.h"
#include "core/operations/replay_stages.h"

namespace fencepost::operation {

// What was done with each row of a replay, as applyPlan() tells it.
[[nodiscard]] RunReport reportOf(const Plan& plan, const ReplayStages& stages);

} // namespace fencepost::operation
