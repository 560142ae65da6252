// SPDX-License-Identifier: Apache-2.0
#include "core/store/sampling.h"

#include <algorithm>
#include <set>

#include "core/in_quotes.h"
#include "core/profile/profile.h"
#include "core/store/capabilities.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

namespace {

using Op = profile::Expression::Op;

// Sorting as many rows takes less than a frame or two; beyond, an order needs an index.
constexpr std::int64_t smallTable = 50'000;
constexpr int rowsOfASample = 10'000;
constexpr int sampledValues = 50;
constexpr std::size_t shownOfAValue = 60;

Result<std::vector<std::string>> readTexts(Connection& connection, const SqlText& text)
{
    auto statement = prepared(connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    std::vector<std::string> values;
    while ((*statement)->next())
        values.push_back((*statement)->text(0));
    const auto ended = (*statement)->error();
    (*statement)->finish();
    if (!ended)
        return ended.error();
    return values;
}

// The literals that the profile's states compare a column with; none where some state takes all but a few.
std::set<std::string> literalsOf(const BoundProfile& bound, const CatalogColumn& column)
{
    std::set<std::string> literals;
    bool allBut = false;
    for (const auto& state : bound.profile->states)
        eachNode(*state.when, [&](const profile::Expression& node) {
            allBut = allBut || node.op == Op::Not || node.op == Op::Ne;
            if (node.arguments.empty() || node.arguments[0]->op != Op::Column
                || bound.column(node.arguments[0]->name) != &column)
                return;
            for (const auto& argument : node.arguments)
                if (const auto* text = std::get_if<std::string>(&argument->literal); text != nullptr)
                    literals.insert(*text);
        });
    return allBut ? std::set<std::string>() : literals;
}

// Columns whose values are words, and the words that are expected there: as the profile lists them, or else as its
// states name them where none of them takes all the rest.
std::map<const CatalogColumn*, std::set<std::string>> expectedValues(const BoundProfile& bound)
{
    std::map<const CatalogColumn*, std::set<std::string>> expected;
    for (const auto& [name, values] : bound.profile->detect.values)
        if (const auto* column = bound.column(name); column != nullptr && column->canSelect)
            expected[column] = { values.begin(), values.end() };
    const auto* state = bound.plainColumn("raw_state");
    const auto field = bound.fields.find("raw_state");
    if (state == nullptr && field != bound.fields.end() && field->second->op == Op::Text
        && field->second->arguments[0]->op == Op::Column)
        state = bound.column(field->second->arguments[0]->name);
    if (state == nullptr || expected.contains(state) || bound.profile->states.back().when->op == Op::True)
        return expected;
    if (auto literals = literalsOf(bound, *state); !literals.empty())
        expected[state] = std::move(literals);
    return expected;
}

bool isLed(const CatalogTable& table, const CatalogColumn& column)
{
    return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const CatalogIndex& index) {
        return !index.partial && !index.columns.empty() && index.columns.front() == column.name;
    });
}

// From one value to the next by the index, so that a rare one among millions is found too; else the first rows.
std::string valuesOf(const BoundProfile& bound, const CatalogColumn& column)
{
    const auto name = quotedName(column.name);
    const auto table = qualified(bound.table);
    const auto limit = std::to_string(sampledValues);
    const auto first = "(SELECT v." + name + " FROM " + table + " AS v WHERE v." + name + " IS NOT NULL ORDER BY v."
        + name + " LIMIT 1)";
    const auto last = bound.dialect == Dialect::Sqlite ? "s.v" : "CAST(s.v AS " + column.type + ")";
    const auto next = "(SELECT v." + name + " FROM " + table + " AS v WHERE v." + name + " > " + last + " ORDER BY v."
        + name + " LIMIT 1)";
    if (isLed(bound.table, column))
        return "WITH RECURSIVE s(v) AS (SELECT CAST(" + first + " AS TEXT) UNION ALL SELECT CAST(" + next
            + " AS TEXT) FROM s WHERE s.v IS NOT NULL) SELECT v FROM s WHERE v IS NOT NULL LIMIT " + limit;
    return "SELECT DISTINCT CAST(s.v AS TEXT) FROM (SELECT q." + name + " AS v FROM " + table + " AS q LIMIT "
        + std::to_string(rowsOfASample) + ") AS s WHERE s.v IS NOT NULL LIMIT " + limit;
}

std::string shortened(const std::string& value)
{
    return value.size() > shownOfAValue ? value.substr(0, shownOfAValue) + "…" : value;
}

} // namespace

Result<bool> isSmall(Connection& connection, const BoundProfile& bound)
{
    const auto& table = bound.table;
    if (table.estimate && *table.estimate > smallTable)
        return false;
    SqlText text;
    text.sql = "SELECT count(*) FROM (SELECT 1 FROM " + qualified(table) + " AS q LIMIT "
        + std::to_string(smallTable + 1) + ") AS s";
    const auto counted = readTexts(connection, text);
    if (!counted)
        return counted.error();
    return !counted->empty() && std::stoll(counted->front()) <= smallTable;
}

Status checkValues(Connection& connection, BoundProfile& bound)
{
    for (const auto& [column, expected] : expectedValues(bound)) {
        SqlText text;
        text.sql = valuesOf(bound, *column);
        const auto values = readTexts(connection, text);
        if (!values)
            return values.error();
        for (const auto& value : *values)
            if (!expected.contains(value))
                bound.binding.warnings.push_back("the column " + column->name + " has the value "
                    + inQuotes(shortened(value)) + ", which the profile does not know");
    }
    return {};
}

Status checkZones(Connection& connection, const BoundProfile& bound)
{
    constexpr std::string_view naive = "naive:";
    if (connection.dialect() == Dialect::Sqlite)
        return {};
    std::set<std::string> zones;
    for (const auto& [column, encodings] : bound.profile->time)
        for (const auto& [dialect, encoding] : encodings)
            if (dialect != "sqlite" && encoding.rfind(naive, 0) == 0 && encoding != profile::appLocalTime
                && encoding != "naive:UTC")
                zones.insert(encoding.substr(naive.size()));
    for (const auto& zone : zones) {
        SqlText text;
        text.sql = "SELECT CAST(statement_timestamp() AT TIME ZONE CAST(" + text.bind(zone) + " AS text) AS text)";
        if (const auto read = readTexts(connection, text); !read)
            return read.error();
    }
    return {};
}

} // namespace fencepost::store
