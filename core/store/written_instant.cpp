// SPDX-License-Identifier: Apache-2.0
#include "core/store/written_instant.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace fencepost::store {

namespace {

constexpr std::size_t dateLength = 10; // 2026-11-20
constexpr std::size_t minuteLength = 16; // 2026-11-20 23:45
constexpr std::size_t secondLength = 19; // 2026-11-20 23:45:47
constexpr std::size_t longestFraction = 30;
constexpr std::string_view digits = "0123456789";

// Two digits, or a number that is above whatever is allowed.
unsigned pair(std::string_view text, std::size_t at)
{
    constexpr unsigned none = 100;
    const auto tens = static_cast<unsigned>(text[at] - '0');
    const auto ones = static_cast<unsigned>(text[at + 1] - '0');
    return tens > 9 || ones > 9 ? none : tens * 10 + ones;
}

std::optional<std::int64_t> secondsOfDate(std::string_view date)
{
    using namespace std::chrono;
    const auto century = pair(date, 0);
    const auto years = pair(date, 2);
    if (century > 99 || years > 99 || century + years == 0 || date[4] != '-' || date[7] != '-')
        return std::nullopt;
    const year_month_day day(
        year(static_cast<int>(century * 100 + years)), month(pair(date, 5)), std::chrono::day(pair(date, 8)));
    return day.ok() ? std::optional(sys_seconds(sys_days(day)).time_since_epoch().count()) : std::nullopt;
}

// Of date, minutes and seconds, as far as they are there.
std::optional<std::int64_t> secondsOfHead(std::string_view head)
{
    auto seconds = secondsOfDate(head);
    if (!seconds || head.size() == dateLength)
        return seconds;
    const auto hour = pair(head, 11);
    const auto minute = pair(head, 14);
    const auto second = head.size() == secondLength ? pair(head, 17) : 0;
    if ((head[10] != ' ' && head[10] != 'T') || hour > 23 || head[13] != ':' || minute > 59 || second > 59)
        return std::nullopt;
    return *seconds + hour * 3600 + minute * 60 + second;
}

// East of UTC, in minutes.
std::optional<std::int64_t> offset(std::string_view zone)
{
    if (zone.empty() || zone == "Z" || zone == "UTC" || zone == "GMT")
        return 0;
    const bool colon = zone.size() == 6 && zone[3] == ':';
    if ((zone[0] != '+' && zone[0] != '-') || (zone.size() != 3 && zone.size() != 5 && !colon))
        return std::nullopt;
    const auto hours = pair(zone, 1);
    const auto minutes = zone.size() == 3 ? 0 : pair(zone, colon ? 4 : 3);
    if (hours > 14 || minutes > 59)
        return std::nullopt;
    const auto east = static_cast<std::int64_t>(hours * 60 + minutes);
    return zone[0] == '-' ? -east : east;
}

} // namespace

std::optional<std::int64_t> microsOfWritten(std::string_view text) noexcept
{
    text = text.substr(0, text.find('\0'));
    const auto has = [&](std::size_t at) { return text.size() > at && text[at] == ':'; };
    const auto length = has(16) ? secondLength : has(13) ? minuteLength : dateLength;
    if (text.size() < length)
        return std::nullopt;
    const auto seconds = secondsOfHead(text.substr(0, length));
    auto tail = text.substr(length);
    if (!seconds || (length == dateLength && !tail.empty()))
        return std::nullopt;
    std::int64_t micros = *seconds * 1'000'000;
    if (!tail.empty() && tail[0] == '.') {
        const auto end = std::min(tail.find_first_not_of(digits, 1), tail.size());
        double fraction = 0;
        if (length != secondLength || end == 1 || end - 1 > longestFraction)
            return std::nullopt;
        std::from_chars(tail.data(), tail.data() + end, fraction);
        micros += std::llround(fraction * 1'000'000);
        tail.remove_prefix(end);
    }
    if (!tail.empty() && tail[0] == ' ')
        tail.remove_prefix(1);
    const auto east = offset(tail);
    return east ? std::optional(micros - *east * 60'000'000) : std::nullopt;
}

} // namespace fencepost::store
