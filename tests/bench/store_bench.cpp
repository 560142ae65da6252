// SPDX-License-Identifier: GPL-3.0-or-later
// What the store costs over the database: reserve + finalize through Store against the same statements in a bare loop.
//   store_bench                                  SQLite
//   tests/support/with_postgres store_bench      and PostgreSQL
//   store_bench sqlite | postgresql | queue | batches    only this part
// Each figure is the median of paired rounds in this one run.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/resource.h>

#include <QCoreApplication>

#include "core/store/schema.h"
#include "core/store/sql_store.h"
#include "core/store/writer_queue.h"
#include "tests/bench/bare_loop.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using namespace std::chrono_literals;

namespace {

constexpr auto roundTime = 700ms;
constexpr int rounds = 7;
constexpr std::size_t batch = 64;

std::atomic<std::int64_t> nextKey = 0;

std::string freshKey()
{
    return "order-" + std::to_string(nextKey.fetch_add(1));
}

Reservation wish()
{
    return { .id = { "route:POST_/v1/payments", "payment", freshKey() },
        .requestHash = Bytes(32, 'h'),
        .owner = { bench::owner },
        .lease = 60s,
        .ttl = 24h };
}

Completion completion()
{
    Completion done;
    done.response.code = 201;
    done.response.body = bench::body;
    return done;
}

void require(bool condition, const char* what)
{
    if (condition)
        return;
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

double processorSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Figure {
    double perSecond = 0;
    double microsecondsOfClient = 0; // CPU per reserve + finalize
};

// One round: every client repeats its step until the time is over. A step answers how many pairs it did.
using Step = std::function<std::int64_t()>;

Figure measure(std::vector<Step>& clients)
{
    std::atomic<bool> stop = false;
    std::atomic<std::int64_t> pairs = 0;
    const auto cpu = processorSeconds();
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    threads.reserve(clients.size());
    for (auto& client : clients)
        threads.emplace_back([&] {
            std::int64_t own = 0;
            while (!stop)
                own += client();
            pairs += own;
        });
    std::this_thread::sleep_for(roundTime);
    stop = true;
    for (auto& thread : threads)
        thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const auto count = static_cast<double>(pairs.load());
    return { count / took.count(), (processorSeconds() - cpu) / count * 1e6 };
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Comparison {
    Figure base;
    Figure other;
    double ratio = 0;
};

Comparison compare(std::vector<Step>& base, std::vector<Step>& other)
{
    std::vector<double> ratios;
    std::vector<double> basePerSecond;
    std::vector<double> otherPerSecond;
    std::vector<double> baseCpu;
    std::vector<double> otherCpu;
    measure(base);
    measure(other);
    for (int round = 0; round < rounds; ++round) {
        // Alternately first, so that neither always finds the smaller table.
        Figure first = round % 2 == 0 ? measure(base) : measure(other);
        Figure second = round % 2 == 0 ? measure(other) : measure(base);
        if (round % 2 != 0)
            std::swap(first, second);
        ratios.push_back(second.perSecond / first.perSecond);
        basePerSecond.push_back(first.perSecond);
        otherPerSecond.push_back(second.perSecond);
        baseCpu.push_back(first.microsecondsOfClient);
        otherCpu.push_back(second.microsecondsOfClient);
    }
    return { { median(basePerSecond), median(baseCpu) }, { median(otherPerSecond), median(otherCpu) }, median(ratios) };
}

// A client with a connection and a store of its own.
struct StoreClient {
    explicit StoreClient(const Target& target)
    {
        auto opened =
            Connection::open(target, { .access = Access::ReadWrite, .statementTimeout = 30s, .lockTimeout = 30s });
        require(opened.has_value(), "the database could not be opened");
        connection = std::move(*opened);
        store = std::make_unique<SqlStore>(*connection, StoreClock{});
    }

    std::int64_t one() const
    {
        const auto reservation = wish();
        const auto reserved = store->reserve(reservation);
        require(reserved && reserved->outcome == Outcome::Execute, "a reservation was not won");
        const auto done = store->finalize({ reservation.id, reservation.owner, reserved->record->fence }, completion());
        require(done && done->outcome == Outcome::Applied, "a finalize was not applied");
        return 1;
    }

    std::int64_t many() const
    {
        std::vector<Reservation> reservations(batch);
        std::generate(reservations.begin(), reservations.end(), wish);
        const auto reserved = store->reserveAll(reservations);
        require(reserved.has_value(), "a batch was not reserved");
        std::vector<std::pair<Claim, Completion>> completions;
        for (std::size_t i = 0; i < batch; ++i) {
            const auto& one = (*reserved)[i];
            require(one && one->outcome == Outcome::Execute, "a reservation of a batch was not won");
            completions.emplace_back(
                Claim{ reservations[i].id, reservations[i].owner, one->record->fence }, completion());
        }
        const auto done = store->finalizeAll(completions);
        require(done && std::all_of(done->begin(), done->end(), [](const auto& one) { return one.has_value(); }),
            "a batch was not finalized");
        return static_cast<std::int64_t>(batch);
    }

    std::unique_ptr<Connection> connection;
    std::unique_ptr<SqlStore> store;
};

std::int64_t throughQueue(WriterQueue& queue)
{
    const auto reservation = wish();
    const auto reserved = queue.reserve(reservation);
    require(reserved && reserved->outcome == Outcome::Execute, "a queued reservation was not won");
    const auto done = queue.finalize({ reservation.id, reservation.owner, reserved->record->fence }, completion());
    require(done && done->outcome == Outcome::Applied, "a queued finalize was not applied");
    return 1;
}

void prepare(const Target& target)
{
    auto connection = Connection::open(target, { .access = Access::ReadWrite, .create = true });
    require(connection.has_value(), "the database could not be opened");
    require(initSchema(**connection, false).has_value(), "the schema could not be created");
}

void print(const std::string& name, const Comparison& comparison, double goal)
{
    std::printf("%-34s %9.0f/s %6.0f us   %9.0f/s %6.0f us   %5.2f  %s %.2f\n", name.c_str(), comparison.base.perSecond,
        comparison.base.microsecondsOfClient, comparison.other.perSecond, comparison.other.microsecondsOfClient,
        comparison.ratio, comparison.ratio >= goal ? "holds  >=" : "MISSES >=", goal);
    std::fflush(stdout);
}

std::vector<std::unique_ptr<StoreClient>> storeClients(const Target& target, int count)
{
    std::vector<std::unique_ptr<StoreClient>> clients;
    for (int i = 0; i < count; ++i)
        clients.push_back(std::make_unique<StoreClient>(target));
    return clients;
}

void compareWithBare(const Target& target, const std::string& product, int clients)
{
    std::vector<std::unique_ptr<bench::BareLoop>> loops;
    for (int i = 0; i < clients; ++i)
        loops.push_back(bench::bareLoop(target));
    const auto stores = storeClients(target, clients);
    std::vector<Step> bare;
    std::vector<Step> ours;
    for (const auto& loop : loops)
        bare.emplace_back([&] {
            loop->pair(freshKey());
            return 1;
        });
    for (const auto& store : stores)
        ours.emplace_back([&] { return store->one(); });
    constexpr double goal = 0.9;
    print(product + ", bare -> Store, " + std::to_string(clients), compare(bare, ours), goal);
}

void compareBatches(const Target& target)
{
    const auto single = storeClients(target, 1);
    const auto batched = storeClients(target, 1);
    std::vector<Step> one = { [&] { return single[0]->one(); } };
    std::vector<Step> many = { [&] { return batched[0]->many(); } };
    constexpr double goal = 2.5;
    print("PostgreSQL, single -> pipeline, 1", compare(one, many), goal);
}

void compareQueue(const Target& target)
{
    constexpr int clients = 32;
    const auto single = storeClients(target, 1);
    auto queue = WriterQueue::open(target, { .access = Access::ReadWrite, .statementTimeout = 30s }, {});
    require(queue.has_value(), "the writer queue could not be opened");
    std::vector<Step> one = { [&] { return single[0]->one(); } };
    std::vector<Step> many(clients, [&] { return throughQueue(**queue); });
    constexpr double goal = 5;
    print("SQLite, single -> writer queue, 32", compare(one, many), goal);
}

void measureSqlite(bool queueOnly)
{
    const test::TempDatabase database(Dialect::Sqlite);
    prepare(database.target());
    if (queueOnly)
        return compareQueue(database.target());
    for (const int clients : { 1, 4, 8 })
        compareWithBare(database.target(), "SQLite", clients);
    compareQueue(database.target());
}

void measurePostgres(bool batchesOnly)
{
    const test::TempDatabase database(Dialect::PostgreSql);
    require(database.problem().empty(), database.problem().c_str());
    prepare(database.target());
    if (batchesOnly)
        return compareBatches(database.target());
    for (const int clients : { 1, 4, 8 }) {
        compareWithBare(database.target(), "PostgreSQL", clients);
        const auto figure = bench::pgbenchPerSecond(database.target(), clients);
        if (figure)
            std::printf("%-34s %9.0f/s\n", ("  pgbench, " + std::to_string(clients)).c_str(), *figure);
        else
            std::printf("  pgbench was not found\n");
    }
    compareBatches(database.target());
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    std::printf(
        "%-34s %11s %9s   %11s %9s   %5s\n", "reserve + finalize", "base", "client", "other", "client", "ratio");
    const std::string only = argc > 1 ? argv[1] : "";
    const bool batchesOnly = only == "batches";
    const bool queueOnly = only == "queue";
    if (only != "postgresql" && !batchesOnly)
        measureSqlite(queueOnly);
    if (only != "sqlite" && !queueOnly && std::getenv("FENCEPOST_TEST_POSTGRES") != nullptr)
        measurePostgres(batchesOnly);
    return 0;
}
