// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QCoreApplication>

#include "core/profile/library.h"
#include "core/store/bindings.h"
#include "core/store/database.h"
#include "core/store/native.h"
#include "core/store/page_sql.h"
#include "core/store/read_transaction.h"
#include "core/store/sql_inspector.h"
#include "tests/bench/figures.h"
#include "tests/bench/require.h"

// profile_bench URL [ROWS] [TABLES]: in an empty database, makes a store of keys with so many rows (1,000,000) and so
// many other tables (2,000), then says how long it takes to recognise them, and what reading through the profile takes:
// the compiled statement beside one that is written by hand to be looked at, one that is written by hand and gives the
// same values (instants as numbers, exact texts to compare by, which actions a row allows), and the whole read,
// decoded.

namespace {

using namespace fencepost;
using namespace std::chrono_literals;
using test::require;

constexpr int rounds = 9;
constexpr int mostRounds = 2'001;
constexpr auto enough = 5s;

class Bench {
public:
    Bench(store::Connection& connection, std::int64_t rows, int tables)
        : m_connection(connection)
        , m_rows(rows)
        , m_tables(tables)
        , m_sqlite(connection.dialect() == store::Dialect::Sqlite)
    {
    }

    // The keys of 30 days, kept for one; the last ones are pending, and one of 100,000 has been left behind.
    void fill()
    {
        const bool sqlite = m_sqlite;
        const std::string instant = sqlite ? "TEXT" : "timestamptz";
        run("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
            "http_code INT, created_at "
            + instant + " NOT NULL, expires_at " + instant + ")");
        const auto count = std::to_string(m_rows);
        const auto age = "(" + count + " - n) * 2592000.0 / " + count;
        const std::string columns =
            "'k' || n, 'h', CASE WHEN n % 100000 = 0 OR n > " + count + " - 20 THEN 'pending' ELSE 'complete' END, ";
        const std::string into = "INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) ";
        if (sqlite)
            run(into + "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < " + count + ") SELECT "
                + columns + "datetime('now', '-' || (" + age + ") || ' seconds'), datetime('now', '+1 day', '-' || ("
                + age + ") || ' seconds') FROM s");
        else
            run(into + "SELECT " + columns + "now() - " + age + " * interval '1 second', now() + interval '1 day' - "
                + age + " * interval '1 second' FROM generate_series(1, " + count + ") AS s(n)");
        run("CREATE INDEX by_status ON idempotency_keys (status, created_at)");
        run("CREATE INDEX by_age ON idempotency_keys (created_at, key)");
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
        store::Bindings bindings(m_connection, &library);
        const auto& bound = *require(bindings.find(binding), "binding");
        const auto page = [&](const std::string& what, const char* order, const std::string& filter,
                              const std::string& condition, const std::string& value, const std::string& orderByHand) {
            PageRequest request;
            request.order = order;
            if (!filter.empty())
                request.filter = require(parseFilter(filter), "filter");
            store::PageWalk walk;
            walk.bound = &bound;
            walk.order = order;
            walk.filter = request.filter;
            if (m_sqlite)
                walk.now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
            walk.sortInstead = !filter.empty();
            const auto segments = require(store::segmentsOf(walk), "segments");
            const auto compiled = require(store::compilePage(walk, segments.front(), std::nullopt, false, 201), "page");
            // Its values are bound, too: PostgreSQL would else plan it once and the compiled one each time.
            const auto byHand = [&](const std::string& columns) {
                store::SqlText text;
                text.sql = "SELECT " + columns + " FROM idempotency_keys AS t ";
                if (!condition.empty())
                    text.sql += "WHERE " + condition + " = " + text.bind(value);
                text.sql +=
                    " ORDER BY " + orderByHand + " LIMIT CAST(" + text.bind(std::int64_t{ 201 }) + " AS BIGINT)";
                return text;
            };
            const auto simple = byHand(everything());
            const auto same = byHand(sameValues());
            inTurns(what,
                { { "by hand", [&] { read(what, simple, 9); } }, { "the same by hand", [&] { read(what, same, 13); } },
                    { "compiled", [&] { read(what, compiled.text, compiled.projection.count()); } },
                    { "whole", [&] { require(inspector->page(binding, request), "page"); } } });
        };
        page("page, newest first", "created", "", "", "", "t.created_at DESC, t.key DESC");
        page("stuck", "created", "stuck", older() + " AND status", "pending", "t.created_at DESC, t.key DESC");
        page("one key", "key", "key = k777", "key", "k777", "t.key DESC");
        store::SqlText counts;
        counts.sql = "SELECT state, count(*), sum(stuck), sum(soon) FROM (SELECT " + state() + " AS state, " + stuck()
            + " AS stuck, CASE WHEN expires_at > " + now()
            + " AND expires_at <= " + (m_sqlite ? "datetime('now', '+1 hour')" : "now() + interval '1 hour'")
            + " THEN 1 ELSE 0 END AS soon FROM idempotency_keys) AS s GROUP BY state";
        inTurns("counts",
            { { "the same by hand", [&] { read("counts", counts, 4); } },
                { "whole", [&] { require(inspector->counts(binding, nullptr, 600s), "counts"); } } });
    }

private:
    void run(const std::string& sql) { require(m_connection.execute(sql), sql.c_str()); }

    // What somebody would write who knows the table and wants to be told the same.
    [[nodiscard]] std::string now() const { return m_sqlite ? "datetime('now')" : "now()"; }
    [[nodiscard]] std::string older() const
    {
        return std::string("created_at < ")
            + (m_sqlite ? "datetime('now', '-5 minutes')" : "now() - interval '5 minutes'");
    }
    [[nodiscard]] std::string state() const
    {
        return "CASE WHEN status = 'pending' THEN 'IN_PROGRESS' WHEN status NOT IN ('complete', 'failed') THEN "
               "'UNKNOWN' WHEN expires_at <= "
            + now() + " THEN 'EXPIRED' WHEN status = 'complete' THEN 'SUCCEEDED' ELSE 'FAILED_FINAL' END";
    }
    [[nodiscard]] std::string stuck() const
    {
        return "CASE WHEN status = 'pending' AND " + older() + " THEN 1 ELSE 0 END";
    }
    [[nodiscard]] std::string everything() const
    {
        return "key, payload_hash, status, result_ref, http_code, created_at, expires_at, " + state() + ", " + stuck();
    }

    [[nodiscard]] std::string sameValues() const
    {
        const auto micros = [&](const std::string& column) {
            return m_sqlite ? "CAST(strftime('%s', " + column + ") AS INTEGER) * 1000000" : column;
        };
        const auto exact = [&](const std::string& column) {
            return m_sqlite ? column : "CAST(" + column + " AS text)";
        };
        const std::string mapped = "CASE status WHEN 'complete' THEN 'SUCCEEDED' WHEN 'failed' THEN 'FAILED_FINAL' "
                                   "WHEN 'pending' THEN 'IN_PROGRESS' ELSE 'UNKNOWN' END";
        const auto actions = stuck() + " + CASE WHEN status <> 'pending' AND expires_at > " + now()
            + " THEN 2 ELSE 0 END + CASE WHEN status = 'failed' THEN 4 ELSE 0 END";
        return "key, payload_hash, status, result_ref, http_code, " + micros("created_at") + ", " + micros("expires_at")
            + ", " + exact("created_at") + ", " + exact("expires_at") + ", " + state() + ", " + mapped + ", " + stuck()
            + ", " + actions;
    }

    // Every value as a text, as cheaply as can be.
    void read(const std::string& what, const store::SqlText& text, int columns)
    {
        const auto transaction = require(store::ReadTransaction::begin(m_connection), "transaction");
        std::vector<std::string> values;
        require(m_connection.native().read(text,
                    [&](const store::NativeRow& row) {
                        for (int column = 0; column < columns; ++column)
                            values.push_back(row.isNull(column) ? std::string() : row.text(column));
                    }),
            what.c_str());
    }

    struct Way {
        std::string name;
        std::function<void()> take;
    };
    // One after the other again and again, so that a machine which becomes slower does so for all of them.
    static void inTurns(const std::string& what, const std::vector<Way>& ways)
    {
        std::vector<std::vector<double>> times(ways.size());
        std::vector<std::vector<double>> processor(ways.size());
        const auto end = std::chrono::steady_clock::now() + enough;
        for (int round = 0; round < rounds || (round < mostRounds && std::chrono::steady_clock::now() < end); ++round)
            for (std::size_t i = 0; i < ways.size(); ++i) {
                const auto once = test::measured(1, [&](int) { ways[i].take(); });
                times[i].push_back(once.median);
                processor[i].push_back(once.processor);
            }
        double byHand = 0;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const auto figures = test::figuresOf(times[i], processor[i]);
            test::print((what + ", " + ways[i].name).c_str(), figures);
            if (ways[i].name == "the same by hand")
                byHand = figures.median;
            else if (byHand > 0)
                std::printf(
                    "%s, %s: %.2f of the same by hand\n", what.c_str(), ways[i].name.c_str(), figures.median / byHand);
        }
    }

    store::Connection& m_connection;
    std::int64_t m_rows;
    int m_tables;
    bool m_sqlite;
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
