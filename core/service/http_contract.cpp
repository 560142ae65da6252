// SPDX-License-Identifier: Apache-2.0
#include "core/service/http_contract.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/protocol/ascii.h"
#include "core/protocol/content_coding.h"
#include "core/protocol/keys.h"
#include "core/retry/deadline.h"
#include "core/retry/retry_after.h"

namespace fencepost {

namespace {

constexpr std::array alwaysKept = { "content-type", "content-language", "content-encoding", "location",
    "content-location", "etag", "last-modified", "link", "cache-control", "retry-after" };
constexpr std::array neverKept = { "set-cookie", "authorization", "proxy-authorization", "proxy-authenticate",
    "www-authenticate", "authentication-info", "date", "connection", "keep-alive", "transfer-encoding", "te", "trailer",
    "upgrade", "content-length", "idempotency-status", "idempotency-expires", "idempotency-should-retry" };
// What another sender needs to ask the same again, beside what the fingerprint is made of.
constexpr std::array keptOfRequest = { "content-type", "content-encoding", "content-language", "accept",
    "accept-language", "if-match", "if-none-match", "if-unmodified-since", "prefer" };
// Parts of the names of credentials.
constexpr std::array secretWords = { "auth", "cookie", "token", "secret", "password", "api-key", "apikey", "signature",
    "session", "credential" };
// RFC 9110 and ietf#41: they speak of the moment, not of the operation.
constexpr std::array momentary = { 401, 403, 407, 408, 409, 421, 423, 425, 429 };

constexpr Duration heldRetryAfter = std::chrono::seconds(30);

template <typename List, typename Value> bool contains(const List& list, const Value& value)
{
    return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

bool isKept(const RouteContract& route, std::string_view name)
{
    const auto own = asciiLower(name);
    if (contains(neverKept, own) || own.starts_with("ratelimit") || own.starts_with("x-ratelimit"))
        return false;
    return contains(alwaysKept, own)
        || std::any_of(route.keptHeaders.begin(), route.keptHeaders.end(),
            [&](const std::string& kept) { return asciiLower(kept) == own; });
}

bool isSecret(const std::string& lowerName)
{
    return std::any_of(secretWords.begin(), secretWords.end(),
        [&](const char* word) { return lowerName.find(word) != std::string::npos; });
}

Headers keptHeadersOf(const RouteContract& route, const HttpRequest& request)
{
    Headers kept;
    for (const auto& header : request.headers) {
        const auto own = asciiLower(header.first);
        const bool printed =
            std::any_of(route.fingerprints.begin(), route.fingerprints.end(), [&](const FingerprintProfile& profile) {
                return std::any_of(profile.headers.begin(), profile.headers.end(),
                    [&](const std::string& name) { return asciiLower(name) == own; });
            });
        if ((printed || contains(keptOfRequest, own)) && !isSecret(own))
            kept.push_back(header);
    }
    return kept;
}

std::int64_t wholeSeconds(Duration delay)
{
    return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(delay).count());
}

void setHeader(Headers& headers, const std::string& name, std::string value)
{
    const auto own = asciiLower(name);
    headers.erase(std::remove_if(headers.begin(), headers.end(),
                      [&](const auto& header) { return asciiLower(header.first) == own; }),
        headers.end());
    headers.emplace_back(name, std::move(value));
}

HttpResponse refusal(const Error& error, std::string_view otherwise)
{
    const auto code = error.code.empty() ? otherwise : std::string_view(error.code);
    const auto* known = findErrorCode(code);
    std::optional<int> status;
    if (code == "VALIDATION.body_too_large")
        status = 413;
    else if (error.failure == Failure::Unsupported)
        status = 415;
    return problemResponse({ .code = code,
        .status = status,
        .detail =
            sentence(error.message) + (known == nullptr ? std::string() : ' ' + sentence(std::string(known->hint))) });
}

std::string urlOf(const RouteContract& route, const RecordId& id)
{
    return route.operationUrl ? route.operationUrl(id) : std::string();
}

std::optional<HttpResponse> checkLength(const RouteContract& route, const HttpRequest& head)
{
    const auto lines = linesOf(head.headers, "content-length");
    if (lines.empty())
        return {};
    const auto bad = [](std::string detail) {
        return problemResponse({ .code = "VALIDATION.content_length", .detail = std::move(detail) });
    };
    // Two lengths, or a length beside a coding that has its own, is how a request is smuggled past a proxy.
    if (lines.size() > 1)
        return bad("Content-Length is given " + std::to_string(lines.size()) + " times.");
    if (lineOf(head.headers, "transfer-encoding"))
        return bad("Content-Length and Transfer-Encoding exclude each other.");
    std::uint64_t length = 0;
    const auto text = withoutBlanks(lines.front());
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), length);
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits || end != text.data() + text.size())
        return bad("Content-Length is no number.");
    if (problem != std::errc() || length > route.longestBody)
        return tooLarge(route.longestBody);
    return {};
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
    const auto& record = *reserved.record;
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
    // The code's own words are of what succeeded.
    auto answer = problemResponse({ .code = "idempotency.response_unavailable",
        .detail = record.status == State::FailedFinal
            ? "It failed for good, and its response was too long to be kept. It is not executed again under this key."
            : std::string() });
    addReference(answer, record.response, record.response.code);
    if (const auto location = lineOf(record.response.headers, "location"))
        answer.headers.emplace_back("Location", *location);
    return answer;
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

Admission admit(const RouteContract& route, const HttpRequest& head, Time now)
{
    if (isSafeMethod(head.method))
        return PassThrough{};
    const auto lines = linesOf(head.headers, "idempotency-key");
    if (lines.empty() && !route.keyRequired)
        return PassThrough{};
    const auto key = keyOfHeader(lines, route.key);
    if (!key) {
        auto answer = refusal(key.error(), "VALIDATION.idempotency_key");
        if (!route.describedBy.empty())
            answer.headers.emplace_back("Link", '<' + route.describedBy + ">; rel=\"describedby\"");
        return answer;
    }
    if (head.principal.empty() && route.principalRequired) {
        auto answer = problemResponse({ .code = "AUTH.required", .status = 401 });
        answer.headers.emplace_back("WWW-Authenticate", "Bearer");
        return answer;
    }
    std::optional<Duration> asked;
    const auto timeouts = linesOf(head.headers, "x-request-timeout");
    if (!timeouts.empty()) {
        const auto parsed = retry::parseRequestTimeout(timeouts.front());
        if (!parsed || timeouts.size() > 1)
            return problemResponse({ .code = "VALIDATION.request_timeout",
                .detail = parsed ? "X-Request-Timeout is given twice." : sentence(parsed.error().message) });
        asked = *parsed;
    }
    if (auto tooLong = checkLength(route, head))
        return std::move(*tooLong);
    const auto scope = scopeOf(route.route, head.principal.empty() ? "anonymous" : head.principal);
    if (!scope)
        return refusal(scope.error(), "VALIDATION.request");
    return Keyed{ { *scope, route.operation, *key },
        retry::workDeadline(now, asked, route.workTime, route.longestWork) };
}

std::variant<Reservation, HttpResponse> reservationOf(
    const RouteContract& route, const HttpRequest& request, const RecordId& id, const Owner& owner)
{
    if (request.body.size() > route.longestBody)
        return tooLarge(route.longestBody);
    const FingerprintRequest asked{ request.method, std::string(pathOf(request)), std::string(queryOf(request)),
        request.headers, request.body };
    std::vector<Fingerprint> prints;
    for (const auto& profile : route.fingerprints) {
        auto print = fingerprint(asked, profile);
        // A profile of before cannot refuse what the present one takes.
        if (!print && prints.empty())
            return refusal(print.error(), "VALIDATION.request");
        if (print)
            prints.push_back(std::move(*print));
    }
    auto keyTime = timeOfKey(id.key);
    if (const auto said = lineOf(request.headers, "repeatability-first-sent"); said && !keyTime) {
        const auto date = retry::parseRetryAfter(*said, Time());
        if (!date || !date->date)
            return problemResponse({ .code = "VALIDATION.first_sent",
                .status = 400,
                .detail = "Repeatability-First-Sent is no date such as Wed, 21 Oct 2026 07:28:00 GMT." });
        keyTime = date->date;
    }
    const auto& policy = route.policy;
    Reservation reservation{ .id = id,
        .requestHash = prints.front().requestHash,
        .fingerprintAlg = prints.front().alg,
        .payloadHash = prints.front().payloadHash,
        .owner = owner,
        .lease = policy.lease.value,
        .ttl = policy.ttl.value,
        .takeover = policy.takeover.value,
        .maxAttempts = policy.maxAttempts.value,
        .staleKey = policy.staleKey.value,
        .keyTime = keyTime,
        .principal = request.principal };
    for (auto print = prints.begin() + 1; print != prints.end(); ++print)
        reservation.otherHashes.push_back({ print->alg, print->requestHash });
    // A replay's span links to the trace of the execution that made the answer.
    for (const auto* name : { "x-correlation-id", "traceparent" })
        if (const auto correlation = lineOf(request.headers, name); correlation && !reservation.correlationId) {
            if (!isUtf8(*correlation))
                return problemResponse({ .code = "VALIDATION.correlation_id",
                    .status = 400,
                    .detail = "The header " + std::string(name) + " is no UTF-8." });
            reservation.correlationId = std::string(*correlation);
        }
    if (route.keepsRequest) {
        reservation.requestMethod = request.method;
        reservation.requestTarget = request.target;
        reservation.requestBody = request.body;
        reservation.requestHeaders = keptHeadersOf(route, request);
    }
    return reservation;
}

std::variant<HttpRequest, HttpResponse> withoutCoding(const RouteContract& route, const HttpRequest& request)
{
    const auto codings = linesOf(request.headers, "content-encoding");
    if (codings.empty())
        return request;
    std::string all;
    for (const auto coding : codings)
        all += (all.empty() ? "" : ", ") + std::string(coding);
    auto body = decodeContent(all, request.body, route.longestBody);
    if (!body)
        return refusal(body.error(), "VALIDATION.content_encoding");
    auto plain = request;
    plain.body = std::move(*body);
    plain.headers.erase(std::remove_if(plain.headers.begin(), plain.headers.end(),
                            [](const auto& header) {
                                const auto name = asciiLower(header.first);
                                return name == "content-encoding" || name == "content-length";
                            }),
        plain.headers.end());
    return plain;
}

HttpResponse problemResponse(const Problem& problem)
{
    const auto* known = findErrorCode(problem.code);
    const int status = problem.status.value_or(known == nullptr ? 500 : known->status.value_or(500));
    nlohmann::ordered_json body;
    body["type"] = "about:blank";
    body["title"] = known == nullptr ? "Error" : std::string(known->meaning);
    body["status"] = status;
    body["detail"] = problem.detail.empty() && known != nullptr ? std::string(known->hint) : problem.detail;
    body["error_code"] = problem.code;
    if (problem.code == "idempotency.in_progress")
        body["error"] = "Request with this idempotency key is still processing";
    HttpResponse response{ status, { { "Content-Type", "application/problem+json" } }, {} };
    if (problem.retryAfter) {
        const auto seconds = wholeSeconds(*problem.retryAfter);
        body["retry_after"] = seconds;
        response.headers.emplace_back("Retry-After", std::to_string(seconds));
    }
    if (!problem.operation.empty())
        body["operation"] = problem.operation;
    response.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return response;
}

HttpResponse tooLarge(std::size_t longest)
{
    return problemResponse({ .code = "VALIDATION.body_too_large",
        .status = 413,
        .detail = "The body is longer than the " + std::to_string(longest) + " octets that are read." });
}

HttpResponse withInstance(HttpResponse response, const HttpRequest& request)
{
    // What was stored is told again octet for octet.
    if (lineOf(response.headers, "content-type") != "application/problem+json"
        || lineOf(response.headers, "idempotency-status"))
        return response;
    const auto path = pathOf(request);
    const bool plain =
        !path.empty() && std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c <= '~'; });
    auto body = nlohmann::ordered_json::parse(response.body, nullptr, false);
    if (!plain || !body.is_object() || body.contains("instance"))
        return response;
    body["instance"] = path;
    response.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return response;
}

HttpResponse capabilitiesOf(std::span<const RouteContract> routes)
{
    nlohmann::ordered_json body;
    body["header"] = "Idempotency-Key";
    body["required_methods"] = nlohmann::json::array();
    body["routes"] = nlohmann::ordered_json::array();
    for (const auto& route : routes) {
        const auto method = route.route.substr(0, route.route.find('_'));
        if (route.keyRequired && !contains(body["required_methods"], nlohmann::ordered_json(method)))
            body["required_methods"].push_back(method);
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
    const bool kept = !stored.truncated && !record.tombstoneUntil;
    if (kept) {
        answer = { stored.code.value_or(record.status == State::Succeeded ? 200 : 500), stored.headers,
            stored.body.value_or("") };
    } else {
        auto again = madeAgain(route, record);
        answer = again ? std::move(*again) : unavailable(record);
    }
    setHeader(answer.headers, "Idempotency-Status", "replayed");
    setHeader(answer.headers, "Idempotency-Expires", httpDate(record.expiresAt));
    if (record.status == State::FailedFinal || !kept)
        setHeader(answer.headers, "Idempotency-Should-Retry", "false");
    return answer;
}

HttpResponse storeDown(const RouteContract& route)
{
    return problemResponse({ .code = "DEPENDENCY.unavailable", .retryAfter = route.policy.retryAfter.value });
}

Settlement settlementOf(const HttpResponse& response, EffectClass effect)
{
    if (response.status < 400)
        return Settlement::Done;
    if (response.status < 500)
        return contains(momentary, response.status) ? Settlement::Transient : Settlement::Terminal;
    if (response.status == 503 || effect == EffectClass::ExternalIdempotent)
        return Settlement::Transient;
    if (effect == EffectClass::External)
        return Settlement::Unknown;
    return response.status == 502 || response.status == 504 ? Settlement::Transient : Settlement::Terminal;
}

Settlement settlementOf(const Handled& handled, const RouteContract& route)
{
    const auto settlement = handled.settlement.value_or(settlementOf(handled.response, route.policy.effect.value));
    const bool failed = settlement == Settlement::Terminal || settlement == Settlement::Transient;
    if (failed && route.failures == FailureStorage::All)
        return Settlement::Terminal;
    if (failed && route.failures == FailureStorage::None)
        return Settlement::Transient;
    return settlement;
}

bool isInDoubt(const Handled& handled, const RouteContract& route, int attempt)
{
    const auto effect = route.policy.effect.value;
    if (effect == EffectClass::LocalTransaction)
        return false;
    const bool ambiguous = !handled.settlement && handled.response.status >= 500 && handled.response.status != 503;
    return handled.inDoubt.value_or(effect == EffectClass::ExternalIdempotent && (ambiguous || attempt > 1));
}

Completion completionOf(const RouteContract& route, const Handled& handled)
{
    Completion completion;
    auto& kept = completion.response;
    kept.code = handled.response.status;
    for (const auto& header : handled.response.headers)
        if (isKept(route, header.first))
            kept.headers.push_back(header);
    kept.bodyDigest = sha256(handled.response.body);
    kept.truncated = handled.response.body.size() > route.longestStored;
    if (!kept.truncated)
        kept.body = handled.response.body;
    kept.refType = handled.refType;
    kept.refId = handled.refId;
    completion.ttl = route.policy.ttl.value;
    completion.errorCode = handled.errorCode;
    if (!completion.errorCode && handled.response.status >= 400) {
        const auto* known = errorCodeOfStatus(handled.response.status);
        if (known != nullptr && !known->code.ends_with('*'))
            completion.errorCode = std::string(known->code);
        else if (handled.response.status >= 500)
            completion.errorCode = "INTERNAL.uncaught";
    }
    return completion;
}

std::optional<Duration> retryAfterOf(const Handled& handled, Time now)
{
    if (handled.retryAfter)
        return handled.retryAfter;
    const auto line = lineOf(handled.response.headers, "retry-after");
    if (!line)
        return {};
    const auto parsed = retry::parseRetryAfter(*line, now);
    return parsed ? std::optional(parsed->delay) : std::nullopt;
}

HttpResponse firstAnswer(HttpResponse response, const Record& record)
{
    setHeader(response.headers, "Idempotency-Status", "stored");
    setHeader(response.headers, "Idempotency-Expires", httpDate(record.expiresAt));
    return response;
}

HttpResponse transientAnswer(HttpResponse response, Duration retryAfter)
{
    const bool speaksOfTime = response.status == 429 || response.status >= 500;
    if (!speaksOfTime || lineOf(response.headers, "retry-after"))
        return response;
    const auto seconds = wholeSeconds(retryAfter);
    setHeader(response.headers, "Retry-After", std::to_string(seconds));
    if (lineOf(response.headers, "content-type") != "application/problem+json")
        return response;
    auto body = nlohmann::ordered_json::parse(response.body, nullptr, false);
    if (!body.is_object() || body.contains("retry_after"))
        return response;
    body["retry_after"] = seconds;
    response.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return response;
}

HttpResponse fencedAnswer(const RouteContract& route, const std::optional<Record>& winner, Time now)
{
    if (winner && isTerminal(winner->status) && !isExpired(*winner, now))
        return replayOf(route, *winner);
    return problemResponse({ .code = "idempotency.fenced", .retryAfter = route.policy.retryAfter.value });
}

} // namespace fencepost
