// SPDX-License-Identifier: Apache-2.0
#include "core/retry/retry_after.h"

#include <algorithm>
#include <array>

#include "core/in_quotes.h"
#include "core/protocol/ascii.h"
#include "core/protocol/letters.h"

namespace fencepost::retry {

namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 7> days_ = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
    "Saturday" };
constexpr std::array<std::string_view, 12> months_ = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
    "Oct", "Nov", "Dec" };

// Takes a date apart from the left; once something is missing, everything after it is.
class DateReader {
public:
    explicit DateReader(std::string_view text)
        : m_rest(text)
    {
    }

    DateReader& literal(std::string_view expected)
    {
        m_good = m_good && m_rest.starts_with(expected);
        if (m_good)
            m_rest.remove_prefix(expected.size());
        return *this;
    }
    int number(std::size_t count)
    {
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            m_good = m_good && i < m_rest.size() && m_rest[i] >= '0' && m_rest[i] <= '9';
            value = m_good ? value * 10 + (m_rest[i] - '0') : 0;
        }
        if (m_good)
            m_rest.remove_prefix(count);
        return value;
    }
    // asctime's day: two digits, or a space and one.
    int paddedDay()
    {
        if (!m_rest.starts_with(' '))
            return number(2);
        m_rest.remove_prefix(1);
        return number(1);
    }
    // The place of the word in the list, of which `length` letters count; 0: all.
    template <std::size_t N> unsigned word(const std::array<std::string_view, N>& words, std::size_t length = 0)
    {
        for (unsigned i = 0; i < N && m_good; ++i) {
            const auto candidate = length == 0 ? words[i] : words[i].substr(0, length);
            if (m_rest.starts_with(candidate)) {
                m_rest.remove_prefix(candidate.size());
                return i;
            }
        }
        m_good = false;
        return 0;
    }
    seconds clock()
    {
        const auto hour = number(2);
        literal(":");
        const auto minute = number(2);
        literal(":");
        const auto second = number(2);
        m_good = m_good && hour < 24 && minute < 60 && second <= 60;
        return hours(hour) + minutes(minute) + seconds(second);
    }
    [[nodiscard]] bool isDone() const { return m_good && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_good = true;
};

struct DateText {
    RetryAfterForm form;
    unsigned weekday = 0; // 0: Sunday
    int year = 0;
    unsigned month = 0; // 1: January
    int day = 0;
    seconds clock{};
};

// The two forms that begin with the day of the month; the obsolete one writes the year with two digits.
std::optional<DateText> dayFirst(std::string_view text, RetryAfterForm form)
{
    const bool obsolete = form == RetryAfterForm::Rfc850;
    const auto* joint = obsolete ? "-" : " ";
    DateReader reader(text);
    DateText date{ form };
    date.weekday = obsolete ? reader.word(days_) : reader.word(days_, 3);
    reader.literal(", ");
    date.day = reader.number(2);
    reader.literal(joint);
    date.month = reader.word(months_) + 1;
    reader.literal(joint);
    date.year = reader.number(obsolete ? 2 : 4);
    reader.literal(" ");
    date.clock = reader.clock();
    reader.literal(" GMT");
    return reader.isDone() ? std::optional(date) : std::nullopt;
}

std::optional<DateText> imfFixdate(std::string_view text)
{
    return dayFirst(text, RetryAfterForm::ImfFixdate);
}

std::optional<DateText> rfc850(std::string_view text)
{
    return dayFirst(text, RetryAfterForm::Rfc850);
}

std::optional<DateText> asctime(std::string_view text)
{
    DateReader reader(text);
    DateText date{ RetryAfterForm::Asctime };
    date.weekday = reader.word(days_, 3);
    reader.literal(" ");
    date.month = reader.word(months_) + 1;
    reader.literal(" ");
    date.day = reader.paddedDay();
    reader.literal(" ");
    date.clock = reader.clock();
    reader.literal(" ");
    date.year = reader.number(4);
    return reader.isDone() ? std::optional(date) : std::nullopt;
}

std::optional<Time> instantOf(const DateText& text, int inYear)
{
    const year_month_day date{ year(inYear), month(text.month), std::chrono::day(static_cast<unsigned>(text.day)) };
    if (!date.ok())
        return std::nullopt;
    return Time(sys_days(date)) + text.clock;
}

// RFC 9110 §5.6.7, in both directions of the century: the latest such year no more than 50 years ahead.
std::optional<Time> instantOfShortYear(const DateText& text, Time now)
{
    const year_month_day today(floor<days>(now));
    const auto thisYear = static_cast<int>(today.year());
    const auto century = thisYear - thisYear % 100;
    // A leap day's fiftieth anniversary is not one: it ends with February.
    const auto limitDay = year_month_day(today.year() + years(50), today.month(), today.day());
    const auto limit = (limitDay.ok() ? sys_days(limitDay) : sys_days(limitDay.year() / limitDay.month() / last))
        + (now - floor<days>(now));
    for (const int start : { century + 100, century, century - 100 })
        if (const auto instant = instantOf(text, start + text.year); instant && *instant <= limit)
            return instant;
    return std::nullopt;
}

Error noRetryAfter(std::string_view value, const std::string& why)
{
    return { Failure::Invalid, inQuotes(value) + " is not a Retry-After: " + why, {}, "VALIDATION.retry_after",
        "Give whole seconds, such as 120, or a date, such as Wed, 21 Oct 2026 07:28:00 GMT" };
}

std::string whyNot(std::string_view value)
{
    const auto startsAsNumber = [](std::string_view text) { return !text.empty() && isDigit(text.front()); };
    if (value.empty())
        return "it is empty";
    if (value.front() == '-' && startsAsNumber(value.substr(1)))
        return "it is negative";
    if (value.front() == '+' && startsAsNumber(value.substr(1)))
        return "seconds have no sign";
    if (startsAsNumber(value))
        return "seconds are digits and nothing else";
    return "neither seconds nor one of the three forms of an HTTP date";
}

RetryAfter secondsOf(std::string_view digits)
{
    RetryAfter result;
    std::int64_t total = 0;
    constexpr auto most = duration_cast<seconds>(longestRetryAfter).count();
    for (const char c : digits) {
        total = total * 10 + (c - '0');
        if (total > most) {
            result.delay = longestRetryAfter;
            result.capped = true;
            return result;
        }
    }
    result.delay = seconds(total);
    return result;
}

RetryAfter untilDate(const DateText& text, Time date, Time now)
{
    RetryAfter result;
    result.form = text.form;
    result.date = date;
    // Compared before it is subtracted: no distance of two instants that can be said overflows this way.
    result.delay = date <= now ? Duration(0) : std::min(date - now, longestRetryAfter);
    result.capped = date > now && date - now > longestRetryAfter;
    // The second 60 belongs to the day that ends with it.
    const auto written = floor<days>(date - text.clock);
    result.wrongWeekday = weekday(sys_days(written)).c_encoding() != text.weekday;
    return result;
}

} // namespace

std::string_view wordOf(RetryAfterForm form) noexcept
{
    switch (form) {
    case RetryAfterForm::Seconds:
        return "seconds";
    case RetryAfterForm::ImfFixdate:
        return "imf_fixdate";
    case RetryAfterForm::Rfc850:
        return "rfc850";
    case RetryAfterForm::Asctime:
        return "asctime";
    }
    return "";
}

Result<RetryAfter> parseRetryAfter(std::string_view value, Time now)
{
    const auto text = withoutBlanks(value);
    if (!text.empty() && std::all_of(text.begin(), text.end(), isDigit))
        return secondsOf(text);
    for (const auto read : { imfFixdate, rfc850, asctime }) {
        const auto date = read(text);
        if (!date)
            continue;
        const auto instant =
            date->form == RetryAfterForm::Rfc850 ? instantOfShortYear(*date, now) : instantOf(*date, date->year);
        if (!instant)
            return noRetryAfter(value, "there is no such day");
        return untilDate(*date, *instant, now);
    }
    return noRetryAfter(value, whyNot(text));
}

std::optional<RetryAfter> largestRetryAfter(std::span<const std::string> values, Time now)
{
    std::optional<RetryAfter> largest;
    for (const auto& value : values)
        if (const auto parsed = parseRetryAfter(value, now); parsed && (!largest || parsed->delay > largest->delay))
            largest = *parsed;
    return largest;
}

} // namespace fencepost::retry
