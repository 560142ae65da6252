// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/cursor_interpolation.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fencepost::models {

namespace {

std::optional<std::int64_t> integerOf(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::int64_t between(std::int64_t begin, std::int64_t end, double fraction)
{
    const auto distance = static_cast<double>(end) - static_cast<double>(begin);
    return begin + static_cast<std::int64_t>(std::llround(distance * fraction));
}

int digitOf(char character, std::string_view alphabet)
{
    const auto at = alphabet.find(character);
    return at == std::string_view::npos ? 0 : static_cast<int>(at);
}

// Text as a number between 0 and 1 whose digits are the characters of the alphabet.
double numberOf(std::string_view text, std::string_view alphabet)
{
    double value = 0;
    double weight = 1;
    for (const char character : text.substr(0, std::min<std::size_t>(text.size(), 8))) {
        weight /= static_cast<double>(alphabet.size());
        value += weight * digitOf(character, alphabet);
    }
    return value;
}

std::string textOf(double number, std::size_t length, std::string_view alphabet)
{
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
        number *= static_cast<double>(alphabet.size());
        const auto digit = std::clamp<int>(static_cast<int>(number), 0, static_cast<int>(alphabet.size()) - 1);
        text += alphabet[static_cast<std::size_t>(digit)];
        number -= digit;
    }
    return text;
}

// A cursor begins with the order and the segment that it belongs to.
constexpr std::ptrdiff_t leading = 2;

constexpr std::string_view hexDigits = "0123456789abcdef";
constexpr std::string_view printable = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                                       "abcdefghijklmnopqrstuvwxyz{|}~";

std::string uuidBetween(const std::string& begin, const std::string& end, double fraction)
{
    // The first eight digits decide; the rest must only be a well-formed UUID.
    const auto low = numberOf(begin, hexDigits);
    const auto high = numberOf(end, hexDigits);
    return textOf(low + (high - low) * fraction, 8, hexDigits) + begin.substr(8);
}

std::string textBetween(const std::string& begin, const std::string& end, double fraction)
{
    const auto common = static_cast<std::size_t>(
        std::mismatch(begin.begin(), begin.end(), end.begin(), end.end()).first - begin.begin());
    const auto low = numberOf(std::string_view(begin).substr(common), printable);
    const auto high = numberOf(std::string_view(end).substr(common), printable);
    return begin.substr(0, common) + textOf(low + (high - low) * fraction, 6, printable);
}

// In the spelling of the column: with a blank instead of T, or without an offset, where it has that.
std::string instantBetween(const std::string& spelling, std::int64_t begin, std::int64_t end, double fraction)
{
    auto text = formatInstant(timeFromMicros(between(begin, end, fraction)));
    if (spelling.size() > 10 && spelling[10] == ' ')
        text[10] = ' ';
    const bool offset = spelling.back() == 'Z' || spelling.find_first_of("+-", 10) != std::string::npos;
    if (!offset)
        text.pop_back();
    return text;
}

std::string valueBetween(const std::string& begin, const std::string& end, double fraction)
{
    if (const auto low = integerOf(begin), high = integerOf(end); low && high)
        return std::to_string(between(*low, *high, fraction));
    if (isUuid(begin) && isUuid(end))
        return uuidBetween(begin, end, fraction);
    if (const auto low = parseInstant(begin), high = parseInstant(end); low && high && begin.size() > 10)
        return instantBetween(begin, microsOf(*low), microsOf(*high), fraction);
    return textBetween(begin, end, fraction);
}

} // namespace

Cursor interpolate(const Cursor& begin, const Cursor& end, double fraction)
{
    fraction = std::clamp(fraction, 0.0, 1.0);
    auto position = fraction < 0.5 ? begin : end;
    // Cursors of two segments have nothing between them that could be computed; the nearer end must do.
    if (begin.values.size() != end.values.size() || begin.values.size() <= leading
        || !std::equal(begin.values.begin(), begin.values.begin() + leading, end.values.begin()))
        return position;
    for (auto at = static_cast<std::size_t>(leading); at < begin.values.size(); ++at) {
        if (begin.values[at] == end.values[at])
            continue;
        position.values[at] = valueBetween(begin.values[at], end.values[at], fraction);
        break;
    }
    return position;
}

} // namespace fencepost::models
