// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <libpq-fe.h>
#include <sqlite3.h>

#include <QCoreApplication>

#include "core/profile/library.h"
#include "core/store/schema.h"
#include "core/store/sql_inspector.h"
#include "tests/bench/figures.h"
#include "tests/support/large_table.h"

// reader_bench URL [ROWS]: fills the database where it is empty, then measures the reading side against the bare
// statement through the database's own library, in one run.

namespace {

using namespace fencepost;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr int rounds = 51;
constexpr const char* bareSql =
    "SELECT scope, operation_type, idempotency_key, request_hash, status, owner_execution_id, fence, attempt, "
    "lease_expires_at, not_before, hold, response_code, created_at, started_at, updated_at, completed_at, expires_at, "
    "takeover_policy, max_attempts FROM idempotency_records ORDER BY created_at DESC, scope DESC, operation_type DESC, "
    "idempotency_key DESC LIMIT 201";

[[noreturn]] void stop(const Error& error)
{
    std::fprintf(stderr, "%s %s\n", error.message.c_str(), error.detail.c_str());
    std::exit(1);
}

template <typename T> T value(Result<T> result)
{
    if (!result)
        stop(result.error());
    return std::move(*result);
}

void bareSqlite(sqlite3_stmt* statement)
{
    std::size_t octets = 0;
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); ++i)
            if (sqlite3_column_text(statement, i) != nullptr)
                octets += static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
    sqlite3_reset(statement);
    if (octets == 0)
        stop({ Failure::Internal, "nothing was read", {}, {} });
}

void barePostgres(PGconn* connection)
{
    PGresult* result = PQexecPrepared(connection, "bare", 0, nullptr, nullptr, nullptr, 0);
    std::size_t octets = 0;
    for (int row = 0; row < PQntuples(result); ++row)
        for (int i = 0; i < PQnfields(result); ++i)
            octets += static_cast<std::size_t>(PQgetlength(result, row, i));
    PQclear(result);
    if (octets == 0)
        stop({ Failure::Internal, "nothing was read", {}, {} });
}

std::function<void()> bareStatement(store::Connection& connection)
{
    if (connection.dialect() == store::Dialect::Sqlite) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(static_cast<sqlite3*>(connection.handle()), bareSql, -1, &statement, nullptr);
        return [statement] { bareSqlite(statement); };
    }
    auto* handle = static_cast<PGconn*>(connection.handle());
    PQclear(PQprepare(handle, "bare", bareSql, 0, nullptr));
    return [handle] { barePostgres(handle); };
}

void measure(store::SqlInspector& inspector, const Binding& binding, const std::function<void()>& bare, Time now)
{
    PageRequest request;
    const auto ask = [&] { value(inspector.page(binding, request)); };
    ask();
    bare();
    const auto bareFigures = test::measured(rounds, [&](int) { bare(); });
    const auto first = test::measured(rounds, [&](int) { ask(); });
    test::print("bare statement, 201 rows", bareFigures);
    test::print("first page of 200", first);
    std::printf("first page / bare statement: least %.2f, p50 %.2f\n", first.least / bareFigures.least,
        first.median / bareFigures.median);

    request.filter = value(parseFilter("created < " + formatInstant(now - std::chrono::hours(24))));
    const auto middle = value(inspector.page(binding, request));
    request.filter = nullptr;
    request.after = middle.cursors.back();
    test::print("page in the middle", test::measured(rounds, [&](int) { ask(); }));
    request.after.reset();
    request.fromEnd = true;
    test::print("last page", test::measured(rounds, [&](int) { ask(); }));
    const auto last = value(inspector.page(binding, request));
    request.fromEnd = false;
    request.before = last.cursors.front();
    test::print("page before the last", test::measured(rounds, [&](int) { ask(); }));
    request.before.reset();
    for (const auto* order : { "key", "expires", "lease" }) {
        request.order = order;
        test::print((std::string("first page by ") + order).c_str(), test::measured(rounds, [&](int) { ask(); }));
    }
    for (const auto* order : { "lease", "created" })
        for (const auto* filter : { "stuck", "state = IN_PROGRESS", "held", "conflict", "key = key-0005000000" }) {
            request.order = order;
            request.filter = value(parseFilter(filter));
            test::print((std::string(filter) + " by " + order).c_str(), test::measured(rounds, [&](int) { ask(); }));
        }
    request.filter = value(parseFilter("stuck"));
    std::printf(
        "stuck rows on the first page                 %zu\n", value(inspector.page(binding, request)).rows.size());
}

void measureCounts(store::SqlInspector& inspector, const Binding& binding, Duration budget)
{
    Counts counts;
    const auto figures =
        test::measured(rounds, [&](int) { counts = value(inspector.counts(binding, nullptr, budget)); });
    test::print(("counts within " + formatDuration(budget)).c_str(), figures);
    std::string text = "total " + std::to_string(counts.total.value) + " " + std::string(wordOf(counts.total.exactness))
        + ", stuck " + std::to_string(counts.stuck.value) + " " + std::string(wordOf(counts.stuck.exactness));
    for (const auto& [state, count] : counts.byState)
        text += ", " + state + " " + std::to_string(count.value) + " " + std::string(wordOf(count.exactness));
    std::printf("  %s\n", text.c_str());
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc < 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: reader_bench URL [ROWS]\n");
        return 2;
    }
    const auto target = value(store::parseUrl(argv[1]));
    const std::int64_t rows = argc > 2 ? std::atoll(argv[2]) : 10'000'000;
    const auto now = timeFromMicros(1'780'000'000'000'000);
    auto connection = value(store::Connection::open(
        target, { .access = store::Access::ReadWrite, .statementTimeout = {}, .lockTimeout = 10s, .create = true }));
    const auto status = value(store::schemaStatus(*connection));
    if (!status.version) {
        const auto from = SteadyClock::now();
        value(test::fillRecords(*connection, rows, now, false));
        std::printf("filled with %lld rows in %.0f s\n", static_cast<long long>(rows),
            std::chrono::duration<double>(SteadyClock::now() - from).count());
    }
    connection = value(store::Connection::open(target, {}));
    const ManualClock clock(now);
    const auto library = value(profile::shippedLibrary());
    const auto inspector = value(store::SqlInspector::create(
        *connection, { .clock = &clock, .bindClock = true, .profiles = &library, .auditPath = {} }));
    const auto bindings = value(inspector->bindings(false));
    measure(*inspector, bindings.front(), bareStatement(*connection), now);
    measureCounts(*inspector, bindings.front(), 50ms);
    measureCounts(*inspector, bindings.front(), 20ms);
    std::printf("highest resident memory                      %.0f MB\n", test::residentMegabytes("VmHWM"));
    return 0;
}
