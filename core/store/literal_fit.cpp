// SPDX-License-Identifier: Apache-2.0
#include "core/store/literal_fit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "core/in_quotes.h"
#include "core/protocol/ascii.h"
#include "core/store/capabilities.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using profile::Scalar;
using Op = Expression::Op;

template <typename Number> std::optional<Number> numberOf(const std::string& text)
{
    Number number{};
    const auto* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    return problem == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

bool isIntegerOf(const std::string& type, const std::string& text)
{
    const auto number = numberOf<std::int64_t>(text);
    const auto within = [&](auto least, auto most) { return number && *number >= least && *number <= most; };
    if (type == "smallint")
        return within(std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max());
    if (type == "integer")
        return within(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
    return number.has_value();
}

bool isNumber(const std::string& text)
{
    constexpr std::array words = { "nan", "infinity", "-infinity", "inf", "-inf" };
    return numberOf<double>(text) || std::find(words.begin(), words.end(), asciiLower(text)) != words.end();
}

// As PostgreSQL reads it: any beginning of these words that is one of them only.
bool isBoolean(const std::string& text)
{
    constexpr std::array<std::string_view, 4> words = { "true", "false", "yes", "no" };
    const auto word = asciiLower(text);
    const bool begins = !word.empty()
        && std::any_of(words.begin(), words.end(), [&](std::string_view known) { return known.rfind(word, 0) == 0; });
    return begins || word == "on" || word == "of" || word == "off" || word == "1" || word == "0";
}

bool isUuidLike(const std::string& text)
{
    const auto digits = std::count_if(text.begin(), text.end(),
        [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
    const auto others = std::all_of(text.begin(), text.end(),
        [](char c) { return std::string_view("0123456789abcdefABCDEF-{}").find(c) != std::string_view::npos; });
    return others && digits == 32;
}

// Dates have many forms; what has no digit is one of a few words.
bool mayBeInstant(const std::string& text)
{
    constexpr std::array words = { "now", "today", "tomorrow", "yesterday", "epoch", "infinity", "-infinity" };
    return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })
        || std::find(words.begin(), words.end(), asciiLower(text)) != words.end();
}

bool fits(const CatalogColumn& column, const Scalar& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return true;
    const auto text = textOf(value);
    switch (column.typeClass) {
    case TypeClass::Integer:
        return isIntegerOf(column.type, text);
    case TypeClass::Number:
        return column.type == "money" || isNumber(text);
    case TypeClass::Boolean:
        return isBoolean(text);
    case TypeClass::Uuid:
        return isUuidLike(text);
    case TypeClass::Instant:
    case TypeClass::LocalInstant:
        return std::holds_alternative<std::string>(value) && mayBeInstant(text);
    case TypeClass::Enum:
        // Words that an enum does not have are of versions that did not know them yet.
        return std::holds_alternative<std::string>(value)
            || std::find(column.labels.begin(), column.labels.end(), text) != column.labels.end();
    default:
        return true;
    }
}

// A parameter that is asked for is judged when it is said.
std::optional<Scalar> knownValue(const BoundProfile& bound, const Expression& expression)
{
    if (expression.op == Op::Literal)
        return expression.literal;
    const auto& params = bound.profile->params;
    const auto param = expression.op == Op::Param ? params.find(expression.name) : params.end();
    return param != params.end() ? std::optional(param->second.standard) : std::nullopt;
}

const CatalogColumn* typeOf(const BoundProfile& bound, const Expression& expression)
{
    if (expression.op == Op::Column)
        return bound.column(expression.name);
    return expression.op == Op::From ? typeOf(bound, *expression.arguments[1]) : nullptr;
}

std::string shown(const Scalar& value)
{
    return std::holds_alternative<std::string>(value) ? inQuotes(std::get<std::string>(value)) : textOf(value);
}

std::string described(const CatalogColumn& column)
{
    return "the column " + inQuotes(column.name) + " of type " + column.type;
}

bool compares(Op op)
{
    return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge || op == Op::In;
}

} // namespace

std::string textOf(const Scalar& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return {};
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&value)) {
        // The shortest that is read as the same number.
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr;
        return { digits.data(), end };
    }
    return std::get<std::string>(value);
}

std::string whyNotCompared(const BoundProfile& bound, const Expression& expression)
{
    std::string why;
    const auto check = [&](const Expression& subject, const Expression& value) {
        const auto* column = typeOf(bound, subject);
        const auto known = knownValue(bound, value);
        if (why.empty() && column != nullptr && known && !fits(*column, *known))
            why = described(*column) + " cannot be compared with " + shown(*known);
    };
    if (bound.dialect == Dialect::Sqlite)
        return why;
    eachNode(expression, [&](const Expression& node) {
        for (std::size_t i = 1; compares(node.op) && i < node.arguments.size(); ++i) {
            check(*node.arguments[0], *node.arguments[i]);
            check(*node.arguments[i], *node.arguments[0]);
        }
    });
    return why;
}

bool mayHold(Dialect dialect, const CatalogColumn& column, const std::string& text)
{
    const bool isLabel = column.typeClass != TypeClass::Enum
        || std::find(column.labels.begin(), column.labels.end(), text) != column.labels.end();
    return dialect == Dialect::Sqlite || (isLabel && fits(column, text));
}

std::string whyNotHeld(const BoundProfile& bound, const CatalogColumn& column, const Expression& value)
{
    const auto known = knownValue(bound, value);
    const bool asked = value.op == Op::Param && known && std::holds_alternative<std::monostate>(*known);
    if (!known || asked)
        return {};
    if (std::holds_alternative<std::monostate>(*known))
        return column.notNull ? described(column) + " is never NULL" : std::string();
    return bound.dialect == Dialect::Sqlite || fits(column, *known)
        ? std::string()
        : described(column) + " cannot hold " + shown(*known);
}

} // namespace fencepost::store
