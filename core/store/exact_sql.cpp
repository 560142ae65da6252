// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "core/ids.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

namespace {

std::optional<std::int64_t> integerOf(const std::string& text)
{
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

std::optional<double> realOf(const std::string& text)
{
    double number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

bool isNumeric(TypeClass typeClass)
{
    return typeClass == TypeClass::Integer || typeClass == TypeClass::Number || typeClass == TypeClass::Boolean
        || typeClass == TypeClass::LocalInstant;
}

// SQLite. A column without affinity keeps numbers and texts apart, and none makes a number of the word for the infinite
// one.
bool mayBeTextOrNumber(const CatalogColumn& column, const std::string& value)
{
    const auto real = realOf(value);
    return real && (column.typeClass == TypeClass::Octets || (isNumeric(column.typeClass) && std::isinf(*real)));
}

// Types without an equality of their own are compared as text.
bool comparedAsText(const CatalogColumn& column)
{
    return column.type == "json" || column.type == "xml";
}

} // namespace

bool octetForm(std::string_view text)
{
    return text.size() > 1 && text[0] == '\\' && (text[1] == 'x' || text[1] == 'b');
}

std::optional<std::string> octetsOf(const std::string& exact)
{
    if (!octetForm(exact))
        return std::nullopt;
    const auto octets = fromHex(std::string_view(exact).substr(2));
    return octets ? std::optional(*octets) : std::nullopt;
}

std::string storedText(const std::string& exact)
{
    return octetsOf(exact).value_or(exact);
}

bool isSentAsText(const CatalogColumn& column)
{
    return column.type == "text" || column.type.rfind("character varying", 0) == 0;
}

std::optional<std::string> exactForm(const NativeRow& row, int place, Dialect dialect, const CatalogColumn& column)
{
    auto value = row.exact(place);
    // A text that looks like the form of octets would be taken for them.
    const bool text = dialect == Dialect::PostgreSql && isSentAsText(column) && value && isUtf8(row.octets(place));
    if (text && octetForm(*value))
        return "\\x" + toHex(*value);
    return value;
}

std::string readableForm(const std::string& form, Dialect dialect, const CatalogColumn& column)
{
    if (dialect == Dialect::PostgreSql && !isSentAsText(column))
        return form;
    const auto octets =
        column.typeClass != TypeClass::Octets && form.rfind("\\x", 0) == 0 ? octetsOf(form) : std::nullopt;
    return octets && isUtf8(*octets) && octets->find('\0') == std::string::npos ? *octets : form;
}

std::string publicForm(std::string exact, Dialect dialect, const CatalogColumn& column)
{
    if (dialect == Dialect::Sqlite && column.typeClass == TypeClass::Octets && exact.rfind("\\b", 0) == 0)
        exact[1] = 'x';
    return exact;
}

std::string ExpressionSql::exact(const CatalogColumn& column) const
{
    const auto value = reference(column);
    return sqlite() || isSentAsText(column) ? value : "CAST(" + value + " AS text)";
}

// PostgreSQL. Octets that are no UTF-8 can only stand in a database without an encoding. The encoding is asked for in
// the statement, so that it is not converted where it would be an error.
std::string ExpressionSql::exactText(const CatalogColumn& column, const std::string& value)
{
    const auto octets = isSentAsText(column) && value.rfind("\\x", 0) == 0 ? octetsOf(value) : std::nullopt;
    const bool text = octets && isUtf8(*octets) && octets->find('\0') == std::string::npos;
    const std::string literal =
        "CAST(" + bind(text ? *octets : value) + " AS " + (comparedAsText(column) ? "text" : column.type) + ")";
    if (!octets || text)
        return literal;
    return "CASE WHEN getdatabaseencoding() = 'SQL_ASCII' THEN convert_from(CAST(" + bind(Octets{ *octets })
        + " AS bytea), getdatabaseencoding()) ELSE " + literal + " END";
}

std::string ExpressionSql::exactValue(const CatalogColumn& column, const std::string& value)
{
    if (!sqlite())
        return exactText(column, value);
    if (const auto octets = octetsOf(value)) {
        const auto name = bind(Octets{ *octets });
        const bool blob = value[1] == 'b' || column.typeClass == TypeClass::Octets;
        return blob ? name : "CAST(" + name + " AS TEXT)";
    }
    if (!isUtf8(value) || value.find('\0') != std::string::npos)
        return "CAST(" + bind(Octets{ value }) + " AS TEXT)";
    const auto number = isNumeric(column.typeClass) ? integerOf(value) : std::nullopt;
    return number ? bind(*number) : bind(value);
}

std::optional<double> ExpressionSql::fractionIn(const CatalogColumn& column, const std::string& value)
{
    return isNumeric(column.typeClass) && !integerOf(value) ? realOf(value) : std::nullopt;
}

std::string ExpressionSql::exactEquals(const CatalogColumn& column, const std::string& value)
{
    const auto subject = reference(column);
    if (!sqlite())
        return (comparedAsText(column) ? "CAST(" + subject + " AS text)" : subject) + " = " + exactValue(column, value);
    if (const auto octets = octetsOf(value)) {
        if (column.typeClass != TypeClass::Octets)
            return subject + " = " + exactValue(column, value);
        // There the public form "\x" does not say whether it was text or a blob.
        const auto blob = bind(Octets{ *octets });
        const auto asText = bind(Octets{ *octets });
        return subject + " IN (CAST(" + asText + " AS TEXT), " + blob + ")";
    }
    if (!mayBeTextOrNumber(column, value))
        return subject + " = " + exactValue(column, value);
    const auto integer = integerOf(value);
    return subject + " IN (" + bind(value) + ", " + (integer ? bind(*integer) : bind(*realOf(value))) + ")";
}

std::string ExpressionSql::unchanged(const CatalogColumn& column, const std::optional<std::string>& value)
{
    const auto subject = reference(column);
    if (sqlite()) {
        if (!value)
            return subject + " IS " + bind(std::monostate{});
        if (octetsOf(*value) || mayBeTextOrNumber(column, *value))
            return exactEquals(column, *value);
        return subject + " IS " + exactValue(column, *value);
    }
    return (comparedAsText(column) ? "CAST(" + subject + " AS text)" : subject) + " IS NOT DISTINCT FROM "
        + (value ? exactText(column, *value)
                 : "CAST(" + bind(std::monostate{}) + " AS " + (comparedAsText(column) ? "text" : column.type) + ")");
}

std::string ExpressionSql::assignedExact(const CatalogColumn& column, const std::optional<std::string>& value)
{
    if (!value)
        return "NULL";
    // Assigned, json is json again.
    if (!sqlite() && comparedAsText(column))
        return "CAST(" + bind(*value) + " AS " + column.type + ")";
    return exactValue(column, *value);
}

std::string ExpressionSql::assigned(
    const CatalogColumn& column, const std::string& name, const profile::Expression& value)
{
    using Op = profile::Expression::Op;
    switch (value.op) {
    case Op::Now:
        // What it names is for a column that tells no encoding itself.
        return value.name.empty() || isTimeColumn(column, name) ? assignedInstant(column, name, nowMicros())
                                                                : encoded(value.name, nowMicros());
    case Op::AddSeconds:
    case Op::AddInterval: {
        const auto from = timeColumnsOf(*value.arguments[0]);
        return assignedInstant(column, name, micros(value), from && !from->empty());
    }
    case Op::Literal:
    case Op::Param: {
        const auto scalar = constant(value);
        if (!scalar)
            return fail(Failure::Invalid, "no value for the parameter \"" + value.name + "\"");
        return scalarAs(column, *scalar);
    }
    case Op::Case:
    case Op::Coalesce:
    case Op::Column:
    case Op::From:
    case Op::Greatest:
    case Op::Old:
        if (const bool isOther = isOtherInstant(column, name, value); isOther || profile::isOfInstants(value))
            return assignedInstant(column, name, micros(value), isOther);
        break;
    default:
        break;
    }
    const auto text = natural(value);
    return sqlite() || value.op == Op::Column ? text : "CAST(" + text + " AS " + column.type + ")";
}

} // namespace fencepost::store
