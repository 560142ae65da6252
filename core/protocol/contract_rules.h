// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/protocol/contract_findings.h"

namespace fencepost::contract_lint {

// What a gate has in the table of rules, each over one member of one subject.
void judgeRules(std::string_view gate, const Contract& contract, Findings& findings);

} // namespace fencepost::contract_lint
