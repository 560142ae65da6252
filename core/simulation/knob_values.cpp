// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/knob_values.h"

#include <algorithm>
#include <charconv>

namespace fencepost::simulation {

namespace {

// Digits behind a point, as many as `places` at most, without a floating point number in between.
std::optional<std::int64_t> decimalOf(std::string_view text, int places)
{
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || value < 0 || text.empty() || text[0] == '-')
        return std::nullopt;
    std::int64_t scale = 1;
    for (int i = 0; i < places; ++i)
        scale *= 10;
    if (value > INT64_MAX / scale - 1)
        return std::nullopt;
    value *= scale;
    if (read.ptr == end)
        return value;
    if (*read.ptr != '.' || end - read.ptr < 2 || end - read.ptr - 1 > places)
        return std::nullopt;
    for (const auto* digit = read.ptr + 1; digit != end; ++digit) {
        if (*digit < '0' || *digit > '9')
            return std::nullopt;
        scale /= 10;
        value += (*digit - '0') * scale;
    }
    return value;
}

std::string decimalText(std::int64_t value, int places)
{
    std::int64_t scale = 1;
    for (int i = 0; i < places; ++i)
        scale *= 10;
    auto text = std::to_string(value / scale);
    if (value % scale == 0)
        return text;
    auto digits = std::to_string(scale + value % scale).substr(1);
    while (digits.back() == '0')
        digits.pop_back();
    return text + "." + digits;
}

constexpr int ratePlaces = 3;
constexpr int chancePlaces = 4; // of a percent

std::optional<std::int64_t> chanceOf(std::string_view text)
{
    if (text == "0")
        return 0;
    if (text.empty() || text.back() != '%')
        return std::nullopt;
    text.remove_suffix(1);
    return decimalOf(text, chancePlaces);
}

std::string joined(std::string_view words)
{
    std::string text;
    for (const auto word : wordsOf(words))
        text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string_view unitExample(KnobForm form)
{
    switch (form) {
    case KnobForm::Count:
        return "a whole number";
    case KnobForm::Rate:
        return "a number a second";
    case KnobForm::Chance:
        return "a percentage, as in 0.5%";
    case KnobForm::Length:
        return "a length of time with its unit, as in 30s";
    case KnobForm::Spread:
        return "a length of time or a spread of them, as in exponential(50ms)";
    case KnobForm::Flag:
        return "true or false";
    case KnobForm::Word:
        return "a word";
    }
    return {};
}

// In the form's own unit.
std::optional<std::int64_t> numberOf(KnobForm form, std::string_view text)
{
    switch (form) {
    case KnobForm::Count:
        return decimalOf(text, 0);
    case KnobForm::Rate:
        return decimalOf(text, ratePlaces);
    case KnobForm::Chance:
        return chanceOf(text);
    case KnobForm::Length: {
        const auto length = text == "0" ? Result<Duration>(Duration(0)) : parseDuration(text);
        return length ? std::optional(length->count()) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

} // namespace

std::vector<std::string_view> wordsOf(std::string_view words)
{
    std::vector<std::string_view> all;
    while (!words.empty()) {
        const auto blank = words.find(' ');
        all.push_back(words.substr(0, blank));
        if (blank == std::string_view::npos)
            break;
        words.remove_prefix(blank + 1);
    }
    return all;
}

std::string written(KnobForm form, std::int64_t value)
{
    switch (form) {
    case KnobForm::Rate:
        return decimalText(value, ratePlaces);
    case KnobForm::Chance:
        return decimalText(value, chancePlaces) + "%";
    case KnobForm::Length:
    case KnobForm::Spread:
        return Spread(Duration(value)).text();
    default:
        return std::to_string(value);
    }
}

Error refused(std::string_view path, std::string_view value, const std::string& what)
{
    return invalid(std::string(path) + ": \"" + std::string(value) + "\" is " + what);
}

Result<std::int64_t> bounded(
    std::string_view path, KnobForm form, std::int64_t least, std::int64_t most, std::string_view value)
{
    const auto number = numberOf(form, value);
    if (!number)
        return refused(path, value, "not " + std::string(unitExample(form)));
    if (*number < least || *number > most)
        return refused(path, value, "not between " + written(form, least) + " and " + written(form, most));
    return *number;
}

Result<int> wordAt(std::string_view path, std::string_view words, std::string_view value)
{
    const auto all = wordsOf(words);
    const auto found = std::find(all.begin(), all.end(), value);
    if (found == all.end())
        return refused(path, value, "none of " + joined(words));
    return static_cast<int>(found - all.begin());
}

Result<bool> flagOf(std::string_view path, std::string_view value)
{
    if (value != "true" && value != "false")
        return refused(path, value, "neither true nor false");
    return value == "true";
}

} // namespace fencepost::simulation
