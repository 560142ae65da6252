// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/ids.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "core/store/sql_inspector.h"
#include "core/store/sql_store.h"
#include "core/store/unfinished.h"
#include "tests/support/dialects.h"
#include "tests/support/older_schema.h"
#include "tests/support/temp_database.h"

using namespace fencepost;
using namespace fencepost::store;
using namespace std::chrono_literals;
using fencepost::test::TempDatabase;

class SchemaTest : public ::testing::TestWithParam<Dialect> {
protected:
    void SetUp() override
    {
        ASSERT_EQ(database.problem(), "");
        auto opened = database.connect();
        ASSERT_TRUE(opened) << opened.error().detail;
        connection = std::move(*opened);
    }

    std::int64_t number(const std::string& sql)
    {
        const auto statement = connection->prepare(sql);
        EXPECT_TRUE(statement) << statement.error().detail;
        EXPECT_TRUE((*statement)->run());
        EXPECT_TRUE((*statement)->next());
        const auto value = (*statement)->integer(0);
        (*statement)->finish();
        return value;
    }

    void migrateByMany()
    {
        std::vector<std::thread> threads;
        std::vector<std::string> problems(4);
        for (auto& problem : problems)
            threads.emplace_back([this, &problem] {
                auto own = database.connect();
                const auto made = own ? initSchema(**own, false) : Status(own.error());
                problem = made ? "" : made.error().message + " " + made.error().detail;
            });
        for (auto& thread : threads)
            thread.join();
        for (const auto& problem : problems)
            EXPECT_EQ(problem, "");
    }

    TempDatabase database{ GetParam() };
    std::unique_ptr<Connection> connection;
};

INSTANTIATE_TEST_SUITE_P(Backends, SchemaTest, test::bothDialects(), test::nameOfDialect);

TEST_P(SchemaTest, IsCreatedOnceAndRunTwice)
{
    EXPECT_FALSE(schemaStatus(*connection)->version);
    ASSERT_TRUE(initSchema(*connection, false));
    EXPECT_EQ(schemaStatus(*connection)->version, currentSchemaVersion);
    EXPECT_FALSE(schemaStatus(*connection)->views);
    ASSERT_TRUE(initSchema(*connection, true));
    EXPECT_TRUE(schemaStatus(*connection)->views);
    ASSERT_TRUE(initSchema(*connection, true));
    for (const char* view : { "idempotency_keys", "svc_idempotency_keys", "idempotency_store", "inbox_events" })
        EXPECT_EQ(number(std::string("SELECT count(*) FROM ") + view), 0) << view;
    EXPECT_EQ(number("SELECT count(*) FROM fencepost_schema"), currentSchemaVersion);
}

TEST_P(SchemaTest, IsCreatedByManyAtOnce)
{
    std::vector<std::thread> threads;
    std::vector<std::string> problems(8);
    for (auto& problem : problems)
        threads.emplace_back([this, &problem] {
            auto own = database.connect();
            if (!own) {
                problem = own.error().detail;
                return;
            }
            if (const auto made = initSchema(**own, true); !made)
                problem = made.error().message + " " + made.error().detail;
        });
    for (auto& thread : threads)
        thread.join();
    for (const auto& problem : problems)
        EXPECT_EQ(problem, "");
    EXPECT_EQ(number("SELECT count(*) FROM fencepost_schema"), currentSchemaVersion);
}

// A file of the first version, as its programs left it.
TEST_P(SchemaTest, AnOlderVersionIsWorkedWithUntilItIsMigrated)
{
    ASSERT_TRUE(initSchema(*connection, false));
    test::goBackTo(*connection, 1);

    SqlStore records(*connection, {});
    const Reservation wish{ .id = { "s", "o", "k" },
        .requestHash = sha256("p"),
        .owner = { "00000000-0000-4000-8000-000000000001" },
        .lease = 1h,
        .ttl = 24h };
    const auto reserved = records.reserve(wish);
    ASSERT_TRUE(reserved) << reserved.error().detail;
    const auto held = records.hold({ wish.id, wish.owner, reserved->record->fence }, "outcome_unknown");
    ASSERT_TRUE(held && held->outcome == Outcome::Applied);
    const auto library = *profile::shippedLibrary();
    const auto inspector = *SqlInspector::create(*connection, { .profiles = &library });
    const auto binding = inspector->bindings(false)->front();
    EXPECT_TRUE(binding.warnings.empty());
    const auto heldRows = [&] { return inspector->page(binding, { .filter = *parseFilter("held") })->rows.size(); };
    EXPECT_EQ(heldRows(), 1U);

    for (int run = 0; run < 2; ++run) {
        ASSERT_TRUE(initSchema(*connection, false));
        EXPECT_EQ(schemaStatus(*connection)->version, currentSchemaVersion);
        EXPECT_EQ(number("SELECT count(*) FROM fencepost_schema"), currentSchemaVersion);
    }
    EXPECT_EQ(number(GetParam() == Dialect::Sqlite
                      ? "SELECT count(*) FROM sqlite_master WHERE name = 'idempotency_records_held'"
                      : "SELECT count(*) FROM pg_indexes WHERE indexname = 'idempotency_records_held'"),
        1);
    EXPECT_EQ(heldRows(), 1U);
    EXPECT_EQ(records.reserve(wish)->outcome, Outcome::Held);
}

TEST_P(SchemaTest, OfTheSecondVersionKeepsItsEffectsAndIsMigratedByManyAtOnce)
{
    ASSERT_TRUE(initSchema(*connection, false));
    test::goBackTo(*connection, 2);
    const std::string octets = GetParam() == Dialect::Sqlite ? "X'01'" : "'\\x01'";
    ASSERT_TRUE(connection->execute(
        "INSERT INTO effects (effect_id, fence, state, ref) VALUES (" + octets + ", 7, 'DONE', 'rf_1')"));
    migrateByMany();
    EXPECT_EQ(number("SELECT count(*) FROM fencepost_schema"), currentSchemaVersion);
    EXPECT_EQ(number("SELECT count(*) FROM effects WHERE ref = 'rf_1' AND expires_at IS NULL"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM outbound_calls"), 0);
    ASSERT_TRUE(initSchema(*connection, false));
}

TEST_P(SchemaTest, EveryOlderVersionIsMigratedByManyAtOnce)
{
    ASSERT_TRUE(initSchema(*connection, false));
    const auto shapeOf = [&] {
        return number(GetParam() == Dialect::Sqlite
                ? "SELECT count(*) FROM sqlite_master"
                : "SELECT count(*) FROM pg_class WHERE relname LIKE 'idempotency%' OR relname LIKE 'effects%' OR "
                  "relname LIKE 'outbound%' OR relname LIKE 'inbox%' OR relname LIKE 'outbox%' OR relname LIKE "
                  "'operation_runs%'");
    };
    const auto shape = shapeOf();
    SqlStore records(*connection, {});
    const Reservation wish{ .id = { "s", "o", "k" },
        .requestHash = sha256("p"),
        .owner = { "00000000-0000-4000-8000-000000000001" },
        .lease = 1h,
        .ttl = 24h };
    ASSERT_TRUE(records.reserve(wish));
    for (int version = currentSchemaVersion - 1; version > 0; --version) {
        test::goBackTo(*connection, version);
        EXPECT_LT(shapeOf(), shape);
        SCOPED_TRACE(version);
        migrateByMany();
        ASSERT_TRUE(initSchema(*connection, false));
        EXPECT_EQ(number("SELECT count(*) FROM fencepost_schema"), currentSchemaVersion);
        EXPECT_EQ(shapeOf(), shape);
        EXPECT_EQ(number("SELECT count(*) FROM idempotency_records WHERE request_headers IS NULL"), 1) << version;
    }
}

TEST_P(SchemaTest, OfTheThirdVersionKeepsNoHeadersAndSaysSo)
{
    ASSERT_TRUE(initSchema(*connection, false));
    test::goBackTo(*connection, 3);
    SqlStore records(*connection, {});
    Reservation wish{ .id = { "s", "o", "k" },
        .requestHash = sha256("p"),
        .owner = { "00000000-0000-4000-8000-000000000001" },
        .lease = 1h,
        .ttl = 24h,
        .requestMethod = "POST",
        .requestBody = "{}" };
    wish.requestHeaders = { { "Content-Type", "text/csv" } };
    const auto refused = records.reserve(wish);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Unsupported) << refused.error().message;
    EXPECT_NE(refused.error().message.find("version 3"), std::string::npos) << refused.error().message;
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_records"), 0);
    EXPECT_EQ(unfinishedRecords(*connection, std::nullopt, 10).error().failure, Failure::Unsupported);
    EXPECT_EQ(records.reap({}).error().failure, Failure::Unsupported);
    wish.requestHeaders.clear();
    EXPECT_TRUE(records.reserve(wish));
    ASSERT_TRUE(initSchema(*connection, false));
    EXPECT_EQ(unfinishedRecords(*connection, std::nullopt, 10)->size(), 1U);
}

TEST_P(SchemaTest, OfANewerVersionIsRefused)
{
    ASSERT_TRUE(initSchema(*connection, false));
    ASSERT_TRUE(connection->execute("UPDATE fencepost_schema SET version = 99 WHERE version = 1"));
    const auto done = initSchema(*connection, false);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().failure, Failure::Unsupported);
    EXPECT_NE(done.error().message.find("99"), std::string::npos);
    EXPECT_EQ(number("SELECT max(version) FROM fencepost_schema"), 99);
}

TEST_P(SchemaTest, LeavesSomebodyElsesTableAlone)
{
    ASSERT_TRUE(connection->execute("CREATE TABLE idempotency_records (a INTEGER)"));
    const auto done = initSchema(*connection, false);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().failure, Failure::Unsupported) << done.error().detail;
    EXPECT_FALSE(schemaStatus(*connection)->version);
}

TEST_P(SchemaTest, KeepsTheRulesOfARecord)
{
    ASSERT_TRUE(initSchema(*connection, false));
    const bool sqlite = GetParam() == Dialect::Sqlite;
    const auto insert = [&](const std::string& hash, const std::string& status, const std::string& lease,
                            const std::string& hold) {
        const std::string now = sqlite ? "0" : "now()";
        return connection->execute(
            "INSERT INTO idempotency_records (scope, operation_type, idempotency_key, request_hash, status,"
            " owner_execution_id, fence, lease_expires_at, hold, created_at, started_at, updated_at,"
            " expires_at) VALUES ('s', 'o', 'k', "
            + hash + ", '" + status + "', '00000000-0000-4000-8000-000000000000', 1, " + lease + ", " + hold + ", "
            + now + ", " + now + ", " + now + ", " + now + ")");
    };
    const std::string good = sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
    const std::string bad = sqlite ? "zeroblob(31)" : "decode(repeat('00', 31), 'hex')";
    const std::string lease = sqlite ? "1" : "now()";
    const std::string yes = sqlite ? "1" : "true";
    const std::string no = sqlite ? "0" : "false";
    EXPECT_FALSE(insert(bad, "IN_PROGRESS", lease, no));
    EXPECT_FALSE(insert(good, "PENDING", lease, no));
    EXPECT_FALSE(insert(good, "IN_PROGRESS", "NULL", no));
    EXPECT_FALSE(insert(good, "SUCCEEDED", lease, yes));
    const auto kept = insert(good, "IN_PROGRESS", lease, yes);
    EXPECT_TRUE(kept) << kept.error().detail;
}

TEST_P(SchemaTest, HasTheLayoutsOfTheSeeds)
{
    for (const char* layout : { "playbook", "atlas", "service", "fencepost" }) {
        const auto text = ddl(GetParam(), layout, "svc_a");
        ASSERT_TRUE(text) << layout;
        TempDatabase own(GetParam());
        auto opened = own.connect();
        ASSERT_TRUE(opened);
        for (std::size_t at = 0; at < text->size();) {
            const auto end = text->find(";\n", at);
            const auto done = (*opened)->execute(text->substr(at, end - at));
            ASSERT_TRUE(done) << layout << ": " << done.error().detail;
            at = end == std::string::npos ? text->size() : end + 3;
        }
    }
    EXPECT_FALSE(ddl(GetParam(), "other", ""));
    EXPECT_FALSE(ddl(GetParam(), "service", std::string(100, 'x')));
    EXPECT_NE(ddl(Dialect::PostgreSql, "service", "a\"b")->find("\"a\"\"b\".idempotency_keys"), std::string::npos);
}

// Older versions did not keep two events of a consumer from having one effect.
TEST_P(SchemaTest, EventsThatHadOneEffectStayAndTheFirstStandsForIt)
{
    ASSERT_TRUE(initSchema(*connection, false));
    test::goBackTo(*connection, 4);
    const std::string hash = GetParam() == Dialect::Sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
    for (const auto* id : { "evt_1", "evt_2", "evt_3" }) {
        const std::string at = std::string(id) == "evt_2" ? "1" : "2";
        const auto made = connection->execute("INSERT INTO inbox_messages (consumer, source, event_id, dedupe_key, "
                                              "payload_hash, status, received_at) VALUES "
                                              "('ledger', 'stripe', '"
            + std::string(id) + "', 'commission:1', " + hash + ", 'PROCESSED', "
            + (GetParam() == Dialect::Sqlite ? at : "to_timestamp(" + at + ")") + ")");
        ASSERT_TRUE(made) << made.error().detail;
    }
    const auto migrated = initSchema(*connection, false);
    ASSERT_TRUE(migrated) << migrated.error().detail;
    EXPECT_EQ(number("SELECT count(*) FROM inbox_messages WHERE dedupe_key = 'commission:1'"), 3);
    EXPECT_EQ(number("SELECT count(*) FROM inbox_messages WHERE effect_key IS NOT NULL"), 1);
    EXPECT_EQ(
        number("SELECT count(*) FROM inbox_messages WHERE effect_key = 'commission:1' AND event_id = 'evt_2'"), 1);
}
