// SPDX-License-Identifier: Apache-2.0
#include "core/http/client_request.h"

#include <algorithm>
#include <array>

#include <QString>

#include "core/protocol/ascii.h"
#include "core/protocol/key_syntax.h"
#include "core/retry/decision.h"

namespace fencepost::http {

namespace {

constexpr std::array<std::string_view, 10> ownHeaders = { "idempotency-key", "idempotency-attempt", "x-request-timeout",
    "content-length", "transfer-encoding", "host", "connection", "accept-encoding", "upgrade", "expect" };

// Parts of names, because every provider has a name of its own for its key.
constexpr std::array<std::string_view, 12> secretWords = { "authorization", "authenticate", "cookie", "token", "secret",
    "password", "api-key", "apikey", "access-key", "credential", "signature", "session" };

Status checkHeaders(const Headers& headers)
{
    for (const auto& [name, value] : headers) {
        if (!isToken(name) || !isFieldValue(value))
            return invalid("A header of the request is malformed", isToken(name) ? name : std::string());
        if (isOwnHeader(name))
            return invalid("The client sets this header itself", name);
    }
    return {};
}

// In Qt's words, without the URL that they repeat: what is malformed may have a password in it anywhere.
std::string whyNoUrl(const QUrl& url)
{
    return url.errorString().section(QLatin1String("; source was"), 0, 0).toStdString();
}

Result<QUrl> urlOf(const std::string& text)
{
    QUrl url(QString::fromStdString(text), QUrl::StrictMode);
    const auto scheme = url.scheme();
    if (!url.isValid() || url.host().isEmpty() || url.hasFragment()
        || (scheme != QLatin1String("http") && scheme != QLatin1String("https")))
        return invalid("This is no http or https URL that a request can be sent to", whyNoUrl(url));
    // It would be kept in the journal, and the network stack would answer challenges with it by sending again.
    if (!url.userInfo().isEmpty())
        return invalid("A URL with a user or a password is not sent; credentials belong into headers");
    return url;
}

} // namespace

Result<QUrl> checked(const ClientRequest& request)
{
    if (!isToken(request.method) || request.method == "CONNECT" || request.method == "TRACE")
        return invalid("The client cannot send this method", isToken(request.method) ? request.method : std::string());
    if (auto status = checkHeaders(request.headers); !status)
        return status.error();
    const bool safe = retry::verbOf(request.method) == retry::Verb::Safe;
    if (safe && !request.body.empty())
        return invalid("A safe request has no body", request.method);
    if (!safe && request.operation.empty())
        return invalid("An unsafe request needs the name of its operation", request.method);
    if (request.key)
        if (const auto key = keyOfField(quotedKey(*request.key)); !key)
            return key.error();
    return urlOf(request.url);
}

std::string keyField(std::string_view key, KeyForm form)
{
    const auto bare = keyOfField(key);
    return form == KeyForm::Bare && bare && *bare == key ? std::string(key) : quotedKey(key);
}

bool isOwnHeader(std::string_view name)
{
    return std::find(ownHeaders.begin(), ownHeaders.end(), asciiLower(name)) != ownHeaders.end();
}

bool isCredential(std::string_view name)
{
    const auto lower = asciiLower(name);
    return std::any_of(secretWords.begin(), secretWords.end(),
        [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

Headers withoutCredentials(const Headers& headers)
{
    Headers kept;
    std::copy_if(headers.begin(), headers.end(), std::back_inserter(kept),
        [](const auto& header) { return !isCredential(header.first); });
    return kept;
}

} // namespace fencepost::http
