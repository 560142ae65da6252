// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/protocol/http_message.h"
#include "core/protocol/record.h"
#include "core/result.h"

namespace fencepost {

// Which unfinished requests somebody else may drive to their end by sending them again.
struct CompleterRules {
    Duration age = std::chrono::seconds(300); // begun that long ago
    Duration lastRun = std::chrono::seconds(60); // and not attempted since that long
    std::string principal = "anonymous"; // whom the service takes the completer for
    bool anyPrincipal = false; // it can speak for everybody
};

// Why a record is not sent again: a word of a bounded list. None: it is.
[[nodiscard]] std::optional<std::string_view> reasonToSkip(const Record& record, Time now, const CompleterRules& rules);
struct SkipReason {
    std::string_view word;
    std::string_view sentence;
};
[[nodiscard]] std::span<const SkipReason> skipReasons() noexcept;

// Idempotency-Resume: the scope of the record that a request completes, as a quoted string. A service refuses it with
// 412 where the request finds no record of that scope under its key, and executes nothing then.
inline constexpr std::string_view resumeHeader = "idempotency-resume";
inline constexpr std::string_view unrecordedCode = "VALIDATION.idempotency_resume";

// Who asked, as the record's scope says: scopeOf() the other way around. None: the scope names nobody.
[[nodiscard]] std::optional<std::string> principalOf(std::string_view scope);

// The stored request as it was: method, target, body, and the headers that were kept of it. For one whose headers were
// not kept, the content type without which it would be another request is tried: `contentTypes` beside the usual ones.
// Unsupported: nothing that is known of it makes the stored fingerprint.
[[nodiscard]] Result<HttpRequest> storedRequestOf(
    const Record& record, const Headers& kept, std::span<const std::string> contentTypes);

} // namespace fencepost
