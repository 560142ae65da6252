// SPDX-License-Identifier: Apache-2.0
#include "core/service/problem.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/protocol/error_codes.h"

namespace fencepost {

namespace {

std::int64_t wholeSeconds(Duration delay)
{
    return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(delay).count());
}

} // namespace

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

HttpResponse transientAnswer(HttpResponse response, Duration retryAfter)
{
    const bool speaksOfTime = response.status == 429 || response.status >= 500;
    if (!speaksOfTime || lineOf(response.headers, "retry-after"))
        return response;
    const auto seconds = wholeSeconds(retryAfter);
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
    if (lineOf(response.headers, "content-type") != "application/problem+json")
        return response;
    auto body = nlohmann::ordered_json::parse(response.body, nullptr, false);
    if (!body.is_object() || body.contains("retry_after"))
        return response;
    body["retry_after"] = seconds;
    response.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return response;
}

} // namespace fencepost
