// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/large_table.h"

#include <string>
#include <vector>

#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::test {

namespace {

using store::Dialect;

// Key order is insertion order, which both databases append fastest; the instants are a permutation of it.
std::string insertion(Dialect dialect, std::int64_t rows, Time now)
{
    const bool sqlite = dialect == Dialect::Sqlite;
    const auto count = std::to_string(rows);
    const auto base = std::to_string(microsOf(now));
    const auto instant = [&](const std::string& micros) {
        return sqlite ? micros : "timestamptz 'epoch' + (" + micros + ") * interval '1 microsecond'";
    };
    // Two days back at most, a millisecond or so apart.
    const auto created = "(" + base + " - 1000 - (i * 7919 % " + count + ") * 17000)";
    const std::string status =
        "CASE WHEN i % 1000 = 0 THEN 'IN_PROGRESS' WHEN i % 100 = 1 THEN 'FAILED_RETRYABLE' WHEN i % 10 = 2 THEN "
        "'FAILED_FINAL' ELSE 'SUCCEEDED' END";
    const std::string lease = "CASE WHEN i % 1000 = 0 THEN "
        + instant(base + " + CASE WHEN i % 27000 = 0 THEN -600000000 - i ELSE 60000000 + i END") + " END";
    const std::string scope =
        sqlite ? "printf('tenant/%05d', i / 2000)" : "'tenant/' || lpad((i / 2000)::text, 5, '0')";
    const std::string key = sqlite ? "printf('key-%010d', i)" : "'key-' || lpad(i::text, 10, '0')";
    const std::string hash = sqlite ? "CAST(printf('%032d', i) AS BLOB)" : "convert_to(lpad(i::text, 32, '0'), 'UTF8')";
    const std::string owner = sqlite ? "printf('00000000-0000-4000-8000-%012d', i)"
                                     : "('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid";
    const std::string source = sqlite ? "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
            + count + " - 1) SELECT i FROM n)"
                                      : "generate_series(0::bigint, " + count + " - 1) AS n(i)";
    return "INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status, "
           "owner_execution_id, fence, attempt, lease_expires_at, response_code, created_at, started_at, updated_at, "
           "expires_at) SELECT "
        + scope + ", 'refund', " + key + ", " + hash + ", " + status + ", " + owner + ", i + 1, 1 + i % 4, " + lease
        + ", CASE WHEN i % 1000 = 0 THEN NULL ELSE 200 + i % 2 END, " + instant(created) + ", " + instant(created)
        + ", " + instant(created) + ", " + instant(created + " + 7776000000000") + " FROM " + source;
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

} // namespace fencepost::test
