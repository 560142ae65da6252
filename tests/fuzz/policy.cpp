// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/policy.h"

#include "core/protocol/contract_lint.h"
#include "tests/fuzz/fuzz.h"

using namespace fencepost;
using fuzz::require;

namespace {

void checkRoute(const RoutePolicy& policy)
{
    require(policy.ttl.value > Duration(0) && policy.lease.value > Duration(0), "a time to live and a lease are spans");
    require(policy.tombstone.value >= Duration(0) && policy.grace.value >= Duration(0), "no span is negative");
    require(policy.maxAttempts.value >= 0, "no count is negative");
    for (const auto& setting : describe(policy))
        require(!setting.value.empty() && !setting.from.empty(), "a setting has a value and a place", setting.name);
}

void checkPolicy(std::string_view text)
{
    const auto policy = parsePolicy(text);
    if (!policy)
        return fuzz::requireRefusal(policy.error(), text.size());
    checkRoute(policy->forRoute("POST_/v1/refunds@tenant", "refund"));
    checkRoute(policy->forRoute("", ""));
    for (const auto& route : policy->routes())
        checkRoute(policy->forRoute(route.scope, route.operation));
    for (const auto& warning : policy->warnings())
        require(!warning.empty(), "a warning has a text");
}

void checkContract(std::string_view text)
{
    const auto contract = parseContract(text, Policy());
    if (!contract)
        return fuzz::requireRefusal(contract.error(), text.size());
    for (const auto& finding : lint(*contract)) {
        require(!finding.gate.empty() && !finding.problem.empty(), "a finding says what is wrong");
        require(!finding.path.empty(), "a finding says where", finding.problem);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    checkPolicy(text);
    checkContract(text);
    return 0;
}
