// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/protocol/error_codes.h"
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
    // The response of a record whose own was too large to keep; none: it is told where the result is.
    std::function<std::optional<HttpResponse>(const Record&)> rebuild;
    // Beside those that are always kept: Content-Type, Content-Language, Content-Encoding, Location, Content-Location,
    // ETag, Last-Modified, Link, Cache-Control and Retry-After. Credentials, cookies and what belongs to one connection
    // never are.
    std::vector<std::string> keptHeaders;
};

// The contract of a route as a policy has it; what the policy cannot know (fingerprints, operationUrl, rebuild) is left
// to the service.
[[nodiscard]] RouteContract contractFrom(std::string route, std::string operation, const RoutePolicy& policy);

// What a request asks for, as far as its head says.
struct PassThrough { }; // a safe method, or an optional key that is not there
struct Keyed {
    RecordId id;
    Time deadline; // of the work, by the clock that admit() was told
};
using Admission = std::variant<PassThrough, Keyed, HttpResponse>; // a response refuses it

// Looks at the head alone, before the body is read: method, key, principal, the caller's time and Content-Length, in
// this order.
[[nodiscard]] Admission admit(const RouteContract& route, const HttpRequest& head, Time now);

// The wish of a request with its body: the fingerprints, and the route's policy. A response refuses the body.
[[nodiscard]] std::variant<Reservation, HttpResponse> reservationOf(
    const RouteContract& route, const HttpRequest& request, const RecordId& id, const Owner& owner);

// The request as its handler reads it: the body with every Content-Encoding taken off it. A response refuses the body.
[[nodiscard]] std::variant<HttpRequest, HttpResponse> withoutCoding(
    const RouteContract& route, const HttpRequest& request);

// problem+json (RFC 9457) with error_code. `status` none: the code's own.
struct Problem {
    std::string_view code;
    std::optional<int> status = {};
    std::string detail = {}; // empty: the code's hint
    std::optional<Duration> retryAfter = {};
    std::string operation = {}; // URL
};
[[nodiscard]] HttpResponse problemResponse(const Problem& problem);

// 413, for a body of more octets than are read.
[[nodiscard]] HttpResponse tooLarge(std::size_t longest);

// A problem that says which request it is about: `instance` is the path, where the problem has none and was not stored.
[[nodiscard]] HttpResponse withInstance(HttpResponse response, const HttpRequest& request);
// What routes expect of a key, for whoever follows Link: rel="describedby": required methods, form, length and
// lifetime.
[[nodiscard]] HttpResponse capabilitiesOf(std::span<const RouteContract> routes);

// What a reservation that was not won is answered. Not for Outcome::Execute.
[[nodiscard]] HttpResponse answerOf(const RouteContract& route, const RecordId& id, const Reserved& reserved);
// The stored answer of a terminal record.
[[nodiscard]] HttpResponse replayOf(const RouteContract& route, const Record& record);
[[nodiscard]] HttpResponse storeDown(const RouteContract& route);

enum class Settlement {
    Done,
    Terminal, // the answer will not change: kept and replayed
    Transient, // it did not happen, and may be tried again
    Unknown, // nobody knows whether it happened
};

// What a handler answers. Without a settlement it follows from the status and the route's effect class.
struct Handled {
    HttpResponse response;
    std::optional<Settlement> settlement = {};
    std::optional<std::string> errorCode = {};
    std::optional<Duration> retryAfter = {}; // transient; none: the response's own, or at once
    std::optional<std::string> refType = {}; // the business object that stands for the response
    std::optional<std::string> refId = {};
    // Transient: whether the effect may be out there all the same, so that only who recognises a repetition may be
    // asked again. None: it follows, see isInDoubt().
    std::optional<bool> inDoubt = {};
};

// 2xx and 3xx are done. 401, 403, 407, 408, 409, 421, 423, 425 and 429 say nothing about the operation and may be tried
// again; other 4xx are terminal. 503 says that nothing happened. Any other 5xx is terminal where the effect was rolled
// back with it (only 500; 502 and 504 are transient), transient where a repeated effect is harmless, else unknown.
[[nodiscard]] Settlement settlementOf(const HttpResponse& response, EffectClass effect);
[[nodiscard]] Settlement settlementOf(const Handled& handled, const RouteContract& route);

// Whether somebody has to find out what a transient failure left where no attempt may follow it. Not where the effect
// is rolled back with it. A handler may know; else it is where a repetition is recognised, after any 5xx but 503 and
// after an attempt before this one, of which nobody says any more how it ended.
[[nodiscard]] bool isInDoubt(const Handled& handled, const RouteContract& route, int attempt);

// What is kept of an answer.
[[nodiscard]] Completion completionOf(const RouteContract& route, const Handled& handled);
[[nodiscard]] std::optional<Duration> retryAfterOf(const Handled& handled, Time now);

// The first answer to its own caller.
[[nodiscard]] HttpResponse firstAnswer(HttpResponse response, const Record& record);
[[nodiscard]] HttpResponse transientAnswer(HttpResponse response, Duration retryAfter);
// To an owner that lost its record before it could finish.
[[nodiscard]] HttpResponse fencedAnswer(const RouteContract& route, const std::optional<Record>& winner, Time now);

} // namespace fencepost
