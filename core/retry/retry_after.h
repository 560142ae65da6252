// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace fencepost::retry {

// The forms that RFC 9110 §10.2.3 allows; the last two are obsolete and must still be understood.
enum class RetryAfterForm {
    Seconds, // 120
    ImfFixdate, // Wed, 21 Oct 2026 07:28:00 GMT
    Rfc850, // Wednesday, 21-Oct-26 07:28:00 GMT
    Asctime, // Wed Oct 21 07:28:00 2026
};

[[nodiscard]] std::string_view wordOf(RetryAfterForm form) noexcept; // "seconds", "imf_fixdate", "rfc850", "asctime"

struct RetryAfter {
    RetryAfterForm form = RetryAfterForm::Seconds;
    Duration delay{}; // from now; never negative
    std::optional<Time> date{}; // as it was said; none: seconds
    bool capped = false; // it asked for more than longestRetryAfter
    bool wrongWeekday = false; // the date counts, its weekday is of another day

    bool operator==(const RetryAfter&) const = default;
};

// 2^31 seconds, what RFC 9111 §1.2.2 has a number mean that is too large to be said.
inline constexpr Duration longestRetryAfter = std::chrono::seconds(1LL << 31);

// A field value as it was received. A past date is 0. Two digits of a year mean the latest year that is no more than 50
// years ahead of `now`; second 60 is the next minute. Invalid, code VALIDATION.retry_after: signs, fractions, lists,
// other time zones, days that no month has. A reader of answers then goes on as if there were no such header.
[[nodiscard]] Result<RetryAfter> parseRetryAfter(std::string_view value, Time now);

// Of several header lines the one that asks for most; none: there is no valid one.
[[nodiscard]] std::optional<RetryAfter> largestRetryAfter(std::span<const std::string> values, Time now);

} // namespace fencepost::retry
