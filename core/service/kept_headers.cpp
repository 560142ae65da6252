// SPDX-License-Identifier: Apache-2.0
#include "core/service/kept_headers.h"

#include <algorithm>
#include <array>

#include "core/protocol/ascii.h"

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

template <typename List, typename Value> bool contains(const List& list, const Value& value)
{
    return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

bool isSecret(const std::string& lowerName)
{
    return std::any_of(secretWords.begin(), secretWords.end(),
        [&](const char* word) { return lowerName.find(word) != std::string::npos; });
}

} // namespace

bool isKept(const RouteContract& route, std::string_view name)
{
    const auto own = asciiLower(name);
    if (contains(neverKept, own) || own.starts_with("ratelimit") || own.starts_with("x-ratelimit"))
        return false;
    return contains(alwaysKept, own)
        || std::any_of(route.keptHeaders.begin(), route.keptHeaders.end(),
            [&](const std::string& kept) { return asciiLower(kept) == own; });
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

} // namespace fencepost
