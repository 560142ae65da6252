// SPDX-License-Identifier: Apache-2.0
#include "core/query/filter_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/in_quotes.h"

namespace fencepost {

namespace {

// What a row of any kind of table may be shown as.
constexpr std::array<std::string_view, 18> stateWords = { "IN_PROGRESS", "SUCCEEDED", "FAILED_RETRYABLE",
    "FAILED_FINAL", "HELD", "EXPIRED", "UNKNOWN", "PENDING", "DISPATCHED", "RECEIVED", "PROCESSING", "PROCESSED",
    "FAILED", "DEAD", "SENT", "SENDING", "REDRIVEN", "DISCARDED" };

std::string uppered(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return result;
}

std::string settleState(FilterValue& value)
{
    const auto word = uppered(value.text);
    if (std::find(stateWords.begin(), stateWords.end(), word) != stateWords.end()) {
        value.text = word;
        return {};
    }
    std::string known;
    for (const auto state : stateWords)
        known += " " + std::string(state);
    return inQuotes(value.text) + " is no state; expected one of" + known;
}

std::string settleInteger(Field field, FilterValue& value)
{
    std::int64_t number = 0;
    const auto* end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    if (error != std::errc{} || stop != end)
        return inQuotes(value.text) + " is no whole number, and \"" + std::string(wordOf(field)) + "\" takes one";
    value.typed = number;
    return {};
}

std::string settleInstant(Field field, FilterValue& value)
{
    if (const auto instant = parseInstant(value.text)) {
        value.typed = *instant;
        return {};
    }
    const auto duration = parseDuration(value.text);
    if (!duration)
        return inQuotes(value.text)
            + " is neither an instant like 2026-11-20T23:45:47Z nor a duration "
              "like 5m";
    if (field == Field::Created)
        return "\"created\" takes an instant; for a span since then use age";
    if (field == Field::At)
        return "\"at\" takes an instant";
    value.typed = *duration;
    return {};
}

} // namespace

std::string settle(Field field, FilterValue& value)
{
    switch (typeOf(field)) {
    case ValueType::Text:
    case ValueType::Hex:
        return {};
    case ValueType::State:
        return settleState(value);
    case ValueType::Integer:
        return settleInteger(field, value);
    case ValueType::Timespan: {
        const auto duration = parseDuration(value.text);
        if (!duration)
            return duration.error().message;
        value.typed = *duration;
        return {};
    }
    case ValueType::Instant:
        return settleInstant(field, value);
    }
    return {};
}

} // namespace fencepost
