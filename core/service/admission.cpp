// SPDX-License-Identifier: Apache-2.0
#include "core/service/admission.h"

#include <algorithm>
#include <charconv>

#include "core/protocol/ascii.h"
#include "core/protocol/content_coding.h"
#include "core/protocol/error_codes.h"
#include "core/protocol/keys.h"
#include "core/retry/deadline.h"
#include "core/retry/retry_after.h"
#include "core/service/kept_headers.h"
#include "core/service/problem.h"

namespace fencepost {

namespace {

// The taxonomy's hint says what the protocol takes where nobody said otherwise.
std::string hintFor(const RouteContract& route, const ErrorCode& known)
{
    if (known.code != "VALIDATION.idempotency_key" || route.key.longest == longestKey)
        return std::string(known.hint);
    return "Send one key of 1 to " + std::to_string(route.key.longest) + " printable characters";
}

HttpResponse refusal(const RouteContract& route, const Error& error, std::string_view otherwise)
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
            sentence(error.message) + (known == nullptr ? std::string() : ' ' + sentence(hintFor(route, *known))) });
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

std::variant<std::vector<Fingerprint>, HttpResponse> fingerprintsOf(
    const RouteContract& route, const HttpRequest& request)
{
    const FingerprintRequest asked{ request.method, std::string(pathOf(request)), std::string(queryOf(request)),
        request.headers, request.body };
    std::vector<Fingerprint> prints;
    for (const auto& profile : route.fingerprints) {
        auto print = fingerprint(asked, profile);
        // A profile of before cannot refuse what the present one takes.
        if (!print && prints.empty())
            return refusal(route, print.error(), "VALIDATION.request");
        if (print)
            prints.push_back(std::move(*print));
    }
    return prints;
}

std::variant<std::optional<Time>, HttpResponse> keyTimeOf(const HttpRequest& request, const std::string& key)
{
    const auto keyTime = timeOfKey(key);
    const auto said = lineOf(request.headers, "repeatability-first-sent");
    if (keyTime || !said)
        return keyTime;
    const auto date = retry::parseRetryAfter(*said, Time());
    if (date && date->date)
        return date->date;
    return problemResponse({ .code = "VALIDATION.first_sent",
        .status = 400,
        .detail = "Repeatability-First-Sent is no date such as Wed, 21 Oct 2026 07:28:00 GMT." });
}

// A replay's span links to the trace of the execution that made the answer.
std::variant<std::optional<std::string>, HttpResponse> correlationOf(const HttpRequest& request)
{
    for (const auto* name : { "x-correlation-id", "traceparent" }) {
        const auto correlation = lineOf(request.headers, name);
        if (!correlation)
            continue;
        if (isUtf8(*correlation))
            return std::optional(std::string(*correlation));
        return problemResponse({ .code = "VALIDATION.correlation_id",
            .status = 400,
            .detail = "The header " + std::string(name) + " is no UTF-8." });
    }
    return std::nullopt;
}

} // namespace

Admission admit(const RouteContract& route, const HttpRequest& head, Time now)
{
    if (isSafeMethod(head.method))
        return PassThrough{};
    const auto lines = linesOf(head.headers, "idempotency-key");
    if (lines.empty() && !route.keyRequired)
        return PassThrough{};
    const auto key = keyOfHeader(lines, route.key);
    if (!key) {
        auto answer = refusal(route, key.error(), "VALIDATION.idempotency_key");
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
        return refusal(route, scope.error(), "VALIDATION.request");
    return Keyed{ { *scope, route.operation, *key },
        retry::workDeadline(now, asked, route.workTime, route.longestWork) };
}

std::variant<Reservation, HttpResponse> reservationOf(
    const RouteContract& route, const HttpRequest& request, const RecordId& id, const Owner& owner)
{
    if (request.body.size() > route.longestBody)
        return tooLarge(route.longestBody);
    auto printed = fingerprintsOf(route, request);
    if (auto* refused = std::get_if<HttpResponse>(&printed))
        return std::move(*refused);
    auto keyTime = keyTimeOf(request, id.key);
    if (auto* refused = std::get_if<HttpResponse>(&keyTime))
        return std::move(*refused);
    auto correlation = correlationOf(request);
    if (auto* refused = std::get_if<HttpResponse>(&correlation))
        return std::move(*refused);
    const auto& prints = std::get<std::vector<Fingerprint>>(printed);
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
        .keyTime = std::get<std::optional<Time>>(keyTime),
        .correlationId = std::get<std::optional<std::string>>(std::move(correlation)),
        .principal = request.principal };
    for (auto print = prints.begin() + 1; print != prints.end(); ++print)
        reservation.otherHashes.push_back({ print->alg, print->requestHash });
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
        return refusal(route, body.error(), "VALIDATION.content_encoding");
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

} // namespace fencepost
