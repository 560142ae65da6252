// SPDX-License-Identifier: Apache-2.0
#include "core/store/expression_sql.h"

#include <algorithm>
#include <charconv>

#include "core/ids.h"
#include "core/profile/chosen_values.h"
#include "core/store/capabilities.h"
#include "core/store/json_sql.h"
#include "core/store/literal_fit.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using profile::Scalar;
using Op = Expression::Op;

bool isWord(const Scalar& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr && !text->empty()
        && std::all_of(text->begin(), text->end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

} // namespace

ExpressionSql::ExpressionSql(const BoundProfile& bound, SqlText& out, DecidingClock now)
    : m_bound(bound)
    , m_out(out)
    , m_now(now)
{
}

std::string ExpressionSql::fail(Failure failure, std::string message)
{
    if (!m_error)
        m_error = Error{ failure, std::move(message), {}, {} };
    return "NULL";
}

std::string ExpressionSql::bindText(const std::string& value)
{
    auto& name = m_boundTexts[value];
    if (name.empty())
        name = bind(value);
    return sqlite() ? name : "CAST(" + name + " AS text)";
}

std::string ExpressionSql::bindInteger(std::int64_t value)
{
    auto& name = m_boundIntegers[value];
    if (name.empty())
        name = bind(value);
    return sqlite() ? name : "CAST(" + name + " AS bigint)";
}

std::string ExpressionSql::reference(const CatalogColumn& column) const
{
    return m_bound.aliasOf(column) + '.' + quotedName(column.name);
}

const CatalogColumn* ExpressionSql::column(const Expression& expression)
{
    const auto* found = m_bound.column(expression.name);
    if (found == nullptr)
        fail(Failure::Unsupported, "the table has no column \"" + expression.name + "\"");
    return found;
}

std::string ExpressionSql::complement(const std::string& condition)
{
    return "(" + condition + ") IS NOT TRUE";
}

// PostgreSQL finds a flag that is not set in an index when it is asked for by its values alone.
std::string ExpressionSql::complementOf(const Expression& expression, const std::string& condition)
{
    const bool isFlag = !sqlite() && expression.op == Op::IsTrue && expression.arguments[0]->op == Op::Column;
    const auto* flag = isFlag ? column(*expression.arguments[0]) : nullptr;
    if (flag == nullptr || flag->typeClass != TypeClass::Boolean)
        return complement(condition);
    const auto value = reference(*flag);
    return '(' + value + " IS FALSE OR " + value + " IS NULL)";
}

std::string ExpressionSql::predicate(const Expression& expression)
{
    const auto& arguments = expression.arguments;
    switch (expression.op) {
    case Op::And:
        return joined(expression, " AND ", "");
    case Op::Or:
        return alternatives(expression);
    case Op::Not:
        return negated(*arguments[0]);
    case Op::Exists:
        return existing(expression);
    default:
        return looksIntoHidden(expression) ? ofHidden(expression) : test(expression);
    }
}

std::string ExpressionSql::test(const Expression& expression)
{
    const auto& arguments = expression.arguments;
    switch (expression.op) {
    case Op::Eq:
        return compared(expression, "=");
    case Op::Ne:
        return compared(expression, "<>");
    case Op::Lt:
        return compared(expression, "<");
    case Op::Le:
        return compared(expression, "<=");
    case Op::Gt:
        return compared(expression, ">");
    case Op::Ge:
        return compared(expression, ">=");
    case Op::In:
        return membership(expression);
    case Op::IsNull:
        return natural(*arguments[0]) + " IS NULL";
    case Op::NotNull:
        return natural(*arguments[0]) + " IS NOT NULL";
    case Op::IsTrue: {
        const auto* resolved = typeOf(*arguments[0]);
        const bool boolean = sqlite() || resolved == nullptr || resolved->typeClass == TypeClass::Boolean;
        return natural(*arguments[0]) + (boolean ? " IS TRUE" : " <> 0");
    }
    case Op::True:
        return sqlite() ? "1 = 1" : "TRUE";
    case Op::OlderThan:
        return compareInstant(*arguments[0], "<", { .at = {}, .fromNow = -span(*arguments[1]) });
    case Op::Past:
        return compareInstant(*arguments[0], "<=", {});
    case Op::Future:
        return compareInstant(*arguments[0], ">", {});
    default:
        return fail(Failure::Internal, "a value stands where a condition is needed");
    }
}

std::string ExpressionSql::joined(const Expression& expression, std::string_view joint, std::string_view function)
{
    std::string text(function);
    text += '(';
    for (std::size_t i = 0; i < expression.arguments.size(); ++i) {
        const auto& argument = *expression.arguments[i];
        text += i > 0 ? std::string(joint) : std::string();
        if (expression.op == Op::And || expression.op == Op::Or)
            text += predicate(argument);
        else
            text += expression.op == Op::Concat ? this->text(argument) : natural(argument);
    }
    return text + ')';
}

std::string ExpressionSql::alternatives(const Expression& expression)
{
    auto there = expression;
    std::erase_if(there.arguments, [&](const auto& term) { return isLeftOut(m_bound, *term); });
    return there.arguments.empty() ? (sqlite() ? "0" : "FALSE") : joined(there, " OR ", "");
}

std::optional<Scalar> ExpressionSql::constant(const Expression& expression)
{
    if (expression.op == Op::Literal)
        return expression.literal;
    if (expression.op != Op::Param)
        return std::nullopt;
    const auto declared = m_bound.profile->params.find(expression.name);
    const bool isDeclared = declared != m_bound.profile->params.end();
    if (const auto given = m_parameters.find(expression.name); given != m_parameters.end()) {
        std::int64_t number = 0;
        const auto* end = given->second.data() + given->second.size();
        const auto read = std::from_chars(given->second.data(), end, number);
        if (isDeclared && declared->second.type == "integer" && read.ec == std::errc() && read.ptr == end)
            return number;
        return given->second;
    }
    return isDeclared ? std::optional(declared->second.standard) : std::nullopt;
}

std::string ExpressionSql::scalar(const Scalar& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return "NULL";
    if (const auto* flag = std::get_if<bool>(&value))
        return sqlite() ? (*flag ? "1" : "0") : (*flag ? "TRUE" : "FALSE");
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return bindInteger(*number);
    if (const auto* number = std::get_if<double>(&value))
        return sqlite() ? bind(*number) : "CAST(" + bind(*number) + " AS double precision)";
    return bindText(std::get<std::string>(value));
}

std::string ExpressionSql::scalarAs(const CatalogColumn& column, const Scalar& value)
{
    // Our own states are written out: SQLite uses a partial index for a literal only.
    if (m_bound.profile->native && isWord(value))
        return '\'' + std::get<std::string>(value) + '\'';
    if (sqlite() || std::holds_alternative<std::monostate>(value) || column.typeClass == TypeClass::Text)
        return column.typeClass == TypeClass::Text && !std::holds_alternative<std::monostate>(value)
            ? bindText(textOf(value))
            : scalar(value);
    return "CAST(" + bind(textOf(value)) + " AS " + column.type + ")";
}

std::string ExpressionSql::operand(const Expression& expression, const Expression& peer)
{
    const auto value = constant(expression);
    if (value)
        if (const auto* resolved = typeOf(peer) != nullptr ? typeOf(peer) : chosenType(peer))
            return scalarAs(*resolved, *value);
    return natural(expression);
}

// Of the columns among which a value is chosen, one of a type that PostgreSQL takes no plain text or number for.
const CatalogColumn* ExpressionSql::chosenType(const Expression& expression)
{
    if (sqlite())
        return nullptr;
    if (const auto* column = typeOf(expression)) {
        const auto known = column->typeClass;
        const bool isPlain = known == TypeClass::Text || known == TypeClass::Integer || known == TypeClass::Number
            || known == TypeClass::Boolean;
        return isPlain ? nullptr : column;
    }
    const CatalogColumn* type = nullptr;
    for (const auto& value : profile::chosenValues(expression))
        type = type != nullptr ? type : chosenType(*value);
    return type;
}

std::vector<std::string> ExpressionSql::choices(const Expression& expression)
{
    const auto* type = chosenType(expression);
    std::vector<std::string> texts;
    for (const auto& one : profile::chosenValues(expression)) {
        const auto known = type != nullptr ? constant(*one) : std::nullopt;
        texts.push_back(known ? scalarAs(*type, *known) : natural(*one));
    }
    return texts;
}

// The column that a value is taken from as it is.
const CatalogColumn* ExpressionSql::typeOf(const Expression& expression)
{
    if (expression.op == Op::Column)
        return column(expression);
    return expression.op == Op::From ? typeOf(*expression.arguments[1]) : nullptr;
}

// A label that an enum does not have would be an error of the whole statement, and no row can have it.
bool ExpressionSql::isNoLabelOf(const Expression& value, const Expression& peer)
{
    const auto scalar = constant(value);
    const auto* label = scalar ? std::get_if<std::string>(&*scalar) : nullptr;
    const auto* column = label != nullptr ? typeOf(peer) : nullptr;
    return column != nullptr && column->typeClass == TypeClass::Enum
        && std::find(column->labels.begin(), column->labels.end(), *label) == column->labels.end();
}

std::string ExpressionSql::compared(const Expression& expression, std::string_view comparison)
{
    const auto& left = *expression.arguments[0];
    const auto& right = *expression.arguments[1];
    if (isNoLabelOf(right, left) || isNoLabelOf(left, right))
        return expression.op == Op::Ne ? natural(isNoLabelOf(right, left) ? left : right) + " IS NOT NULL" : "FALSE";
    if (auto instants = comparedInstants(left, comparison, right))
        return *instants;
    auto text = operand(left, right);
    text += ' ';
    text += comparison;
    return text + ' ' + operand(right, left);
}

std::string ExpressionSql::membership(const Expression& expression)
{
    const auto& subject = *expression.arguments[0];
    std::string values;
    for (std::size_t i = 1; i < expression.arguments.size(); ++i)
        if (!isNoLabelOf(*expression.arguments[i], subject))
            values += (values.empty() ? "" : ", ") + operand(*expression.arguments[i], subject);
    return values.empty() ? "FALSE" : natural(subject) + " IN (" + values + ')';
}

std::string ExpressionSql::natural(const Expression& expression)
{
    switch (expression.op) {
    case Op::Literal:
    case Op::Param: {
        const auto value = constant(expression);
        return value ? scalar(*value) : fail(Failure::Invalid, "no value for \"" + expression.name + "\"");
    }
    case Op::Column: {
        const auto* resolved = column(expression);
        return resolved != nullptr ? reference(*resolved) : "NULL";
    }
    case Op::Old: {
        const auto* resolved = column(expression);
        const auto seen =
            m_seen != nullptr ? m_seen->find(expression.name) : std::map<std::string, std::string>::const_iterator();
        if (resolved == nullptr || m_seen == nullptr || seen == m_seen->end())
            return resolved == nullptr || sqlite() ? "NULL" : "CAST(NULL AS " + resolved->type + ")";
        // Beside a value, SQLite gives it no type of its own.
        if (const auto number = sqlite() ? fractionIn(*resolved, seen->second) : std::nullopt)
            return bind(*number);
        return exactValue(*resolved, seen->second);
    }
    case Op::Now:
        return expression.name.empty() ? nowMicros() : encoded(expression.name, nowMicros());
    case Op::AddSeconds:
    case Op::AddInterval:
        return micros(expression);
    case Op::Text:
        return text(*expression.arguments[0]);
    case Op::Hex:
        return hex(*expression.arguments[0]);
    case Op::Concat:
        return joined(expression, " || ", "");
    case Op::Coalesce:
        return firstOf(choices(expression));
    case Op::Add:
    case Op::Sub:
        for (const auto& argument : expression.arguments)
            if (isTextOfTime(*argument))
                return fail(
                    Failure::Unsupported, "times that are texts are no numbers: \"add_s\" adds seconds to them");
        return joined(expression, expression.op == Op::Add ? " + " : " - ", "");
    case Op::Greatest:
        return greatest(choices(expression));
    case Op::From:
        return fetched(expression, natural(*expression.arguments[1]));
    case Op::Case:
        return cases(expression);
    case Op::Json:
        return member(expression);
    default:
        return fail(Failure::Internal, "a condition stands where a value is needed");
    }
}

// SQLite's takes no value alone.
std::string ExpressionSql::firstOf(const std::vector<std::string>& values)
{
    std::string text;
    for (const auto& value : values)
        text += (text.empty() ? "" : ", ") + value;
    return values.size() == 1 ? text : "COALESCE(" + text + ')';
}

// Without those that are none, in both databases.
std::string ExpressionSql::greatest(const std::vector<std::string>& values) const
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::string value = values[i];
        for (std::size_t other = 0; sqlite() && other < values.size(); ++other)
            value += other == i ? "" : ", " + values[other];
        text += (i > 0 ? ", " : "") + (sqlite() ? "COALESCE(" + value + ")" : value);
    }
    return (sqlite() ? "MAX(" : "GREATEST(") + text + ')';
}

std::string ExpressionSql::text(const Expression& expression)
{
    if (expression.op == Op::From)
        return fetched(expression, text(*expression.arguments[1]));
    if (const auto value = constant(expression))
        return bindText(textOf(*value));
    if (expression.op == Op::Column) {
        const auto* resolved = column(expression);
        if (resolved == nullptr)
            return "NULL";
        if (resolved->typeClass == TypeClass::Octets && !sqlite())
            return hex(expression);
        if (!sqlite() && resolved->typeClass == TypeClass::Text)
            return reference(*resolved);
    }
    return "CAST(" + natural(expression) + " AS TEXT)";
}

std::string ExpressionSql::hex(const Expression& expression)
{
    if (expression.op == Op::From)
        return fetched(expression, hex(*expression.arguments[1]));
    const auto value = natural(expression);
    if (sqlite())
        return "CASE typeof(" + value + ") WHEN 'blob' THEN lower(hex(" + value + ")) ELSE " + value + " END";
    const auto* resolved = expression.op == Op::Column ? column(expression) : nullptr;
    if (resolved != nullptr && resolved->typeClass == TypeClass::Octets)
        return "encode(" + value + ", 'hex')";
    return "CAST(" + value + " AS text)";
}

std::string ExpressionSql::cases(const Expression& expression)
{
    const auto& arguments = expression.arguments;
    const auto values = choices(expression);
    std::string text = "CASE";
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
        text += " WHEN " + predicate(*arguments[i]) + " THEN " + values[i / 2];
    return text + " ELSE " + values.back() + " END";
}

// PostgreSQL writes an array in a form of its own; what it holds is read as a JSON array.
std::string ExpressionSql::jsonOf(const Expression& expression)
{
    const auto& inner = expression.op == Op::Text ? *expression.arguments[0] : expression;
    const auto* column = sqlite() ? nullptr : typeOf(inner);
    return column != nullptr && column->type.ends_with("[]") ? "to_jsonb(" + natural(inner) + ")" : natural(expression);
}

std::string ExpressionSql::member(const Expression& expression)
{
    const auto subject = jsonOf(*expression.arguments[0]);
    if (sqlite()) {
        std::string path = "$";
        for (std::size_t i = 1; i < expression.arguments.size(); ++i)
            path += ".\"" + std::get<std::string>(expression.arguments[i]->literal) + '"';
        return "CASE WHEN json_valid(" + subject + ") THEN json_extract(" + subject + ", " + bind(path) + ") END";
    }
    std::string path;
    for (std::size_t i = 1; i < expression.arguments.size(); ++i)
        path += (i > 1 ? ", " : "") + bindText(std::get<std::string>(expression.arguments[i]->literal));
    path = "ARRAY[" + path + ']';
    const auto& first = *expression.arguments[0];
    const auto* column = typeOf(first.op == Op::Text ? *first.arguments[0] : first);
    // What these hold is JSON, and such as can be read.
    if (column != nullptr && (column->type == "jsonb" || column->type.ends_with("[]")))
        return "(CAST(" + subject + " AS jsonb) #>> " + path + ")";
    return memberOfText(subject, path, [this](const std::string& text) { return bindText(text); });
}

} // namespace fencepost::store
