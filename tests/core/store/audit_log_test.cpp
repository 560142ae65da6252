// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "core/store/audit_log.h"
#include "tests/support/dialects.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using fencepost::test::TempDatabase;
using testing::HasSubstr;

class AuditLogTest : public ::testing::TestWithParam<Dialect> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened) << opened.error().detail;
        connection = std::move(*opened);
        log = std::make_unique<AuditLog>(*connection);
        ASSERT_FALSE(*log->exists());
        ASSERT_TRUE(log->install());
        ASSERT_TRUE(*log->exists());
    }

    static AuditEntry entry(int item)
    {
        AuditEntry out;
        out.requestId = "0f3c9a52-6d1e-4b7a-9d55-2f6f2b1c7a10";
        out.item = item;
        out.verb = "fence";
        out.database = "db";
        out.binding = "idempotency_records";
        out.identity = R"(["pay","charge","k1"])";
        out.outcome = "changed";
        out.detail = "d";
        out.before = R"({"fence":1})";
        out.after = R"({"fence":2})";
        out.parameters = "{}";
        out.actor = "op@host";
        out.reason = "worker “3” is gone";
        out.at = timeFromMicros(1'795'000'000'123'456);
        return out;
    }

    static Status append(Connection& where, const AuditEntry& what)
    {
        AuditLog own(where);
        auto transaction = Transaction::begin(where, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        if (auto status = own.lock(); !status)
            return status;
        if (auto appended = own.append(what); !appended)
            return appended.error();
        return transaction->commit();
    }

    void fill(int entries)
    {
        for (int i = 0; i < entries; ++i)
            ASSERT_TRUE(append(*connection, entry(i)));
    }

    void run(const std::string& sql)
    {
        const auto done = connection->execute(sql);
        ASSERT_TRUE(done) << sql << ": " << done.error().detail;
    }

    std::string text(const std::string& sql)
    {
        auto statement = connection->prepare(sql);
        EXPECT_TRUE((*statement)->run());
        EXPECT_TRUE((*statement)->next());
        auto value = (*statement)->text(0);
        (*statement)->finish();
        return value;
    }

    AuditVerdict verdict()
    {
        auto answer = log->verify();
        EXPECT_TRUE(answer) << answer.error().message << answer.error().detail;
        return *answer;
    }

    TempDatabase database{ GetParam() };
    std::unique_ptr<Connection> connection;
    std::unique_ptr<AuditLog> log;
};

INSTANTIATE_TEST_SUITE_P(Backends, AuditLogTest, test::bothDialects(), test::nameOfDialect);

TEST_P(AuditLogTest, KeepsWhatWasAppended)
{
    EXPECT_TRUE(verdict().intact);
    EXPECT_EQ(verdict().entries, 0);
    fill(1203);
    const auto good = verdict();
    EXPECT_TRUE(good.intact) << good.reason;
    EXPECT_EQ(good.entries, 1203);

    const auto listed = log->list({ .limit = 3 }, {});
    ASSERT_TRUE(listed);
    ASSERT_EQ(listed->size(), 3U);
    EXPECT_EQ(listed->front().seq, 1203);
    EXPECT_EQ(listed->front().hash, good.head);
    EXPECT_EQ(listed->front().previous, (*listed)[1].hash);
    EXPECT_EQ(listed->front().reason, entry(0).reason);
    EXPECT_EQ(listed->front().at, entry(0).at);
    const auto older = log->list({ .beforeSeq = 2, .limit = 3 }, {});
    ASSERT_EQ(older->size(), 1U);
    EXPECT_EQ(log->list({ .requestId = entry(0).requestId, .limit = 9 }, {})->size(), 9U);
    EXPECT_EQ(log->list({ .requestId = "other" }, {})->size(), 0U);
    EXPECT_EQ(
        log->list({ .binding = "idempotency_records", .identity = { "pay", "charge", "k1" }, .limit = 7 }, {})->size(),
        7U);
    EXPECT_EQ(log->list({ .binding = "idempotency_records", .identity = { "pay", "charge", "k2" } }, {})->size(), 0U);
    EXPECT_EQ(log->list({}, "another")->size(), 0U);
    EXPECT_EQ((*log->find(entry(0).requestId, 77))->seq, 78);
    EXPECT_FALSE(*log->find(entry(0).requestId, 5000));
}

TEST_P(AuditLogTest, FindsOneFlippedBitInAnyText)
{
    fill(5);
    for (const std::string column : { "request_id", "verb", "database", "binding", "identity", "outcome", "detail",
             "before_image", "after_image", "parameters", "actor", "reason", "previous", "hash" }) {
        const auto where = " FROM idempotency_audit WHERE seq = 3";
        const auto good = text("SELECT " + column + where);
        for (std::size_t at = 0; at < good.size(); ++at) {
            auto bad = good;
            // The lowest bit of an ASCII character: the text stays valid, so the database takes it.
            if (static_cast<unsigned char>(bad[at]) >= 0x80)
                continue;
            bad[at] = static_cast<char>(bad[at] ^ 1);
            auto update = connection->prepare("UPDATE idempotency_audit SET " + column + " = :v WHERE seq = 3");
            ASSERT_TRUE(update);
            ASSERT_TRUE((*update)->bindText("v", bad).run());
            (*update)->finish();
            const auto found = verdict();
            EXPECT_FALSE(found.intact) << column << " byte " << at;
            EXPECT_EQ(found.brokenAt, 3) << column << " byte " << at;
        }
        auto mend = connection->prepare("UPDATE idempotency_audit SET " + column + " = :v WHERE seq = 3");
        ASSERT_TRUE((*mend)->bindText("v", good).run());
        (*mend)->finish();
        EXPECT_TRUE(verdict().intact) << column;
    }
    for (const std::string column : { "item", "at" }) {
        run("UPDATE idempotency_audit SET " + column + " = " + column + " + 1000 WHERE seq = 3");
        EXPECT_EQ(verdict().brokenAt, 3) << column;
        run("UPDATE idempotency_audit SET " + column + " = " + column + " - 1000 WHERE seq = 3");
    }
    EXPECT_TRUE(verdict().intact);
}

TEST_P(AuditLogTest, FindsInvalidTextThatLooksLikeTheOldOne)
{
    auto replaced = entry(0);
    replaced.reason = "\xEF\xBF\xBD";
    ASSERT_TRUE(append(*connection, replaced));
    ASSERT_TRUE(verdict().intact);
    if (GetParam() == Dialect::PostgreSql) {
        EXPECT_FALSE(connection->execute("UPDATE idempotency_audit SET reason = E'\\xFF' WHERE seq = 1"));
        return;
    }
    run("UPDATE idempotency_audit SET reason = CAST(X'FF' AS TEXT) WHERE seq = 1");
    EXPECT_FALSE(verdict().intact);
}

TEST_P(AuditLogTest, FindsEntriesThatAreMissing)
{
    fill(6);
    run("CREATE TABLE kept AS SELECT * FROM idempotency_audit");
    const auto restore = [this] {
        run("DELETE FROM idempotency_audit");
        run("INSERT INTO idempotency_audit SELECT * FROM kept");
        EXPECT_TRUE(verdict().intact);
    };
    for (const int seq : { 1, 3, 6 }) {
        run("DELETE FROM idempotency_audit WHERE seq = " + std::to_string(seq));
        EXPECT_EQ(verdict().brokenAt, seq);
        restore();
    }
    run("DELETE FROM idempotency_audit");
    EXPECT_FALSE(verdict().intact);
    restore();
    run("DELETE FROM idempotency_chain");
    EXPECT_THAT(verdict().reason, HasSubstr("is gone"));
    EXPECT_EQ(append(*connection, entry(7)).error().failure, Failure::Corrupt);
}

TEST_P(AuditLogTest, FindsEntriesThatWereReorderedOrAdded)
{
    fill(4);
    run("UPDATE idempotency_audit SET seq = 99 WHERE seq = 2");
    EXPECT_EQ(verdict().brokenAt, 2);
    run("UPDATE idempotency_audit SET seq = 2 WHERE seq = 3");
    run("UPDATE idempotency_audit SET seq = 3 WHERE seq = 99");
    EXPECT_EQ(verdict().brokenAt, 2);
    run("UPDATE idempotency_audit SET seq = 99 WHERE seq = 2");
    run("UPDATE idempotency_audit SET seq = 2 WHERE seq = 3");
    run("UPDATE idempotency_audit SET seq = 3 WHERE seq = 99");
    EXPECT_TRUE(verdict().intact);

    auto forged = entry(9);
    forged.seq = 5;
    forged.previous = verdict().head;
    run("INSERT INTO idempotency_audit SELECT 5, request_id, 9, verb, database, binding, identity, outcome, detail,"
        " before_image, after_image, parameters, actor, reason, at, '"
        + forged.previous + "', '" + hashOf(forged) + "' FROM idempotency_audit WHERE seq = 1");
    EXPECT_THAT(verdict().reason, HasSubstr("written last"));
}

TEST_P(AuditLogTest, NeverForksUnderConcurrentWriters)
{
    constexpr int writers = 8;
    constexpr int each = 25;
    std::vector<std::string> problems(writers);
    std::vector<std::thread> threads;
    for (int writer = 0; writer < writers; ++writer)
        threads.emplace_back([this, writer, &problem = problems[static_cast<std::size_t>(writer)]] {
            auto own = database.connect();
            if (!own) {
                problem = own.error().detail;
                return;
            }
            for (int i = 0; i < each; ++i)
                if (const auto status = append(**own, entry(writer * each + i)); !status)
                    problem = status.error().message + ' ' + status.error().detail;
        });
    for (auto& thread : threads)
        thread.join();
    for (const auto& problem : problems)
        EXPECT_EQ(problem, "");
    const auto good = verdict();
    EXPECT_TRUE(good.intact) << good.reason;
    EXPECT_EQ(good.entries, writers * each);
}

TEST_P(AuditLogTest, TakesTheSameChangeOnce)
{
    ASSERT_TRUE(append(*connection, entry(0)));
    EXPECT_EQ(append(*connection, entry(0)).error().failure, Failure::Conflict);
    auto skipped = entry(1);
    skipped.outcome = "skipped";
    EXPECT_TRUE(append(*connection, skipped));
    EXPECT_TRUE(append(*connection, skipped));
    EXPECT_TRUE(append(*connection, entry(1)));
    EXPECT_EQ((*log->find(entry(1).requestId, 1))->outcome, "changed");
    EXPECT_EQ(verdict().entries, 4);
}

TEST_P(AuditLogTest, IsInstalledByManyAtOnce)
{
    run("DROP TABLE idempotency_audit");
    run("DROP TABLE idempotency_chain");
    std::vector<std::string> problems(6);
    std::vector<std::thread> threads;
    for (auto& problem : problems)
        threads.emplace_back([this, &problem] {
            auto own = database.connect();
            if (!own) {
                problem = own.error().detail;
                return;
            }
            AuditLog other(**own);
            if (const auto status = other.install(); !status)
                problem = status.error().message + ' ' + status.error().detail;
        });
    for (auto& thread : threads)
        thread.join();
    for (const auto& problem : problems)
        EXPECT_EQ(problem, "");
    connection->forgetStatements();
    ASSERT_TRUE(append(*connection, entry(0)));
    EXPECT_TRUE(verdict().intact);
}

TEST_P(AuditLogTest, IsVerifiedInAReadOnlySession)
{
    fill(3);
    auto reader = database.connect(Access::ReadOnly);
    ASSERT_TRUE(reader);
    AuditLog other(**reader);
    const auto answer = other.verify();
    ASSERT_TRUE(answer) << answer.error().detail;
    EXPECT_TRUE(answer->intact);
    EXPECT_EQ(answer->entries, 3);
}
