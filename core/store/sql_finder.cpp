// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_finder.h"

#include <algorithm>
#include <array>

#include "core/store/filter_sql.h"
#include "core/store/journal_scan.h"
#include "core/store/native.h"
#include "core/store/payload_scan.h"
#include "core/store/read_transaction.h"

namespace fencepost::store {

namespace {

constexpr auto identityField = "identity";
constexpr auto keyField = "key";
// The fields in which somebody's id may stand, besides the row's own identity.
constexpr std::array idFields = { keyField, "owner", "correlation_id", "order_key", "result_ref" };
constexpr auto mostFound = 100; // of one field of one table

// The column of a field that is nothing else, also where it is shown as text.
const CatalogColumn* columnOf(const BoundProfile& bound, const std::string& field)
{
    using Op = profile::Expression::Op;
    const auto found = bound.fields.find(field);
    if (found == bound.fields.end())
        return nullptr;
    const auto& expression = found->second->op == Op::Text ? *found->second->arguments.front() : *found->second;
    return expression.op == Op::Column ? bound.column(expression.name) : nullptr;
}

// A partial index of our own that begins with an id leaves out only the rows that have none.
bool isLedBy(const BoundProfile& bound, const CatalogColumn& column)
{
    return std::any_of(bound.table.indexes.begin(), bound.table.indexes.end(), [&](const CatalogIndex& index) {
        return (!index.partial || bound.profile->native) && !index.columns.empty()
            && index.columns.front() == column.name;
    });
}

bool isIndexed(const BoundProfile& bound, std::string_view field)
{
    if (field == identityField) {
        const auto identity = bound.identity();
        return identity.size() == 1 && (identity.front()->keyPosition == 1 || isLedBy(bound, *identity.front()));
    }
    const auto* column = columnOf(bound, std::string(field));
    if (column == nullptr)
        return false;
    return column->keyPosition == 1 || isLedBy(bound, *column) || (field == keyField && walksScopes(bound));
}

std::vector<std::string> fieldsOf(const BoundProfile& bound)
{
    std::vector<std::string> fields;
    if (bound.table.view)
        return fields;
    if (isIndexed(bound, identityField))
        fields.emplace_back(identityField);
    for (const auto* field : idFields)
        if (isIndexed(bound, field)) {
            const auto* column = columnOf(bound, field);
            // Once is enough where the key is the identity.
            if (fields.empty() || fields.front() != identityField || column != bound.identity().front())
                fields.emplace_back(field);
        }
    return fields;
}

std::string conditionOf(ExpressionSql& sql, const std::string& field, const std::string& id)
{
    const auto& bound = sql.bound();
    const bool identity = field == identityField;
    const auto* column = identity ? bound.identity().front() : columnOf(bound, field);
    if (!identity && field == keyField && !isLedBy(bound, *column)) {
        auto key = std::make_shared<Filter>();
        key->op = Filter::Op::Test;
        key->values = { FilterValue{ id, {} } };
        return filterCondition(sql, *key);
    }
    return equalTo(sql, *column, id).value_or(std::string());
}

Status readable(const BoundProfile& bound)
{
    if (bound.binding.canRead)
        return {};
    return Error{ Failure::Denied, "The table " + bound.binding.name + " cannot be read",
        bound.binding.warnings.empty() ? std::string() : bound.binding.warnings.front() };
}

// Our own messages say which record wrote them.
std::array<const CatalogColumn*, 3> columnsOfRecord(const BoundProfile& bound)
{
    if (!bound.profile->native || (bound.binding.kind != Kind::Outbox && bound.binding.kind != Kind::DeadLetter))
        return {};
    return { bound.table.find("scope"), bound.table.find("operation_type"), bound.table.find("idempotency_key") };
}

bool isThere(const std::array<const CatalogColumn*, 3>& columns)
{
    return std::find(columns.begin(), columns.end(), nullptr) == columns.end();
}

} // namespace

SqlFinder::SqlFinder(Connection& connection, Bindings& bindings, ProfileReader& reader)
    : m_connection(connection)
    , m_bindings(bindings)
    , m_reader(reader)
{
}

Result<std::vector<std::string>> SqlFinder::indexedFields(const Binding& binding)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    return fieldsOf(**bound);
}

Result<SqlFinder::Search> SqlFinder::searchOf(const BoundProfile& bound, const Condition& condition)
{
    SqlText text;
    ExpressionSql sql(bound, text, m_reader.deciding());
    RowProjection projection(sql);
    const auto where = condition(sql);
    if (sql.error())
        return *sql.error();
    if (!where.empty())
        text.sql = "SELECT " + projection.columns() + " FROM " + qualified(bound.table) + " AS t WHERE "
            + (bound.profile->where ? "(" + sql.predicate(*bound.profile->where) + ") AND " : std::string()) + where
            + " LIMIT " + std::to_string(mostFound);
    if (sql.error())
        return *sql.error();
    return Search{ std::move(text), std::move(projection) };
}

Result<std::vector<Row>> SqlFinder::rowsWhere(const BoundProfile& bound, const Condition& condition)
{
    const auto search = searchOf(bound, condition);
    if (!search)
        return search.error();
    std::vector<Row> rows;
    if (search->text.sql.empty())
        return rows;
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    const auto& projection = search->projection;
    const auto read = m_connection.native().read(search->text, [&](const NativeRow& source) {
        rows.push_back(projection.decode(source, projection.identityForCursor(source)));
    });
    if (!read)
        return read.error();
    return rows;
}

Result<std::vector<Lead>> SqlFinder::byIndex(const Binding& binding, const std::string& id)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (const auto open = readable(**bound); !open)
        return open.error();
    std::vector<Lead> leads;
    for (const auto& field : fieldsOf(**bound)) {
        auto rows = rowsWhere(**bound, [&](ExpressionSql& sql) { return conditionOf(sql, field, id); });
        if (!rows)
            return rows.error();
        for (auto& row : *rows)
            if (std::none_of(
                    leads.begin(), leads.end(), [&](const Lead& lead) { return lead.row.identity == row.identity; }))
                leads.push_back({ std::move(row), field });
    }
    return leads;
}

Result<std::string> SqlFinder::explain(const Binding& binding, const std::string& field, const std::string& id)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (!isIndexed(**bound, field))
        return Error{ Failure::Unsupported, "No index finds the " + field + " of " + binding.name, {} };
    const auto search = searchOf(**bound, [&](ExpressionSql& sql) { return conditionOf(sql, field, id); });
    if (!search)
        return search.error();
    if (search->text.sql.empty())
        return invalid("\"" + id + "\" cannot be a " + field + " of " + binding.name);
    return explained(m_connection, search->text);
}

Result<ScannedRows> SqlFinder::scan(
    const Binding& binding, const std::string& id, Duration budget, const ScanPlace& from)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (const auto open = readable(**bound); !open)
        return open.error();
    return PayloadScan(m_connection, m_reader, **bound, id).run(budget, from);
}

Result<ScannedRows> SqlFinder::scanJournal(
    const Binding& binding, const std::string& id, Duration budget, const ScanPlace& from)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    if (!(*bound)->journal || !(*bound)->profile->native || binding.kind != Kind::Idempotency)
        return ScannedRows{ .all = true };
    return JournalScan(m_connection, m_reader, **bound, id).run(budget, from);
}

Result<std::vector<Row>> SqlFinder::writtenBy(const Binding& outbox, const RecordId& record)
{
    const auto bound = m_bindings.find(outbox);
    if (!bound)
        return bound.error();
    const auto columns = columnsOfRecord(**bound);
    if (outbox.kind != Kind::Outbox || !isThere(columns) || !isLedBy(**bound, *columns[2]))
        return std::vector<Row>();
    return rowsWhere(**bound, [&](ExpressionSql& sql) {
        auto condition = sql.reference(*columns[2]) + " = " + sql.bindText(record.key);
        for (const auto& [column, value] : { std::pair(columns[0], &record.scope), { columns[1], &record.operation } })
            if (!value->empty())
                condition += " AND " + sql.reference(*column) + " = " + sql.bindText(*value);
        return condition;
    });
}

Result<std::optional<RecordId>> SqlFinder::writerOf(const Binding& binding, const std::vector<std::string>& identity)
{
    const auto bound = m_bindings.find(binding);
    if (!bound)
        return bound.error();
    std::optional<RecordId> writer;
    const auto columns = columnsOfRecord(**bound);
    if (!isThere(columns))
        return writer;
    SqlText text;
    ExpressionSql sql(**bound, text, m_reader.deciding());
    const auto where = identityCondition(sql, identity);
    if (!where)
        return where.error();
    if (sql.error())
        return *sql.error();
    text.sql = "SELECT " + sql.reference(*columns[0]) + ", " + sql.reference(*columns[1]) + ", "
        + sql.reference(*columns[2]) + " FROM " + qualified((*bound)->table) + " AS t WHERE " + *where;
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    const auto read = m_connection.native().read(text, [&](const NativeRow& row) {
        if (!row.isNull(2))
            writer = RecordId{ row.text(0), row.text(1), row.text(2) };
    });
    if (!read)
        return read.error();
    return writer;
}

} // namespace fencepost::store
