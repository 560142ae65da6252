// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/large_table.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::test {

namespace {

using store::Dialect;

constexpr std::int64_t stride = 7919; // between neighbours in time; no divisor of the number of rows
constexpr int digits = 10;

// The columns of the record that the SQL expression `i` numbers.
class Columns {
public:
    Columns(Dialect dialect, std::int64_t rows, Time now)
        : m_sqlite(dialect == Dialect::Sqlite)
        , m_rows(std::to_string(rows))
        , m_base(std::to_string(microsOf(now)))
    {
    }

    [[nodiscard]] std::string base() const { return m_base; }
    [[nodiscard]] std::string instant(const std::string& micros) const
    {
        return m_sqlite ? micros : "timestamptz 'epoch' + (" + micros + ") * interval '1 microsecond'";
    }
    // Two days back at most, seventeen milliseconds apart.
    [[nodiscard]] std::string created() const
    {
        return "(" + m_base + " - 1000 - (i * " + std::to_string(stride) + " % " + m_rows + ") * 17000)";
    }
    [[nodiscard]] std::string scope() const { return padded("tenant/", "(i / 2000)", 5); }
    [[nodiscard]] std::string padded(const std::string& prefix, const std::string& number, int width) const
    {
        const auto digitsWanted = std::to_string(width);
        return m_sqlite ? "printf('" + prefix + "%0" + digitsWanted + "d', " + number + ")"
                        : "'" + prefix + "' || lpad((" + number + ")::text, " + digitsWanted + ", '0')";
    }
    [[nodiscard]] std::string hash() const
    {
        return m_sqlite ? "CAST(printf('%032d', i) AS BLOB)" : "convert_to(lpad(i::text, 32, '0'), 'UTF8')";
    }
    [[nodiscard]] std::string owner() const
    {
        return m_sqlite ? "printf('00000000-0000-4000-8000-%012d', i)"
                        : "('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid";
    }
    [[nodiscard]] std::string octets(const std::string& text) const
    {
        return m_sqlite ? "CAST(" + text + " AS BLOB)" : "convert_to(" + text + ", 'UTF8')";
    }
    // The numbers below `count`, each as `name`.
    [[nodiscard]] std::string numbers(std::int64_t count, const std::string& name) const
    {
        const auto end = std::to_string(count);
        return m_sqlite ? "(WITH RECURSIVE n(" + name + ") AS (SELECT 0 UNION ALL SELECT " + name + " + 1 FROM n WHERE "
                + name + " < " + end + " - 1) SELECT " + name + " FROM n) AS numbers"
                        : "generate_series(0::bigint, " + end + " - 1) AS numbers(" + name + ")";
    }

private:
    bool m_sqlite;
    std::string m_rows;
    std::string m_base;
};

const std::string stateOfRecord =
    "CASE WHEN i % 1000 = 0 THEN 'IN_PROGRESS' WHEN i % 100 = 1 THEN 'FAILED_RETRYABLE' WHEN i % 10 = 2 THEN "
    "'FAILED_FINAL' ELSE 'SUCCEEDED' END";

// Key order is insertion order, which both databases append fastest; the instants are a permutation of it.
std::string insertion(Dialect dialect, std::int64_t rows, Time now)
{
    const Columns columns(dialect, rows, now);
    const auto created = columns.created();
    const std::string lease = "CASE WHEN i % 1000 = 0 THEN "
        + columns.instant(columns.base() + " + CASE WHEN i % 27000 = 0 THEN -600000000 - i ELSE 60000000 + i END")
        + " END";
    return "INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
           "owner_execution_id, fence, attempt, lease_expires_at, response_code, created_at, started_at, updated_at, "
           "expires_at) SELECT "
        + columns.scope() + ", 'refund', " + columns.padded("key-", "i", digits) + ", " + columns.hash() + ", "
        + stateOfRecord + ", " + columns.owner() + ", i + 1, 1 + i % 4, " + lease
        + ", CASE WHEN i % 1000 = 0 THEN NULL ELSE 200 + i % 2 END, " + columns.instant(created) + ", "
        + columns.instant(created) + ", " + columns.instant(created) + ", "
        + columns.instant(created + " + 7776000000000") + " FROM " + columns.numbers(rows, "i");
}

// The record that was created `i * stride % rows` places before the last one.
std::int64_t inverseOfStride(std::int64_t rows)
{
    std::int64_t before = 0;
    std::int64_t inverse = 1;
    for (std::int64_t low = rows, high = stride % rows; high > 0;) {
        const auto times = low / high;
        std::tie(low, high) = std::pair(high, low - times * high);
        std::tie(before, inverse) = std::pair(inverse, before - times * inverse);
    }
    return ((before % rows) + rows) % rows;
}

// In the order of time, as a service writes it.
std::string journal(Dialect dialect, std::int64_t rows, Time now)
{
    const Columns columns(dialect, rows, now);
    const auto newest = std::to_string(rows / 2 - 1);
    const auto record =
        "((" + newest + " - j / 2) * " + std::to_string(inverseOfStride(rows)) + " % " + std::to_string(rows) + ")";
    const auto owner = dialect == Dialect::Sqlite ? columns.owner() : "(" + columns.owner() + ")::text";
    return "INSERT INTO idempotency_transitions (scope, operation_type, idempotency_key, from_state, to_state, event, "
           "fence, attempt, owner, actor, reason, at) SELECT "
        + columns.scope() + ", 'refund', " + columns.padded("key-", "i", digits)
        + ", CASE WHEN first THEN 'ABSENT' ELSE 'IN_PROGRESS' END, CASE WHEN first THEN 'IN_PROGRESS' ELSE "
        + stateOfRecord
        + " END, CASE WHEN first OR i % 1000 = 0 THEN 'reserve' WHEN i % 100 = 1 OR i % 10 = 2 THEN 'fail' ELSE "
          "'finalize' END, i + 1, 1 + i % 4, "
        + owner + ", " + owner + ", '', "
        + columns.instant(columns.created() + " + CASE WHEN first THEN 0 ELSE 5000 END")
        + " FROM (SELECT j % 2 = 0 AS first, " + record + " AS i FROM " + columns.numbers(rows, "j") + ") AS entries";
}

std::string messagesSent(Dialect dialect, std::int64_t rows, Time now)
{
    const Columns columns(dialect, rows, now);
    const auto sent =
        "CASE WHEN i % 10000 = 0 THEN NULL ELSE " + columns.instant(columns.created() + " + 50000") + " END";
    const auto next = "CASE WHEN i % 10000 = 0 THEN " + columns.instant(columns.created() + " + 1000000") + " END";
    return "INSERT INTO outbox_messages (event_id, destination, source, aggregatetype, aggregateid, type, payload, "
           "headers, status, attempt, next_attempt_at, attempts, scope, operation_type, idempotency_key, "
           "correlation_id, created_at, sent_at) SELECT "
        + columns.padded("evt-", "i", digits) + ", 'https://hooks.partner.example/refunds', '/payments', 'refund', "
        + columns.padded("rf-", "i", digits) + ", 'refund.succeeded', "
        + columns.octets(columns.padded("{\"order\":\"", "i", digits) + " || '\"}'")
        + ", '[]', CASE WHEN i % 10000 = 0 THEN 'PENDING' ELSE 'SENT' END, 1, " + next + ", '[]', " + columns.scope()
        + ", 'refund', " + columns.padded("key-", "i", digits) + ", " + columns.padded("req-", "i", digits) + ", "
        + columns.instant(columns.created()) + ", " + sent + " FROM (SELECT j * 10 AS i FROM "
        + columns.numbers(rows / 10, "j") + ") AS messages";
}

std::string messagesReceived(Dialect dialect, std::int64_t rows, Time now)
{
    const Columns columns(dialect, rows, now);
    return "INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, attempt, received_at, "
           "processed_at, result, correlation_id) SELECT 'ledger', '/payments', "
        + columns.padded("evt-", "i", digits) + ", " + columns.hash() + ", 'PROCESSED', 1, "
        + columns.instant(columns.created() + " + 60000") + ", " + columns.instant(columns.created() + " + 90000")
        + ", 'ok', " + columns.padded("req-", "i", digits) + " FROM (SELECT j * 10 AS i FROM "
        + columns.numbers(rows / 10, "j") + ") AS messages";
}

std::string letters(Dialect dialect, std::int64_t rows, Time now)
{
    const Columns columns(dialect, rows, now);
    return "INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, code, "
           "reason, fingerprint, pattern, attempts, headers, payload_hash, correlation_id, first_at, dead_at) SELECT "
        + columns.padded("letter-", "i", digits) + ", 'inbox', 'search', '/payments', "
        + columns.padded("evt-", "i", digits)
        + ", '', 'refund.succeeded', 'DEAD', 1, '503', 'unavailable', 'f' || (i / 1000 % 20), 'unavailable', '[]', "
          "'[]', "
        + columns.hash() + ", " + columns.padded("req-", "i", digits) + ", " + columns.instant(columns.created()) + ", "
        + columns.instant(columns.created() + " + 60000000") + " FROM (SELECT j * 1000 AS i FROM "
        + columns.numbers(rows / 1000, "j") + ") AS letters";
}

std::string numbered(const std::string& prefix, std::int64_t record)
{
    const auto number = std::to_string(record);
    return prefix + std::string(digits - std::min<std::size_t>(digits, number.size()), '0') + number;
}

} // namespace

Result<LargeTable> fillRecords(store::Connection& connection, std::int64_t rows, Time now, bool analyse)
{
    if (const auto made = store::initSchema(connection, false); !made)
        return made.error();
    const bool sqlite = connection.dialect() == Dialect::Sqlite;
    const auto indexes = { &store::sql::create_records_by_creation, &store::sql::create_records_by_expiry,
        &store::sql::create_records_open, &store::sql::create_records_held, &store::sql::create_records_by_key };
    std::vector<std::string> statements = { "DROP INDEX idempotency_records_created",
        "DROP INDEX idempotency_records_expires", "DROP INDEX idempotency_records_open",
        "DROP INDEX idempotency_records_held", "DROP INDEX idempotency_records_key",
        insertion(connection.dialect(), rows, now) };
    if (!sqlite)
        statements.insert(statements.begin(), "ALTER TABLE idempotency_records SET UNLOGGED");
    for (const auto* index : indexes)
        statements.emplace_back(index->of(connection.dialect()));
    if (!sqlite)
        statements.emplace_back("VACUUM ANALYZE idempotency_records");
    else if (analyse)
        statements.emplace_back("ANALYZE");
    for (const auto& sql : statements)
        if (const auto done = connection.execute(sql); !done)
            return done.error();
    const auto every = [&](std::int64_t step) { return (rows + step - 1) / step; };
    return LargeTable{ rows, every(1000), every(27000) };
}

Status fillBodies(store::Connection& connection)
{
    const auto octets = [&](const std::string& text) {
        return connection.dialect() == Dialect::Sqlite ? "CAST(" + text + " AS BLOB)"
                                                       : "convert_to(" + text + ", 'UTF8')";
    };
    const std::string request =
        R"('{"order_id":"' || idempotency_key || '","amount":' || fence || ',"currency":"EUR","customer":{"name":"Ada )"
        R"(Lovelace","email":"ada@example.org","country":"DE"},"card":{"number":"4111111111111111","expires":"12/27"},)"
        R"("lines":[{"sku":"A-1","quantity":2,"price":19.99},{"sku":"B-2","quantity":1,"price":5}]}')";
    const std::string response =
        R"('{"id":"rf_' || fence || '","order_id":"' || idempotency_key || '","status":"succeeded","amount":' || fence )"
        R"(|| ',"currency":"EUR","created":"2026-11-20T10:00:00Z"}')";
    return connection.execute("UPDATE idempotency_records SET request_body = " + octets(request)
        + ", response_body = " + octets(response)
        + R"(, response_headers = '[["Content-Type","application/json"],["Location","/v1/refunds/1"]]')");
}

Status fillHistory(store::Connection& connection, std::int64_t rows, Time now)
{
    const auto dialect = connection.dialect();
    const std::vector<std::string> statements = { "DROP INDEX idempotency_transitions_key", journal(dialect, rows, now),
        std::string(store::sql::create_transitions_by_key.of(dialect)), messagesSent(dialect, rows, now),
        messagesReceived(dialect, rows, now), letters(dialect, rows, now),
        dialect == Dialect::Sqlite ? "ANALYZE" : "VACUUM ANALYZE" };
    for (const auto& sql : statements)
        if (const auto done = connection.execute(sql); !done)
            return done.error();
    return {};
}

std::string keyOf(std::int64_t record)
{
    return numbered("key-", record);
}

std::string eventOf(std::int64_t record)
{
    return numbered("evt-", record);
}

std::string correlationOf(std::int64_t record)
{
    return numbered("req-", record);
}

} // namespace fencepost::test
