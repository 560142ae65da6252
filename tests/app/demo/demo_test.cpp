// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "app/demo/demo.h"
#include "core/profile/library.h"
#include "core/store/letter_verdicts.h"
#include "core/store/stores.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time end = *parseInstant("2026-11-20T18:30:00Z");

std::unique_ptr<store::Connection> connect(const std::string& path, store::Access access = store::Access::ReadOnly)
{
    auto connection =
        store::Connection::open({ .dialect = store::Dialect::Sqlite, .path = path }, { .access = access });
    EXPECT_TRUE(connection) << connection.error().message;
    return connection ? std::move(*connection) : nullptr;
}

std::vector<std::vector<std::string>> rowsOf(store::Connection& connection, const std::string& sql, int columns)
{
    std::vector<std::vector<std::string>> rows;
    const auto statement = connection.prepare(sql);
    EXPECT_TRUE(statement) << sql;
    EXPECT_TRUE((*statement)->run()) << sql;
    while ((*statement)->next()) {
        rows.emplace_back();
        for (int i = 0; i < columns; ++i)
            rows.back().push_back((*statement)->text(i));
    }
    (*statement)->finish();
    return rows;
}

// Every row of every table but the one that says when the tables were made.
std::vector<std::string> dump(const std::string& path)
{
    const auto connection = connect(path);
    std::vector<std::string> lines;
    for (const auto& table : rowsOf(*connection,
             "SELECT name, (SELECT group_concat('quote(\"' || c.name || '\")', ' || '','' || ') "
             "FROM pragma_table_info(t.name) AS c), (SELECT group_concat('\"' || c.name || '\"') "
             "FROM pragma_table_info(t.name) AS c WHERE c.pk > 0) "
             "FROM sqlite_master AS t WHERE type = 'table' AND name <> 'fencepost_schema' ORDER BY name",
             3))
        for (const auto& row :
            rowsOf(*connection, "SELECT " + table[1] + " FROM \"" + table[0] + "\" ORDER BY " + table[2], 1))
            lines.push_back(table[0] + ": " + row[0]);
    return lines;
}

} // namespace

// Made once: every test but one only reads it.
class DemoTest : public ::testing::Test {
protected:
    static void SetUpTestSuite()
    {
        folder = std::make_unique<QTemporaryDir>();
        path = folder->filePath(QStringLiteral("demo.db")).toStdString();
        const auto made = app::makeDemo({ .path = path, .seed = 1, .end = end });
        ASSERT_TRUE(made) << made.error().message << ": " << made.error().detail;
        report = *made;
    }
    static void TearDownTestSuite() { folder.reset(); }

    void SetUp() override
    {
        connection = connect(path);
        ASSERT_TRUE(connection);
    }

    std::int64_t count(const std::string& sql)
    {
        const auto rows = rowsOf(*connection, sql, 1);
        return rows.empty() ? -1 : std::stoll(rows[0][0]);
    }
    std::int64_t records(const std::string& where)
    {
        return count("SELECT count(*) FROM idempotency_records WHERE " + where);
    }
    static std::string micros(Time time) { return std::to_string(microsOf(time)); }

    static std::unique_ptr<QTemporaryDir> folder;
    static std::string path;
    static app::DemoReport report;
    std::unique_ptr<store::Connection> connection;
};

std::unique_ptr<QTemporaryDir> DemoTest::folder;
std::string DemoTest::path;
app::DemoReport DemoTest::report;

TEST_F(DemoTest, TheSameSeedAndEndGiveTheSameRows)
{
    const auto again = folder->filePath(QStringLiteral("again.db")).toStdString();
    ASSERT_TRUE(app::makeDemo({ .path = again, .seed = 1, .end = end }));
    const auto first = dump(path);
    EXPECT_GT(first.size(), 1500U);
    const auto second = dump(again);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i)
        ASSERT_EQ(first[i], second[i]);

    ASSERT_TRUE(app::makeDemo({ .path = again, .seed = 2, .end = end }));
    EXPECT_TRUE(first != dump(again));
    ASSERT_TRUE(app::makeDemo({ .path = again, .seed = 1, .end = end + 1h }));
    EXPECT_TRUE(first != dump(again));
}

TEST_F(DemoTest, EveryKindOfTroubleIsInIt)
{
    const auto now = micros(end);
    const auto live = "status = 'IN_PROGRESS' AND NOT hold AND lease_expires_at > " + now;
    const auto stuck = "status = 'IN_PROGRESS' AND NOT hold AND lease_expires_at <= " + now;
    const auto unexpired = " AND expires_at > " + now;
    EXPECT_GE(records("true"), 300);
    EXPECT_GE(records("status = 'SUCCEEDED'" + unexpired), 200);
    EXPECT_GE(records(live), 8);
    EXPECT_GE(records(stuck), 6);
    EXPECT_GE(records("hold"), 5);
    EXPECT_GE(records("status = 'FAILED_RETRYABLE' AND NOT hold"), 2);
    EXPECT_GE(records("status = 'FAILED_FINAL'" + unexpired), 10);
    EXPECT_GE(records("NOT hold AND expires_at <= " + now), 10);
    EXPECT_GE(records("tombstone_until > " + now), 5);
    EXPECT_GE(records("attempt > 1"), 25);
    EXPECT_GE(records("recovery_point = 'provider_called'"), 50);
    EXPECT_GE(records("takeover_policy = 'manual'"), 10);
    EXPECT_GE(count("SELECT count(*) FROM idempotency_conflicts WHERE kind = 'mismatch'"), 8);
    EXPECT_GE(count("SELECT count(*) FROM idempotency_conflicts WHERE kind = 'fenced'"), 3);
    // Taken over: reserved while it was in progress.
    EXPECT_GE(count("SELECT count(*) FROM idempotency_transitions WHERE event = 'reserve' AND from_state = "
                    "'IN_PROGRESS' AND to_state = 'IN_PROGRESS'"),
        5);
}

TEST_F(DemoTest, WhatPeopleDidIsInTheAudit)
{
    for (const char* verb : { "fence", "release", "resolve", "fail", "expire", "note", "reopen", "unexpire" })
        EXPECT_GE(count("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed' AND verb = '"
                      + std::string(verb) + "'"),
            1)
            << verb;

    const auto profiles = profile::shippedLibrary();
    ASSERT_TRUE(profiles);
    const auto backend = store::open(
        { .target = { .dialect = store::Dialect::Sqlite, .path = path }, .options = {}, .profiles = &*profiles });
    ASSERT_TRUE(backend) << backend.error().message;
    const auto verdict = (*backend)->inspector().verifyAudit();
    ASSERT_TRUE(verdict);
    EXPECT_TRUE(verdict->intact) << verdict->reason;
    EXPECT_GE(verdict->entries, 10);
}

// A row of the journal for each change: the last one ends where the record stands.
TEST_F(DemoTest, TheJournalEndsWhereTheRecordStands)
{
    const auto rows = rowsOf(*connection,
        "SELECT r.scope || ' ' || r.operation_type || ' ' || r.idempotency_key, "
        "CASE WHEN hold THEN 'HELD' ELSE status END, "
        "(SELECT to_state FROM idempotency_transitions AS t WHERE t.scope = r.scope AND t.operation_type = "
        "r.operation_type AND t.idempotency_key = r.idempotency_key ORDER BY seq DESC LIMIT 1), "
        "r.expires_at <= "
            + micros(end) + " FROM idempotency_records AS r",
        4);
    ASSERT_GE(rows.size(), 300U);
    for (const auto& row : rows)
        EXPECT_TRUE(row[1] == row[2] || (row[3] == "1" && row[2] == "EXPIRED"))
            << row[0] << " is " << row[1] << ", its journal ends at " << row[2];
}

TEST_F(DemoTest, FencesOfARecordOnlyRise)
{
    std::map<std::string, std::int64_t> highest;
    for (const auto& row : rowsOf(*connection,
             "SELECT scope || ' ' || operation_type || ' ' || idempotency_key, fence FROM idempotency_transitions "
             "WHERE event NOT IN ('fenced') ORDER BY seq",
             2)) {
        const auto fence = std::stoll(row[1]);
        EXPECT_GE(fence, highest[row[0]]) << row[0];
        highest[row[0]] = fence;
    }
    std::set<std::int64_t> drawn;
    for (const auto& row : rowsOf(*connection, "SELECT fence FROM idempotency_records", 1))
        EXPECT_TRUE(drawn.insert(std::stoll(row[0])).second) << "two records hold fence " << row[0];
}

TEST_F(DemoTest, NothingHappensOutsideOfTheTwoDays)
{
    EXPECT_EQ(report.end, end);
    EXPECT_EQ(report.begin, end - 48h);
    EXPECT_EQ(records("created_at < " + micros(end - 48h) + " OR updated_at > " + micros(end)), 0);
    EXPECT_EQ(count("SELECT count(*) FROM idempotency_transitions WHERE at > " + micros(end)), 0);
    EXPECT_GE(records("created_at > " + micros(end - 60s)), 8);
}

TEST_F(DemoTest, TheInboxHasEveryState)
{
    for (const char* status : { "RECEIVED", "PROCESSING", "PROCESSED", "FAILED", "DEAD" })
        EXPECT_GE(count("SELECT count(*) FROM inbox_messages WHERE status = '" + std::string(status) + "'"), 1)
            << status;
    EXPECT_GE(count("SELECT count(*) FROM inbox_messages WHERE receive_count > 1"), 10);
}

TEST_F(DemoTest, EventsWereGivenUpForSeveralReasonsWithEveryVerdict)
{
    std::vector<std::string> ids;
    for (const auto& row : rowsOf(*connection, "SELECT id FROM dead_letters WHERE state = 'DEAD'", 1))
        ids.push_back(row[0]);
    EXPECT_GE(ids.size(), 20U);
    EXPECT_GE(count("SELECT count(DISTINCT fingerprint) FROM dead_letters"), 4);
    const auto judged = store::judgeLetters(*connection, ids, end);
    ASSERT_TRUE(judged) << judged.error().message;
    std::map<std::string, int> verdicts;
    int sendable = 0;
    for (const auto& [id, verdict] : *judged) {
        ++verdicts[std::string(wordOf(verdict.verdict))];
        sendable += verdict.unsendable.empty() && verdict.verdict == ReplayVerdict::Safe ? 1 : 0;
    }
    for (const auto* word : { "succeeded", "racing", "safe", "conflict", "unknown" })
        EXPECT_GE(verdicts[word], 1) << word;
    EXPECT_GE(sendable, 10);
    EXPECT_GE(count("SELECT count(*) FROM outbox_messages WHERE status = 'SENT'"), 30);
    EXPECT_GE(count("SELECT count(*) FROM outbox_messages WHERE status = 'PENDING'"), 3);
    EXPECT_EQ(count("SELECT count(*) FROM dead_letters WHERE dead_at > " + micros(end)), 0);
}

TEST_F(DemoTest, SomeOfThemWereReplayed)
{
    EXPECT_GE(count("SELECT count(*) FROM dead_letters WHERE state = 'REDRIVEN'"), 5);
    EXPECT_GE(count("SELECT count(*) FROM dead_letters WHERE state = 'DEAD' AND deaths > 1"), 2) << "some died again";
    const auto runs = rowsOf(*connection, "SELECT state, because FROM operation_runs ORDER BY started_at", 2);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0][0], "DONE");
    EXPECT_EQ(runs[1][0], "PAUSED");
    EXPECT_NE(runs[1][1].find("brake"), std::string::npos) << runs[1][1];
    EXPECT_EQ(count("SELECT count(*) FROM idempotency_audit WHERE verb = 'replay' AND outcome = 'changed'"),
        count("SELECT count(*) FROM run_items WHERE outcome = 'changed'"));
}

TEST_F(DemoTest, ItTakesABoundedNumberOfCalls)
{
    EXPECT_GT(report.storeCalls, 1000);
    EXPECT_LT(report.storeCalls, 4000);
}

TEST_F(DemoTest, TheFileIsAnOrdinaryDatabase)
{
    EXPECT_EQ(rowsOf(*connection, "PRAGMA journal_mode", 1)[0][0], "wal");
    EXPECT_EQ(rowsOf(*connection, "PRAGMA integrity_check", 1)[0][0], "ok");
    EXPECT_FALSE(QFile::exists(folder->filePath(QStringLiteral("demo.db.new"))));
}

TEST_F(DemoTest, AFileThatIsNoDemoIsLeftAlone)
{
    const auto other = folder->filePath(QStringLiteral("orders.db")).toStdString();
    std::ofstream(other) << "precious";
    const auto refused = app::makeDemo({ .path = other });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Conflict);
    std::string text;
    std::ifstream(other) >> text;
    EXPECT_EQ(text, "precious");

    // A database with Fencepost's own tables is no demo either.
    const auto real = folder->filePath(QStringLiteral("real.db")).toStdString();
    {
        const auto made = store::Connection::open({ .dialect = store::Dialect::Sqlite, .path = real },
            { .access = store::Access::ReadWrite, .create = true });
        ASSERT_TRUE(made);
        ASSERT_TRUE((*made)->execute("CREATE TABLE t(a)"));
    }
    EXPECT_FALSE(app::makeDemo({ .path = real }));
    EXPECT_FALSE(app::makeDemo({ .path = folder->path().toStdString() }));
}

TEST_F(DemoTest, AnOpenDemoIsNotReplacedUnderItsReader)
{
    const auto other = folder->filePath(QStringLiteral("open.db")).toStdString();
    ASSERT_TRUE(app::makeDemo({ .path = other, .end = end }));
    {
        const auto writer = connect(other, store::Access::ReadWrite);
        ASSERT_TRUE(writer->execute("CREATE TABLE mine(a)"));
        const auto refused = app::makeDemo({ .path = other, .end = end });
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().failure, Failure::Unavailable);
    }
    EXPECT_TRUE(app::makeDemo({ .path = other, .end = end }));
}

TEST_F(DemoTest, AFolderThatIsNotThereIsNamed)
{
    const auto missing = app::makeDemo({ .path = folder->filePath(QStringLiteral("none/demo.db")).toStdString() });
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("none/demo.db"), std::string::npos);
}

TEST(DemoPolicy, IsValidAndWarnsOfNothing)
{
    const auto policy = app::demoPolicy();
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(policy->warnings(), std::vector<std::string>{});
    const auto payouts = policy->forRoute("tenant:contoso", "POST /payouts");
    EXPECT_EQ(payouts.takeover.value, Takeover::Manual);
    EXPECT_TRUE(payouts.financial.value);
    EXPECT_EQ(policy->forRoute("provider:stripe", "webhook charge.succeeded").ttl.value, 30 * 24h);
}
