// SPDX-License-Identifier: Apache-2.0
#include "core/service/settlement.h"

#include <algorithm>
#include <array>

#include "core/protocol/error_codes.h"
#include "core/retry/retry_after.h"
#include "core/service/kept_headers.h"

namespace fencepost {

namespace {

// RFC 9110 and ietf#41: they speak of the moment, not of the operation.
constexpr std::array momentary = { 401, 403, 407, 408, 409, 421, 423, 425, 429 };

bool isMomentary(int status)
{
    return std::find(momentary.begin(), momentary.end(), status) != momentary.end();
}

} // namespace

Settlement settlementOf(const HttpResponse& response, EffectClass effect)
{
    if (response.status < 400)
        return Settlement::Done;
    if (response.status < 500)
        return isMomentary(response.status) ? Settlement::Transient : Settlement::Terminal;
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

} // namespace fencepost
