// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/http_message.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/protocol/ascii.h"

namespace fencepost {

bool isSafeMethod(std::string_view method) noexcept
{
    constexpr std::array<std::string_view, 4> safe = { "GET", "HEAD", "OPTIONS", "TRACE" };
    return std::find(safe.begin(), safe.end(), method) != safe.end();
}

std::vector<std::string_view> linesOf(const Headers& headers, std::string_view name)
{
    const auto wanted = asciiLower(name);
    std::vector<std::string_view> lines;
    for (const auto& [own, value] : headers)
        if (own.size() == wanted.size() && asciiLower(own) == wanted)
            lines.emplace_back(value);
    return lines;
}

std::optional<std::string_view> lineOf(const Headers& headers, std::string_view name)
{
    const auto lines = linesOf(headers, name);
    return lines.empty() ? std::nullopt : std::optional(lines.front());
}

std::string_view pathOf(const HttpRequest& request)
{
    return std::string_view(request.target).substr(0, request.target.find('?'));
}

std::string_view queryOf(const HttpRequest& request)
{
    const auto mark = request.target.find('?');
    return mark == std::string::npos ? std::string_view() : std::string_view(request.target).substr(mark + 1);
}

std::string httpDate(Time time)
{
    constexpr std::array days = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    constexpr std::array months = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
        "Dec" };
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto midnight = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(midnight);
    const std::chrono::hh_mm_ss clock(seconds - midnight);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
        days[std::chrono::weekday(midnight).c_encoding()], static_cast<unsigned>(date.day()),
        months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()));
    return text.data();
}

} // namespace fencepost
