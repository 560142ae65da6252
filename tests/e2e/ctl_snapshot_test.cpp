// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include <sqlite3.h>
#include <sys/resource.h>

#include "core/protocol/digest.h"
#include "core/store/inbox.h"
#include "tests/e2e/ctl_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

class CtlSnapshotTest : public CtlTest {
protected:
    template <typename... T> static QStringList words(const T&... all) { return { QString(QLatin1String(all))... }; }

    [[nodiscard]] CtlRun take(const char* name, const QStringList& more = {}) const
    {
        return ctl(QStringList{ QStringLiteral("snapshot"), path(name) } + more);
    }

    [[nodiscard]] CtlRun verify(const char* name) const
    {
        return plain({ QStringLiteral("snapshot"), QStringLiteral("verify"), path(name), QStringLiteral("--json") });
    }

    [[nodiscard]] CtlRun diff(const char* first, const char* second) const
    {
        return plain({ QStringLiteral("snapshot"), QStringLiteral("diff"), path(first), path(second),
            QStringLiteral("--json") });
    }

    // A command on the snapshot in place of the test's database.
    [[nodiscard]] CtlRun on(const char* name, const char* words) const
    {
        return plain(
            QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:") + path(name), QStringLiteral("--json") }
            + QString::fromUtf8(words).split(QLatin1Char(' ')));
    }

    // Without the program, which refuses to.
    void tamper(const char* name, const char* sql) const
    {
        sqlite3* file = nullptr;
        ASSERT_EQ(sqlite3_open(path(name).toUtf8().constData(), &file), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(file, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
        sqlite3_close(file);
    }

    QString fileOf(const char* name, const QByteArray& content) const
    {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return path(name);
    }

    [[nodiscard]] QByteArray octetsOf(const char* name) const
    {
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return file.readAll();
    }

    void expectNothingLeft(const char* name) const
    {
        for (const auto* tail : { "", ".part", ".part-journal", ".part-wal" })
            EXPECT_FALSE(QFile::exists(path(name) + QLatin1String(tail))) << name << tail;
    }

    static std::int64_t rowsOf(const nlohmann::json& manifest, const std::string& table)
    {
        for (const auto& entry : manifest["tables"])
            if (entry["name"] == table)
                return entry["rows"];
        return -1;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, CtlSnapshotTest, bothDialects(), nameOfDialect);

TEST_P(CtlSnapshotTest, TheReadingCommandsShowWhatTheDatabaseShowed)
{
    makeStuckKeys(5);
    const auto taken = take("a.db");
    ASSERT_EQ(taken.code, 0) << taken.out << taken.err;
    EXPECT_EQ(rowsOf(taken.json(), "idempotency_records"), 5) << taken.out;
    EXPECT_EQ(rowsOf(taken.json(), "idempotency_transitions"), number("SELECT count(*) FROM idempotency_transitions"));

    const auto there = ctl("keys list").lines();
    const auto here = on("a.db", "keys list").lines();
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        EXPECT_EQ(here[i]["key"], there[i]["key"]);
    EXPECT_EQ(on("a.db", "keys show pay charge key-100001").code, ctl("keys show pay charge key-100001").code);
    EXPECT_EQ(verify("a.db").code, 0);
    EXPECT_EQ(verify("a.db").json()["sealed"], true);
    EXPECT_FALSE(QFile::exists(path("a.db.part")));
}

TEST_P(CtlSnapshotTest, SomebodyElsesTableIsRecognisedAgain)
{
    makeAtlasKeys({ "one", "two" });
    const auto taken = take("a.db");
    ASSERT_EQ(taken.code, 0) << taken.out << taken.err;
    EXPECT_EQ(rowsOf(taken.json(), "idempotency_records"), 2);
    const auto there = ctl("keys list").lines();
    const auto here = on("a.db", "keys list").lines();
    ASSERT_EQ(there.size(), 2U);
    ASSERT_EQ(here.size(), 2U);
    for (std::size_t i = 0; i < here.size(); ++i)
        for (const auto* name : { "key", "state", "created_at", "expires_at" })
            EXPECT_EQ(here[i].value(name, nlohmann::json()), there[i].value(name, nlohmann::json())) << name;
}

TEST_P(CtlSnapshotTest, AChangedRowIsFoundAndItsTableIsNamed)
{
    makeStuckKeys(3);
    ASSERT_EQ(take("a.db").code, 0);
    tamper("a.db", "UPDATE idempotency_records SET fence = fence + 1 WHERE idempotency_key = 'key-100001'");
    const auto changed = verify("a.db");
    EXPECT_EQ(changed.code, 3);
    EXPECT_EQ(changed.json()["sealed"], false);
    EXPECT_EQ(changed.json()["table"], "idempotency_records") << changed.out;

    ASSERT_EQ(take("b.db").code, 0);
    tamper("b.db", "UPDATE fencepost_snapshot SET manifest = replace(manifest, 'idempotency_records', 'records')");
    EXPECT_EQ(verify("b.db").code, 3);
    EXPECT_EQ(verify("b.db").json()["table"], "fencepost_snapshot");

    ASSERT_EQ(take("c.db").code, 0);
    tamper("c.db", "DELETE FROM idempotency_transitions");
    EXPECT_EQ(verify("c.db").json()["table"], "idempotency_transitions");

    ASSERT_EQ(take("d.db").code, 0);
    tamper("d.db", "CREATE TABLE more (a INTEGER)");
    EXPECT_EQ(verify("d.db").json()["table"], "more");

    ASSERT_EQ(take("e.db").code, 0);
    tamper("e.db",
        "CREATE TRIGGER quiet AFTER INSERT ON idempotency_records BEGIN DELETE FROM idempotency_transitions; END");
    EXPECT_EQ(verify("e.db").code, 3);
    EXPECT_EQ(verify("e.db").json()["table"], "idempotency_records");
    EXPECT_THAT(verify("e.db").out, HasSubstr("the trigger quiet was added"));
}

TEST_P(CtlSnapshotTest, AFilterThatFindsNothingIsSaid)
{
    makeStuckKeys(2);
    const auto none = take("a.db", words("--filter", "key = nobody"));
    EXPECT_EQ(none.code, 0) << none.err;
    EXPECT_THAT(none.err, HasSubstr("the filter found no row: key = nobody"));
    EXPECT_EQ(rowsOf(none.json(), "idempotency_records"), 0);
    EXPECT_THAT(take("b.db", words("--filter", "key = key-100001")).err, Not(HasSubstr("found no row")));
}

// An instant that is hidden is no instant long ago.
TEST_P(CtlSnapshotTest, AHiddenChangeIsNoOldOne)
{
    makeStuckKeys(2);
    ASSERT_TRUE(connection->execute("UPDATE idempotency_records SET hold = TRUE, hold_reason = 'outcome_unknown'"));
    const auto rules = fileOf("rules.json", R"({"name":"mine","rules":[{"column":"updated_at","action":"hide"}]})");
    const auto taken = take("a.db", { QStringLiteral("--redact"), rules });
    ASSERT_EQ(taken.code, 0) << taken.err;
    const auto found = on("a.db", "invariants");
    EXPECT_THAT(found.out, Not(HasSubstr("held_too_long\",")));
    EXPECT_THAT(found.out + found.err, HasSubstr("held_too_long cannot be judged of 2 rows"));
}

TEST_P(CtlSnapshotTest, WhoReadsAChangedSnapshotIsToldSo)
{
    makeStuckKeys(2);
    ASSERT_EQ(take("a.db").code, 0);
    EXPECT_EQ(on("a.db", "keys list").err, "");
    tamper("a.db", "UPDATE idempotency_records SET fence = fence + 1 WHERE idempotency_key = 'key-100001'");
    for (const auto* words : { "keys list", "flows --last 3h", "invariants" }) {
        const auto run = on("a.db", words);
        EXPECT_THAT(run.err, HasSubstr("CHANGED after it was sealed")) << words;
        EXPECT_THAT(run.err, HasSubstr("idempotency_records")) << words;
    }
    EXPECT_EQ(on("a.db", "keys list").lines().size(), 2U);
}

TEST_P(CtlSnapshotTest, APlanThatCouldNeverBeAppliedIsNotMade)
{
    makeStuckKeys(2);
    ASSERT_EQ(take("a.db").code, 0);
    const auto run =
        on("a.db", ("plan expire --filter stuck --reason INC-1 --out " + path("plan.json").toStdString()).c_str());
    EXPECT_EQ(run.code, 1) << run.out << run.err;
    EXPECT_THAT(run.out + run.err, HasSubstr("This is a snapshot"));
    EXPECT_FALSE(QFile::exists(path("plan.json")));
}

// Those that no JSON can name are followed as well.
TEST_P(CtlSnapshotTest, ManyKeysAreFollowedAndStrangeOnesToo)
{
    makeStuckKeys(30);
    ASSERT_TRUE(connection->execute(
        "UPDATE idempotency_records SET correlation_id = 'c-' || idempotency_key WHERE idempotency_key < "
        "'key-100020'"));
    std::int64_t strange = 0;
    if (GetParam() == store::Dialect::Sqlite) {
        ASSERT_TRUE(connection->execute(
            "UPDATE idempotency_records SET idempotency_key = CAST(x'6b65792dff' AS TEXT) WHERE idempotency_key = "
            "'key-100001'"));
        ASSERT_TRUE(connection->execute(
            "UPDATE idempotency_transitions SET idempotency_key = CAST(x'6b65792dff' AS TEXT) WHERE "
            "idempotency_key = 'key-100001'"));
        strange = 1;
    }
    const auto taken = take("a.db", { QStringLiteral("--filter"), QStringLiteral("key >= key-1") });
    ASSERT_EQ(taken.code, 0) << taken.err;
    EXPECT_EQ(rowsOf(taken.json(), "idempotency_records"), 30);
    EXPECT_EQ(rowsOf(taken.json(), "idempotency_transitions"), number("SELECT count(*) FROM idempotency_transitions"));
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_records WHERE idempotency_key = 'key-100001'"), 1 - strange);
}

TEST_P(CtlSnapshotTest, NothingIsWrittenToASnapshot)
{
    makeStuckKeys(2);
    ASSERT_EQ(take("a.db").code, 0);
    const auto before = octetsOf("a.db");
    for (const auto* words : { "schema init", "reap" }) {
        const auto run = on("a.db", words);
        EXPECT_NE(run.code, 0) << words << run.out;
        EXPECT_THAT(run.out + run.err, HasSubstr("snapshot")) << words;
    }
    EXPECT_EQ(octetsOf("a.db"), before);
    const auto again = on("a.db", ("snapshot " + path("b.db").toStdString()).c_str());
    EXPECT_EQ(again.code, 2) << again.out << again.err;
    EXPECT_THAT(again.out + again.err, HasSubstr("snapshot already"));
    expectNothingLeft("b.db");
}

TEST_P(CtlSnapshotTest, AFileThatIsThereIsKeptUnlessForced)
{
    makeStuckKeys(1);
    fileOf("a.db", "mine");
    const auto refused = take("a.db");
    EXPECT_NE(refused.code, 0);
    EXPECT_THAT(refused.out + refused.err, HasSubstr("--force"));
    EXPECT_EQ(octetsOf("a.db"), "mine");
    EXPECT_FALSE(QFile::exists(path("a.db.part")));
    EXPECT_EQ(take("a.db", { QStringLiteral("--force") }).code, 0);
    // A pipe is as special as a device, and is nobody else's.
    ASSERT_EQ(::mkfifo(QFile::encodeName(path("pipe")).constData(), 0600), 0);
    const auto special = take("pipe", { QStringLiteral("--force") });
    EXPECT_NE(special.code, 0);
    EXPECT_THAT(special.out + special.err, HasSubstr("no plain file"));
    EXPECT_FALSE(QFileInfo(path("pipe")).isFile()) << "it is still what it was";
    EXPECT_EQ(verify("a.db").code, 0);
}

TEST_P(CtlSnapshotTest, AFilterTakesItsRowsAndWhatHangsOnThem)
{
    makeStuckKeys(5);
    const auto taken = take("a.db", { QStringLiteral("--filter"), QStringLiteral("key = key-100001") });
    ASSERT_EQ(taken.code, 0) << taken.out << taken.err;
    const auto manifest = taken.json();
    EXPECT_EQ(manifest["filter"], "key = key-100001");
    EXPECT_EQ(rowsOf(manifest, "idempotency_records"), 1);
    EXPECT_EQ(rowsOf(manifest, "idempotency_transitions"),
        number("SELECT count(*) FROM idempotency_transitions WHERE idempotency_key = 'key-100001'"));
    EXPECT_EQ(verify("a.db").code, 0);
    for (const auto* file : { "a.db", "whole.db" }) {
        if (!QFile::exists(path(file))) {
            ASSERT_EQ(take(file).code, 0);
        }
        const auto looked = on(file, "invariants");
        EXPECT_THAT(looked.out, ::testing::Not(::testing::HasSubstr("fence_unknown"))) << file;
    }

    const auto broken = take("b.db", { QStringLiteral("--filter"), QStringLiteral("key = ") });
    EXPECT_EQ(broken.code, 2);
    expectNothingLeft("b.db");
}

// An event is one of its source: others count theirs from one as well.
TEST_P(CtlSnapshotTest, AFilterTakesNoEventOfAnotherSource)
{
    makeStuckKeys(1);
    store::Inbox inbox(*connection, {});
    for (const auto* source : { "shop", "bank" })
        for (const auto* consumer : { "ledger", "mail" }) {
            Delivery delivery;
            delivery.id = { consumer, source, "1" };
            delivery.payloadHash = sha256(source);
            ASSERT_TRUE(inbox.receive(
                delivery, { Owner{ "00000000-0000-4000-8000-000000000001" }, std::chrono::seconds(30), 5 }));
        }
    const auto taken = take("a.db",
        { QStringLiteral("--binding"), QStringLiteral("inbox_messages"), QStringLiteral("--filter"),
            QStringLiteral("queue = shop and scope = ledger") });
    ASSERT_EQ(taken.code, 0) << taken.out << taken.err;
    EXPECT_EQ(rowsOf(taken.json(), "inbox_messages"), 2) << "of both consumers";
}

TEST_P(CtlSnapshotTest, WhatAFilterLeftOutIsNoGap)
{
    makeStuckKeys(0);
    store::Inbox inbox(*connection, {});
    const Owner owner{ "00000000-0000-4000-8000-000000000001" };
    for (int version = 1; version <= 3; ++version) {
        Delivery delivery;
        delivery.id = { "ledger", "shop", "v" + std::to_string(version) };
        delivery.payloadHash = sha256(delivery.id.eventId);
        delivery.subject = "order";
        delivery.version = version;
        ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
        ASSERT_TRUE(inbox.settle(delivery.id, owner, "done"));
    }
    ASSERT_EQ(take("a.db", { QStringLiteral("--filter"), QStringLiteral("key = v1 or key = v3") }).code, 0);
    const auto part = on("a.db", "invariants");
    EXPECT_EQ(part.code, 0) << part.out;
    EXPECT_THAT(part.err, ::testing::HasSubstr("version_gap cannot be judged of 1 row: this snapshot has only"));
    ASSERT_TRUE(connection->execute("DELETE FROM inbox_messages WHERE event_id = 'v2'"));
    ASSERT_EQ(take("whole.db").code, 0);
    EXPECT_EQ(on("whole.db", "invariants").code, 3) << "where all was copied it is one";
}

TEST_P(CtlSnapshotTest, ADatabaseIsNeverReplacedByItsOwnSnapshot)
{
    if (GetParam() == store::Dialect::PostgreSql)
        return; // a server's files have no names here
    makeStuckKeys(2);
    const auto own = QString::fromStdString(database.target().path);
    const auto link = path("link.db");
    ASSERT_TRUE(QFile::link(own, link));
    for (const auto& name : { own, link }) {
        const auto refused = ctl(QStringList{ QStringLiteral("snapshot"), name, QStringLiteral("--force") });
        EXPECT_EQ(refused.code, 2) << refused.out << refused.err;
        EXPECT_THAT(refused.err, ::testing::HasSubstr("take the place"));
    }
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_records"), 2);
}

TEST_P(CtlSnapshotTest, ADifferenceIsOneLine)
{
    makeStuckKeys(3);
    ASSERT_EQ(take("a.db").code, 0);
    ASSERT_EQ(take("same.db").code, 0);
    const auto same = diff("a.db", "same.db");
    EXPECT_EQ(same.code, 0) << same.out << same.err;
    EXPECT_EQ(same.json()["differences"], 0);

    makeStuckKey("added");
    ASSERT_TRUE(connection->execute("DELETE FROM idempotency_records WHERE idempotency_key = 'key-100000'"));
    ASSERT_TRUE(connection->execute("UPDATE idempotency_records SET status = 'FAILED_FINAL', "
                                    "lease_expires_at = NULL WHERE idempotency_key = 'key-100001'"));
    ASSERT_EQ(take("b.db").code, 0);
    const auto run = diff("a.db", "b.db");
    EXPECT_EQ(run.code, 3) << run.out << run.err;
    std::map<std::string, nlohmann::json> changes;
    for (const auto& line : run.lines())
        if (line.value("table", "") == "idempotency_records" && line.contains("change") && line.contains("key"))
            changes[line["key"]["idempotency_key"]] = line;
    ASSERT_EQ(changes.size(), 3U) << run.out;
    EXPECT_EQ(changes["added"]["change"], "added");
    EXPECT_EQ(changes["key-100000"]["change"], "removed");
    EXPECT_EQ(changes["key-100001"]["change"], "changed");
    EXPECT_NE(changes["key-100001"]["from"], changes["key-100001"]["to"]);
    EXPECT_GE(run.json()["differences"], 3);
}

TEST_P(CtlSnapshotTest, BrokenRulesAreRefusedWithTheirPlace)
{
    makeStuckKeys(1);
    const auto rules = fileOf("rules.json", R"({"name":"mine","rules":[{"column":"principal","action":"burn"}]})");
    const auto run = take("a.db", { QStringLiteral("--redact"), rules });
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.out + run.err, HasSubstr("rules.json"));
    EXPECT_THAT(run.out + run.err, HasSubstr("/rules/0/action"));
    EXPECT_THAT(run.out + run.err, HasSubstr("hash"));
    expectNothingLeft("a.db");
}

TEST_P(CtlSnapshotTest, SecretsAreNotInTheFileAndHashesOfPayloadsAre)
{
    makeStuckKeys(1);
    store::SqlStore records(*connection, { .bind = true });
    SeededRandom random(7);
    Reservation wish;
    wish.id = { "tenant_1", "refund.create", "k" };
    wish.requestHash = sha256("body");
    wish.owner = { uuid4(random) };
    wish.lease = std::chrono::minutes(10);
    wish.ttl = std::chrono::hours(48);
    wish.requestMethod = "POST";
    wish.requestTarget = "/v1/refunds";
    wish.requestBody = R"({"amount":1000,"card_number":"4111111111111111","note":"ask jane.doe@example.org"})";
    ASSERT_TRUE(records.reserve(wish));
    ASSERT_EQ(take("a.db").code, 0);
    const auto file = octetsOf("a.db");
    EXPECT_FALSE(file.contains("4111111111111111"));
    EXPECT_FALSE(file.contains("jane.doe@example.org"));
    EXPECT_TRUE(file.contains("amount"));
    EXPECT_TRUE(file.contains(QByteArray::fromStdString(wish.requestHash)));

    const auto rules =
        fileOf("rules.json", R"({"name":"mine","rules":[{"member":"amount","action":"hide"}],"standard":true})");
    const auto own = take("b.db", { QStringLiteral("--redact"), rules });
    ASSERT_EQ(own.code, 0) << own.err;
    EXPECT_EQ(own.json()["rules"], "mine");
    EXPECT_FALSE(octetsOf("b.db").contains("\"amount\":1000"));
}

TEST_P(CtlSnapshotTest, AFullDiskLeavesNothing)
{
    makeStuckKeys(3'000);
    const auto run = ctl({ QStringLiteral("snapshot"), path("a.db") }, [] {
        const rlimit limit{ 200'000, 200'000 };
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::signal(SIGXFSZ, SIG_IGN);
    });
    EXPECT_EQ(run.code, 1) << run.out << run.err;
    EXPECT_THAT(run.out + run.err, Not(IsEmpty()));
    expectNothingLeft("a.db");
}

TEST_P(CtlSnapshotTest, WhoeverIsStoppedLeavesAWholeFileOrNone)
{
    makeStuckKeys(3'000);
    for (const int signal : { SIGKILL, SIGINT }) {
        QProcess process;
        start(process, withDatabase({ QStringLiteral("snapshot"), path("a.db"), QStringLiteral("--force") }));
        while (
            process.state() == QProcess::Running && !QFile::exists(path("a.db.part")) && !QFile::exists(path("a.db")))
            process.waitForFinished(1);
        if (process.state() == QProcess::Running)
            ::kill(static_cast<pid_t>(process.processId()), signal);
        ASSERT_TRUE(process.waitForFinished(120'000));
        if (QFile::exists(path("a.db"))) {
            EXPECT_EQ(verify("a.db").code, 0);
        }
    }
    // What was left beside it is in nobody's way.
    EXPECT_EQ(take("a.db", { QStringLiteral("--force") }).code, 0);
    EXPECT_FALSE(QFile::exists(path("a.db.part")));
    EXPECT_EQ(verify("a.db").code, 0);
}

TEST_P(CtlSnapshotTest, WhatHoldsInTheDatabaseHoldsInItsSnapshot)
{
    makeStuckKeys(2);
    ASSERT_EQ(
        ctl(words("plan", "fail", "--filter", "stuck", "--reason", "INC-1", "--out") + QStringList{ path("p") }).code,
        0);
    ASSERT_EQ(ctl(QStringList{ QStringLiteral("apply"), path("p") } + words("--confirm", "2")).code, 0);
    const auto there = ctl("invariants");
    EXPECT_EQ(there.code, 0) << there.out << there.err;
    const auto rules = fileOf("rules.json", R"({"name":"mine","rules":[{"column":"actor","action":"hash"}]})");
    for (const auto& more :
        { QStringList(), QStringList{ QStringLiteral("--filter"), QStringLiteral("key = key-100001") },
            QStringList{ QStringLiteral("--redact"), rules } }) {
        ASSERT_EQ(take("a.db", more + QStringList{ QStringLiteral("--force") }).code, 0);
        const auto run = on("a.db", "invariants");
        EXPECT_EQ(run.code, 0) << more.join(QLatin1Char(' ')).toStdString() << run.out << run.err;
        EXPECT_THAT(run.err, HasSubstr("snapshot verify"));
        EXPECT_EQ(on("a.db", "invariants --rule audit_broken").code, 1) << "it is not known";
    }
}

TEST_P(CtlSnapshotTest, AKeyThatMustNotBeToldIsNowhereInTheFile)
{
    makeStuckKeys(2);
    ASSERT_EQ(
        ctl(words("plan", "release", "--filter", "stuck", "--reason", "INC-1", "--out") + QStringList{ path("p") })
            .code,
        0);
    ASSERT_EQ(ctl(QStringList{ QStringLiteral("apply"), path("p") } + words("--confirm", "2")).code, 0);
    for (const auto* name : { "idempotency_key", "idempotency_records.idempotency_key" }) {
        const auto rules = fileOf(
            "rules.json", QByteArray(R"({"name":"mine","rules":[{"column":")") + name + R"(","action":"hash"}]})");
        const auto taken = take("a.db", { QStringLiteral("--redact"), rules, QStringLiteral("--force") });
        ASSERT_EQ(taken.code, 0) << taken.err;
        EXPECT_FALSE(octetsOf("a.db").contains("key-10000")) << name;
        EXPECT_EQ(on("a.db", "keys list").lines().size(), 2U);
        const auto audit = on("a.db", "audit list");
        EXPECT_EQ(audit.code, 0) << audit.err;
        EXPECT_EQ(on("a.db", "runs list").code, 0);
    }
}

TEST_P(CtlSnapshotTest, WhatTheCopyIsReadByIsNotTakenAway)
{
    makeStuckKeys(2);
    for (const auto* column : { "status", "idempotency_records.fence", "idempotency_conflicts.kind",
             "idempotency_transitions.to_state", "created_at", "inbox_messages.version" }) {
        const auto rules = fileOf(
            "rules.json", QByteArray(R"({"name":"r","rules":[{"column":")") + column + R"(","action":"hash"}]})");
        const auto refused = take("a.db", { QStringLiteral("--redact"), rules });
        EXPECT_EQ(refused.code, 2) << column;
        EXPECT_THAT(refused.err, HasSubstr("by which the copy itself is read")) << column;
        expectNothingLeft("a.db");
    }
}

TEST_P(CtlSnapshotTest, ARuleThatMeetsNothingIsSaid)
{
    makeStuckKeys(1);
    const auto rules = fileOf("rules.json",
        R"({"name":"mine","rules":[{"column":"stauts","action":"hide"},{"column":"owner_execution_id","action":"hash"}]})");
    const auto taken = take("a.db", { QStringLiteral("--redact"), rules });
    ASSERT_EQ(taken.code, 0);
    EXPECT_THAT(taken.err, HasSubstr("\"hide column stauts\" met nothing"));
    EXPECT_THAT(taken.err, Not(HasSubstr("owner_execution_id")));
    EXPECT_THAT(taken.json()["warnings"].dump(), HasSubstr("stauts"));
}

} // namespace
