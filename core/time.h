// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/result.h"

namespace fencepost {

// All instants are UTC in microseconds, the finest that PostgreSQL keeps; all spans are microseconds.
using Duration = std::chrono::microseconds;
using Time = std::chrono::sys_time<Duration>;

[[nodiscard]] constexpr std::int64_t microsOf(Time time) noexcept
{
    return time.time_since_epoch().count();
}
[[nodiscard]] constexpr Time timeFromMicros(std::int64_t micros) noexcept
{
    return Time(Duration(micros));
}

// ISO-8601 in UTC with microseconds: 2026-11-20T23:45:47.123456Z. Round-trips through parseInstant.
[[nodiscard]] std::string formatInstant(Time time);
// Accepts YYYY-MM-DD[(T| )HH:MM[:SS[.ffffff]]][Z|±HH[:]MM]; without an offset it is UTC.
[[nodiscard]] Result<Time> parseInstant(std::string_view text);

// For people: 7m 12s, 2d 3h, 350ms, 12us; never more than two units. Negative spans have a leading minus.
[[nodiscard]] std::string formatDuration(Duration duration);
// Accepts 5m, 1h30m, 250ms, 90s, 2d, 1w and ISO-8601 (PT5M, P1DT2H); a bare number is refused: it has no unit.
[[nodiscard]] Result<Duration> parseDuration(std::string_view text);

} // namespace fencepost
