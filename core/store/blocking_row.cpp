// SPDX-License-Identifier: Apache-2.0
#include "core/store/blocking_row.h"

#include <algorithm>

#include "core/store/expression_sql.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

namespace {

using Columns = std::vector<const CatalogColumn*>;

// More than a few say no more.
constexpr auto shownRows = "3";
constexpr auto otherRow = "o";

bool isUniqueViolation(const Error& error)
{
    return error.code == "23505" || error.code == "2067" || error.code == "1555";
}

Columns columnsOfIndex(const CatalogTable& table, const std::string& words)
{
    Columns columns;
    for (const auto& index : table.indexes)
        if (index.unique
            && (words.find('"' + index.name + '"') != std::string::npos
                || words.find('\'' + index.name + '\'') != std::string::npos))
            for (const auto& name : index.columns)
                if (const auto* column = name.empty() ? nullptr : table.find(name))
                    columns.push_back(column);
    return columns;
}

// SQLite names the columns: "UNIQUE constraint failed: jobs.queue, jobs.unique_key".
Columns namedColumns(const CatalogTable& table, const std::string& words)
{
    Columns columns;
    constexpr std::string_view before = "constraint failed: ";
    auto at = words.find(before);
    if (at == std::string::npos)
        return columns;
    const auto list = words.substr(at + before.size()) + ',';
    for (const auto& column : table.columns)
        if (list.find(table.name + '.' + column.name + ',') != std::string::npos
            || list.find(table.name + '.' + column.name + ' ') != std::string::npos)
            columns.push_back(&column);
    return columns;
}

// What the row was to have in a column: what the action writes there, or what it has.
std::string wanted(ExpressionSql& sql, const profile::Action* action, const CatalogColumn& column)
{
    if (action != nullptr)
        for (const auto& step : action->steps)
            for (const auto& [name, value] : step.set)
                if (step.kind == profile::Step::Kind::Set && sql.bound().column(name) == &column)
                    return sql.assigned(column, name, *value);
    return sql.reference(column);
}

struct Blocking {
    std::vector<std::string> identity;
    std::string state;
};

Result<std::vector<Blocking>> find(Connection& connection, const BoundProfile& bound, const Change& change,
    const DecidingClock& now, const Columns& columns)
{
    const auto* action = change.parameters.contains("undo_of") ? nullptr : actionOf(*bound.profile, change.verb);
    auto parameters = parametersFor(bound, change.parameters);
    if (!parameters)
        return parameters.error();
    SqlText text;
    ExpressionSql sql(bound, text, now);
    sql.setParameters(std::move(*parameters));
    sql.setSeen(&change.seen);
    const auto of = [](const CatalogColumn& column) { return otherRow + ('.' + quotedName(column.name)); };
    std::string identity;
    std::string same;
    std::string itself;
    const auto key = bound.identity();
    for (const auto* column : key) {
        const bool plain = bound.dialect == Dialect::Sqlite || isSentAsText(*column);
        identity += (identity.empty() ? "" : ", ") + (plain ? of(*column) : "CAST(" + of(*column) + " AS text)");
        itself += (itself.empty() ? "" : " AND ") + (of(*column) + " = " + sql.reference(*column));
    }
    for (const auto* column : columns)
        same += " AND " + of(*column) + " = " + wanted(sql, action, *column);
    const auto where = identityCondition(sql, change.identity);
    if (!where)
        return where.error();
    if (sql.error())
        return *sql.error();
    text.sql = "SELECT " + identity + " FROM " + qualified(bound.table) + " AS t, " + qualified(bound.table) + " AS "
        + otherRow + " WHERE " + *where + same + " AND NOT (" + itself + ") ORDER BY " + identity + " LIMIT "
        + shownRows;
    std::vector<Blocking> found;
    const auto read = connection.native().read(text, [&](const NativeRow& row) {
        auto& values = found.emplace_back().identity;
        for (std::size_t i = 0; i < key.size(); ++i)
            values.push_back(
                publicForm(exactForm(row, static_cast<int>(i), bound.dialect, *key[i]).value_or(std::string()),
                    bound.dialect, *key[i]));
    });
    return read ? Result<std::vector<Blocking>>(std::move(found)) : Result<std::vector<Blocking>>(read.error());
}

void addState(Connection& connection, const BoundProfile& bound, const DecidingClock& now, Blocking& row)
{
    SqlText text;
    ExpressionSql sql(bound, text, now);
    const auto state = sql.stateWord();
    const auto where = identityCondition(sql, row.identity);
    if (!where || sql.error())
        return;
    text.sql = "SELECT " + (bound.dialect == Dialect::Sqlite ? state : "CAST(" + state + " AS text)") + " FROM "
        + qualified(bound.table) + " AS t WHERE " + *where;
    (void)connection.native().read(text, [&](const NativeRow& source) { row.state = source.text(0); });
}

} // namespace

Error withBlockingRow(
    Connection& connection, const BoundProfile& bound, const Change& change, const DecidingClock& now, Error error)
{
    if (!isUniqueViolation(error) || bound.profile->native)
        return error;
    auto columns = columnsOfIndex(bound.table, error.detail);
    if (columns.empty())
        columns = namedColumns(bound.table, error.detail);
    if (columns.empty())
        return error;
    auto rows = find(connection, bound, change, now, columns);
    if (!rows || rows->empty())
        return error;
    std::string names;
    for (const auto* column : columns)
        names += (names.empty() ? "" : ", ") + column->name;
    std::string blockers;
    for (auto& row : *rows) {
        addState(connection, bound, now, row);
        blockers += blockers.empty() ? "" : ", ";
        for (std::size_t i = 0; i < row.identity.size(); ++i)
            blockers += (i > 0 ? " " : "") + row.identity[i];
        blockers += row.state.empty() ? "" : " (" + row.state + ")";
    }
    error.message += ": it is blocked by " + blockers + ", which has the same " + names;
    return error;
}

} // namespace fencepost::store
