// SPDX-License-Identifier: Apache-2.0
#include "core/retry/deadline.h"

#include <algorithm>

#include "core/in_quotes.h"
#include "core/protocol/ascii.h"

namespace fencepost::retry {

namespace {

constexpr Duration longestBudget = std::chrono::hours(24 * 365);

Error noTimeout(std::string_view value)
{
    return { Failure::Invalid, inQuotes(value) + " is not an X-Request-Timeout", {}, "VALIDATION.request_timeout",
        "Give milliseconds, such as 1500 or 1500ms, or seconds, such as 1.5s" };
}

bool takeSuffix(std::string_view& text, std::string_view suffix)
{
    if (!text.ends_with(suffix))
        return false;
    text.remove_suffix(suffix.size());
    return true;
}

// Digits and, where the unit allows it, a point and digits; what is finer than a microsecond is dropped.
std::optional<Duration> decimal(std::string_view text, Duration unit, bool fraction)
{
    const auto point = text.find('.');
    const auto whole = text.substr(0, point);
    const auto isNumber = [](std::string_view digits) {
        return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!isNumber(whole))
        return std::nullopt;
    Duration total{};
    for (const char c : whole)
        total = std::min(total * 10 + unit * (c - '0'), longestBudget);
    if (point == std::string_view::npos)
        return total;
    const auto rest = text.substr(point + 1);
    if (!fraction || !isNumber(rest))
        return std::nullopt;
    auto place = unit;
    for (const char c : rest) {
        place /= 10;
        total += place * (c - '0');
    }
    return std::min(total, longestBudget);
}

} // namespace

Result<Duration> parseRequestTimeout(std::string_view value)
{
    auto number = withoutBlanks(value);
    const bool milliseconds = takeSuffix(number, "ms");
    const bool seconds = !milliseconds && takeSuffix(number, "s");
    const Duration unit = seconds ? Duration(std::chrono::seconds(1)) : Duration(std::chrono::milliseconds(1));
    const auto parsed = decimal(number, unit, seconds);
    if (!parsed)
        return noTimeout(value);
    return *parsed;
}

std::string formatRequestTimeout(Duration budget)
{
    return std::to_string(std::max<std::int64_t>(budget.count(), 0) / 1000);
}

Time workDeadline(Time received, const std::optional<Duration>& asked, Duration routeDefault, Duration serverMost)
{
    return received + std::min(asked.value_or(routeDefault), serverMost);
}

std::optional<Duration> forwardedBudget(Duration budget, Duration elapsed)
{
    const auto left = budget - std::max(elapsed, Duration(0)) - forwardingMargin;
    return left > Duration(0) ? std::optional(left) : std::nullopt;
}

} // namespace fencepost::retry
