// SPDX-License-Identifier: GPL-3.0-or-later
// What relays and consumers cost over the database.
//   tests/support/with_postgres [--durable] message_bench    relays on PostgreSQL, and inboxes on both
// A relay: claim and mark through Outbox against the same two statements in a bare loop without per-key order, over a
// full table that is drained. Each figure is the median of paired rounds in this one run.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <libpq-fe.h>

#include <QCoreApplication>

#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "core/store/schema.h"
#include "tests/bench/require.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using namespace std::chrono_literals;
using fencepost::test::require;
using fencepost::test::TempDatabase;

namespace {

constexpr int rounds = 3;
constexpr int messages = 20'000;
constexpr int orderingKeys = 2'000; // of half of the messages
constexpr int batch = 50;
constexpr int inboxEvents = 2'000;

Owner owner(int number)
{
    char text[37];
    std::snprintf(text, sizeof text, "00000000-0000-4000-8000-%012d", number);
    return { text };
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void fill(Connection& connection)
{
    require(connection.execute("TRUNCATE outbox_messages"), "truncate");
    require(
        connection.execute("INSERT INTO outbox_messages (event_id, destination, source, aggregatetype, aggregateid, "
                           "type, ordering_key, payload, headers, status, next_attempt_at, attempts, created_at) "
                           "SELECT 'evt_' || n, 'https://example.org/hooks', '/lab', 'refund', 'rf_' || n, "
                           "'refund.succeeded', CASE WHEN n % 2 = 0 THEN 'rf_' || n % "
            + std::to_string(orderingKeys)
            + " END, convert_to(repeat('x', 400), 'UTF8'), '[]', 'PENDING', now(), '[]', now() "
              "FROM generate_series(1, "
            + std::to_string(messages) + ") AS n"),
        "fill");
    require(connection.execute("ANALYZE outbox_messages"), "analyze");
}

// Until the table is drained; answers messages per second.
double drain(int relays, const std::function<int(int relay, Connection& connection)>& once, TempDatabase& database)
{
    std::atomic<int> sent = 0;
    std::vector<std::thread> threads;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 1; i <= relays; ++i)
        threads.emplace_back([&, i] {
            const auto connection = require(database.connect(), "connect");
            while (sent < messages)
                sent += once(i, *connection);
        });
    for (auto& thread : threads)
        thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return messages / took.count();
}

int throughOutbox(int relay, Connection& connection)
{
    Outbox outbox(connection, {});
    const auto claimed = require(
        outbox.claim({ .owner = owner(relay), .lease = 60s, .batch = batch, .schemes = { "http", "https" } }), "claim");
    if (claimed.empty())
        return 0;
    std::vector<std::int64_t> seqs;
    for (const auto& message : claimed)
        seqs.push_back(message.seq);
    return static_cast<int>(require(outbox.sent(seqs, owner(relay)), "mark").size());
}

int bare(int relay, Connection& connection)
{
    auto* handle = static_cast<PGconn*>(connection.handle());
    const auto who = owner(relay).uuid;
    const char* claimValues[] = { who.c_str() };
    auto* claimed = PQexecParams(handle,
        "UPDATE outbox_messages SET status = 'SENDING', owner = $1::uuid, lease_expires_at = now() + interval '60 s', "
        "attempt = attempt + 1 WHERE seq IN (SELECT seq FROM outbox_messages WHERE status = 'PENDING' AND "
        "next_attempt_at <= now() ORDER BY next_attempt_at, seq LIMIT 50 FOR UPDATE SKIP LOCKED) RETURNING seq, "
        "headers",
        1, nullptr, claimValues, nullptr, nullptr, 0);
    if (PQresultStatus(claimed) != PGRES_TUPLES_OK) {
        std::fprintf(stderr, "%s", PQerrorMessage(handle));
        std::exit(1);
    }
    const int rows = PQntuples(claimed);
    std::string list = "{";
    for (int row = 0; row < rows; ++row)
        list += (row == 0 ? "" : ",") + std::string(PQgetvalue(claimed, row, 0));
    list += "}";
    PQclear(claimed);
    if (rows == 0)
        return 0;
    const char* markValues[] = { who.c_str(), list.c_str() };
    PQclear(PQexecParams(handle,
        "UPDATE outbox_messages SET status = 'SENT', sent_at = now() WHERE seq = ANY ($2::bigint[]) AND owner = "
        "$1::uuid",
        2, nullptr, markValues, nullptr, nullptr, 0));
    return rows;
}

void benchRelays()
{
    TempDatabase database(Dialect::PostgreSql);
    const auto connection = require(database.connect(), "connect");
    require(initSchema(*connection, false), "schema");
    std::printf("relay on PostgreSQL: claim %d and mark, %d messages, half of them in %d ordering keys\n", batch,
        messages, orderingKeys);
    for (const int relays : { 1, 2, 4 }) {
        std::vector<double> ratios;
        std::vector<double> own;
        std::vector<double> base;
        for (int round = 0; round < rounds; ++round) {
            fill(*connection);
            base.push_back(drain(relays, bare, database));
            fill(*connection);
            own.push_back(drain(relays, throughOutbox, database));
            ratios.push_back(own.back() / base.back());
        }
        std::printf("  %d relay%s: %.0f messages/s, bare %.0f/s, ratio %.2f\n", relays, relays == 1 ? "" : "s",
            median(own), median(base), median(ratios));
    }
}

Delivery delivery(int number)
{
    Delivery made;
    made.id = { "ledger", "lab", "evt_" + std::to_string(number) };
    made.payloadHash = sha256(made.id.eventId);
    return made;
}

void benchInbox(Dialect dialect, const char* name)
{
    TempDatabase database(dialect);
    const auto connection = require(database.connect(), "connect");
    require(initSchema(*connection, false), "schema");
    Inbox inbox(*connection, {});
    const auto perSecond = [](const std::function<void(int)>& step) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < inboxEvents; ++i)
            step(i);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        return inboxEvents / took.count();
    };
    const auto handled = perSecond([&](int i) {
        require(inbox.receive(delivery(i), { .owner = owner(1), .lease = 60s }), "receive");
        require(inbox.settle(delivery(i).id, owner(1), "ok"), "settle");
    });
    const auto duplicates = perSecond([&](int i) {
        const auto received = require(inbox.receive(delivery(i), { .owner = owner(2), .lease = 60s }), "receive");
        if (received.reception != Reception::Done)
            std::exit(1);
    });
    std::printf("inbox on %s: %.0f events/s received and settled, %.0f duplicates/s\n", name, handled, duplicates);
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    benchInbox(Dialect::Sqlite, "SQLite");
    if (std::getenv("FENCEPOST_TEST_POSTGRES") == nullptr) {
        std::printf("PostgreSQL: not measured; run this under tests/support/with_postgres\n");
        return 0;
    }
    benchInbox(Dialect::PostgreSql, "PostgreSQL");
    benchRelays();
    return 0;
}
