// SPDX-License-Identifier: GPL-3.0-or-later
// What dead letters cost whoever decides about them.
//   tests/support/with_postgres [--durable] letter_bench    on both databases; SQLite alone without it
// Groups of 500,000 and a plan with the verdicts of 100,000, each against the bare statement that reads the same rows,
// and how closely a replay keeps to its rate. Each figure is the median of rounds in this one run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <QCoreApplication>

#include "core/operations/replay.h"
#include "core/profile/library.h"
#include "core/retry/steady_clock.h"
#include "core/store/dead_letters.h"
#include "core/store/schema.h"
#include "core/store/sql_inspector.h"
#include "tests/bench/many_letters.h"
#include "tests/bench/require.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using namespace std::chrono_literals;
using fencepost::test::require;
using fencepost::test::TempDatabase;

namespace {

constexpr int rounds = 3;
constexpr int letters = 500'000;
constexpr int planned = 100'000;
constexpr int replayed = 400;

template <typename Body> double secondsOf(Body body)
{
    std::vector<double> seconds;
    for (int round = 0; round < rounds; ++round) {
        const auto begun = std::chrono::steady_clock::now();
        body();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

std::size_t bareRows(Connection& connection, const std::string& sql)
{
    const auto statement = require(connection.prepare(sql), "prepare");
    require(statement->run(), "run");
    std::size_t rows = 0;
    while (statement->next()) {
        (void)statement->text(0);
        ++rows;
    }
    statement->finish();
    return rows;
}

// One row a transaction, as a replay has it: what the disk allows.
double bareCommitsPerSecond(Connection& connection)
{
    constexpr int commits = 200;
    require(connection.execute("CREATE TABLE IF NOT EXISTS bare_commits (n INTEGER)"), "table");
    const double seconds = secondsOf([&] {
        for (int i = 0; i < commits; ++i)
            require(connection.execute("INSERT INTO bare_commits VALUES (1)"), "insert");
    });
    return commits / seconds;
}

void bench(Dialect dialect, const char* name)
{
    TempDatabase database(dialect);
    const auto connection = require(database.connect(), "connect");
    require(initSchema(*connection, false), "schema");
    test::fillLetters(*connection, letters, planned);
    const auto library = require(profile::shippedLibrary(), "profiles");
    const auto inspector =
        require(SqlInspector::create(*connection, { .profiles = &library, .auditPath = {} }), "inspector");
    Binding table;
    for (const auto& found : require(inspector->bindings(false), "bindings"))
        if (found.name == "dead_letters")
            table = found;

    std::size_t groups = 0;
    const double bareGroups = secondsOf(
        [&] { (void)bareRows(*connection, "SELECT fingerprint, count(*) FROM dead_letters GROUP BY fingerprint"); });
    const double ownGroups =
        secondsOf([&] { groups = require(inspector->letterGroups(table), "groups").groups.size(); });
    std::printf("%-11s groups of %d letters        bare %7.3f s   %zu groups %7.3f s   ratio %5.2f\n", name, letters,
        bareGroups, groups, ownGroups, ownGroups / bareGroups);

    SystemRandom random;
    PlanRequest request;
    request.verb = "replay";
    request.filter = "scope = ledger";
    request.reason = "bench";
    request.actor = "bench@here";
    Plan plan;
    const double bareRead = secondsOf([&] {
        (void)bareRows(*connection,
            "SELECT id, kind, consumer, source, event_id, destination, type, state, deaths, reason, fingerprint, "
            "attempts, correlation_id, first_at, dead_at FROM dead_letters WHERE consumer = 'ledger' ORDER BY dead_at");
    });
    const double making = secondsOf([&] { plan = require(makePlan(*inspector, table, request, random), "plan"); });
    std::printf("%-11s plan with %d verdicts       bare %7.3f s   %zu rows %7.3f s   ratio %5.2f   %.0f verdicts/s\n",
        name, planned, bareRead, plan.items.size(), making, making / bareRead, planned / making);

    for (const double rate : { 50.0, 200.0 }) {
        request.filter = "scope = ledger and state = DEAD";
        auto some = require(makePlan(*inspector, table, request, random), "plan");
        some.items.resize(rate < 100 ? replayed / 4 : replayed);
        ReplaySettings settings;
        settings.rate = rate;
        ReplayHooks hooks;
        hooks.sleep = [](Duration length) { std::this_thread::sleep_for(length); };
        std::vector<std::chrono::steady_clock::time_point> times;
        hooks.itemDone = [&](const ItemReport&) { times.push_back(std::chrono::steady_clock::now()); };
        const double bare = bareCommitsPerSecond(*connection);
        const retry::SteadyClock steady;
        (void)require(runReplay(*inspector, some, "bench@here", &settings, hooks, steady, random), "replay");
        const double took = std::chrono::duration<double>(times.back() - times.front()).count();
        const double measured = static_cast<double>(times.size() - 1) / took;
        std::printf(
            "%-11s rate %6.1f/s                     measured %7.2f/s   off by %+.1f %%   bare commits %7.1f/s\n", name,
            rate, measured, (measured / rate - 1) * 100, bare);
    }
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
