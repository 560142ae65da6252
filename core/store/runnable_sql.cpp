// SPDX-License-Identifier: Apache-2.0
#include "core/store/runnable_sql.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/ids.h"
#include "core/store/native.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

namespace {

// Two minus signs in a row begin a comment.
std::string numberLiteral(std::int64_t number)
{
    return number < 0 ? '(' + std::to_string(number) + ')' : std::to_string(number);
}

std::string textLiteral(std::string_view text)
{
    std::string literal = "'";
    for (const char c : text) {
        literal += c;
        if (c == '\'')
            literal += c;
    }
    return literal + '\'';
}

std::string octetsLiteral(Dialect dialect, std::string_view octets)
{
    const auto hex = toHex(Bytes(octets));
    return dialect == Dialect::Sqlite ? "x'" + hex + '\'' : "'\\x" + hex + "'::bytea";
}

std::string literalOf(const Parameters::Entry& entry, Dialect dialect)
{
    const bool sqlite = dialect == Dialect::Sqlite;
    if (entry.null)
        return "NULL";
    switch (entry.kind) {
    case Parameters::Kind::Text:
        return textLiteral(entry.octets);
    case Parameters::Kind::Octets:
        return octetsLiteral(dialect, entry.octets);
    case Parameters::Kind::Integer:
        return numberLiteral(entry.integer);
    case Parameters::Kind::Boolean:
        return sqlite ? std::to_string(entry.integer) : entry.integer != 0 ? "TRUE" : "FALSE";
    case Parameters::Kind::Time:
        break;
    }
    return sqlite ? numberLiteral(entry.integer)
                  : "timestamptz '" + formatInstant(timeFromMicros(entry.integer)) + '\'';
}

struct Literal {
    Dialect dialect;

    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return numberLiteral(value); }
    std::string operator()(double value) const
    {
        return std::signbit(value) ? '(' + std::to_string(value) + ')' : std::to_string(value);
    }
    std::string operator()(const std::string& value) const { return textLiteral(value); }
    std::string operator()(const Octets& value) const { return octetsLiteral(dialect, value.bytes); }
};

bool isName(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Behind a text, a quoted name or a comment that begins at `at`; `at` itself: none does.
std::size_t behindQuoted(std::string_view sql, std::size_t at)
{
    if (sql.substr(at, 2) == "--")
        return std::min(sql.find('\n', at), sql.size());
    if (sql[at] != '\'' && sql[at] != '"')
        return at;
    const auto end = sql.find(sql[at], at + 1);
    return end == std::string_view::npos ? sql.size() : end + 1;
}

std::string filledIn(std::string_view sql, const std::function<std::string(std::string_view name)>& literal)
{
    std::string text;
    for (std::size_t at = 0; at < sql.size();) {
        auto end = behindQuoted(sql, at);
        if (end == at && sql.substr(at, 2) == "::")
            end = at + 2;
        if (end == at && sql[at] == ':') {
            end = at + 1;
            while (end < sql.size() && isName(sql[end]))
                ++end;
            text += literal(sql.substr(at + 1, end - at - 1));
        } else {
            end = std::max(end, at + 1);
            text += sql.substr(at, end - at);
        }
        at = end;
    }
    return text + ';';
}

} // namespace

std::string runnable(const NamedSql& sql, Dialect dialect, const Parameters& parameters)
{
    return filledIn(sql.of(dialect), [&](std::string_view name) {
        const auto entries = parameters.entries();
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
        return found == entries.end() ? "NULL" : literalOf(*found, dialect);
    });
}

std::string runnable(const SqlText& text, Dialect dialect)
{
    return filledIn(text.sql, [&](std::string_view name) {
        const auto found = std::find_if(
            text.values.begin(), text.values.end(), [&](const auto& value) { return value.first == name; });
        return found == text.values.end() ? "NULL" : std::visit(Literal{ dialect }, found->second);
    });
}

} // namespace fencepost::store
