// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/protocol/contract_lint.h"

// What the gates of a contract have in common.
namespace fencepost::contract_lint {

using Findings = std::vector<Finding>;

[[nodiscard]] bool isUnsafe(const ContractSubject& subject);
// The rest of the contract is about what a key does. Whether a route may go without one is key_required's to say.
[[nodiscard]] bool isKeyed(const ContractSubject& subject);

// What is blank says nothing.
[[nodiscard]] std::string said(const ContractSubject& subject, std::string_view member);

void report(Findings& findings, std::string_view gate, const ContractSubject& subject, const std::string& path,
    std::string problem, std::string_view remedy);

} // namespace fencepost::contract_lint
