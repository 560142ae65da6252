// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace fencepost::retry {

// What is kept back when a budget is handed on: the way there and back has to fit into the caller's.
inline constexpr Duration forwardingMargin = std::chrono::milliseconds(50);

// X-Request-Timeout, the time that the caller will wait: 1500 (milliseconds), 1500ms or 1.5s. Zero is a budget that is
// used up, not the lack of one. Invalid, code VALIDATION.request_timeout: signs, other units, nothing. More than a year
// reads as a year.
[[nodiscard]] Result<Duration> parseRequestTimeout(std::string_view value);
// As whole milliseconds, rounded down; 0 where it is negative.
[[nodiscard]] std::string formatRequestTimeout(Duration budget);

// When a server has to be done: what the caller will wait, or the route's default, and never more than the server's
// most.
[[nodiscard]] Time workDeadline(
    Time received, const std::optional<Duration>& asked, Duration routeDefault, Duration serverMost);

// What a call made on behalf of a request may take; none: there is nothing left, so it is not made.
[[nodiscard]] std::optional<Duration> forwardedBudget(Duration budget, Duration elapsed);

} // namespace fencepost::retry
