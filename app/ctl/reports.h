// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/context.h"
#include "core/operations/plan.h"

namespace fencepost::app {

// What a frozen plan would do.
void showPlan(Context& context, const Plan& plan, bool withSql);
// Carries a plan out, stops at SIGINT between two rows, prints the report and answers the exit code.
int carryOut(Context& context, Inspector& inspector, const Plan& plan);

[[nodiscard]] json summaryOf(const Plan& plan);

} // namespace fencepost::app
