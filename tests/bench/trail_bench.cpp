// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QCoreApplication>

#include "core/profile/library.h"
#include "core/store/native.h"
#include "core/store/schema.h"
#include "core/store/sql_text.h"
#include "core/store/stores.h"
#include "models/trail.h"
#include "tests/bench/figures.h"
#include "tests/bench/require.h"
#include "tests/support/large_table.h"

// trail_bench ROWS URL [URL …]: fills each database where it is empty, then looks for ids of every kind in all of them
// at once, against one bare look-up by the primary key's index in each, in one run.

namespace {

using namespace fencepost;
using test::require;

constexpr int searches = 200;
constexpr double bound = 300; // milliseconds, 95th percentile

void fill(const store::Target& target, std::int64_t rows, Time now)
{
    auto connection = require(store::Connection::open(target,
                                  { .access = store::Access::ReadWrite,
                                      .statementTimeout = {},
                                      .lockTimeout = std::chrono::seconds(10),
                                      .create = true }),
        "open");
    if (require(store::schemaStatus(*connection), "schema").version)
        return;
    const auto figures = test::measured(1, [&](int) {
        (void)require(test::fillRecords(*connection, rows, now, false), "records");
        require(test::fillHistory(*connection, rows, now), "history");
    });
    std::printf("filled with %lld records in %.0f s\n", static_cast<long long>(rows), figures.most / 1000);
}

void bareLookUp(store::Connection& connection, const std::string& key)
{
    store::SqlText text;
    text.sql = "SELECT scope, operation_type, idempotency_key, status, created_at FROM idempotency_records WHERE "
               "idempotency_key = '"
        + key + "'";
    int rows = 0;
    require(connection.native().stream(text,
                [&](const store::NativeRow&) {
                    ++rows;
                    return true;
                }),
        "bare");
    if (rows == 0)
        test::giveUp("bare", { Failure::NotFound, "nothing was read", key, {} });
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const std::int64_t rows = argc > 2 ? std::atoll(argv[1]) : 0;
    if (rows < 1000) {
        std::fprintf(stderr, "usage: trail_bench ROWS URL [URL ...]   with at least 1000 rows\n");
        return 2;
    }
    const auto library = require(profile::shippedLibrary(), "profiles");
    const auto now = SystemClock().now();
    std::vector<std::unique_ptr<Backend>> backends;
    std::vector<std::unique_ptr<store::Connection>> connections;
    std::vector<models::TrailSource> sources;
    for (int i = 2; i < argc; ++i) {
        const auto target = require(store::parseUrl(argv[i]), "url");
        fill(target, rows, now);
        backends.push_back(require(store::open({ .target = target, .profiles = &library, .auditPath = {} }), "open"));
        connections.push_back(require(store::Connection::open(target, {}), "open"));
        sources.push_back({ argv[i], backends.back().get() });
    }
    const auto record = [&](int round) { return (round * 104'729LL + 10) % (rows / 10) * 10; };
    const auto bare = test::measured(searches, [&](int round) {
        for (const auto& connection : connections)
            bareLookUp(*connection, test::keyOf(record(round)));
    });
    test::print("bare look-ups, one each", bare);
    const std::vector<std::pair<const char*, std::function<std::string(std::int64_t)>>> kinds = {
        { "key", test::keyOf }, { "event", test::eventOf }, { "correlation id", test::correlationOf }
    };
    bool holds = true;
    for (const auto& [name, idOf] : kinds) {
        std::size_t found = 0;
        const auto figures = test::measured(searches, [&](int round) {
            const auto trail = models::followId(sources, { .id = idOf(record(round)), .stopped = {} });
            found += trail.found.size() + trail.linked.size();
        });
        test::print(name, figures);
        std::printf("  %.1f rows each; p95 %.1f of the bare p95; bound %.0f ms\n", double(found) / searches,
            figures.most95 / bare.most95, bound);
        holds = holds && found > 0 && figures.most95 < bound;
    }
    return holds ? 0 : 1;
}
