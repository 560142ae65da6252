// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/protocol/fingerprint.h"
#include "core/protocol/http_message.h"
#include "core/protocol/key_syntax.h"
#include "core/protocol/policy.h"
#include "core/store.h"

namespace fencepost {

// The contract of one route. What follows from its policy file stands in `policy`.
struct RouteContract {
    std::string route; // POST_/v1/refunds: the first half of the scope
    std::string operation; // the operation type
    bool keyRequired = true; // no: a request without a key goes past the contract
    bool principalRequired = true;
    bool failOpen = false; // with the store down, a route that does not require a key may run without the contract
    ContractMode mode = ContractMode::ReserveFinalize;
    KeyRules key;
    std::vector<FingerprintProfile> fingerprints = { {} }; // the present one first, then those of before
    RoutePolicy policy;
    std::size_t longestBody = std::size_t{ 1 } << 20U; // octets; over it 413
    std::size_t longestStored = std::size_t{ 256 } << 10U; // octets of a response; over it only its reference is kept
    int mismatchStatus = 409; // or 422, 400
    int expiredStatus = 409; // or 410, 412
    InFlightAnswer inFlight = InFlightAnswer::Conflict;
    Duration wait{}; // for InFlightAnswer::Wait
    Duration workTime = std::chrono::seconds(30); // where the caller does not say how long it waits
    Duration longestWork = std::chrono::seconds(60);
    FailureStorage failures = FailureStorage::Classified;
    // For the completer: method, target, body, and of the headers those that say how the body is to be read or on what
    // the request depends and those that its fingerprint is made of; never a credential.
    bool keepsRequest = false;
    std::string describedBy; // a URI that says what key is expected; empty: none
    std::function<std::string(const RecordId&)> operationUrl; // where to ask what became of it; none: nowhere
    // The response of a record whose own was too large to keep, or that nobody was ever given (an operator or a
    // reconciler found that it succeeded); none: it is told where the result is.
    std::function<std::optional<HttpResponse>(const Record&)> rebuild;
    // Beside those that are always kept: Content-Type, Content-Language, Content-Encoding, Location, Content-Location,
    // ETag, Last-Modified, Link, Cache-Control and Retry-After. Credentials, cookies and what belongs to one connection
    // never are.
    std::vector<std::string> keptHeaders;
};

// The contract of a route as a policy has it; what the policy cannot know (fingerprints, operationUrl, rebuild) is left
// to the service.
[[nodiscard]] RouteContract contractFrom(std::string route, std::string operation, const RoutePolicy& policy);

// What routes expect of a key, for whoever follows Link: rel="describedby": required methods, form, length and
// lifetime.
[[nodiscard]] HttpResponse capabilitiesOf(std::span<const RouteContract> routes);

} // namespace fencepost
