// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_copier.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/store/copied_columns.h"
#include "core/store/filter_sql.h"
#include "core/store/native.h"
#include "core/store/same_file.h"
#include "core/store/schema.h"
#include "core/store/snapshot_seal.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

// The columns that a profile shows by the name of a field; "error" is a text of its own, which may tell anything.
std::set<std::string> shownColumns(const BoundProfile& bound)
{
    std::set<std::string> shown;
    for (const auto& [name, field] : bound.fields)
        if (name != "error")
            if (const auto* column = bound.plainColumn(name))
                shown.insert(column->name);
    return shown;
}

CopiedTable foreignTable(const BoundProfile& bound, std::string name)
{
    CopiedTable copied{ std::move(name), bound.table.schema, bound.table.name, bound.binding.name, false, {}, {} };
    const auto shown = shownColumns(bound);
    std::set<std::string> identity;
    for (const auto* column : bound.identity())
        identity.insert(column->name);
    SqlText unused;
    for (const auto& column : bound.table.columns) {
        const auto use = identity.contains(column.name) || column.keyPosition > 0 ? ColumnUse::Key
            : shown.contains(column.name)                                         ? ColumnUse::Field
                                                                                  : ColumnUse::Other;
        copied.columns.push_back({ column.name, foreignReading(bound, column, unused).declared, column.notNull,
            bound.table.view ? 0 : column.keyPosition, use });
    }
    for (const auto& index : bound.table.indexes) {
        const bool plain = !index.partial
            && std::none_of(
                index.columns.begin(), index.columns.end(), [](const std::string& part) { return part.empty(); });
        if (plain)
            copied.indexes.push_back({ index.columns, index.unique });
    }
    // Rows of a view have an identity, which the profile says, and no key.
    if (bound.table.view)
        copied.indexes.push_back({ { identity.begin(), identity.end() }, false });
    return copied;
}

// SQLite has no schemas: that of a service stands in front of its table's name, where detection finds it again.
std::string nameInCopy(const BoundProfile& bound)
{
    const bool prefixed = bound.profile->multiSchema && !bound.table.schema.empty() && bound.table.schema != "public";
    return prefixed ? bound.table.schema + '_' + bound.table.name : bound.table.name;
}

constexpr std::size_t boundAtOnce = 200;

bool isJsonText(const std::string& text)
{
    return isUtf8(text) && text.find('\0') == std::string::npos;
}

// The keys of a JSON array of arrays as rows of so many columns.
std::string listedKeys(Dialect dialect, std::size_t width, const std::string& json)
{
    const bool sqlite = dialect == Dialect::Sqlite;
    std::string parts;
    for (std::size_t i = 0; i < width; ++i) {
        const auto place = std::to_string(i);
        parts += (i > 0 ? ", " : "") + (sqlite ? "json_extract(k.value, '$[" + place + "]')" : "k.value ->> " + place);
    }
    return "SELECT " + parts + " FROM "
        + (sqlite ? "json_each(" + json + ") AS k" : "json_array_elements(CAST(" + json + " AS json)) AS k(value)");
}

bool isForSqlite(const BoundProfile& bound)
{
    const auto& dialects = bound.profile->dialects;
    return std::find(dialects.begin(), dialects.end(), "sqlite") != dialects.end();
}

} // namespace

SqlCopier::SqlCopier(Connection& connection, Bindings& bindings, Inspector& inspector)
    : m_connection(connection)
    , m_bindings(bindings)
    , m_inspector(inspector)
{
}

Result<std::optional<Fence>> SqlCopier::lastFence()
{
    std::optional<std::int64_t> last;
    const auto read = m_connection.native().run(
        sql::counter_of_fences, {}, [&](const NativeRow& row) { last = row.optionalInteger(0); });
    if (!read && read.error().failure != Failure::Denied)
        return read.error();
    return last ? std::optional(Fence{ *last }) : std::nullopt;
}

bool SqlCopier::isIn(const std::string& path) const
{
    return isFileOf(m_connection.target(), path);
}

Result<CopySource> SqlCopier::begin()
{
    // Before the transaction: a table that cannot be read is found out by an error, which would end it.
    const auto bound = m_bindings.all(true);
    if (!bound)
        return bound.error();
    m_bound = *bound;
    auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    m_transaction.emplace(std::move(*transaction));
    // Millions of rows take longer than any question of a page may, and the file that they go into has its own pauses.
    m_connection.limitStatements(Duration(0));
    if (m_connection.dialect() == Dialect::PostgreSql)
        if (const auto set = m_connection.execute(
                "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0");
            !set)
            return set.error();
    auto catalog = readCatalog(m_connection);
    if (!catalog)
        return catalog.error();
    m_catalog = std::move(*catalog);
    CopySource source;
    auto info = m_inspector.info();
    if (!info)
        return info.error();
    source.info = std::move(*info);
    m_now = source.info.now;
    if (source.info.schemaVersion.value_or(0) > currentSchemaVersion)
        return newerSchema(*source.info.schemaVersion);
    const bool hasOwn = std::any_of(m_bound->begin(), m_bound->end(),
        [](const BoundProfile& table) { return table.profile->native && table.binding.reachable; });
    if (!source.info.schemaVersion && hasOwn)
        return Error{ Failure::Denied,
            "The role may not read the table fencepost_schema, so the snapshot would not be whole", {}, {},
            "Ask for SELECT on it" };
    std::set<std::string> names;
    for (const auto& table : *m_bound) {
        for (const auto& warning : table.binding.warnings)
            source.warnings.push_back(table.binding.name + ": " + warning);
        if (table.profile->native) {
            if (!table.binding.reachable)
                source.warnings.push_back(table.binding.name + ": left out, for it is not this session's own table");
            continue;
        }
        auto name = nameInCopy(table);
        if (!table.binding.canRead || !names.insert(name).second) {
            source.warnings.push_back(table.binding.name
                + (table.binding.canRead ? ": left out, for another table has the name " + name + " in a snapshot"
                                         : std::string(": left out, for it cannot be read")));
            continue;
        }
        if (!isForSqlite(table))
            source.warnings.push_back(table.binding.name + ": copied, but the profile " + table.profile->name
                + " does not recognise it in SQLite");
        source.tables.push_back(foreignTable(table, std::move(name)));
    }
    return source;
}

Result<std::optional<CopiedTable>> SqlCopier::ownTable(
    const std::string& name, const std::vector<CopiedColumn>& columns)
{
    const auto found = std::find_if(m_catalog.begin(), m_catalog.end(),
        [&](const CatalogTable& table) { return table.name == name && table.visible && !table.view; });
    if (found == m_catalog.end())
        return std::optional<CopiedTable>();
    if (!found->canSelect)
        return Error{ Failure::Denied,
            "The role may not read the table " + name + ", so the snapshot would not be whole", {}, {},
            "Ask for SELECT on it" };
    CopiedTable copied{ name, found->schema, found->name, {}, true, {}, {} };
    for (const auto& column : columns)
        if (found->find(column.name) != nullptr)
            copied.columns.push_back(column);
    if (m_bound != nullptr)
        for (const auto& bound : *m_bound)
            if (bound.profile->native && bound.binding.reachable && bound.table.name == name)
                copied.binding = bound.binding.name;
    return std::optional(std::move(copied));
}

const CatalogTable* SqlCopier::tableOf(const CopiedTable& table) const
{
    const auto found = std::find_if(m_catalog.begin(), m_catalog.end(), [&](const CatalogTable& candidate) {
        return candidate.schema == table.schema && candidate.name == table.source;
    });
    return found == m_catalog.end() ? nullptr : &*found;
}

const BoundProfile* SqlCopier::boundOf(const CopiedTable& table) const
{
    if (m_bound == nullptr || table.binding.empty())
        return nullptr;
    const auto found = std::find_if(m_bound->begin(), m_bound->end(),
        [&](const BoundProfile& bound) { return bound.binding.name == table.binding; });
    return found == m_bound->end() ? nullptr : &*found;
}

std::vector<ColumnReading> SqlCopier::readings(const CopiedTable& table, SqlText& text) const
{
    const auto* bound = boundOf(table);
    const auto* source = tableOf(table);
    std::vector<ColumnReading> all;
    for (const auto& column : table.columns) {
        const auto* found = source->find(column.name);
        const bool foreign = bound != nullptr && !bound->profile->native;
        all.push_back(foreign ? foreignReading(*bound, *found, text) : ownReading(m_connection.dialect(), *found));
    }
    return all;
}

Status SqlCopier::walk(const CopiedTable& table, SqlText text, const std::string& behindFrom, const CopyVisitor& visit)
{
    const auto* source = tableOf(table);
    if (source == nullptr)
        return Error{ Failure::Internal, "The table " + table.source + " is not there to be copied", {} };
    std::string columns;
    std::vector<ColumnReading::Form> forms;
    for (const auto& reading : readings(table, text)) {
        columns += (columns.empty() ? "" : ", ") + reading.sql;
        forms.push_back(reading.form);
    }
    text.sql = "SELECT " + columns + " FROM " + qualified(*source) + " AS t" + behindFrom;
    RowCopy copy(std::move(forms));
    return m_connection.native().stream(text, [&](const NativeRow& row) { return visit(copy.read(row)); });
}

bool SqlCopier::takes(const CopiedTable& table, const Filter& filter)
{
    const auto* bound = boundOf(table);
    if (bound == nullptr)
        return false;
    SqlText text;
    ExpressionSql sql(*bound, text, m_now);
    (void)filterCondition(sql, filter);
    return !sql.error();
}

Status SqlCopier::rows(const CopiedTable& table, const FilterPtr& filter, const CopyVisitor& visit)
{
    SqlText text;
    std::string behind;
    if (filter) {
        const auto* bound = boundOf(table);
        if (bound == nullptr)
            return Error{ Failure::Internal, "A filter needs a recognised table", table.name };
        ExpressionSql sql(*bound, text, m_now);
        behind = " WHERE " + filterCondition(sql, *filter);
        if (sql.error())
            return *sql.error();
    }
    std::vector<const CopiedColumn*> key;
    for (const auto& column : table.columns)
        if (column.keyPosition > 0)
            key.push_back(&column);
    std::sort(key.begin(), key.end(), [](const auto* a, const auto* b) { return a->keyPosition < b->keyPosition; });
    for (std::size_t i = 0; i < key.size(); ++i)
        behind += (i == 0 ? " ORDER BY t." : ", t.") + quotedName(tableOf(table)->find(key[i]->name)->name);
    return walk(table, std::move(text), behind, visit);
}

Status SqlCopier::rowsOf(const CopiedTable& table, const std::vector<std::string>& columns,
    const std::vector<std::vector<std::string>>& keys, const CopyVisitor& visit)
{
    std::string tuple;
    for (const auto& column : columns)
        tuple += (tuple.empty() ? "t." : ", t.") + quotedName(column);
    const auto walkThose = [&](SqlText text, const std::string& list) {
        return walk(table, std::move(text), " WHERE (" + tuple + ") IN (" + list + ')', visit);
    };
    // One list of them all: a table without an index of these columns is read once for many keys.
    std::vector<std::vector<std::string>> plain;
    std::vector<std::vector<std::string>> others; // JSON cannot say them; SQLite alone has such
    for (const auto& key : keys)
        (std::all_of(key.begin(), key.end(), isJsonText) ? plain : others).push_back(key);
    if (!plain.empty()) {
        SqlText text;
        const auto list = listedKeys(m_connection.dialect(), columns.size(), text.bind(nlohmann::json(plain).dump()));
        if (const auto walked = walkThose(std::move(text), list); !walked)
            return walked;
    }
    for (std::size_t first = 0; first < others.size(); first += boundAtOnce) {
        SqlText text;
        std::string values;
        for (std::size_t i = first; i < std::min(first + boundAtOnce, others.size()); ++i) {
            std::string one;
            for (const auto& part : others[i])
                one += (one.empty() ? "CAST(" : ", CAST(") + text.bind(Octets{ part }) + " AS TEXT)";
            values += (values.empty() ? "VALUES (" : ", (") + one + ')';
        }
        if (const auto walked = walkThose(std::move(text), values); !walked)
            return walked;
    }
    return {};
}

void SqlCopier::end()
{
    m_transaction.reset();
    m_connection.limitStatements(std::nullopt);
    // Texts with hundreds of keys in them are of no use to anybody else.
    m_connection.forgetStatements();
}

Result<std::optional<SnapshotManifest>> SqlCopier::manifest()
{
    return manifestOf(m_connection);
}

Result<SealVerdict> SqlCopier::verifySeal()
{
    return verifySnapshot(m_connection);
}

} // namespace fencepost::store
