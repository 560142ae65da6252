// SPDX-License-Identifier: GPL-3.0-or-later
// What a snapshot costs.
//   tests/support/with_postgres snapshot_bench    from both databases; from SQLite alone without it
// A million records with their bodies into one sealed file, redacted as usual, against a loop that reads the same rows
// and inserts them into a table without indexes and nothing else, both in this one run, and the memory that it took at
// most.
#include <cstdio>
#include <cstdlib>

#include <sqlite3.h>
#include <sys/resource.h>

#include <QCoreApplication>
#include <QTemporaryDir>

#include "core/copier.h"
#include "core/profile/library.h"
#include "core/store/native.h"
#include "core/store/snapshot.h"
#include "core/store/snapshot_seal.h"
#include "core/store/sql_inspector.h"
#include "tests/bench/require.h"
#include "tests/support/large_table.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using fencepost::test::require;
using fencepost::test::TempDatabase;

namespace {

constexpr std::int64_t rows = 1'000'000;

template <typename Body> double secondsOf(Body body)
{
    const auto begun = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

long peakMebibytes()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

// SQLite copies within itself; from PostgreSQL each row is read and bound once.
void bareCopy(Connection& source, const std::string& path)
{
    Target target;
    target.path = path;
    const auto file = require(
        Connection::open(target, { .access = Access::ReadWrite, .statementTimeout = {}, .create = true }), "file");
    for (const auto* text : { "PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF" })
        require(file->execute(text), "pragma");
    if (source.dialect() == Dialect::Sqlite) {
        require(file->execute("ATTACH '" + source.target().path + "' AS source"), "attach");
        require(file->execute("CREATE TABLE copy AS SELECT * FROM source.idempotency_records"), "copy");
        return;
    }
    const std::string columns = "scope, operation_type, idempotency_key, request_hash, status, fence, created_at, "
                                "request_body, response_headers, response_body";
    require(file->execute("CREATE TABLE copy (" + columns + ")"), "table");
    require(file->execute("BEGIN"), "begin");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(static_cast<sqlite3*>(file->handle()), "INSERT INTO copy VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        -1, &insert, nullptr);
    SqlText text;
    text.sql = "SELECT " + columns + " FROM idempotency_records";
    require(source.native().stream(text,
                [&](const NativeRow& row) {
                    for (int column = 0; column < 10; ++column) {
                        const auto octets = row.octets(column);
                        sqlite3_bind_blob(
                            insert, column + 1, octets.data(), static_cast<int>(octets.size()), SQLITE_STATIC);
                    }
                    sqlite3_step(insert);
                    sqlite3_reset(insert);
                    return true;
                }),
        "rows");
    sqlite3_finalize(insert);
    require(file->execute("COMMIT"), "commit");
}

void bench(Dialect dialect, const char* name)
{
    TempDatabase database(dialect);
    const auto connection = require(database.connect(), "connect");
    connection->limitStatements(Duration(0));
    if (dialect == Dialect::PostgreSql)
        require(connection->execute("SET statement_timeout = 0"), "timeout");
    (void)require(test::fillRecords(*connection, rows, SystemClock().now(), true), "rows");
    require(test::fillBodies(*connection), "bodies");
    const QTemporaryDir folder;
    const auto bare =
        secondsOf([&] { bareCopy(*connection, folder.filePath(QStringLiteral("bare.db")).toStdString()); });
    const auto before = peakMebibytes();
    const auto library = require(profile::shippedLibrary(), "profiles");
    const auto inspector =
        require(SqlInspector::create(*connection, { .profiles = &library, .auditPath = {} }), "inspector");
    SnapshotRequest request;
    request.path = folder.filePath(QStringLiteral("snapshot.db")).toStdString();
    request.actor = "bench@here";
    request.program = "snapshot_bench";
    SystemRandom random;
    const auto taking = secondsOf([&] { (void)require(takeSnapshot(*inspector->copier(), request, random), "take"); });
    const auto grown = peakMebibytes() - before;
    Target target;
    target.path = request.path;
    const auto taken =
        require(Connection::open(target, { .access = Access::ReadOnly, .statementTimeout = {} }), "open");
    const auto verifying = secondsOf([&] { (void)require(verifySnapshot(*taken), "verify"); });
    std::printf("%-11s %lld rows   bare %6.2f s   snapshot %6.2f s   ratio %5.2f   verify %6.2f s   memory +%ld MiB\n",
        name, static_cast<long long>(rows), bare, taking, taking / bare, verifying, grown);
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    bench(Dialect::Sqlite, "SQLite");
    if (std::getenv("FENCEPOST_TEST_POSTGRES") == nullptr)
        std::printf("PostgreSQL: not measured; run this under tests/support/with_postgres\n");
    else
        bench(Dialect::PostgreSql, "PostgreSQL");
    return 0;
}
