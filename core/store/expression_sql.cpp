// SPDX-License-Identifier: Apache-2.0
#include "core/store/expression_sql.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/ids.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using profile::Scalar;
using Op = Expression::Op;

std::string textOf(const Scalar& value)
{
    struct Writer {
        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const { return std::to_string(number); }
        std::string operator()(const std::string& text) const { return text; }
    };
    return std::visit(Writer{}, value);
}

bool isWord(const Scalar& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr && !text->empty()
        && std::all_of(text->begin(), text->end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

// No row can meet both: another literal of the same column, or an exclusion list that names this one.
bool excludes(const Expression& earlier, const Expression& later)
{
    if (later.op != Op::Eq || later.arguments[0]->op != Op::Column || later.arguments[1]->op != Op::Literal)
        return false;
    const auto sameColumn = [&](const Expression& e) {
        return e.arguments[0]->op == Op::Column && e.arguments[0]->name == later.arguments[0]->name;
    };
    const auto& literal = later.arguments[1]->literal;
    if (earlier.op == Op::Eq && sameColumn(earlier) && earlier.arguments[1]->op == Op::Literal)
        return earlier.arguments[1]->literal != literal;
    if (earlier.op != Op::Not || earlier.arguments[0]->op != Op::In || !sameColumn(*earlier.arguments[0]))
        return false;
    const auto& list = earlier.arguments[0]->arguments;
    return std::any_of(list.begin() + 1, list.end(), [&](const auto& entry) { return entry->literal == literal; });
}

// A hold outlasts the expiry, and of a value that nobody knows nothing else is known either.
bool expires(std::string_view word)
{
    return word != "HELD" && word != "UNKNOWN";
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
    const auto name = bind(value);
    return sqlite() ? name : "CAST(" + name + " AS text)";
}

std::string ExpressionSql::bindInteger(std::int64_t value)
{
    const auto name = bind(value);
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

std::string ExpressionSql::predicate(const Expression& expression)
{
    const auto& arguments = expression.arguments;
    switch (expression.op) {
    case Op::And:
        return joined(expression, " AND ", "");
    case Op::Or:
        return joined(expression, " OR ", "");
    case Op::Not:
        return complement(predicate(*arguments[0]));
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
        const auto* resolved = arguments[0]->op == Op::Column ? column(*arguments[0]) : nullptr;
        const bool boolean = sqlite() || resolved == nullptr || resolved->typeClass == TypeClass::Boolean;
        return natural(*arguments[0]) + (boolean ? " IS TRUE" : " <> 0");
    }
    case Op::True:
        return sqlite() ? "1 = 1" : "TRUE";
    case Op::Exists:
        return existing(expression, predicate(*arguments[0]));
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

std::string ExpressionSql::existing(const Expression& expression, const std::string& condition)
{
    const auto other = m_bound.others.find(expression.name);
    if (other == m_bound.others.end())
        return fail(Failure::Unsupported, "there is no table for \"" + expression.name + "\" beside it");
    return "EXISTS (SELECT 1 FROM " + qualified(other->second) + " AS " + quotedName(other->first) + " WHERE "
        + condition + ')';
}

std::string ExpressionSql::ownerAlive()
{
    const auto& owners = *m_bound.profile->owners;
    return "CASE WHEN " + predicate(*owners.dead) + " THEN 'no' WHEN " + predicate(*owners.held) + " THEN 'yes' END";
}

std::string ExpressionSql::headKey()
{
    const auto& lane = *m_bound.profile->lane;
    const auto& table = m_bound.others.at(profile::headAlias);
    std::string order;
    for (const auto& name : lane.order)
        if (const auto* column = table.find(name))
            order += (order.empty() ? "" : ", ") + reference(*column);
    const auto& waits = *lane.behind->arguments[0];
    const auto& ahead = *lane.behind->arguments[1]->arguments[0];
    return "CASE WHEN " + predicate(waits) + " THEN (SELECT " + text(*lane.key) + " FROM " + qualified(table) + " AS "
        + quotedName(profile::headAlias) + " WHERE " + predicate(ahead) + " ORDER BY " + order + " LIMIT 1) END";
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

std::optional<Scalar> ExpressionSql::constant(const Expression& expression)
{
    if (expression.op == Op::Literal)
        return expression.literal;
    if (expression.op != Op::Param)
        return std::nullopt;
    if (const auto given = m_parameters.find(expression.name); given != m_parameters.end())
        return given->second;
    const auto declared = m_bound.profile->params.find(expression.name);
    if (declared != m_bound.profile->params.end())
        return declared->second.standard;
    return std::nullopt;
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
    if (value && peer.op == Op::Column)
        if (const auto* resolved = column(peer))
            return scalarAs(*resolved, *value);
    return natural(expression);
}

std::string ExpressionSql::compared(const Expression& expression, std::string_view comparison)
{
    const auto& left = *expression.arguments[0];
    const auto& right = *expression.arguments[1];
    auto text = operand(left, right);
    text += ' ';
    text += comparison;
    return text + ' ' + operand(right, left);
}

std::string ExpressionSql::membership(const Expression& expression)
{
    const auto& subject = *expression.arguments[0];
    std::string text = natural(subject) + " IN (";
    for (std::size_t i = 1; i < expression.arguments.size(); ++i)
        text += (i > 1 ? ", " : "") + operand(*expression.arguments[i], subject);
    return text + ')';
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
            return "NULL";
        return exactValue(*resolved, seen->second);
    }
    case Op::Now:
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
        return joined(expression, ", ", "COALESCE");
    case Op::Add:
        return joined(expression, " + ", "");
    case Op::Sub:
        return joined(expression, " - ", "");
    case Op::Greatest:
        return joined(expression, ", ", sqlite() ? "MAX" : "GREATEST");
    case Op::Case:
        return cases(expression);
    case Op::Json:
        return member(expression);
    default:
        return fail(Failure::Internal, "a condition stands where a value is needed");
    }
}

std::string ExpressionSql::text(const Expression& expression)
{
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
    std::string text = "CASE";
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
        text += " WHEN " + predicate(*arguments[i]) + " THEN " + natural(*arguments[i + 1]);
    return text + " ELSE " + natural(*arguments.back()) + " END";
}

std::string ExpressionSql::member(const Expression& expression)
{
    const auto subject = natural(*expression.arguments[0]);
    if (sqlite()) {
        std::string path = "$";
        for (std::size_t i = 1; i < expression.arguments.size(); ++i)
            path += ".\"" + std::get<std::string>(expression.arguments[i]->literal) + '"';
        return "CASE WHEN json_valid(" + subject + ") THEN json_extract(" + subject + ", " + bind(path) + ") END";
    }
    std::string path;
    for (std::size_t i = 1; i < expression.arguments.size(); ++i)
        path += (i > 1 ? ", " : "") + bindText(std::get<std::string>(expression.arguments[i]->literal));
    return "(CAST(" + subject + " AS jsonb) #>> ARRAY[" + path + "])";
}

std::string ExpressionSql::mappedWord()
{
    std::string text = "CASE";
    for (const auto& state : m_bound.profile->states)
        text += " WHEN " + predicate(*state.when) + " THEN '" + state.is + '\'';
    return text + " ELSE 'UNKNOWN' END";
}

std::string ExpressionSql::stateWord()
{
    if (!m_bound.derivesExpiry())
        return mappedWord();
    std::string text = "CASE";
    for (const auto& state : m_bound.profile->states)
        text += " WHEN " + predicate(*state.when) + " THEN "
            + (expires(state.is) ? "CASE WHEN " + pastExpiry() + " THEN 'EXPIRED' ELSE '" + state.is + "' END"
                                 : '\'' + state.is + '\'');
    return text + " ELSE 'UNKNOWN' END";
}

std::string ExpressionSql::stateIs(std::string_view word)
{
    if (!m_bound.derivesExpiry() || (word != "EXPIRED" && !expires(word)))
        return mappedIs(word);
    if (word != "EXPIRED")
        return '(' + mappedIs(word) + " AND " + complement(pastExpiry()) + ')';
    std::string mapped;
    std::set<std::string> known;
    for (const auto& state : m_bound.profile->states)
        if (expires(state.is) && known.insert(state.is).second)
            mapped += (mapped.empty() ? "" : " OR ") + mappedIs(state.is);
    return mapped.empty() ? "1 = 0" : '(' + pastExpiry() + " AND (" + mapped + "))";
}

std::string ExpressionSql::pastExpiry()
{
    return compareInstant(*m_bound.fields.at("expires_us"), "<=", {});
}

std::string ExpressionSql::mappedIs(std::string_view word)
{
    std::string text;
    const auto& states = m_bound.profile->states;
    const auto add = [&](std::size_t index, const Expression* when) {
        std::string condition = when != nullptr ? predicate(*when) : std::string();
        for (std::size_t i = 0; i < index; ++i)
            if (when == nullptr || !excludes(*states[i].when, *when))
                condition += (condition.empty() ? "" : " AND ") + complement(predicate(*states[i].when));
        text += (text.empty() ? "(" : " OR (") + condition + ')';
    };
    for (std::size_t i = 0; i < states.size(); ++i)
        if (states[i].is == word)
            add(i, states[i].when.get());
    if (word == "UNKNOWN" && states.back().when->op != Op::True)
        add(states.size(), nullptr);
    return text.empty() ? "1 = 0" : '(' + text + ')';
}

} // namespace fencepost::store
