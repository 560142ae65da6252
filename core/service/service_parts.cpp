// SPDX-License-Identifier: Apache-2.0
#include "core/service/service_parts.h"

#include <algorithm>
#include <array>
#include <span>

namespace fencepost {

namespace {

constexpr std::array mismatchStatuses = { 409, 422, 400 };
constexpr std::array expiredStatuses = { 409, 410, 412 };

bool isOneOf(std::span<const int> values, int value)
{
    return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace

Status check(const RouteContract& route, const ServiceParts& parts)
{
    if (route.route.empty() || route.operation.empty())
        return invalid("A route has a name and an operation type");
    if (route.fingerprints.empty())
        return invalid("A route has at least one fingerprint profile");
    if (route.policy.lease.value <= Duration(0) || route.policy.ttl.value <= Duration(0))
        return invalid("The route's lease and TTL must last longer than nothing");
    if (!isOneOf(mismatchStatuses, route.mismatchStatus))
        return invalid("A mismatch is answered by 409, 422 or 400, not " + std::to_string(route.mismatchStatus));
    if (!isOneOf(expiredStatuses, route.expiredStatus))
        return invalid("An expired key is answered by 409, 410 or 412, not " + std::to_string(route.expiredStatus));
    if (route.failOpen && route.keyRequired)
        return invalid("A route that requires a key fails closed");
    if (route.mode == ContractMode::SingleTransaction && !parts.together)
        return invalid("One transaction for all needs a store that gives one");
    if (route.mode == ContractMode::SingleTransaction && route.policy.effect.value != EffectClass::LocalTransaction)
        return invalid("Only a local effect can be part of the record's transaction");
    const bool elsewhere = route.inFlight == InFlightAnswer::Accepted || route.inFlight == InFlightAnswer::SeeOther;
    if (elsewhere && !route.operationUrl)
        return invalid("202 and 303 need the URL of the operation");
    return {};
}

} // namespace fencepost
