// SPDX-License-Identifier: Apache-2.0
#include "core/store/catalog.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/profile/detection.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

std::string uppered(std::string text)
{
    for (char& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return text;
}

// SQLite's own rules of affinity, with the words that people use for instants and booleans kept apart.
TypeClass sqliteClass(const std::string& declared)
{
    const auto type = uppered(declared);
    const auto has = [&](const char* part) { return type.find(part) != std::string::npos; };
    if (type == "ANY")
        return TypeClass::Other;
    if (has("INT"))
        return TypeClass::Integer;
    if (has("CHAR") || has("CLOB") || has("TEXT"))
        return TypeClass::Text;
    if (type.empty() || has("BLOB"))
        return TypeClass::Octets;
    if (has("REAL") || has("FLOA") || has("DOUB"))
        return TypeClass::Number;
    if (has("BOOL"))
        return TypeClass::Boolean;
    if (has("JSON"))
        return TypeClass::Json;
    if (has("UUID"))
        return TypeClass::Uuid;
    if (has("TIME") || has("DATE"))
        return TypeClass::LocalInstant;
    return TypeClass::Number;
}

TypeClass postgresClass(const std::string& type, const std::string& category, const std::string& kind)
{
    struct Known {
        std::string_view type;
        TypeClass typeClass;
    };
    constexpr std::array known = { Known{ "timestamp with time zone", TypeClass::Instant },
        Known{ "timestamp without time zone", TypeClass::LocalInstant }, Known{ "bytea", TypeClass::Octets },
        Known{ "uuid", TypeClass::Uuid }, Known{ "json", TypeClass::Json }, Known{ "jsonb", TypeClass::Json },
        Known{ "boolean", TypeClass::Boolean }, Known{ "smallint", TypeClass::Integer },
        Known{ "integer", TypeClass::Integer }, Known{ "bigint", TypeClass::Integer } };
    for (const auto& entry : known)
        if (entry.type == type)
            return entry.typeClass;
    if (kind == "e")
        return TypeClass::Enum;
    if (category == "S")
        return TypeClass::Text;
    // Numbers that are written as names.
    if (type.starts_with("reg"))
        return TypeClass::Other;
    return category == "N" ? TypeClass::Number : TypeClass::Other;
}

std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> result;
    std::size_t start = 0;
    while (start < text.size()) {
        const auto end = std::min(text.find('\n', start), text.size());
        result.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return result;
}

void addIndexColumn(CatalogTable& table, CatalogIndex index, const std::string& column)
{
    if (table.indexes.empty() || table.indexes.back().name != index.name)
        table.indexes.push_back(std::move(index));
    table.indexes.back().columns.push_back(column);
}

CatalogTable postgresTable(const Statement& row)
{
    CatalogTable table;
    table.schema = row.text(0);
    table.name = row.text(1);
    const auto kind = row.text(2);
    table.view = kind == "v" || kind == "m" || kind == "f";
    const auto is = [&](int column) { return row.text(column) == "true" || row.text(column) == "1"; };
    table.rowSecurity = is(3);
    table.canSelect = is(4);
    table.canUpdate = is(5);
    table.canDelete = is(6);
    table.visible = is(15);
    table.canInsert = is(16);
    table.partitions = static_cast<int>(row.integer(17));
    table.what = kind == "v" ? "view"
        : kind == "m"        ? "materialized view"
        : kind == "f"        ? "foreign table"
        : kind == "p"        ? "partitioned table"
                             : "table";
    // Minus one: never analysed.
    if (row.integer(7) >= 0)
        table.estimate = row.integer(7);
    return table;
}

CatalogColumn postgresColumn(const Statement& row)
{
    CatalogColumn column;
    column.name = row.text(8);
    column.type = row.text(9);
    column.typeClass = postgresClass(column.type, row.text(10), row.text(11));
    column.notNull = row.text(12) == "true" || row.text(12) == "1";
    column.keyPosition = static_cast<int>(row.integer(13));
    const auto is = [&](int at) { return row.text(at) == "true" || row.text(at) == "1"; };
    column.generated = is(18);
    column.canSelect = is(19);
    column.canUpdate = is(20);
    if (const auto labels = row.optionalText(14))
        column.labels = lines(*labels);
    return column;
}

Result<std::vector<CatalogTable>> readPostgres(Connection& connection)
{
    std::vector<CatalogTable> tables;
    auto columns = connection.prepare(sql::catalog_columns);
    if (!columns)
        return columns.error();
    if (const auto ran = (*columns)->run(); !ran)
        return ran.error();
    while ((*columns)->next()) {
        auto table = postgresTable(**columns);
        if (tables.empty() || tables.back().schema != table.schema || tables.back().name != table.name)
            tables.push_back(std::move(table));
        tables.back().columns.push_back(postgresColumn(**columns));
    }
    (*columns)->finish();

    std::map<std::pair<std::string, std::string>, CatalogTable*> byName;
    for (auto& table : tables)
        byName[{ table.schema, table.name }] = &table;
    auto indexes = connection.prepare(sql::catalog_indexes);
    if (!indexes)
        return indexes.error();
    if (const auto ran = (*indexes)->run(); !ran)
        return ran.error();
    while ((*indexes)->next()) {
        const auto& row = **indexes;
        const auto found = byName.find({ row.text(0), row.text(1) });
        if (found == byName.end())
            continue;
        addIndexColumn(*found->second,
            { .name = row.text(2),
                .columns = {},
                .unique = row.text(3) == "true" || row.text(3) == "1",
                .partial = row.text(4) == "true" || row.text(4) == "1" },
            row.text(5));
    }
    (*indexes)->finish();
    return tables;
}

Status readSqliteTable(Connection& connection, CatalogTable& table)
{
    auto columns = connection.prepare(sql::catalog_columns);
    if (!columns)
        return columns.error();
    if (const auto ran = (*columns)->bindText("table", table.name).run(); !ran) {
        // A view over a table that is gone cannot be read, and is no reason not to read the others.
        table.broken = ran.error().detail.empty() ? ran.error().message : ran.error().detail;
        return table.view ? Status() : ran;
    }
    while ((*columns)->next()) {
        CatalogColumn column;
        column.name = (*columns)->text(0);
        column.type = (*columns)->text(1);
        column.typeClass = sqliteClass(column.type);
        column.notNull = (*columns)->integer(2) != 0;
        column.keyPosition = static_cast<int>((*columns)->integer(3));
        column.generated = (*columns)->integer(4) != 0;
        table.columns.push_back(std::move(column));
    }
    (*columns)->finish();
    auto indexes = connection.prepare(sql::catalog_indexes);
    if (!indexes)
        return indexes.error();
    if (const auto ran = (*indexes)->bindText("table", table.name).run(); !ran)
        return ran;
    while ((*indexes)->next())
        addIndexColumn(table,
            { .name = (*indexes)->text(0),
                .columns = {},
                .unique = (*indexes)->integer(1) != 0,
                .partial = (*indexes)->integer(2) != 0 },
            (*indexes)->text(3));
    (*indexes)->finish();
    return {};
}

Status readSqliteEstimates(Connection& connection, std::vector<CatalogTable>& tables)
{
    auto has = connection.prepare(sql::has_statistics);
    if (!has)
        return has.error();
    if (const auto ran = (*has)->run(); !ran)
        return ran;
    const bool there = (*has)->next() && (*has)->integer(0) > 0;
    (*has)->finish();
    if (!there)
        return {};
    auto estimates = connection.prepare(sql::row_estimates);
    if (!estimates)
        return estimates.error();
    if (const auto ran = (*estimates)->run(); !ran)
        return ran;
    while ((*estimates)->next())
        for (auto& table : tables)
            if (table.name == (*estimates)->text(0))
                table.estimate = (*estimates)->integer(1);
    (*estimates)->finish();
    return {};
}

Result<std::vector<CatalogTable>> readSqlite(Connection& connection)
{
    std::vector<CatalogTable> tables;
    auto names = connection.prepare(sql::catalog_tables);
    if (!names)
        return names.error();
    if (const auto ran = (*names)->run(); !ran)
        return ran.error();
    while ((*names)->next()) {
        CatalogTable table;
        table.name = (*names)->text(0);
        table.view = (*names)->text(1) == "view";
        if (table.view)
            table.what = "view";
        tables.push_back(std::move(table));
    }
    (*names)->finish();
    for (auto& table : tables)
        if (const auto read = readSqliteTable(connection, table); !read)
            return read.error();
    if (const auto read = readSqliteEstimates(connection, tables); !read)
        return read.error();
    return tables;
}

} // namespace

const CatalogColumn* CatalogTable::find(std::string_view column) const
{
    const CatalogColumn* found = nullptr;
    for (const auto& candidate : columns) {
        if (candidate.name == column)
            return &candidate;
        if (!profile::sameWithoutCase(candidate.name, column))
            continue;
        if (found != nullptr)
            return nullptr;
        found = &candidate;
    }
    return found;
}

bool CatalogTable::isUnique(const std::vector<std::string>& columnNames) const
{
    const auto covered = [&](const std::string& part) {
        return std::find(columnNames.begin(), columnNames.end(), part) != columnNames.end();
    };
    std::size_t keyColumns = 0;
    bool keyCovered = true;
    for (const auto& column : columns) {
        keyColumns += column.keyPosition > 0 ? 1 : 0;
        keyCovered = keyCovered && (column.keyPosition == 0 || covered(column.name));
    }
    if (keyColumns > 0 && keyCovered)
        return true;
    return std::any_of(indexes.begin(), indexes.end(), [&](const CatalogIndex& index) {
        return index.unique && !index.partial && std::all_of(index.columns.begin(), index.columns.end(), covered);
    });
}

Result<std::vector<CatalogTable>> readCatalog(Connection& connection)
{
    return connection.dialect() == Dialect::Sqlite ? readSqlite(connection) : readPostgres(connection);
}

std::vector<const CatalogColumn*> keyOf(const CatalogTable& table)
{
    std::vector<const CatalogColumn*> key;
    for (const auto& column : table.columns)
        if (column.keyPosition > 0)
            key.push_back(&column);
    std::sort(key.begin(), key.end(),
        [](const CatalogColumn* a, const CatalogColumn* b) { return a->keyPosition < b->keyPosition; });
    return key;
}

std::string quotedName(std::string_view identifier)
{
    std::string text = "\"";
    for (const char c : identifier)
        text += c == '"' ? "\"\"" : std::string(1, c);
    return text + '"';
}

std::string whyNoIdentifier(std::string_view name)
{
    constexpr std::size_t longest = 128;
    if (name.size() > longest)
        return "its name has more than 128 octets";
    for (const char c : name) {
        const auto octet = static_cast<unsigned char>(c);
        if (octet < ' ' || octet == 0x7f || c == '"' || c == '\'' || c == '`' || c == '\\')
            return "its name has quotes, backslashes or control characters";
    }
    return {};
}

namespace {

std::string literal(const std::string& text)
{
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + '\'';
}

// What tells a part from the others: its schema, and where several of them are in it, its table as well.
std::string partName(const CatalogTable& table, const CatalogTable& part)
{
    if (part.schema.empty())
        return part.name;
    const auto inSchema = std::count_if(
        table.parts.begin(), table.parts.end(), [&](const CatalogTable& other) { return other.schema == part.schema; });
    return inSchema > 1 ? part.schema + '.' + part.name : part.schema;
}

// Every part has these columns, whose first one is its name.
std::string queryOver(const CatalogTable& table)
{
    std::string text;
    for (const auto& part : table.parts) {
        text += std::string(text.empty() ? "(" : " UNION ALL ") + "SELECT CAST(" + literal(partName(table, part))
            + " AS text) AS " + quotedName(table.columns.front().name);
        for (std::size_t i = 1; i < table.columns.size(); ++i)
            text +=
                ", " + quotedName(part.find(table.columns[i].name)->name) + " AS " + quotedName(table.columns[i].name);
        text += " FROM " + qualified(part);
    }
    return text + ')';
}

} // namespace

std::string qualified(const CatalogTable& table)
{
    if (!table.parts.empty())
        return queryOver(table);
    return table.schema.empty() ? quotedName(table.name) : quotedName(table.schema) + '.' + quotedName(table.name);
}

} // namespace fencepost::store
