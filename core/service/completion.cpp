// SPDX-License-Identifier: Apache-2.0
#include "core/service/completion.h"

#include <array>
#include <vector>

#include "core/protocol/ascii.h"
#include "core/protocol/fingerprint.h"

namespace fencepost {

namespace {

constexpr std::string_view skipFinished = "finished";
constexpr std::string_view skipHeld = "held";
constexpr std::string_view skipLive = "live_lease";
constexpr std::string_view skipManual = "takeover_manual";
constexpr std::string_view skipSpent = "attempts_spent";
constexpr std::string_view skipYoung = "age";
constexpr std::string_view skipJustRun = "last_run";
constexpr std::string_view skipNotDue = "not_due";
constexpr std::string_view skipNoRequest = "no_stored_request";
constexpr std::string_view skipPrincipal = "principal";

constexpr std::array reasons = {
    SkipReason{ skipFinished, "it is finished" },
    SkipReason{ skipHeld, "it is held: somebody has to resolve it" },
    SkipReason{ skipLive, "its lease is live: somebody is executing it" },
    SkipReason{ skipManual, "its takeover is manual: only a reconciler may end it" },
    SkipReason{ skipSpent, "its attempts are spent" },
    SkipReason{ skipYoung, "it is too young" },
    SkipReason{ skipJustRun, "it was attempted a moment ago" },
    SkipReason{ skipNotDue, "it may not be executed again yet" },
    SkipReason{ skipNoRequest, "its request was not stored" },
    SkipReason{ skipPrincipal, "it is somebody else's, and the service would make another record of it" },
    SkipReason{ "fingerprint", "what is stored of its request is not all that its fingerprint was made of" },
};

constexpr std::array<std::string_view, 6> usualTypes = { "application/json", "", "application/json; charset=utf-8",
    "application/x-www-form-urlencoded", "text/plain", "application/octet-stream" };

} // namespace

std::span<const SkipReason> skipReasons() noexcept
{
    return reasons;
}

std::optional<std::string> principalOf(std::string_view scope)
{
    const auto mark = scope.rfind('@');
    if (mark == std::string_view::npos)
        return {};
    std::string name;
    for (auto at = mark + 1; at < scope.size(); ++at) {
        const auto octet = percentAt(scope, at);
        if (!octet && scope[at] == '%')
            return {};
        name += octet.value_or(scope[at]);
        at += octet ? 2 : 0;
    }
    return name;
}

std::optional<std::string_view> reasonToSkip(const Record& record, Time now, const CompleterRules& rules)
{
    const bool running = record.status == State::InProgress;
    if (isTerminal(record.status))
        return skipFinished;
    if (record.hold)
        return skipHeld;
    if (running && isLive(record, now))
        return skipLive;
    if (running && record.takeover == Takeover::Manual)
        return skipManual;
    if (running && record.maxAttempts > 0 && record.attempt >= record.maxAttempts)
        return skipSpent;
    if (record.createdAt + rules.age > now)
        return skipYoung;
    if (record.startedAt + rules.lastRun > now)
        return skipJustRun;
    if (!running && record.notBefore && *record.notBefore > now)
        return skipNotDue;
    if (!record.requestMethod || !record.requestTarget || !record.requestBody)
        return skipNoRequest;
    if (!rules.anyPrincipal && principalOf(record.id.scope) != rules.principal)
        return skipPrincipal;
    return {};
}

Result<HttpRequest> storedRequestOf(
    const Record& record, const Headers& kept, std::span<const std::string> contentTypes)
{
    HttpRequest request{ record.requestMethod.value_or(""), record.requestTarget.value_or(""), kept,
        record.requestBody.value_or("") };
    FingerprintProfile bodyOnly;
    bodyOnly.bodyOnly = true;
    const std::array<FingerprintProfile, 2> profiles = { FingerprintProfile{}, bodyOnly };
    const auto same = [&] {
        return isSameRequest(record,
            { request.method, std::string(pathOf(request)), std::string(queryOf(request)), request.headers,
                request.body },
            profiles);
    };
    if (!kept.empty()) {
        const auto whole = same();
        // How another profile hashes, only the service knows: it compares before it executes.
        if (whole ? *whole : whole.error().failure == Failure::Unsupported)
            return request;
    }
    std::vector<std::string> candidates(contentTypes.begin(), contentTypes.end());
    candidates.insert(candidates.end(), usualTypes.begin(), usualTypes.end());
    for (const auto& type : candidates) {
        request.headers.clear();
        if (!type.empty())
            request.headers.emplace_back("Content-Type", type);
        if (const auto compared = same(); compared && *compared)
            return request;
    }
    return Error{ Failure::Unsupported, "What is stored of the request is not all that its fingerprint was made of",
        record.fingerprintAlg };
}

} // namespace fencepost
