// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <tuple>

#include "core/profile/chosen_values.h"
#include "core/profile/detection.h"
#include "core/profile/named_columns.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

// The other way round: 5 < x is x > 5.
std::string_view mirrored(std::string_view comparison)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> pairs{ { { "<", ">" }, { "<=", ">=" },
        { ">", "<" }, { ">=", "<=" } } };
    for (const auto& [one, other] : pairs)
        if (one == comparison)
            return other;
    return comparison;
}

bool isNamedNow(const Expression& expression)
{
    return expression.op == Op::Now && !expression.name.empty();
}

} // namespace

// Its type says so, or the profile, by the column's own name or by a field that is an instant. What it says of all
// columns is about those that are read as instants, and a number may be a count as well.
bool ExpressionSql::isTimeColumn(const CatalogColumn& column, const std::string& name) const
{
    if (column.typeClass == TypeClass::Instant || column.typeClass == TypeClass::LocalInstant)
        return true;
    const auto exact = profile::withAlias(*m_bound.profile, name);
    for (const auto& [key, encodings] : m_bound.profile->time)
        if (profile::sameWithoutCase(key, exact) || profile::sameWithoutCase(key, exact.substr(exact.find('.') + 1)))
            return true;
    return std::any_of(m_bound.fields.begin(), m_bound.fields.end(),
        [&](const auto& field) { return field.first.ends_with("_us") && m_bound.plainColumn(field.first) == &column; });
}

// The columns that it is made of, where all of its values are instants; none: it is no instant, or may be something
// else.
std::optional<std::vector<const Expression*>> ExpressionSql::timeColumnsOf(const Expression& expression)
{
    std::vector<const Expression*> columns;
    const auto add = [&](const Expression& part) {
        auto more = timeColumnsOf(part);
        if (more)
            columns.insert(columns.end(), more->begin(), more->end());
        return more.has_value();
    };
    switch (expression.op) {
    case Op::Now:
    case Op::AddSeconds:
    case Op::AddInterval:
        return columns;
    case Op::Literal:
        return std::holds_alternative<std::monostate>(expression.literal) ? std::optional(columns) : std::nullopt;
    case Op::Column:
    case Op::Old: {
        const auto* resolved = column(expression);
        if (resolved == nullptr || !isTimeColumn(*resolved, expression.name))
            return std::nullopt;
        return std::vector{ &expression };
    }
    default: {
        const auto values = profile::chosenValues(expression);
        const bool all =
            !values.empty() && std::all_of(values.begin(), values.end(), [&](const auto& one) { return add(*one); });
        return all ? std::optional(columns) : std::nullopt;
    }
    }
}

// In columns of one encoding whose values stand in the order of their instants, which an index has too.
bool ExpressionSql::areComparedAsTheyAre(const std::vector<const Expression*>& columns)
{
    std::string all;
    for (const auto* each : columns) {
        const auto* resolved = column(*each);
        const auto encoding = resolved != nullptr ? encodingOf(*each, *resolved) : std::string();
        const bool isText =
            resolved != nullptr && (sqlite() ? encoding.find("epoch_") != 0 : resolved->typeClass == TypeClass::Text);
        if (isText || (!all.empty() && encoding != all))
            return false;
        all = encoding;
    }
    return true;
}

// None: neither is one.
std::optional<std::string> ExpressionSql::comparedInstants(
    const Expression& left, std::string_view comparison, const Expression& right)
{
    const auto ofLeft = timeColumnsOf(left);
    const auto ofRight = timeColumnsOf(right);
    for (const auto& [now, other, known] : { std::tuple(&left, &right, &ofRight), std::tuple(&right, &left, &ofLeft) })
        // What it is compared with says nothing of its encoding, so this does.
        if (isNamedNow(*now) && !known->has_value()) {
            const auto value = encoded(now->name, nowMicros());
            const auto with = natural(*other);
            return now == &left ? value + ' ' + std::string(comparison) + ' ' + with
                                : with + ' ' + std::string(comparison) + ' ' + value;
        }
    const bool computed = profile::isOfInstants(left) || profile::isOfInstants(right);
    if (!computed) {
        if (!ofLeft || !ofRight || (ofLeft->empty() || ofRight->empty()))
            return std::nullopt;
        auto columns = *ofLeft;
        columns.insert(columns.end(), ofRight->begin(), ofRight->end());
        if (areComparedAsTheyAre(columns))
            return std::nullopt;
    }
    if (comparison != "<>") {
        if (const auto cut = cutOf(right))
            return compareInstant(left, comparison, *cut);
        if (const auto cut = cutOf(left))
            return compareInstant(right, mirrored(comparison), *cut);
    }
    return micros(left) + ' ' + std::string(comparison) + ' ' + micros(right);
}

// So far from now.
std::optional<Cut> ExpressionSql::cutOf(const Expression& expression)
{
    if (expression.op == Op::Now)
        return Cut{};
    if (expression.op != Op::AddInterval || expression.arguments[0]->op != Op::Now)
        return std::nullopt;
    return Cut{ .at = {}, .fromNow = span(*expression.arguments[1]) };
}

// A value of another encoding, made of columns alone: as it is it would be another instant.
bool ExpressionSql::isOtherInstant(const CatalogColumn& column, const std::string& name, const Expression& value)
{
    if (!isTimeColumn(column, name))
        return false;
    const auto columns = timeColumnsOf(value);
    if (!columns || columns->empty())
        return false;
    const auto encoding = encodingOf(name, column);
    const bool isOne = std::all_of(columns->begin(), columns->end(), [&](const Expression* each) {
        const auto* resolved = this->column(*each);
        return resolved != nullptr && encodingOf(*each, *resolved) == encoding;
    });
    return !isOne || (value.op == Op::Greatest && !areComparedAsTheyAre(*columns));
}

} // namespace fencepost::store
