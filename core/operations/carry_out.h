// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/operations/plan.h"

namespace fencepost::operation {

// The table that a plan is for. Refused: another database, another profile, an unknown verb.
[[nodiscard]] Result<Binding> targetOf(Inspector& inspector, const Plan& plan);
[[nodiscard]] Change changeOf(const Plan& plan, const PlanItem& item, const std::string& actor);
void count(RunReport& report, ItemResult result);
[[nodiscard]] ItemOutcome failed(const Error& error);
// To a role whose rows are filtered, what is hidden and what is not there look the same.
void admitHidden(const Binding& binding, ItemOutcome& outcome);
// An error that the next row would meet too.
[[nodiscard]] bool endsTheRun(const Error& error);

} // namespace fencepost::operation
