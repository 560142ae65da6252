// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/protocol/http_message.h"
#include "core/time.h"

namespace fencepost {

// The shared key of a sender and a receiver, as Standard Webhooks writes it: "whsec_" and base64 of 24 to 64 octets.
// It never gets into an error's words.
class WebhookSecret {
public:
    // Invalid: no base64, or a key that is too short or too long. The prefix may be left out.
    static Result<WebhookSecret> parse(std::string_view text);

private:
    friend std::string signatureOf(
        const std::vector<WebhookSecret>& secrets, std::string_view id, Time at, std::string_view body);
    friend class WebhookVerifier;
    explicit WebhookSecret(Bytes key);

    Bytes m_key;
};

// May stand as the id of a webhook: not empty, printable ASCII without a space, and without the "." that ends it in
// what is signed.
[[nodiscard]] bool isWebhookId(std::string_view id) noexcept;

// The value of webhook-signature: one "v1," per secret, apart by a space, so that a receiver who knows the old secret
// or the new one accepts it while they are changed. `at` is the attempt's, the id is the event's in all attempts. Over
// "id.seconds.body", HMAC-SHA256 (Standard Webhooks 1.0.0, "Signature scheme").
[[nodiscard]] std::string signatureOf(
    const std::vector<WebhookSecret>& secrets, std::string_view id, Time at, std::string_view body);

// webhook-id, webhook-timestamp and webhook-signature of one attempt. Invalid: no id of a webhook, or no secret.
[[nodiscard]] Result<Headers> signedHeaders(
    const std::vector<WebhookSecret>& secrets, const std::string& id, Time at, std::string_view body);

enum class SignatureVerdict {
    Valid,
    Missing, // one of the three headers is not there, or is there twice
    Malformed, // an id or a timestamp that none can be
    TooOld,
    TooNew,
    NoMatch, // no signature of a known version is right
};

[[nodiscard]] std::string_view wordOf(SignatureVerdict verdict) noexcept; // "valid", "missing", …

// Judges what came, over its raw octets and before anybody parses them.
class WebhookVerifier {
public:
    static constexpr Duration usualTolerance = std::chrono::minutes(5);

    // Invalid: no secret, or a tolerance that lets nothing or everything through (more than a day).
    static Result<WebhookVerifier> create(std::vector<WebhookSecret> secrets, Duration tolerance = usualTolerance);

    [[nodiscard]] SignatureVerdict check(const Headers& headers, std::string_view body, Time now) const;
    // Of a payload that was kept: whether it was right when it came, however long ago that is.
    [[nodiscard]] SignatureVerdict checkKept(const Headers& headers, std::string_view body) const;

private:
    WebhookVerifier(std::vector<WebhookSecret> secrets, Duration tolerance);
    [[nodiscard]] SignatureVerdict judge(const Headers& headers, std::string_view body, const Time* now) const;

    std::vector<WebhookSecret> m_secrets;
    Duration m_tolerance;
};

} // namespace fencepost
