// SPDX-License-Identifier: Apache-2.0
#include "core/store/table_sample.h"

#include <algorithm>
#include <chrono>

#include "core/in_quotes.h"
#include "core/store/read_transaction.h"
#include "core/store/recogniser.h"
#include "core/store/sql_text.h"
#include "core/store/sqlite_estimate.h"

namespace fencepost::store {

namespace {

constexpr auto longestLook = std::chrono::seconds(2);
constexpr int mostSampledRows = 1'000;
constexpr int mostSampledColumns = 1'000;
constexpr int longestText = 4'096;
constexpr int countedRows = 50'000;
constexpr int countedValues = 50;
constexpr auto longestCount = std::chrono::milliseconds(500);
constexpr std::int64_t smallCount = 1'000;
constexpr std::size_t longestState = 256; // a longer text is no word of a state

// The beginning of a value as text. SQLite's columns hold what they like: octets are shown as such.
std::string beginningOf(const CatalogColumn& column, Dialect dialect, int length)
{
    const auto name = "t." + quotedName(column.name);
    const auto most = std::to_string(length);
    const auto octets = std::to_string(length / 2);
    if (dialect == Dialect::Sqlite)
        return "CASE typeof(" + name + ") WHEN 'blob' THEN '\\x' || lower(hex(substr(" + name + ", 1, " + octets
            + "))) ELSE substr(CAST(" + name + " AS TEXT), 1, " + most + ") END";
    if (column.typeClass == TypeClass::Octets)
        return "'\\x' || encode(substring(" + name + " FROM 1 FOR " + octets + "), 'hex')";
    return "left(CAST(" + name + " AS text), " + most + ")";
}

Result<const CatalogColumn*> columnOf(const CatalogTable& table, const std::string& name)
{
    for (const auto& column : table.columns)
        if (column.name == name)
            return &column;
    return Error{ Failure::NotFound, "The table " + inQuotes(table.name) + " has no column " + inQuotes(name) + '.', {},
        {}, "Read the list of tables again" };
}

Result<std::string> selectOf(const CatalogTable& table, Dialect dialect, const SampleRequest& request)
{
    std::string list;
    for (const auto& name : request.columns) {
        const auto column = columnOf(table, name);
        if (!column)
            return column.error();
        list += (list.empty() ? "" : ", ") + beginningOf(**column, dialect, std::clamp(request.length, 1, longestText));
    }
    return "SELECT " + list + " FROM " + qualified(table) + " AS t LIMIT " + std::to_string(request.rows + 1);
}

profile::ColumnType columnTypeOf(TypeClass typeClass)
{
    switch (typeClass) {
    case TypeClass::Text:
        return profile::ColumnType::Text;
    case TypeClass::Integer:
        return profile::ColumnType::Integer;
    case TypeClass::Number:
        return profile::ColumnType::Number;
    case TypeClass::Boolean:
        return profile::ColumnType::Boolean;
    case TypeClass::Octets:
        return profile::ColumnType::Octets;
    case TypeClass::Instant:
        return profile::ColumnType::Instant;
    case TypeClass::LocalInstant:
        return profile::ColumnType::LocalInstant;
    case TypeClass::Uuid:
        return profile::ColumnType::Uuid;
    case TypeClass::Json:
        return profile::ColumnType::Json;
    case TypeClass::Enum:
        return profile::ColumnType::Enum;
    case TypeClass::Other:
        break;
    }
    return profile::ColumnType::Other;
}

std::vector<std::string> primaryKeyOf(const CatalogTable& table)
{
    std::vector<const CatalogColumn*> parts;
    for (const auto& column : table.columns)
        if (column.keyPosition > 0)
            parts.push_back(&column);
    std::sort(parts.begin(), parts.end(), [](const auto* a, const auto* b) { return a->keyPosition < b->keyPosition; });
    std::vector<std::string> names;
    for (const auto* part : parts)
        names.push_back(part->name);
    return names;
}

} // namespace

Result<TableSample> sampleOf(Connection& connection, const CatalogTable& table, const SampleRequest& request)
{
    TableSample sample;
    sample.columns = request.columns;
    if (request.columns.empty())
        return sample;
    if (request.columns.size() > mostSampledColumns || request.rows < 1 || request.rows > mostSampledRows)
        return Error{ Failure::Invalid,
            "A sample has from 1 to 1,000 columns and from 1 to 1,000 rows; more were asked for.", {}, {} };
    const auto sql = selectOf(table, connection.dialect(), request);
    if (!sql)
        return sql.error();
    const auto began = std::chrono::steady_clock::now();
    const auto transaction = ReadTransaction::begin(connection, longestLook);
    if (!transaction)
        return transaction.error();
    SqlText text;
    text.sql = *sql;
    auto statement = prepared(connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    while ((*statement)->next()) {
        if (sample.rows.size() == static_cast<std::size_t>(request.rows)) {
            sample.cut = true;
            break;
        }
        std::vector<std::optional<std::string>> row;
        row.reserve(request.columns.size());
        for (int column = 0; column < static_cast<int>(request.columns.size()); ++column)
            row.push_back((*statement)->optionalText(column));
        sample.rows.push_back(std::move(row));
    }
    const auto ended = sample.cut ? Status() : (*statement)->error();
    (*statement)->finish();
    if (!ended)
        return ended.error();
    sample.cost.time = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
    sample.cost.rows = static_cast<std::int64_t>(sample.rows.size());
    sample.cost.sql = *sql;
    return sample;
}

Result<ValueCounts> valuesOf(Connection& connection, const CatalogTable& table, const std::string& name)
{
    const auto column = columnOf(table, name);
    if (!column)
        return column.error();
    SqlText text;
    const auto isLong = "length(s.v) > " + std::to_string(longestState);
    text.sql = "SELECT CASE WHEN " + isLong + " THEN NULL ELSE s.v END, count(*), CASE WHEN " + isLong
        + " THEN 1 ELSE 0 END FROM (SELECT CAST(t." + quotedName((*column)->name) + " AS TEXT) AS v FROM "
        + qualified(table) + " AS t LIMIT " + std::to_string(countedRows + 1)
        + ") AS s GROUP BY 1, 3 ORDER BY 3 DESC, 2 DESC, 1 LIMIT " + std::to_string(countedValues + 2);
    const auto transaction = ReadTransaction::begin(connection, longestLook);
    if (!transaction)
        return transaction.error();
    auto statement = prepared(connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    ValueCounts counts;
    while ((*statement)->next()) {
        counts.rows += (*statement)->integer(1);
        if ((*statement)->integer(2) != 0)
            counts.longer += (*statement)->integer(1);
        else
            counts.values.push_back({ (*statement)->optionalText(0), (*statement)->integer(1) });
    }
    const auto ended = (*statement)->error();
    (*statement)->finish();
    if (!ended)
        return ended.error();
    counts.allRows = counts.rows <= countedRows;
    counts.allValues = counts.values.size() <= countedValues;
    if (!counts.allValues)
        counts.values.resize(countedValues);
    return counts;
}

profile::TableFacts factsOf(Dialect dialect, const CatalogTable& table)
{
    profile::TableFacts facts;
    facts.dialect = wordOf(dialect);
    facts.schema = table.schema;
    facts.name = table.name;
    facts.view = table.view;
    for (const auto& column : table.columns)
        facts.columns.push_back({ .name = column.name,
            .type = column.type,
            .kind = columnTypeOf(column.typeClass),
            .notNull = column.notNull,
            .keyPosition = column.keyPosition,
            .labels = column.labels });
    if (auto key = primaryKeyOf(table); !key.empty())
        facts.uniqueKeys.push_back(std::move(key));
    for (const auto& index : table.indexes) {
        const bool whole = index.unique && !index.partial && !index.columns.empty()
            && std::find(index.columns.begin(), index.columns.end(), std::string()) == index.columns.end();
        if (whole
            && std::find(facts.uniqueKeys.begin(), facts.uniqueKeys.end(), index.columns) == facts.uniqueKeys.end())
            facts.uniqueKeys.push_back(index.columns);
    }
    return facts;
}

namespace {

// Their number as far as it was counted; nothing where it could not be read.
std::optional<std::int64_t> countUpTo(Connection& connection, const CatalogTable& table, std::int64_t most)
{
    SqlText text;
    text.sql =
        "SELECT count(*) FROM (SELECT 1 FROM " + qualified(table) + " AS t LIMIT " + std::to_string(most) + ") AS s";
    auto statement = prepared(connection, text);
    if (!statement || !(*statement)->run() || !(*statement)->next())
        return std::nullopt;
    const auto rows = (*statement)->integer(0);
    (*statement)->finish();
    return rows;
}

} // namespace

void countRows(Connection& connection, const std::vector<CatalogTable>& catalog, std::vector<SurveyedTable>& tables)
{
    const auto deadline = std::chrono::steady_clock::now() + longestCount;
    const auto transaction = ReadTransaction::begin(connection, longestCount);
    if (!transaction)
        return;
    for (auto& surveyed : tables) {
        const auto table = std::find_if(catalog.begin(), catalog.end(), [&](const CatalogTable& one) {
            return one.schema == surveyed.name.schema && one.name == surveyed.name.table;
        });
        if (table == catalog.end() || table->view)
            continue;
        if (std::chrono::steady_clock::now() > deadline)
            return;
        const auto rows = countUpTo(connection, *table, smallCount + 1);
        if (!rows)
            continue;
        surveyed.counted = *rows <= smallCount;
        if (surveyed.counted)
            surveyed.estimate = rows;
        else if (const auto probed = estimateRows(connection, table->name))
            surveyed.estimate = std::max(*probed, *rows);
    }
}

} // namespace fencepost::store
