// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/spread.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "core/simulation/dice.h"

namespace fencepost::simulation {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int tableBits = 8;
constexpr std::size_t tableSize = std::size_t(1) << unsigned(tableBits);
constexpr int wholePercent = 1'000;
constexpr Duration longest = std::chrono::hours(24 * 400);

// log2 of m / 2⁶³ for m in [2⁶³, 2⁶⁴), in units of 2⁻³²: one binary digit per squaring.
constexpr std::uint64_t logOfMantissa(std::uint64_t mantissa)
{
    std::uint64_t log = 0;
    for (unsigned digit = 0; digit < 32; ++digit) {
        const auto square = Wide(mantissa) * mantissa;
        const bool two = (square >> 127U) != 0;
        mantissa = static_cast<std::uint64_t>(square >> (two ? 64U : 63U));
        log = log << 1U | std::uint64_t(two);
    }
    return log;
}

constexpr auto logs = [] {
    std::array<std::uint64_t, tableSize + 1> table{};
    for (std::size_t i = 0; i < tableSize; ++i)
        table[i] = logOfMantissa((std::uint64_t(1) << 63U) + (std::uint64_t(i) << (63U - unsigned(tableBits))));
    table[tableSize] = std::uint64_t(1) << 32U;
    return table;
}();

Error expected(std::string_view text)
{
    return invalid("\"" + std::string(text)
        + "\" is no length of time: 50ms, uniform(10ms,50ms), exponential(50ms) and "
          "percentiles(0=5ms,50=20ms,100=2s) are");
}

std::optional<Duration> lengthOf(std::string_view text)
{
    const auto length = parseDuration(text);
    if (!length || *length < Duration(0) || *length > longest)
        return std::nullopt;
    return *length;
}

std::vector<std::string_view> splitAtCommas(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto comma = text.find(',');
        auto part = text.substr(0, comma);
        while (!part.empty() && part.front() == ' ')
            part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ')
            part.remove_suffix(1);
        parts.push_back(part);
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

// 99, 99.9 or 99.99 in thousandths.
std::optional<int> percentOf(std::string_view text)
{
    int whole = 0;
    const auto* end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, whole);
    if (read.ec != std::errc() || whole < 0 || whole > 100)
        return std::nullopt;
    int thousandths = 0;
    if (read.ptr != end) {
        if (*read.ptr != '.')
            return std::nullopt;
        const auto* first = read.ptr + 1;
        read = std::from_chars(first, end, thousandths);
        const auto digits = read.ptr - first;
        if (read.ec != std::errc() || read.ptr != end || *first == '-' || digits > 3)
            return std::nullopt;
        for (auto i = digits; i < 3; ++i)
            thousandths *= 10;
    }
    const int all = whole * wholePercent + thousandths;
    return all > 100 * wholePercent ? std::nullopt : std::optional(all);
}

std::string percentText(int thousandths)
{
    auto text = std::to_string(thousandths / wholePercent);
    if (auto rest = thousandths % wholePercent; rest != 0) {
        auto digits = std::to_string(wholePercent + rest).substr(1);
        while (digits.back() == '0')
            digits.pop_back();
        text += "." + digits;
    }
    return text;
}

// Without blanks between the units, so that it is one word: 1m30s.
std::string word(Duration length)
{
    auto text = std::string();
    for (const auto& [unit, name] :
        { std::pair<Duration, const char*>{ std::chrono::hours(1), "h" }, { std::chrono::minutes(1), "m" },
            { std::chrono::seconds(1), "s" }, { std::chrono::milliseconds(1), "ms" }, { Duration(1), "us" } }) {
        if (length < unit)
            continue;
        text += std::to_string(length / unit) + name;
        length %= unit;
    }
    return text.empty() ? "0s" : text;
}

} // namespace

std::uint64_t negativeLog(std::uint64_t number)
{
    if (number == UINT64_MAX)
        return 0;
    ++number;
    const auto zeros = static_cast<unsigned>(std::countl_zero(number));
    const auto mantissa = number << zeros;
    const auto below = mantissa << 1U; // what follows the leading digit
    const auto place = static_cast<std::size_t>(below >> (64U - unsigned(tableBits)));
    const auto within = (below << unsigned(tableBits)) >> 32U; // of 2³²
    const auto step = logs[place + 1] - logs[place];
    const auto log = logs[place] + ((step * within) >> 32U);
    const auto binary = (std::uint64_t(zeros + 1) << 32U) - log; // −log2 of the fraction
    constexpr std::uint64_t ln2 = 2'977'044'472; // of 2³²
    return static_cast<std::uint64_t>(Wide(binary) * ln2 >> 32U);
}

Result<Spread> Spread::parse(std::string_view text)
{
    const auto bracket = text.find('(');
    if (bracket == std::string_view::npos) {
        const auto length = lengthOf(text);
        return length ? Result(Spread(*length)) : Result<Spread>(expected(text));
    }
    if (text.back() != ')')
        return expected(text);
    const auto shape = text.substr(0, bracket);
    const auto parts = splitAtCommas(text.substr(bracket + 1, text.size() - bracket - 2));
    Spread spread;
    if (shape == "uniform" && parts.size() == 2) {
        const auto least = lengthOf(parts[0]);
        const auto most = lengthOf(parts[1]);
        if (!least || !most || *most < *least)
            return expected(text);
        spread.m_least = *least;
        spread.m_most = *most;
        return spread;
    }
    if (shape == "exponential" && parts.size() == 1) {
        const auto mean = lengthOf(parts[0]);
        if (!mean)
            return expected(text);
        spread.m_shape = Shape::Exponential;
        spread.m_most = *mean;
        return spread;
    }
    if (shape != "percentiles" || parts.size() < 2)
        return expected(text);
    spread.m_shape = Shape::Percentiles;
    for (const auto part : parts) {
        const auto equals = part.find('=');
        const auto percent = percentOf(part.substr(0, equals));
        const auto length = equals == std::string_view::npos ? std::nullopt : lengthOf(part.substr(equals + 1));
        if (!percent || !length)
            return expected(text);
        if (!spread.m_percentiles.empty()
            && (*percent <= spread.m_percentiles.back().first || *length < spread.m_percentiles.back().second))
            return invalid("\"" + std::string(text) + "\": the percentiles and their lengths have to rise");
        spread.m_percentiles.emplace_back(*percent, *length);
    }
    if (spread.m_percentiles.front().first != 0 || spread.m_percentiles.back().first != 100 * wholePercent)
        return invalid("\"" + std::string(text) + "\": the percentiles begin with 0 and end with 100");
    return spread;
}

Duration Spread::at(std::uint64_t number) const
{
    switch (m_shape) {
    case Shape::Uniform: {
        const auto width = static_cast<std::uint64_t>((m_most - m_least).count());
        return width == 0 ? m_least : m_least + Duration(static_cast<std::int64_t>(Dice::below(number, width + 1)));
    }
    case Shape::Exponential:
        return Duration(static_cast<std::int64_t>(Wide(negativeLog(number)) * std::uint64_t(m_most.count()) >> 32U));
    case Shape::Percentiles: {
        // In millionths of a percent, so that the steps between thousandths are even.
        constexpr std::uint64_t fine = 1'000;
        const auto place = Dice::below(number, std::uint64_t(100) * wholePercent * fine);
        auto upper = m_percentiles.begin() + 1;
        while (place >= std::uint64_t(upper->first) * fine)
            ++upper;
        const auto& lower = *(upper - 1);
        const auto begin = std::uint64_t(lower.first) * fine;
        const auto span = std::uint64_t(upper->first) * fine - begin;
        const auto rise = static_cast<std::uint64_t>((upper->second - lower.second).count());
        return lower.second + Duration(static_cast<std::int64_t>(Wide(rise) * (place - begin) / span));
    }
    }
    return {};
}

Duration Spread::mean() const
{
    if (m_shape == Shape::Uniform)
        return m_least + (m_most - m_least) / 2;
    if (m_shape == Shape::Exponential)
        return m_most;
    Duration sum{};
    for (auto upper = m_percentiles.begin() + 1; upper != m_percentiles.end(); ++upper) {
        const auto& lower = *(upper - 1);
        sum += (lower.second + upper->second) / 2 * (upper->first - lower.first);
    }
    return sum / (100 * wholePercent);
}

Duration Spread::longest() const
{
    return m_shape == Shape::Percentiles ? m_percentiles.back().second : m_most;
}

std::string Spread::text() const
{
    if (m_shape == Shape::Exponential)
        return "exponential(" + word(m_most) + ")";
    if (m_shape == Shape::Uniform)
        return m_least == m_most ? word(m_least) : "uniform(" + word(m_least) + "," + word(m_most) + ")";
    std::string text = "percentiles(";
    for (const auto& [percent, length] : m_percentiles)
        text += (text.back() == '(' ? "" : ",") + percentText(percent) + "=" + word(length);
    return text + ")";
}

} // namespace fencepost::simulation
