// SPDX-License-Identifier: Apache-2.0
#include "core/time.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>

#include "core/in_quotes.h"

namespace fencepost {

namespace {

using namespace std::chrono;

Error badInstant(std::string_view text)
{
    return { Failure::Invalid, inQuotes(text) + " is not an instant; expected e.g. 2026-11-20T23:45:47Z", {} };
}

Error badDuration(std::string_view text)
{
    return { Failure::Invalid, inQuotes(text) + " is not a duration; expected e.g. 5m, 1h30m, 250ms or PT5M", {} };
}

std::optional<int> digits(std::string_view& text, std::size_t count)
{
    if (text.size() < count)
        return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9')
            return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool take(std::string_view& text, char c)
{
    if (text.empty() || text.front() != c)
        return false;
    text.remove_prefix(1);
    return true;
}

// The offset east of UTC, or nothing where the text does not end as an offset does.
std::optional<minutes> offset(std::string_view text)
{
    if (text.empty() || text == "Z" || text == "z")
        return minutes(0);
    const bool west = text.front() == '-';
    if (!west && text.front() != '+')
        return std::nullopt;
    text.remove_prefix(1);
    const auto hour = digits(text, 2);
    if (!hour || *hour > 23)
        return std::nullopt;
    int minute = 0;
    if (!text.empty()) {
        take(text, ':');
        const auto parsed = digits(text, 2);
        if (!parsed || *parsed > 59 || !text.empty())
            return std::nullopt;
        minute = *parsed;
    }
    const minutes east = hours(*hour) + minutes(minute);
    return west ? -east : east;
}

struct Unit {
    std::string_view name;
    std::int64_t micros;
};

constexpr std::array units = {
    Unit{ "w", 604'800'000'000 },
    Unit{ "d", 86'400'000'000 },
    Unit{ "h", 3'600'000'000 },
    Unit{ "m", 60'000'000 },
    Unit{ "s", 1'000'000 },
    Unit{ "ms", 1'000 },
    Unit{ "us", 1 },
};

std::optional<std::int64_t> microsPer(std::string_view name)
{
    for (const auto& unit : units)
        if (unit.name == name)
            return unit.micros;
    return std::nullopt;
}

// Whole and fractional digits times the unit, refused where it would overflow.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t unit)
{
    const auto dot = number.find('.');
    const auto whole = number.substr(0, dot);
    std::int64_t value = 0;
    // What is too large is read to its end as well, and leaves the value as it was.
    const auto [end, problem] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
    if (problem != std::errc() || end != whole.data() + whole.size())
        return std::nullopt;
    std::int64_t micros = 0;
    if (value < 0 || __builtin_mul_overflow(value, unit, &micros))
        return std::nullopt;
    if (dot == std::string_view::npos)
        return micros;
    auto place = unit;
    for (const char c : number.substr(dot + 1)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        place /= 10;
        micros += place * (c - '0');
    }
    return micros;
}

std::size_t numberLength(std::string_view text)
{
    std::size_t i = 0;
    while (i < text.size() && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.'))
        ++i;
    return i;
}

std::optional<std::int64_t> addTerm(std::int64_t total, std::string_view number, std::string_view unit)
{
    const auto per = microsPer(unit);
    if (!per)
        return std::nullopt;
    const auto term = scaled(number, *per);
    std::int64_t sum = 0;
    if (!term || __builtin_add_overflow(total, *term, &sum))
        return std::nullopt;
    return sum;
}

std::optional<std::int64_t> isoDuration(std::string_view text)
{
    bool inTime = false;
    bool any = false;
    std::int64_t total = 0;
    while (!text.empty()) {
        if (!inTime && take(text, 'T')) {
            inTime = true;
            any = false;
            continue;
        }
        const auto length = numberLength(text);
        if (length == 0 || length == text.size())
            return std::nullopt;
        const char letter = text[length];
        std::string_view unit;
        if (inTime)
            unit = letter == 'H' ? "h" : letter == 'M' ? "m" : letter == 'S' ? "s" : "";
        else
            unit = letter == 'W' ? "w" : letter == 'D' ? "d" : "";
        const auto sum = addTerm(total, text.substr(0, length), unit);
        if (!sum)
            return std::nullopt;
        total = *sum;
        any = true;
        text.remove_prefix(length + 1);
    }
    return any ? std::optional(total) : std::nullopt;
}

std::optional<std::int64_t> plainDuration(std::string_view text)
{
    std::int64_t total = 0;
    while (!text.empty()) {
        const auto length = numberLength(text);
        std::size_t end = length;
        while (end < text.size() && text[end] >= 'a' && text[end] <= 'z')
            ++end;
        const auto sum = addTerm(total, text.substr(0, length), text.substr(length, end - length));
        if (length == 0 || !sum)
            return std::nullopt;
        total = *sum;
        text.remove_prefix(end);
        while (!text.empty() && text.front() == ' ')
            text.remove_prefix(1);
    }
    return total;
}

} // namespace

std::string formatInstant(Time time)
{
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    std::array<char, 48> text{};
    const int length = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
        static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return { text.data(), static_cast<std::size_t>(length) };
}

Result<Time> parseInstant(std::string_view text)
{
    auto rest = text;
    const auto y = digits(rest, 4);
    if (!y || !take(rest, '-'))
        return badInstant(text);
    const auto mo = digits(rest, 2);
    if (!mo || !take(rest, '-'))
        return badInstant(text);
    const auto d = digits(rest, 2);
    if (!d)
        return badInstant(text);
    const year_month_day date{ year(*y), month(static_cast<unsigned>(*mo)), day(static_cast<unsigned>(*d)) };
    if (!date.ok())
        return badInstant(text);
    Duration timeOfDay{ 0 };
    if (take(rest, 'T') || take(rest, 't') || take(rest, ' ')) {
        const auto h = digits(rest, 2);
        if (!h || *h > 23 || !take(rest, ':'))
            return badInstant(text);
        const auto mi = digits(rest, 2);
        if (!mi || *mi > 59)
            return badInstant(text);
        timeOfDay = hours(*h) + minutes(*mi);
        if (take(rest, ':')) {
            const auto s = digits(rest, 2);
            if (!s || *s > 60)
                return badInstant(text);
            timeOfDay += seconds(*s);
            if (take(rest, '.')) {
                std::int64_t place = 100'000;
                std::size_t count = 0;
                while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
                    timeOfDay += Duration(place * (rest.front() - '0'));
                    place /= 10;
                    rest.remove_prefix(1);
                    ++count;
                }
                if (count == 0)
                    return badInstant(text);
            }
        }
    }
    const auto east = offset(rest);
    if (!east)
        return badInstant(text);
    return Time(sys_days(date)) + timeOfDay - *east;
}

std::string formatDuration(Duration duration)
{
    if (duration == Duration::min())
        return "-" + formatDuration(Duration::max());
    if (duration < Duration(0))
        return "-" + formatDuration(-duration);
    auto rest = duration.count();
    if (rest < 1'000)
        return std::to_string(rest) + "us";
    if (rest < 1'000'000)
        return std::to_string(rest / 1'000) + "ms";
    std::string text;
    int parts = 0;
    for (const auto& unit : units) {
        if (unit.name == "w" || unit.micros < 1'000'000)
            continue;
        const auto count = rest / unit.micros;
        if (count == 0 && parts == 0)
            continue;
        rest -= count * unit.micros;
        if (count > 0)
            text += (text.empty() ? "" : " ") + std::to_string(count) + std::string(unit.name);
        if (++parts == 2)
            break;
    }
    return text;
}

Result<Duration> parseDuration(std::string_view text)
{
    if (text.empty())
        return badDuration(text);
    const auto total = text.front() == 'P' ? isoDuration(text.substr(1)) : plainDuration(text);
    if (!total)
        return badDuration(text);
    return Duration(*total);
}

} // namespace fencepost
