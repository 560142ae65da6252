// SPDX-License-Identifier: Apache-2.0
#include <QString>
#include <QStringDecoder>

#include "core/ids.h"
#include "core/operations/applicability.h"
#include "core/protocol/record.h"
#include "core/store/far_instants.h"
#include "core/store/literal_fit.h"
#include "core/store/profile_reader.h"
#include "core/store/read_transaction.h"
#include "core/store/record_row.h"
#include "core/store/row_projection.h"

namespace fencepost::store {

namespace {

// A journal grows with every attempt; nobody reads more of one record.
constexpr int journalRows = 2'000;

std::string contentType(const std::string& bytes, bool whole)
{
    auto text = std::string_view(bytes);
    // A cut may fall into a sequence of UTF-8.
    for (int dropped = 0; !whole && dropped < 3 && !isUtf8(text) && !text.empty(); ++dropped)
        text.remove_suffix(1);
    if (!isUtf8(text) || text.find('\0') != std::string_view::npos)
        return "application/octet-stream";
    const auto start = text.find_first_not_of(" \t\r\n");
    const bool isJson = start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
    return isJson ? "application/json" : "text/plain";
}

// Length and beginning as octets, cut by the database so that a huge body does not travel; of a text in a file of
// SQLite that was made for UTF-16, its encoding as well.
std::string sizeAndStart(ExpressionSql& sql, const profile::Expression& payload, std::int64_t limit)
{
    const auto most = std::to_string(limit);
    if (sql.dialect() == Dialect::Sqlite) {
        const auto value = sql.natural(payload);
        const auto octets =
            "CASE typeof(" + value + ") WHEN 'blob' THEN " + value + " ELSE CAST(" + value + " AS BLOB) END";
        return "length(" + octets + "), substr(" + octets + ", 1, " + most + "), CASE WHEN typeof(" + value
            + ") <> 'blob' THEN CASE CAST('a' AS BLOB) WHEN x'6100' THEN 'UTF-16LE' WHEN x'0061' THEN 'UTF-16BE' END "
              "END";
    }
    const auto* column = payload.op == profile::Expression::Op::Column ? sql.bound().column(payload.name) : nullptr;
    if (column != nullptr && column->typeClass == TypeClass::Octets) {
        const auto value = sql.reference(*column);
        return "octet_length(" + value + "), substring(" + value + " FROM 1 FOR " + most + "), NULL";
    }
    const auto text = "CAST(" + sql.jsonOf(payload) + " AS text)";
    return "octet_length(" + text + "), substring(convert_to(" + text + ", 'UTF8') FROM 1 FOR " + most + "), NULL";
}

std::string fromUtf16(const std::string& bytes, const std::string& encoding)
{
    QStringDecoder decoder(encoding.c_str());
    const QString text = decoder.decode(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
    return text.toStdString();
}

std::string instantColumn(Dialect dialect, const std::string& name)
{
    return dialect == Dialect::Sqlite ? "t." + name
                                      : "CAST(GREATEST(LEAST(extract(epoch FROM t." + name
            + ") * 1000000, 9000000000000000000), -9000000000000000000) AS bigint)";
}

std::string sideCondition(ExpressionSql& sql, const CatalogTable& table, const std::vector<std::string>& identity)
{
    std::string where;
    const char* const names[] = { "scope", "operation_type", "idempotency_key" };
    for (std::size_t i = 0; i < 3; ++i) {
        const auto* column = table.find(names[i]);
        if (column == nullptr || identity.size() != 3)
            return sql.fail(Failure::Unsupported, "the table " + table.name + " has another layout");
        where += (i > 0 ? " AND " : "") + sql.exactEquals(*column, identity[i]);
    }
    return where;
}

// In public, what is empty may have been NULL.
std::optional<std::vector<std::string>> withNulls(const BoundProfile& bound, std::vector<std::string> identity)
{
    const auto columns = bound.identity();
    bool any = false;
    for (std::size_t i = 0; i < std::min(columns.size(), identity.size()); ++i)
        if (identity[i].empty() && !columns[i]->notNull) {
            identity[i] = nullPart;
            any = true;
        }
    return any ? std::optional(std::move(identity)) : std::nullopt;
}

} // namespace

Result<std::string> identityCondition(ExpressionSql& sql, const std::vector<std::string>& identity)
{
    const auto columns = sql.bound().identity();
    if (identity.size() != columns.size())
        return Error{ Failure::Invalid,
            "The key of " + sql.bound().binding.name + " has " + std::to_string(columns.size())
                + (columns.size() == 1 ? " part, not " : " parts, not ") + std::to_string(identity.size()),
            {}, {} };
    std::string where;
    for (std::size_t i = 0; i < columns.size(); ++i)
        where += (i > 0 ? " AND " : "")
            + (identity[i] == nullPart ? sql.reference(*columns[i]) + " IS NULL"
                                       : sql.exactEquals(*columns[i], identity[i]));
    return where;
}

Result<std::optional<Row>> ProfileReader::row(
    const BoundProfile& bound, const std::vector<std::string>& identity, const std::map<std::string, std::string>& said)
{
    const auto nulls = withNulls(bound, identity);
    if (!nulls)
        return rowAt(bound, identity, said);
    // To PostgreSQL an empty text is an error where a column cannot hold it.
    const auto columns = bound.identity();
    bool mayBe = true;
    for (std::size_t i = 0; i < columns.size(); ++i)
        mayBe = mayBe && (!identity[i].empty() || mayHold(bound.dialect, *columns[i], identity[i]));
    auto found = mayBe ? rowAt(bound, identity, said) : Result<std::optional<Row>>(std::optional<Row>());
    return !found || *found ? found : rowAt(bound, *nulls, said);
}

Result<std::optional<Row>> ProfileReader::rowAt(
    const BoundProfile& bound, const std::vector<std::string>& identity, const std::map<std::string, std::string>& said)
{
    auto parameters = parametersFor(bound, said);
    if (!parameters)
        return parameters.error();
    SqlText text;
    ExpressionSql sql(bound, text, deciding());
    sql.setParameters(std::move(*parameters));
    const RowProjection projection(sql);
    auto where = identityCondition(sql, identity);
    if (!where)
        return where.error();
    if (bound.profile->where)
        *where += " AND (" + sql.predicate(*bound.profile->where) + ")";
    if (sql.error())
        return *sql.error();
    text.sql = "SELECT " + projection.columns() + " FROM " + qualified(bound.table) + " AS t WHERE " + *where;
    std::optional<Row> row;
    const auto read = m_connection.native().read(
        text, [&](const NativeRow& source) { row = projection.decode(source, projection.identityForCursor(source)); });
    if (!read)
        return read.error();
    return row;
}

Result<std::vector<Payload>> ProfileReader::payloads(
    const BoundProfile& bound, const std::vector<std::string>& identity, std::int64_t limit)
{
    std::vector<Payload> result;
    if (bound.payload.empty())
        return result;
    SqlText text;
    ExpressionSql sql(bound, text, deciding());
    std::string columns;
    for (const auto& [name, value] : bound.payload)
        columns += (columns.empty() ? "" : ", ") + sizeAndStart(sql, *value, limit);
    const auto where = identityCondition(sql, identity);
    if (!where)
        return where.error();
    text.sql = "SELECT " + columns + " FROM " + qualified(bound.table) + " AS t WHERE " + *where;
    auto statement = prepared(m_connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    if ((*statement)->next()) {
        int at = 0;
        for (const auto& [name, value] : bound.payload) {
            if (const auto size = (*statement)->optionalInteger(at)) {
                Payload payload{ name, (*statement)->bytes(at + 1), *size, {} };
                const bool whole = static_cast<std::int64_t>(payload.bytes.size()) == payload.size;
                if (const auto encoding = (*statement)->text(at + 2); !encoding.empty()) {
                    payload.bytes = fromUtf16(payload.bytes, encoding);
                    if (whole)
                        payload.size = static_cast<std::int64_t>(payload.bytes.size());
                }
                payload.contentType = contentType(payload.bytes, whole);
                result.push_back(std::move(payload));
            }
            at += 3;
        }
    }
    (*statement)->finish();
    return result;
}

Result<std::vector<JournalEntry>> ProfileReader::journal(
    const BoundProfile& bound, const std::vector<std::string>& identity)
{
    std::vector<JournalEntry> entries;
    if (!bound.journal)
        return entries;
    SqlText text;
    ExpressionSql sql(bound, text, deciding());
    const auto where = sideCondition(sql, *bound.journal, identity);
    text.sql = "SELECT t.seq, t.from_state, t.to_state, t.event, t.fence, t.attempt, CAST(t.owner AS TEXT), t.actor, "
               "t.reason, "
        + instantColumn(bound.dialect, "at") + " FROM " + qualified(*bound.journal) + " AS t WHERE " + where
        + " ORDER BY t.seq LIMIT " + std::to_string(journalRows);
    if (sql.error())
        return *sql.error();
    auto statement = prepared(m_connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    while ((*statement)->next()) {
        const auto& row = **statement;
        entries.push_back({ .seq = row.integer(0),
            .id = { identity[0], identity[1], identity[2] },
            .fromState = row.text(1),
            .toState = row.text(2),
            .event = row.text(3),
            .fence = { row.integer(4) },
            .attempt = static_cast<int>(std::clamp<std::int64_t>(row.integer(5), 0, INT32_MAX)),
            .owner = row.text(6),
            .actor = row.text(7),
            .reason = row.text(8),
            .at = instantWithin(row.integer(9)) });
    }
    (*statement)->finish();
    return entries;
}

Result<std::vector<Conflict>> ProfileReader::conflicts(
    const BoundProfile& bound, const std::vector<std::string>& identity)
{
    std::vector<Conflict> found;
    if (!bound.conflicts)
        return found;
    SqlText text;
    ExpressionSql sql(bound, text, deciding());
    const auto where = sideCondition(sql, *bound.conflicts, identity);
    text.sql = "SELECT t.presented_hash, t.kind, t.principal, t.count, " + instantColumn(bound.dialect, "first_at")
        + ", " + instantColumn(bound.dialect, "last_at") + " FROM " + qualified(*bound.conflicts) + " AS t WHERE "
        + where + " ORDER BY t.slot";
    if (sql.error())
        return *sql.error();
    auto statement = prepared(m_connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    while ((*statement)->next()) {
        const auto& row = **statement;
        found.push_back({ .id = { identity[0], identity[1], identity[2] },
            .presentedHash = presentedHashFrom(row.bytes(0)),
            .kind = row.text(1),
            .principal = row.text(2),
            .count = row.integer(3),
            .firstAt = instantWithin(row.integer(4)),
            .lastAt = instantWithin(row.integer(5)) });
    }
    (*statement)->finish();
    return found;
}

Row absentRecord(const Binding& binding, const std::vector<std::string>& identity)
{
    Row row;
    row.identity = identity;
    row.scope = identity.at(0);
    row.operation = identity.at(1);
    row.key = identity.at(2);
    if (!binding.mayHideRows)
        row.state = wordOf(State::Absent);
    return row;
}

Result<std::optional<RowDetails>> ProfileReader::history(
    const BoundProfile& bound, const std::vector<std::string>& identity, Time now)
{
    // A record that is hidden from this role is not gone.
    if (bound.binding.mayHideRows)
        return std::optional<RowDetails>();
    auto entries = journal(bound, identity);
    if (!entries)
        return entries.error();
    if (entries->empty())
        return std::optional<RowDetails>();
    RowDetails details;
    details.row = absentRecord(bound.binding, identity);
    details.journal = std::move(*entries);
    details.now = now;
    return std::optional(std::move(details));
}

Result<std::optional<RowDetails>> ProfileReader::details(
    const BoundProfile& bound, const std::vector<std::string>& identity, std::int64_t payloadLimit)
{
    if (payloadLimit < 0)
        return Error{ Failure::Invalid, "A payload cannot be cut below nothing", {}, {} };
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    const auto at = now();
    if (!at)
        return at.error();
    auto found = row(bound, identity);
    if (!found)
        return found.error();
    if (!*found)
        return history(bound, identity, *at);
    RowDetails details;
    details.row = std::move(**found);
    details.now = *at;
    const auto nulls = details.row.extra.contains(operation::rowNameless) ? withNulls(bound, identity) : std::nullopt;
    auto bodies = payloads(bound, nulls.value_or(identity), payloadLimit);
    if (!bodies)
        return bodies.error();
    details.payloads = std::move(*bodies);
    auto entries = journal(bound, identity);
    if (!entries)
        return entries.error();
    details.journal = std::move(*entries);
    auto refused = conflicts(bound, identity);
    if (!refused)
        return refused.error();
    // Those of an earlier record of the same key are not this one's.
    std::erase_if(*refused,
        [&](const Conflict& conflict) { return details.row.createdAt && conflict.lastAt < *details.row.createdAt; });
    details.conflicts = std::move(*refused);
    return std::optional(std::move(details));
}

} // namespace fencepost::store
