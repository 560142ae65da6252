// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <QCoreApplication>

#include "core/profile/library.h"
#include "core/store/bindings.h"
#include "core/store/database.h"
#include "core/store/native.h"
#include "core/store/read_transaction.h"
#include "core/store/sql_inspector.h"
#include "tests/bench/figures.h"
#include "tests/bench/require.h"

// profile_bench URL [ROWS] [TABLES]: in an empty database, makes a store of keys with so many rows (1,000,000) and so
// many other tables (2,000), then says how long it takes to recognise them, and what reading through the profile takes
// beside a query of the same rows that is written by hand.

namespace {

using namespace fencepost;
using namespace std::chrono_literals;
using test::require;

constexpr int rounds = 9;

class Bench {
public:
    Bench(store::Connection& connection, std::int64_t rows, int tables)
        : m_connection(connection)
        , m_rows(rows)
        , m_tables(tables)
    {
    }

    void fill()
    {
        const bool sqlite = m_connection.dialect() == store::Dialect::Sqlite;
        run(std::string(
                "CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref "
                "TEXT, http_code INT, created_at ")
            + (sqlite ? "TEXT" : "timestamptz") + " NOT NULL, expires_at " + (sqlite ? "TEXT" : "timestamptz") + ")");
        const auto count = std::to_string(m_rows);
        const std::string columns = "'k' || n, 'h', CASE WHEN n % 3 = 0 THEN 'pending' ELSE 'complete' END, ";
        if (sqlite)
            run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) WITH RECURSIVE s(n) "
                "AS "
                "(SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < "
                + count + ") SELECT " + columns
                + "datetime('now', CASE WHEN n % 100000 = 0 THEN '-1 hour' ELSE '+1 minute' END), datetime('now', '+1 "
                  "day') FROM s");
        else
            run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) SELECT " + columns
                + "now() - CASE WHEN n % 100000 = 0 THEN interval '1 hour' ELSE interval '-1 minute' END, now() + "
                  "interval "
                  "'1 day' FROM generate_series(1, "
                + count + ") AS s(n)");
        run("CREATE INDEX by_status ON idempotency_keys (status, created_at)");
        run("CREATE INDEX by_age ON idempotency_keys (created_at)");
        run("ANALYZE");
        for (int i = 0; i < m_tables; ++i)
            run("CREATE TABLE other_" + std::to_string(i) + " (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER)");
    }

    void measure()
    {
        const auto library = require(profile::shippedLibrary(), "profiles");
        test::print("recognise", test::measured(rounds, [&](int) {
            store::Bindings bindings(m_connection, &library);
            require(bindings.all(true), "bindings");
        }));
        const auto inspector =
            require(store::SqlInspector::create(m_connection, { .profiles = &library }), "inspector");
        const auto binding = require(inspector->bindings(true), "bindings").front();
        std::string said;
        const auto page = [&](PageRequest request, const char* what) {
            test::print(what,
                test::measured(rounds, [&](int) { said = require(inspector->page(binding, request), what).cost.sql; }));
        };
        PageRequest newest;
        newest.order = "created";
        page(newest, "page through the profile");
        byHand("page by hand", "SELECT * FROM idempotency_keys ORDER BY created_at DESC, key DESC LIMIT 201");
        PageRequest stuck;
        stuck.order = "key";
        stuck.filter = require(parseFilter("stuck"), "filter");
        page(stuck, "stuck through the profile");
        const bool sqlite = m_connection.dialect() == store::Dialect::Sqlite;
        byHand("stuck by hand",
            "SELECT * FROM idempotency_keys WHERE status = 'pending' AND created_at < "
                + std::string(sqlite ? "datetime('now', '-5 minutes')" : "now() - interval '5 minutes'")
                + " ORDER BY key DESC LIMIT 201");
        test::print("count by state through the profile",
            test::measured(3, [&](int) { require(inspector->counts(binding, nullptr, 600s), "counts"); }));
        byHand("count by hand",
            "SELECT status, expires_at > " + std::string(sqlite ? "datetime('now')" : "now()")
                + ", count(*) FROM idempotency_keys GROUP BY 1, 2",
            3);
    }

private:
    void run(const std::string& sql) { require(m_connection.execute(sql), sql.c_str()); }

    void byHand(const char* what, const std::string& sql, int times = rounds)
    {
        test::print(what, test::measured(times, [&](int) {
            const auto transaction = require(store::ReadTransaction::begin(m_connection), "transaction");
            store::SqlText text;
            text.sql = sql;
            std::int64_t octets = 0;
            require(m_connection.native().read(text,
                        [&](const store::NativeRow& row) { octets += static_cast<std::int64_t>(row.text(0).size()); }),
                what);
        }));
    }

    store::Connection& m_connection;
    std::int64_t m_rows;
    int m_tables;
};

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: profile_bench URL [ROWS] [TABLES]\n");
        return 2;
    }
    const auto target = require(store::parseUrl(argv[1]), "URL");
    const auto connection = require(
        store::Connection::open(target, { .access = store::Access::ReadWrite, .statementTimeout = {}, .create = true }),
        "database");
    Bench bench(*connection, argc > 2 ? std::atoll(argv[2]) : 1'000'000, argc > 3 ? std::atoi(argv[3]) : 2'000);
    bench.fill();
    bench.measure();
    return 0;
}
