// SPDX-License-Identifier: GPL-3.0-or-later
#include <sqlite3.h>

#include "core/telemetry/log.h"
#include "tests/e2e/ctl_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr auto first =
    R"({"ts":"2026-11-20T10:00:00Z","event":"reserve","idempotency_key":"k1","scope":"pay",)"
    R"("operation_type":"charge","from_state":"ABSENT","to_state":"IN_PROGRESS","status":"IN_PROGRESS",)"
    R"("attempt":1,"fence":7,"owner":"o1"})"
    "\n";
constexpr auto last =
    R"({"other":[1],"fields":{"to_state":"SUCCEEDED","from_state":"IN_PROGRESS","status":"SUCCEEDED",)"
    R"("idempotency_key":"k1","scope":"pay","operation_type":"charge","event":"finalize","fence":7,)"
    R"("attempt":1,"outcome":"created"},"time":1795168802.5})"
    "\n";

class CtlImportTest : public CtlTest {
protected:
    [[nodiscard]] QString log(const char* name, const QByteArray& content) const
    {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return path(name);
    }

    [[nodiscard]] CtlRun import(const QStringList& files, const QStringList& more = {}) const
    {
        return plain(QStringList{ QStringLiteral("--json"), QStringLiteral("import") } + files
            + QStringList{ QStringLiteral("--into"), path("out.db") } + more);
    }

    [[nodiscard]] CtlRun on(const char* words) const
    {
        return plain(
            QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:") + path("out.db"), QStringLiteral("--json") }
            + QString::fromUtf8(words).split(QLatin1Char(' ')));
    }

    [[nodiscard]] std::string one(const char* sql) const
    {
        sqlite3* file = nullptr;
        EXPECT_EQ(
            sqlite3_open_v2(path("out.db").toUtf8().constData(), &file, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
        std::string text;
        const auto take = [](void* target, int, char** values, char**) {
            *static_cast<std::string*>(target) += values[0] == nullptr ? "NULL" : values[0];
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(file, sql, take, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
        sqlite3_close(file);
        return text;
    }
};

INSTANTIATE_TEST_SUITE_P(Sqlite, CtlImportTest, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

TEST_P(CtlImportTest, KeysAndTheirHistoryAreReadAsFromADatabase)
{
    const auto run = import({ log("b.jsonl", last), log("a.jsonl", first) });
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(run.json()["imported"].size(), 2U);
    const auto shown = on("keys show pay charge k1");
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.json()["state"], "SUCCEEDED") << shown.out;
    EXPECT_EQ(on("keys list").lines().size(), 1U);
    ASSERT_EQ(shown.json()["transitions"].size(), 2U) << shown.out;
    EXPECT_EQ(shown.json()["transitions"][1]["reason"], "created");
    EXPECT_EQ(shown.json()["lease_expires_at"], nullptr);
    EXPECT_EQ(one("SELECT group_concat(event) FROM (SELECT event FROM idempotency_transitions ORDER BY seq)"),
        "reserve,finalize");
    EXPECT_EQ(one("SELECT fence || ' ' || attempt || ' ' || hex(request_hash) FROM idempotency_records"), "7 1 ");
    EXPECT_EQ(plain({ QStringLiteral("snapshot"), QStringLiteral("verify"), path("out.db") }).code, 0);
    for (const auto* command : { "flows --since 2026-11-01T00:00:00Z", "conflicts list --since 2026-11-01T00:00:00Z",
             "find k1", "retries histogram" })
        EXPECT_EQ(on(command).code, 0) << command << on(command).err;
    EXPECT_THAT(on("invariants").out, Not(HasSubstr("fence_unknown")));
}

TEST_P(CtlImportTest, TheSameFileTwiceIsTheSameFile)
{
    const auto name = log("a.jsonl", QByteArray(first) + last);
    const auto run = import({ name, name });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.json()["imported"][1]["repeated"], 2);
    EXPECT_EQ(one("SELECT count(*) FROM idempotency_transitions"), "2");
}

TEST_P(CtlImportTest, WhatTheLibraryLogsIsReadBackAndAHashedKeyIsSaidToBeOne)
{
    telemetry::KeyEvent event{ .at = timeFromMicros(1'700'000'000'000'000),
        .event = Event::Reserve,
        .id = { "pay", "charge", "k\n1" },
        .payloadHash = Bytes(32, 'a'),
        .status = State::InProgress,
        .from = State::Absent,
        .to = State::InProgress,
        .attempt = 1,
        .fence = { 3 },
        .owner = "o" };
    auto lines = telemetry::jsonLine(event, { .showKeys = true }) + '\n';
    event.id.key = "hidden";
    lines += telemetry::jsonLine(event, { .salt = "s" }) + '\n';
    event.outcome = telemetry::KeyOutcome::Conflict;
    event.payloadHash = Bytes(32, 'b');
    event.from = event.to;
    lines += telemetry::jsonLine(event, { .salt = "s" }) + '\n';
    const auto run = import({ log("a.jsonl", QByteArray::fromStdString(lines)) });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(on("keys list").lines().size(), 2U);
    EXPECT_EQ(one("SELECT idempotency_key FROM idempotency_records WHERE idempotency_key LIKE 'sha256:%'"),
        "sha256:" + telemetry::keyHash("hidden", "s"));
    EXPECT_THAT(run.err, HasSubstr("hash of a key"));
    EXPECT_EQ(one("SELECT slot || ' ' || count || ' ' || hex(presented_hash) FROM idempotency_conflicts"),
        "1 1 " + toHex(Bytes(32, 'b')));
}

TEST_P(CtlImportTest, WhatIsNotUnderstoodIsNamedWithItsLineAndLeftOut)
{
    QByteArray content = first;
    content += "not json\n\n";
    content += R"({"ts":"2026-11-20T10:00:00Z","event":"reserve"})"
               "\n";
    content += "{\"ts\":\"2026-11-20T10:00:00Z\",\"event\":\"x\",\"idempotency_key\":\"\xff\"}\n";
    content += R"({"ts":"2026-11-20T10:00:00Z","event":"x","idempotency_key":"a\u0000b"})"
               "\n";
    content += R"({"ts":"12026-11-20T10:00:00Z","event":"x","idempotency_key":"far"})"
               "\n";
    content += QByteArray(3 << 20, 'x') + '\n';
    content += QByteArray(100000, '[') + '\n';
    content += R"({"ts":-86400,"event":"reserve","idempotency_key":"old","to_state":"HELD"})"
               "\r\n";
    content += R"({"ts":"2026-11-2)";
    const auto run = import({ log("a.jsonl", content) });
    ASSERT_EQ(run.code, 0) << run.err;
    const auto told = run.json();
    EXPECT_EQ(told["imported"][0]["lines"], 10);
    EXPECT_EQ(told["imported"][0]["left_out"], 8);
    EXPECT_EQ(told["left_out"][0]["line"], 2);
    EXPECT_THAT(run.err, HasSubstr("line 4: it has neither idempotency_key nor key_hash"));
    EXPECT_THAT(run.err, HasSubstr("line 6: idempotency_key has a NUL in it"));
    EXPECT_THAT(run.err, HasSubstr("line 8: it is longer than 1 MiB"));
    EXPECT_THAT(run.err, HasSubstr("line 9: it is nested too deeply"));
    EXPECT_THAT(run.err, HasSubstr("without its end"));
    EXPECT_EQ(one("SELECT hold || ' ' || at FROM idempotency_records JOIN idempotency_transitions USING "
                  "(idempotency_key) WHERE idempotency_key = 'old'"),
        "1 -86400000000");
    EXPECT_EQ(on("keys show unknown unknown old").json()["state"], "HELD");
}

TEST_P(CtlImportTest, NothingUnderstoodLeavesNoFile)
{
    const auto run = import({ log("a.jsonl", "attempt,delay_ms\n1,2\n") });
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr("No line was understood"));
    EXPECT_FALSE(QFile::exists(path("out.db")));
    EXPECT_FALSE(QFile::exists(path("out.db.part")));
    EXPECT_EQ(import({ path("none.jsonl") }).code, 2);
    EXPECT_FALSE(QFile::exists(path("out.db.part")));
}

TEST_P(CtlImportTest, AFileThatIsThereIsReplacedOnlyWhenThatIsSaid)
{
    const auto name = log("a.jsonl", first);
    EXPECT_EQ(import({ name }).code, 0);
    EXPECT_NE(import({ name }).code, 0);
    EXPECT_EQ(import({ name }, { QStringLiteral("--force") }).code, 0);
    const auto refused = on("reap");
    EXPECT_NE(refused.code, 0) << "nothing is written to it";
}

TEST_P(CtlImportTest, OfTwoLinesTheHigherFenceCountsWhereTheClockWentBack)
{
    QByteArray content = first;
    content += R"({"ts":"2026-11-20T09:00:00Z","event":"fail","idempotency_key":"k1","scope":"pay","operation_type":)"
               R"("charge","to_state":"FAILED_FINAL","fence":8,"error_code":"https://u:secret@host/x"})"
               "\n";
    const auto run = import({ log("a.jsonl", content) });
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(on("keys show pay charge k1").json()["state"], "FAILED_FINAL");
    EXPECT_THAT(run.err, HasSubstr("earlier than the one before"));
    QFile file(path("out.db"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_FALSE(file.readAll().contains("secret"));
}

} // namespace
