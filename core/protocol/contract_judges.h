// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/protocol/contract_findings.h"

// What no rule over one member can say: how members, subjects and settings of the policy go together.
namespace fencepost::contract_lint {

// payload_hash
void judgeHashAndScope(const Contract& contract, Findings& findings);
// same_response
void judgeReplayHeader(const Contract& contract, Findings& findings);
// retry
void judgeRetries(const Contract& contract, Findings& findings);
// terminal_errors
void judgeTerminalErrors(const Contract& contract, Findings& findings);
// observability
void judgeObservability(const Contract& contract, Findings& findings);
// retention
void judgeLifetimes(const Contract& contract, Findings& findings);
// symmetry
void judgeSymmetry(const Contract& contract, Findings& findings);
// tenant_scope
void judgeTenants(const Contract& contract, Findings& findings);
// keyset_pagination
void judgePagination(const Contract& contract, Findings& findings);

} // namespace fencepost::contract_lint
