// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/protocol/http_message.h"
#include "core/retry/decision.h"

namespace fencepost::http {

// The member "error_code" of a JSON object, at its top. None: there is none, or it is said twice.
[[nodiscard]] std::optional<std::string> errorCodeOf(std::string_view body);

// The lines that Qt has made one of: "5, Wed, 21 Oct 2026 07:28:00 GMT" are two, where dates may stand.
[[nodiscard]] Headers separated(std::string_view name, std::string_view joined);

// What an answer says to the decision: its status, its headers, and for an error what its body names.
[[nodiscard]] retry::Signal signalOf(const HttpResponse& response, Time now);

} // namespace fencepost::http
