// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/webhook_signature.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "core/base64.h"

namespace fencepost {

namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::string_view version = "v1,";
constexpr std::size_t shortestKey = 24;
constexpr std::size_t longestKey = 64;
constexpr Duration longestTolerance = std::chrono::hours(24);

std::string secondsOf(Time at)
{
    return std::to_string(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
}

std::string macOf(std::string_view key, std::string_view id, std::string_view seconds, std::string_view body)
{
    std::string content;
    content.reserve(id.size() + seconds.size() + body.size() + 2);
    content.append(id).append(1, '.').append(seconds).append(1, '.').append(body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned int length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(content.data()),
        content.size(), mac.data(), &length);
    return toBase64({ reinterpret_cast<const char*>(mac.data()), length });
}

// Digits and nothing else: a reader that takes "1700000000x" for a number signs another text than it has seen.
std::optional<Time> timeFromSeconds(std::string_view text)
{
    std::int64_t seconds = 0;
    const auto* end = text.data() + text.size();
    const bool digits = !text.empty() && text.size() <= 12
        && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || std::from_chars(text.data(), end, seconds).ptr != end)
        return {};
    return Time(std::chrono::seconds(seconds));
}

std::optional<std::string_view> onlyLine(const Headers& headers, std::string_view name)
{
    const auto lines = linesOf(headers, name);
    return lines.size() == 1 ? std::optional(lines.front()) : std::nullopt;
}

} // namespace

WebhookSecret::WebhookSecret(Bytes key)
    : m_key(std::move(key))
{
}

Result<WebhookSecret> WebhookSecret::parse(std::string_view text)
{
    if (text.substr(0, prefix.size()) == prefix)
        text.remove_prefix(prefix.size());
    auto key = fromBase64(text);
    if (!key)
        return invalid("The secret of a webhook is \"whsec_\" and base64; this one cannot be read.");
    if (key->size() < shortestKey || key->size() > longestKey)
        return invalid(
            "The secret of a webhook has 24 to 64 octets, this one has " + std::to_string(key->size()) + '.');
    return WebhookSecret(std::move(*key));
}

bool isWebhookId(std::string_view id) noexcept
{
    return !id.empty() && id.size() <= 256
        && std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7F && c != '.'; });
}

std::string signatureOf(const std::vector<WebhookSecret>& secrets, std::string_view id, Time at, std::string_view body)
{
    std::string text;
    for (const auto& secret : secrets)
        text += (text.empty() ? "" : " ") + std::string(version) + macOf(secret.m_key, id, secondsOf(at), body);
    return text;
}

Result<Headers> signedHeaders(
    const std::vector<WebhookSecret>& secrets, const std::string& id, Time at, std::string_view body)
{
    if (!isWebhookId(id))
        return invalid("An event's id is sent as webhook-id: 1 to 256 printable characters without a space or \".\".");
    if (secrets.empty())
        return invalid("A webhook is signed, and there is no secret for it.");
    return Headers{ { "webhook-id", id }, { "webhook-timestamp", secondsOf(at) },
        { "webhook-signature", signatureOf(secrets, id, at, body) } };
}

std::string_view wordOf(SignatureVerdict verdict) noexcept
{
    constexpr std::array<std::string_view, 6> words{ "valid", "missing", "malformed", "too_old", "too_new",
        "no_match" };
    return words.at(static_cast<std::size_t>(verdict));
}

WebhookVerifier::WebhookVerifier(std::vector<WebhookSecret> secrets, Duration tolerance)
    : m_secrets(std::move(secrets))
    , m_tolerance(tolerance)
{
}

Result<WebhookVerifier> WebhookVerifier::create(std::vector<WebhookSecret> secrets, Duration tolerance)
{
    if (secrets.empty())
        return invalid("Without a secret no webhook can be verified.");
    if (tolerance <= Duration(0) || tolerance > longestTolerance)
        return invalid("The tolerance of a webhook's timestamp is more than nothing and at most a day.");
    return WebhookVerifier(std::move(secrets), tolerance);
}

SignatureVerdict WebhookVerifier::check(const Headers& headers, std::string_view body, Time now) const
{
    return judge(headers, body, &now);
}

SignatureVerdict WebhookVerifier::checkKept(const Headers& headers, std::string_view body) const
{
    return judge(headers, body, nullptr);
}

SignatureVerdict WebhookVerifier::judge(const Headers& headers, std::string_view body, const Time* now) const
{
    const auto id = onlyLine(headers, "webhook-id");
    const auto timestamp = onlyLine(headers, "webhook-timestamp");
    const auto signatures = onlyLine(headers, "webhook-signature");
    if (!id || !timestamp || !signatures)
        return SignatureVerdict::Missing;
    const auto at = timeFromSeconds(*timestamp);
    if (!isWebhookId(*id) || !at)
        return SignatureVerdict::Malformed;
    if (now != nullptr && *at < *now - m_tolerance)
        return SignatureVerdict::TooOld;
    if (now != nullptr && *at > *now + m_tolerance)
        return SignatureVerdict::TooNew;
    // Every pair is looked at, so that the time that it takes says nothing.
    bool any = false;
    for (const auto& secret : m_secrets) {
        const auto right = macOf(secret.m_key, *id, *timestamp, body);
        auto rest = *signatures;
        while (!rest.empty()) {
            const auto end = std::min(rest.find(' '), rest.size());
            const auto one = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (one.substr(0, version.size()) != version)
                continue;
            const auto presented = one.substr(version.size());
            const bool same =
                presented.size() == right.size() && CRYPTO_memcmp(presented.data(), right.data(), right.size()) == 0;
            any = any || same;
        }
    }
    return any ? SignatureVerdict::Valid : SignatureVerdict::NoMatch;
}

} // namespace fencepost
