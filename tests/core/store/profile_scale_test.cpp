// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "tests/core/store/framework_fixture.h"

namespace fencepost::test {

namespace {

constexpr int rowCount = 1'000'000;

// A million rows, of which a few are stuck, in a table with the indexes that its framework makes.
class ProfileScale : public FrameworkTest {
protected:
    [[nodiscard]] std::string series(const std::string& columns) const
    {
        const auto count = std::to_string(rowCount);
        return sqlite() ? "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < " + count
                + ") SELECT " + columns + " FROM s"
                        : "SELECT " + columns + " FROM generate_series(1, " + count + ") AS s(n)";
    }

    // Minutes before now, by the number of the row.
    [[nodiscard]] std::string minutesAgo(const std::string& minutes) const
    {
        const auto seconds = std::to_string(microsOf(now) / 1'000'000);
        return sqlite()
            ? "strftime('%Y-%m-%d %H:%M:%S', " + seconds + " - CAST(60 * (" + minutes + ") AS INTEGER), 'unixepoch')"
            : "to_timestamp(" + seconds + " - 60 * (" + minutes + "))";
    }

    std::string explained(const Binding& binding, const std::string& filter)
    {
        PageRequest request;
        const auto parsed = parseFilter(filter);
        EXPECT_TRUE(parsed);
        request.filter = *parsed;
        request.order = "key";
        request.limit = 50;
        const auto text = writing().explain(binding, request);
        EXPECT_TRUE(text) << text.error().message << text.error().detail;
        return text ? *text : std::string();
    }

    void expectIndex(const std::string& plan, const std::string& index)
    {
        EXPECT_NE(plan.find(index), std::string::npos) << plan;
        EXPECT_EQ(plan.find("Seq Scan"), std::string::npos) << plan;
    }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, ProfileScale, bothDialects(), nameOfDialect);

TEST_P(ProfileScale, AnIndexServesStuckPageAndPointOfAMillionRows)
{
    run(std::string(
            "CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, payload_hash TEXT, status TEXT, result_ref TEXT, "
            "http_code INT, created_at ")
        + (sqlite() ? "TEXT" : "timestamptz") + " NOT NULL, expires_at " + (sqlite() ? "TEXT" : "timestamptz") + ")");
    run("CREATE INDEX by_status ON idempotency_keys (status, created_at)");
    run("CREATE INDEX by_age ON idempotency_keys (created_at)");
    run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) "
        + series("'k' || n, 'h', CASE WHEN n % 1000 = 0 THEN 'pending' ELSE 'complete' END, "
            + minutesAgo("CASE WHEN n % 100000 = 0 THEN 60 ELSE n * 4.0 / 1000000 END") + ", " + minutesAgo("-1440")));
    run("ANALYZE");
    const auto keys = bindingOf("seed.playbook.idempotency_keys");
    EXPECT_EQ(rowsOf(keys, "stuck").size(), 10U);
    // By state or by age: a few of the million are found by either.
    expectIndex(explained(keys, "stuck"), "by_");
    PageRequest newest;
    newest.order = "created";
    const auto page = writing().explain(keys, newest);
    ASSERT_TRUE(page) << page.error().message;
    expectIndex(*page, "by_age");
    PageRequest byKey;
    byKey.order = "key";
    expectIndex(
        *writing().explain(keys, byKey), sqlite() ? "sqlite_autoindex_idempotency_keys" : "idempotency_keys_pkey");
    expectIndex(
        explained(keys, "key = k777"), sqlite() ? "sqlite_autoindex_idempotency_keys" : "idempotency_keys_pkey");
    const auto started = std::chrono::steady_clock::now();
    EXPECT_EQ(rowsOf(keys, "stuck").size(), 10U);
    EXPECT_LT(std::chrono::steady_clock::now() - started, 500ms);
}

// What is still to do are the few rows whose flags are not set, or not there.
TEST_P(ProfileScale, AnIndexServesFlagsThatAreNotSet)
{
    run("CREATE TABLE TXNO_OUTBOX (id VARCHAR(36) PRIMARY KEY, invocation TEXT, nextAttemptTime TIMESTAMP(6), attempts "
        "INT, blocked BOOLEAN, version INT, uniqueRequestId VARCHAR(250) NULL UNIQUE, processed BOOLEAN, "
        "lastAttemptTime TIMESTAMP(6), topic VARCHAR(250) NOT NULL DEFAULT '*', seq BIGINT)");
    run("CREATE INDEX IX_TXNO_OUTBOX_1 ON TXNO_OUTBOX (processed, blocked, nextAttemptTime)");
    const auto due = minutesAgo("n * 100.0 / 1000000");
    run("INSERT INTO TXNO_OUTBOX (id, invocation, nextAttemptTime, attempts, blocked, version, processed) "
        + series("'i' || n, '{}', " + (sqlite() ? due : due + " AT TIME ZONE 'UTC'")
            + ", 0, CASE WHEN n % 60000 = 0 THEN NULL ELSE n % 40000 = 0 END, 1, "
              "CASE WHEN n % 100000 = 0 THEN NULL ELSE n % 20000 <> 0 END"));
    run("ANALYZE");
    const auto outbox = bindingOf("gruelbox.transaction_outbox");
    EXPECT_EQ(rowsOf(outbox, "state = DEAD").size(), 17U);
    EXPECT_EQ(rowsOf(outbox, "state = PENDING").size(), 33U);
    EXPECT_EQ(rowsOf(outbox, "stuck").size(), 28U);
    if (!sqlite())
        for (const auto* filter : { "stuck", "state = PENDING" })
            expectIndex(explained(outbox, filter), "Index");
}

// Milliseconds since 1970 in a number are compared as they are stored.
TEST_P(ProfileScale, AnIndexServesTimesThatAreNumbers)
{
    const auto added = library.add(R"({"profile": "test.epochs", "format": 1, "kind": "job",
        "dialects": ["postgresql", "sqlite"], "detect": {"require": {"t": ["id", "state", "at"]}},
        "source": {"tables": {"t": "epoch_jobs"}}, "identity": ["id"], "time": {"at": "epoch_ms"},
        "fields": {"key": ["text", ["col", "id"]], "created_us": ["col", "at"], "raw_state": ["col", "state"]},
        "state": [{"when": ["eq", ["col", "state"], "open"], "is": "IN_PROGRESS"}, {"when": ["true"], "is": "SUCCEEDED"}],
        "stuck": ["and", ["eq", ["col", "state"], "open"], ["older_than", ["col", "at"], "PT10M"]]})",
        "epochs.json");
    ASSERT_TRUE(added) << added.error().message;
    run("CREATE TABLE epoch_jobs (id INTEGER PRIMARY KEY, state TEXT NOT NULL, at BIGINT NOT NULL)");
    run("CREATE INDEX by_state ON epoch_jobs (state, at)");
    const auto at = std::to_string(microsOf(now) / 1'000);
    run("INSERT INTO epoch_jobs " + series("n, 'open', " + at + " - CASE WHEN n % 250000 = 0 THEN 3600000 ELSE 0 END"));
    run("ANALYZE");
    const auto jobs = bindingOf("test.epochs");
    EXPECT_EQ(rowsOf(jobs, "stuck").size(), 4U);
    const auto plan = explained(jobs, "stuck");
    expectIndex(plan, "by_state");
    EXPECT_TRUE(sqlite() ? plan.find("at<?") != std::string::npos : plan.find("(at <") != std::string::npos) << plan;
}

} // namespace fencepost::test
