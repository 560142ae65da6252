// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/cron_schedule.h"

#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace fencepost {

namespace {

constexpr std::int64_t minutesOfDay = 1440;
// Days: the same day of the week comes to a 29th of February after forty years at the latest, over 2100.
constexpr std::int64_t farthest = 41LL * 366;

constexpr std::array<std::string_view, 12> monthNames = { "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP",
    "OCT", "NOV", "DEC" };
constexpr std::array<std::string_view, 7> weekdayNames = { "SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT" };

struct CronField {
    std::string_view name;
    int least;
    int most;
    std::span<const std::string_view> names; // of the values from the least
};

constexpr std::array cronFields = {
    CronField{ "minute", 0, 59, {} },
    CronField{ "hour", 0, 23, {} },
    CronField{ "day of the month", 1, 31, {} },
    CronField{ "month", 1, 12, monthNames },
    CronField{ "day of the week", 0, 7, weekdayNames },
};

Error badField(const CronField& field, std::string_view text)
{
    return invalid("\"" + std::string(text) + "\" is no " + std::string(field.name) + " of a schedule",
        "expected " + std::to_string(field.least) + " to " + std::to_string(field.most)
            + (field.names.empty() ? "" : " or three letters") + ", *, ranges, lists or steps, such as "
            + (field.names.empty() ? "0-30/10" : std::string(field.names[1])));
}

bool sameLetters(std::string_view text, std::string_view name)
{
    if (text.size() != name.size())
        return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]) != name[i])
            return false;
    return true;
}

std::optional<int> numberOf(std::string_view text)
{
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool digits =
        !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == std::string_view::npos;
    return digits && problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<int> valueOf(const CronField& field, std::string_view text)
{
    for (std::size_t i = 0; i < field.names.size(); ++i)
        if (sameLetters(text, field.names[i]))
            return field.least + static_cast<int>(i);
    const auto number = numberOf(text);
    return number && *number >= field.least && *number <= field.most ? number : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators)
{
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find_first_of(separators, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// One element of a list: the values as bits. None: it is malformed.
std::optional<std::uint64_t> bitsOf(const CronField& field, std::string_view text)
{
    int step = 1;
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto given = numberOf(text.substr(slash + 1));
        if (!given || *given < 1 || *given > field.most)
            return {};
        step = *given;
        text = text.substr(0, slash);
    }
    int from = field.least;
    int to = field.most;
    if (text != "*") {
        const auto dash = text.find('-');
        const auto first = valueOf(field, text.substr(0, dash));
        if (!first)
            return {};
        from = *first;
        // "5/15" counts on from 5.
        to = slash == std::string_view::npos ? from : field.most;
        if (dash != std::string_view::npos) {
            const auto last = valueOf(field, text.substr(dash + 1));
            if (!last || *last < from)
                return {};
            to = *last;
        }
    }
    std::uint64_t bits = 0;
    for (int value = from; value <= to; value += step)
        bits |= std::uint64_t{ 1 } << static_cast<unsigned>(value);
    return bits;
}

Result<std::uint64_t> readField(const CronField& field, std::string_view text)
{
    std::uint64_t bits = 0;
    for (const auto part : split(text, ",")) {
        const auto some = bitsOf(field, part);
        if (!some)
            return badField(field, text);
        bits |= *some;
    }
    return bits;
}

bool has(std::uint64_t bits, unsigned value)
{
    return ((bits >> value) & 1U) != 0;
}

std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    for (const auto word : split(text, " \t"))
        if (!word.empty())
            words.push_back(word);
    return words;
}

// Counted from 1 for Sunday, where the five fields count from 0. Steps are no days.
std::optional<std::string> fromZero(std::string_view weekdays)
{
    std::string text;
    bool isStep = false;
    for (const char c : weekdays) {
        isStep = c == '/' || (isStep && c >= '0' && c <= '9');
        const bool isDay = !isStep && c >= '0' && c <= '9';
        if (isDay && (c == '0' || c > '7' || (!text.empty() && text.back() >= '0' && text.back() <= '9')))
            return {};
        text += isDay ? static_cast<char>(c - 1) : c;
    }
    return text;
}

// cron(0 * * * ? *), as Amazon EventBridge has it: a year behind the five fields, which is any, and a question mark for
// the kind of day that is not chosen.
Result<std::string> fiveFieldsOf(std::string_view text)
{
    constexpr std::size_t dayOfMonth = 2;
    constexpr std::size_t dayOfWeek = 4;
    constexpr std::size_t year = 5;
    const auto bad = [&](std::string expected) {
        return invalid("\"" + std::string(text) + "\" is no schedule", std::move(expected));
    };
    const auto inner = text.substr(5, text.size() - 6);
    const auto words = wordsOf(inner);
    if (words.size() != year + 1)
        return bad("expected six fields in cron(…): minute, hour, day of the month, month, day of the week, year");
    if (words[year] != "*")
        return bad("expected * for the year");
    if ((words[dayOfMonth] == "?") == (words[dayOfWeek] == "?"))
        return bad("expected ? for one of day of the month and day of the week");
    const auto weekdays = fromZero(words[dayOfWeek]);
    if (!weekdays)
        return bad("expected days of the week from 1, Sunday, to 7");
    std::string five;
    for (std::size_t i = 0; i < year; ++i) {
        const auto word = i == dayOfWeek ? *weekdays : std::string(words[i]);
        five += (i == 0 ? "" : " ") + (word == "?" ? "*" : word);
    }
    return five;
}

} // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text)
{
    if (text.starts_with("cron(") && text.ends_with(')')) {
        const auto five = fiveFieldsOf(text);
        if (!five)
            return five.error();
        return parse(*five);
    }
    const auto words = wordsOf(text);
    if (words.size() != cronFields.size())
        return invalid("\"" + std::string(text) + "\" is no schedule",
            "expected five fields: minute, hour, day of the month, month, day of the week");
    std::array<std::uint64_t, 5> bits{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto read = readField(cronFields.at(i), words[i]);
        if (!read)
            return read.error();
        bits.at(i) = *read;
    }
    CronSchedule schedule;
    schedule.m_minutes = bits[0];
    schedule.m_hours = bits[1];
    schedule.m_days = bits[2];
    schedule.m_months = bits[3];
    schedule.m_weekdays = bits[4] | (has(bits[4], 7) ? 1U : 0U);
    schedule.m_anyDay = words[2].starts_with('*');
    schedule.m_anyWeekday = words[4].starts_with('*');
    return schedule;
}

bool CronSchedule::matchesDay(std::int64_t day) const
{
    const std::chrono::sys_days date{ std::chrono::days(day) };
    const std::chrono::year_month_day parts(date);
    if (!has(m_months, static_cast<unsigned>(parts.month())))
        return false;
    const bool byDate = has(m_days, static_cast<unsigned>(parts.day()));
    const bool byWeekday = has(m_weekdays, std::chrono::weekday(date).c_encoding());
    return m_anyDay || m_anyWeekday ? byDate && byWeekday : byDate || byWeekday;
}

bool CronSchedule::everComes() const
{
    // Every day of the week comes in every month that is named.
    if (!m_anyDay && !m_anyWeekday)
        return true;
    constexpr std::array<unsigned, 12> longest = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    for (unsigned month = 1; month <= longest.size(); ++month)
        for (unsigned day = 1; has(m_months, month) && day <= longest.at(month - 1); ++day)
            if (has(m_days, day))
                return true;
    return false;
}

std::optional<Time> CronSchedule::nextAfter(Time instant) const
{
    const auto first = std::chrono::floor<std::chrono::minutes>(instant.time_since_epoch()).count() + 1;
    const auto firstDay =
        std::chrono::floor<std::chrono::days>(instant.time_since_epoch() + std::chrono::minutes(1)).count();
    for (auto day = std::int64_t{ firstDay }; day < firstDay + farthest; ++day) {
        if (!matchesDay(day))
            continue;
        for (std::int64_t minute = 0; minute < minutesOfDay; ++minute)
            if (day * minutesOfDay + minute >= first && has(m_hours, static_cast<unsigned>(minute / 60))
                && has(m_minutes, static_cast<unsigned>(minute % 60)))
                return Time(std::chrono::minutes(day * minutesOfDay + minute));
    }
    return {};
}

std::optional<Time> CronSchedule::lastUntil(Time instant) const
{
    const auto last = std::chrono::floor<std::chrono::minutes>(instant.time_since_epoch()).count();
    const auto lastDay = std::chrono::floor<std::chrono::days>(instant.time_since_epoch()).count();
    for (auto day = std::int64_t{ lastDay }; day > lastDay - farthest; --day) {
        if (!matchesDay(day))
            continue;
        for (auto minute = minutesOfDay - 1; minute >= 0; --minute)
            if (day * minutesOfDay + minute <= last && has(m_hours, static_cast<unsigned>(minute / 60))
                && has(m_minutes, static_cast<unsigned>(minute % 60)))
                return Time(std::chrono::minutes(day * minutesOfDay + minute));
    }
    return {};
}

} // namespace fencepost
