// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <QUrl>

#include "core/client_journal.h"
#include "core/retry/policy.h"
#include "core/retry/shedding.h"

namespace fencepost::http {

// One logical operation, however often it is sent.
struct ClientRequest {
    std::string operation; // what it does, such as refund.create; it names the journal's entry together with the key
    std::string method = "POST";
    std::string url; // http or https, without user and password
    Headers headers{}; // other than those that the client sets itself
    // What differs from one attempt to the next, such as a signature and its instant: set beside the others.
    std::function<Headers(Time now)> attemptHeaders{};
    Bytes body{};
    std::optional<std::string> key{}; // none: the client makes one. Safe methods have no key
    std::optional<retry::Policy> policy{}; // none: the client's
    std::optional<Duration> budget{}; // how long the caller waits, from now; none: the policy's total
    retry::Priority priority = retry::Priority::Critical;
    bool background = false; // nobody waits for it
    bool ownsRetries = true; // false: the caller itself comes back, so this is sent once
    int attemptsBefore = 0; // of a caller that comes back itself
    bool mayBePoison = false; // a failure of it says nothing about other requests, as long as the server answers
};

enum class KeyForm { Bare, Quoted }; // quoted: a structured-field string, as the IETF draft has it

// The address of a request that may be sent. Invalid: no such method or URL, credentials in the URL, a header that is
// malformed or the client's own, a malformed key, an unsafe request without an operation's name.
[[nodiscard]] Result<QUrl> checked(const ClientRequest& request);

// As the value of a header. A key that would be read as another one, or has spaces, is quoted in any case.
[[nodiscard]] std::string keyField(std::string_view key, KeyForm form);

// Headers that the client says itself, or that would change how a message is framed: a request has none of them.
[[nodiscard]] bool isOwnHeader(std::string_view name);

// Names of headers that carry secrets: these are sent, and kept in no journal.
[[nodiscard]] bool isCredential(std::string_view name);
[[nodiscard]] Headers withoutCredentials(const Headers& headers);

} // namespace fencepost::http
