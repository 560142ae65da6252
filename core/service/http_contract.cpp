// SPDX-License-Identifier: Apache-2.0
#include "core/service/http_contract.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace fencepost {

RouteContract contractFrom(std::string route, std::string operation, const RoutePolicy& policy)
{
    RouteContract contract;
    contract.route = std::move(route);
    contract.operation = std::move(operation);
    contract.policy = policy;
    contract.keyRequired = policy.keyRequired.value;
    contract.failOpen = policy.failOpen.value;
    contract.mode = policy.mode.value;
    contract.key = { static_cast<std::size_t>(policy.keyLongest.value), policy.keyCharset.value };
    contract.longestBody = static_cast<std::size_t>(policy.longestBody.value);
    contract.longestStored = static_cast<std::size_t>(policy.longestStored.value);
    contract.mismatchStatus = policy.mismatchStatus.value;
    contract.expiredStatus = policy.expiredStatus.value;
    contract.inFlight = policy.inFlight.value;
    contract.wait = policy.wait.value;
    contract.workTime = policy.workTime.value;
    contract.longestWork = policy.longestWork.value;
    contract.failures = policy.failureStorage.value;
    return contract;
}

HttpResponse capabilitiesOf(std::span<const RouteContract> routes)
{
    nlohmann::ordered_json body;
    body["header"] = "Idempotency-Key";
    body["required_methods"] = nlohmann::json::array();
    body["routes"] = nlohmann::ordered_json::array();
    for (const auto& route : routes) {
        const nlohmann::ordered_json method = route.route.substr(0, route.route.find('_'));
        auto& required = body["required_methods"];
        if (route.keyRequired && std::find(required.begin(), required.end(), method) == required.end())
            required.push_back(method);
        nlohmann::ordered_json one;
        one["route"] = route.route;
        one["operation"] = route.operation;
        one["key_required"] = route.keyRequired;
        one["key"] = { { "least_length", 1 }, { "most_length", route.key.longest },
            { "charset", route.key.charset == KeyCharset::Utf8 ? "utf-8" : "visible ASCII" },
            { "forms", { "bare", "quoted string (RFC 8941)" } } };
        one["lifetime_seconds"] = std::chrono::duration_cast<std::chrono::seconds>(route.policy.ttl.value).count();
        one["in_flight"] = wordOf(route.inFlight);
        one["mismatch_status"] = route.mismatchStatus;
        one["stale_key"] = wordOf(route.policy.staleKey.value);
        one["expired_status"] = route.expiredStatus;
        body["routes"].push_back(std::move(one));
    }
    return { 200, { { "Content-Type", "application/json" } }, body.dump() };
}

} // namespace fencepost
