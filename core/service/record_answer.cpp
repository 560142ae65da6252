// SPDX-License-Identifier: Apache-2.0
#include "core/service/record_answer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/protocol/ascii.h"
#include "core/protocol/error_codes.h"
#include "core/service/kept_headers.h"
#include "core/service/problem.h"

namespace fencepost {

namespace {

constexpr Duration heldRetryAfter = std::chrono::seconds(30);

void setHeader(Headers& headers, const std::string& name, std::string value)
{
    const auto own = asciiLower(name);
    headers.erase(std::remove_if(headers.begin(), headers.end(),
                      [&](const auto& header) { return asciiLower(header.first) == own; }),
        headers.end());
    headers.emplace_back(name, std::move(value));
}

std::string urlOf(const RouteContract& route, const RecordId& id)
{
    return route.operationUrl ? route.operationUrl(id) : std::string();
}

HttpResponse inFlight(const RouteContract& route, const RecordId& id, const Reserved& reserved)
{
    auto wait = route.policy.retryAfter.value;
    if (reserved.record && reserved.record->leaseExpiresAt && *reserved.record->leaseExpiresAt > reserved.now)
        wait = std::min(wait, *reserved.record->leaseExpiresAt - reserved.now);
    const auto url = urlOf(route, id);
    const bool elsewhere = !url.empty();
    const int status = elsewhere && route.inFlight == InFlightAnswer::Accepted ? 202
        : elsewhere && route.inFlight == InFlightAnswer::SeeOther              ? 303
                                                                               : 409;
    auto answer =
        problemResponse({ .code = "idempotency.in_progress", .status = status, .retryAfter = wait, .operation = url });
    if (status == 202 || status == 303)
        answer.headers.emplace_back("Location", url);
    answer.headers.emplace_back("Idempotency-Should-Retry", "true");
    return answer;
}

HttpResponse later(const Reserved& reserved)
{
    // What was rolled back has left no record.
    const auto record = reserved.record.value_or(Record());
    const auto wait = record.notBefore ? *record.notBefore - reserved.now : Duration(0);
    const auto code = record.errorCode.value_or("DEPENDENCY.unavailable");
    const auto* known = findErrorCode(code);
    const bool repeats = known != nullptr && repeatable(known->retry) && known->status.value_or(0) >= 429;
    return problemResponse(
        { .code = repeats ? std::string_view(code) : "DEPENDENCY.unavailable", .status = 503, .retryAfter = wait });
}

// What the record's result is known by.
void addReference(HttpResponse& problem, const Response& stored, std::optional<int> status)
{
    auto body = nlohmann::ordered_json::parse(problem.body);
    if (stored.refId)
        body["reference"] = { { "type", stored.refType.value_or("") }, { "id", *stored.refId } };
    if (status)
        body["stored_status"] = *status;
    problem.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

HttpResponse expired(const RouteContract& route, const Reserved& reserved)
{
    auto answer = problemResponse({ .code = "idempotency.key_expired", .status = route.expiredStatus });
    if (reserved.record)
        addReference(answer, reserved.record->response, std::nullopt);
    return answer;
}

// The result is there, its bytes are not.
HttpResponse unavailable(const Record& record)
{
    const auto location = lineOf(record.response.headers, "location");
    // The code's own words are of what succeeded and left a reference.
    std::string detail;
    if (record.status == State::FailedFinal)
        detail =
            "It failed for good, and its response was too long to be kept. It is not executed again under this key.";
    else if (!record.response.refId && !location)
        detail = "No reference to its result was kept either. It is not executed again under this key.";
    auto answer = problemResponse({ .code = "idempotency.response_unavailable", .detail = std::move(detail) });
    addReference(answer, record.response, record.response.code);
    if (location)
        answer.headers.emplace_back("Location", *location);
    return answer;
}

// Somebody decided what became of it, and no handler ever answered it: an empty answer has a digest. Of a status that
// has no body nothing is missing.
bool neverAnswered(const Record& record)
{
    const auto& stored = record.response;
    return !stored.body && !stored.bodyDigest && stored.headers.empty() && stored.code != 204;
}

// That it failed for good says itself, also where nobody was answered so.
bool hasAnswer(const Record& record)
{
    const bool wasKept = !record.response.truncated && !record.tombstoneUntil;
    return wasKept && (record.status != State::Succeeded || !neverAnswered(record));
}

HttpResponse failedForGood(const Record& record)
{
    return problemResponse({ .code = record.errorCode.value_or("INTERNAL.uncaught"),
        .status = record.response.code.value_or(500),
        .detail = "It failed for good, and no answer of it was kept. It is not executed again under this key." });
}

// What the route makes again stands for the stored answer: it has the stored code, the stored place of its result
// unless the route names one, and no header that a kept answer would not have had.
std::optional<HttpResponse> madeAgain(const RouteContract& route, const Record& record)
{
    auto answer = route.rebuild ? route.rebuild(record) : std::nullopt;
    if (!answer)
        return answer;
    const auto& stored = record.response;
    answer->status = stored.code.value_or(answer->status);
    std::erase_if(answer->headers, [&](const auto& header) { return !isKept(route, header.first); });
    const auto location = lineOf(stored.headers, "location");
    if (location && !lineOf(answer->headers, "location"))
        answer->headers.emplace_back("Location", *location);
    return answer;
}

} // namespace

HttpResponse answerOf(const RouteContract& route, const RecordId& id, const Reserved& reserved)
{
    switch (reserved.outcome) {
    case Outcome::Replay:
        return replayOf(route, *reserved.record);
    case Outcome::InFlight:
        return inFlight(route, id, reserved);
    case Outcome::Mismatch:
        return problemResponse({ .code = "CONFLICT.idempotency.payload_mismatch", .status = route.mismatchStatus });
    case Outcome::RetryLater:
        return later(reserved);
    case Outcome::Held:
        return problemResponse(
            { .code = "idempotency.outcome_unknown", .retryAfter = heldRetryAfter, .operation = urlOf(route, id) });
    case Outcome::KeyExpired:
        return expired(route, reserved);
    default:
        return problemResponse({ .code = "INTERNAL.uncaught" });
    }
}

HttpResponse replayOf(const RouteContract& route, const Record& record)
{
    const auto& stored = record.response;
    HttpResponse answer;
    const bool answerIsThere = hasAnswer(record);
    if (!answerIsThere) {
        auto again = madeAgain(route, record);
        answer = again ? std::move(*again) : unavailable(record);
    } else if (neverAnswered(record)) {
        answer = failedForGood(record);
    } else {
        answer = { stored.code.value_or(record.status == State::Succeeded ? 200 : 500), stored.headers,
            stored.body.value_or("") };
    }
    setHeader(answer.headers, "Idempotency-Status", "replayed");
    setHeader(answer.headers, "Idempotency-Expires", httpDate(record.expiresAt));
    if (record.status == State::FailedFinal || !answerIsThere)
        setHeader(answer.headers, "Idempotency-Should-Retry", "false");
    return answer;
}

HttpResponse storeDown(const RouteContract& route)
{
    return problemResponse({ .code = "DEPENDENCY.unavailable", .retryAfter = route.policy.retryAfter.value });
}

HttpResponse firstAnswer(HttpResponse response, const Record& record)
{
    setHeader(response.headers, "Idempotency-Status", "stored");
    setHeader(response.headers, "Idempotency-Expires", httpDate(record.expiresAt));
    return response;
}

HttpResponse fencedAnswer(
    const RouteContract& route, const Bytes& requestHash, const std::optional<Record>& winner, Time now)
{
    if (winner && isTerminal(winner->status) && !isExpired(*winner, now) && winner->requestHash == requestHash)
        return replayOf(route, *winner);
    return problemResponse({ .code = "idempotency.fenced", .retryAfter = route.policy.retryAfter.value });
}

} // namespace fencepost
