// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/json_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fencepost {

namespace {

// Magnitude = 0.digits × 10^point; no leading and no trailing zero among the digits, none at all for zero.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t point = 0;

    bool operator==(const Decimal&) const = default;
};

std::optional<std::int64_t> exponentOf(std::string_view text)
{
    const bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+'))
        text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    std::int64_t value = 0;
    if (text.size() > 18)
        return std::nullopt;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return negative ? -value : value;
}

std::optional<Decimal> decimalOf(std::string_view token)
{
    Decimal decimal;
    decimal.negative = token.front() == '-';
    if (decimal.negative)
        token.remove_prefix(1);
    const auto e = std::min(token.find_first_of("eE"), token.size());
    const auto mantissa = token.substr(0, e);
    const auto dot = std::min(mantissa.find('.'), mantissa.size());
    decimal.digits.assign(mantissa.substr(0, dot));
    if (dot < mantissa.size())
        decimal.digits.append(mantissa.substr(dot + 1));
    const auto leading = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
    decimal.digits.erase(0, leading);
    decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
    if (decimal.digits.empty())
        return Decimal{};
    const auto exponent = exponentOf(token.substr(std::min(e + 1, token.size())));
    if (!exponent)
        return std::nullopt;
    decimal.point = static_cast<std::int64_t>(dot) - static_cast<std::int64_t>(leading) + *exponent;
    return decimal;
}

std::string textOf(const Decimal& decimal)
{
    if (decimal.digits.empty())
        return "0";
    const auto exponent = decimal.point - static_cast<std::int64_t>(decimal.digits.size());
    return (decimal.negative ? "-" : "") + decimal.digits + (exponent == 0 ? "" : "e" + std::to_string(exponent));
}

// Digits and exponent of the shortest decimal that reads back as this double; std::to_chars finds it.
Decimal shortestOf(double value)
{
    std::array<char, 32> text{};
    const auto written =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
    return *decimalOf({ text.data(), static_cast<std::size_t>(written - text.data()) });
}

// The layout of ECMA-262, Number::toString, steps 5 to 12.
void appendLayout(std::string& out, const Decimal& decimal)
{
    if (decimal.digits.empty()) {
        out += '0';
        return;
    }
    if (decimal.negative)
        out += '-';
    const auto length = static_cast<std::int64_t>(decimal.digits.size());
    const auto point = decimal.point;
    if (length <= point && point <= 21) {
        out.append(decimal.digits).append(static_cast<std::size_t>(point - length), '0');
    } else if (0 < point && point <= 21) {
        out.append(decimal.digits, 0, static_cast<std::size_t>(point)).append(".");
        out.append(decimal.digits, static_cast<std::size_t>(point));
    } else if (-6 < point && point <= 0) {
        out.append("0.").append(static_cast<std::size_t>(-point), '0').append(decimal.digits);
    } else {
        out += decimal.digits.front();
        if (length > 1)
            out.append(".").append(decimal.digits, 1);
        out.append(point > 0 ? "e+" : "e-").append(std::to_string(std::abs(point - 1)));
    }
}

// No two decimals of up to 15 digits share a normal double, so that each is the shortest form of its own.
bool isShortest(const Decimal& decimal)
{
    using Limits = std::numeric_limits<double>;
    return decimal.digits.size() <= Limits::digits10 && decimal.point > Limits::min_exponent10
        && decimal.point <= Limits::max_exponent10;
}

} // namespace

void appendEcmaScript(std::string& out, double value)
{
    appendLayout(out, shortestOf(value));
}

std::optional<JsonNumber> readJsonNumber(std::string_view token)
{
    const auto decimal = decimalOf(token);
    if (!decimal)
        return std::nullopt;
    JsonNumber number;
    if (isShortest(*decimal)) {
        appendLayout(number.text, *decimal);
        return number;
    }
    double value = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    // Out of range says neither which end it is nor what the value is.
    if (read.ec != std::errc{}) {
        if (decimal->point > 0)
            return std::nullopt;
        value = 0;
    }
    const auto shortest = shortestOf(value);
    appendLayout(number.text, shortest);
    if (*decimal != shortest)
        number.lossy = textOf(*decimal);
    return number;
}

std::optional<std::string> normalisedDecimal(std::string_view token)
{
    const auto decimal = decimalOf(token);
    return decimal ? std::optional(textOf(*decimal)) : std::nullopt;
}

} // namespace fencepost
