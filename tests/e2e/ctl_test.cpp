// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>

#include "core/operations/operation.h"
#include "core/profile/shipped_profiles.h"
#include "core/store/inbox.h"
#include "core/store/statements.h"
#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

INSTANTIATE_TEST_SUITE_P(Backends, CtlTest, bothDialects(), nameOfDialect);

QStringList reserveOf(const QString& key, const QStringList& more = {})
{
    return QStringList{ QStringLiteral("key"), QStringLiteral("reserve"), QStringLiteral("--scope"),
        QStringLiteral("pay"), QStringLiteral("--operation"), QStringLiteral("charge"), QStringLiteral("--key"), key,
        QStringLiteral("--request-hash"), QString(64, QLatin1Char('a')) }
    + more;
}

QStringList presentOf(
    const char* verb, const QString& key, const nlohmann::json& reserved, const QStringList& more = {})
{
    return QStringList{ QStringLiteral("key"), QLatin1String(verb), QStringLiteral("--scope"), QStringLiteral("pay"),
        QStringLiteral("--operation"), QStringLiteral("charge"), QStringLiteral("--key"), key,
        QStringLiteral("--owner"), QString::fromStdString(reserved.at("owner").get<std::string>()),
        QStringLiteral("--fence"), QString::number(reserved.at("fence").get<std::int64_t>()) }
    + more;
}

void writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
}

QByteArray readFile(const QString& path)
{
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

// From a crashed worker to a proof of what was done about it.
TEST_P(CtlTest, TakesAStuckKeyFromItsOwnerAndProvesIt)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto zombie = ctl(reserveOf(QStringLiteral("k1"), { QStringLiteral("--lease"), QStringLiteral("1ms") }));
    ASSERT_EQ(zombie.code, 0) << zombie.err;
    EXPECT_EQ(zombie.json()["outcome"], "execute");
    EXPECT_EQ(zombie.json()["status"], "IN_PROGRESS");
    ASSERT_EQ(ctl(reserveOf(QStringLiteral("k2"))).code, 0);

    const auto stuck = ctl("keys stuck");
    ASSERT_EQ(stuck.lines().size(), 1U) << stuck.out;
    EXPECT_EQ(stuck.json()["key"], "k1");
    EXPECT_THAT(stuck.json()["why"].get<std::string>(), HasSubstr("lease ended"));

    const auto plan = ctl("plan fence --filter stuck --reason worker-3-is-gone --out plan.json");
    ASSERT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(plan.json()["rows"], 1);
    EXPECT_EQ(ctl("plan show plan.json").json()["verb"], "fence");
    const auto applied = ctl("apply plan.json");
    ASSERT_EQ(applied.code, 0) << applied.out << applied.err;
    EXPECT_EQ(applied.json()["changed"], 1);
    const auto again = ctl("apply plan.json");
    EXPECT_EQ(again.code, 0);
    EXPECT_EQ(again.json()["already_done"], 1);
    EXPECT_EQ(again.json()["changed"], 0);

    const auto late = ctl(presentOf("finalize", QStringLiteral("k1"), zombie.json()));
    EXPECT_EQ(late.code, 3);
    EXPECT_EQ(late.json()["applied"], false);
    EXPECT_NE(late.json()["reason"], "");
    EXPECT_EQ(ctl(presentOf("renew", QStringLiteral("k1"), zombie.json())).code, 3);
    EXPECT_EQ(ctl(presentOf("fail", QStringLiteral("k1"), zombie.json())).code, 3);
    EXPECT_EQ(ctl(presentOf("hold", QStringLiteral("k1"), zombie.json())).code, 3);

    const auto heir = ctl(reserveOf(QStringLiteral("k1")));
    EXPECT_EQ(heir.code, 0);
    EXPECT_GT(heir.json()["fence"], zombie.json()["fence"]);
    EXPECT_EQ(heir.json()["attempt"], 2);

    const auto verdict = ctl("audit verify");
    EXPECT_EQ(verdict.code, 0);
    EXPECT_EQ(verdict.json()["intact"], true);
    EXPECT_EQ(verdict.json()["entries"], 1);
    EXPECT_EQ(ctl("audit list").json()["reason"], "worker-3-is-gone");
    const auto shown = ctl("keys show pay charge k1");
    EXPECT_EQ(shown.code, 0);
    EXPECT_EQ(shown.json()["transitions"].size(), 4U) << shown.out; // reserve, fence, the fenced finalize, reserve
    EXPECT_EQ(shown.json()["actions"].size(), 1U);
}

TEST_P(CtlTest, ShowsNoSecretOfAPayloadUnlessTheAuditKnowsWhy)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto key = QStringLiteral("k");
    const auto first = ctl(reserveOf(key));
    const std::string body = R"({"id":"ch_1","password":"hunter2"})";
    writeFile(path("body"), QByteArray::fromStdString(body));
    ASSERT_EQ(
        ctl(presentOf("finalize", key, first.json(), { QStringLiteral("--response-body"), path("body") })).code, 0);
    const QStringList show{ QStringLiteral("keys"), QStringLiteral("show"), QStringLiteral("pay"),
        QStringLiteral("charge"), key };
    const auto hidden = ctl(show);
    EXPECT_THAT(hidden.out, Not(HasSubstr("hunter2")));
    const auto payload = hidden.json()["payloads"][0];
    EXPECT_EQ(payload["content"], R"({"id":"ch_1","password":"•••"})");
    EXPECT_EQ(payload["hidden"], nlohmann::json({ "/password" }));
    EXPECT_EQ(payload["truncated"], false);
    const auto text = plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + show);
    EXPECT_THAT(text.out, AllOf(HasSubstr("ch_1"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(text.err, HasSubstr("--reveal"));

    const auto whole = ctl(show + QStringList{ QStringLiteral("--reveal"), QStringLiteral("INC-9: is it hers") });
    EXPECT_EQ(whole.json()["payloads"][0]["content"], body) << whole.err;
    // A read-only session writes into the audit of its account.
    const auto own = store::Connection::open(
        { .dialect = store::Dialect::Sqlite, .path = path("fencepost/audit.sqlite").toStdString() }, {});
    ASSERT_TRUE(own) << own.error().message;
    auto looks = (*own)->prepare("SELECT reason FROM idempotency_audit WHERE verb = 'reveal'");
    ASSERT_TRUE(looks && (*looks)->run() && (*looks)->next());
    EXPECT_EQ((*looks)->text(0), "INC-9: is it hers");
    (*looks)->finish();
    EXPECT_EQ(ctl(reserveOf(key)).json()["response_body"], body) << "its owner gets what was stored";
}

TEST_P(CtlTest, AnswersAWorkerInTheIssuesWords)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto key = QStringLiteral("k");
    const auto first = ctl(reserveOf(key));
    for (const auto* member :
        { "outcome", "fence", "owner", "status", "response_code", "response_body", "lease_expires_at", "attempt" })
        EXPECT_TRUE(first.json().contains(member)) << member;
    const auto second = ctl(reserveOf(key));
    EXPECT_EQ(second.code, 3);
    EXPECT_EQ(second.json()["outcome"], "in_progress");
    auto other = reserveOf(key);
    other.last() = QString(64, QLatin1Char('b'));
    const auto mismatch = ctl(other);
    EXPECT_EQ(mismatch.code, 3);
    EXPECT_EQ(mismatch.json()["outcome"], "mismatch");
    EXPECT_TRUE(mismatch.json()["owner"].is_null());

    EXPECT_EQ(ctl(presentOf("renew", key, first.json(), { QStringLiteral("--lease"), QStringLiteral("2m") }))
                  .json()["applied"],
        true);
    EXPECT_EQ(
        ctl(presentOf("advance", key, first.json(), { QStringLiteral("--recovery-point"), QStringLiteral("charged") }))
            .code,
        0);
    writeFile(path("body"), "{\"id\":\"ch_1\"}");
    const auto done = ctl(presentOf("finalize", key, first.json(),
        { QStringLiteral("--response-code"), QStringLiteral("201"), QStringLiteral("--response-body"), path("body") }));
    EXPECT_EQ(done.code, 0);
    EXPECT_EQ(done.json()["applied"], true);
    const auto replay = ctl(reserveOf(key));
    EXPECT_EQ(replay.code, 0);
    EXPECT_EQ(replay.json()["outcome"], "replay");
    EXPECT_EQ(replay.json()["response_code"], 201);
    EXPECT_EQ(replay.json()["response_body"], "{\"id\":\"ch_1\"}");

    const auto binary = QStringLiteral("binary");
    const auto raw = ctl(reserveOf(binary));
    writeFile(path("body"), QByteArray("\xff\x00\x01", 3));
    ASSERT_EQ(ctl(presentOf("fail", binary, raw.json(),
                      { QStringLiteral("--response-code"), QStringLiteral("422"), QStringLiteral("--response-body"),
                          path("body") }))
                  .code,
        0);
    EXPECT_EQ(ctl(reserveOf(binary)).json()["response_body_base64"], "/wAB");

    const auto retried = QStringLiteral("retried");
    const auto flaky = ctl(reserveOf(retried));
    ASSERT_EQ(ctl(presentOf("fail", retried, flaky.json(),
                      { QStringLiteral("--retryable"), QStringLiteral("--retry-after"), QStringLiteral("1h") }))
                  .code,
        0);
    const auto soon = ctl(reserveOf(retried));
    EXPECT_EQ(soon.code, 3);
    EXPECT_EQ(soon.json()["outcome"], "retry_later");

    const auto unsure = QStringLiteral("unsure");
    const auto external = ctl(reserveOf(unsure, { QStringLiteral("--takeover"), QStringLiteral("manual") }));
    ASSERT_EQ(ctl(presentOf("hold", unsure, external.json())).code, 0);
    EXPECT_EQ(ctl(reserveOf(unsure)).json()["outcome"], "held");

    std::map<std::string, std::int64_t> counts;
    for (const auto& line : ctl("keys count").lines()) {
        counts[line.at("state")] = line.at("count");
        EXPECT_EQ(line.at("exactness"), "exact");
    }
    EXPECT_EQ(counts["SUCCEEDED"], 1);
    EXPECT_EQ(counts["FAILED_FINAL"], 1);
    EXPECT_EQ(counts["FAILED_RETRYABLE"], 1);
    EXPECT_EQ(counts["HELD"], 1);
}

TEST_P(CtlTest, ResolvesExpiresUndoesAndReaps)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto key = QStringLiteral("k");
    const auto first = ctl(reserveOf(key, { QStringLiteral("--takeover"), QStringLiteral("manual") }));
    ASSERT_EQ(ctl(presentOf("hold", key, first.json())).code, 0);
    EXPECT_EQ(ctl("plan resolve --key pay charge k --reason r --out p").code, 2) << "--as is missing";
    EXPECT_EQ(ctl("plan resolve --key pay charge k --as maybe --evidence e --reason r --out p").code, 2);
    ASSERT_EQ(ctl("plan resolve --key pay charge k --as succeeded --evidence the-log --reason r --out p").code, 0);
    ASSERT_EQ(ctl("apply p").code, 0);
    EXPECT_EQ(ctl(reserveOf(key)).json()["outcome"], "replay");

    const auto expire = ctl("plan expire --key pay charge k --reason r --out p");
    ASSERT_EQ(expire.code, 0);
    const auto before = ctl("keys show pay charge k").json()["expires_at"];
    ASSERT_EQ(ctl("apply p").code, 0);
    EXPECT_EQ(ctl("keys show pay charge k").json()["state"], "EXPIRED");
    const QStringList undo{ QStringLiteral("undo"), QString::fromStdString(expire.json()["request_id"]) };
    EXPECT_EQ(ctl(undo).code, 0);
    EXPECT_EQ(ctl("keys show pay charge k").json()["expires_at"], before);
    EXPECT_EQ(ctl(undo).json()["already_done"], 1);

    ASSERT_EQ(ctl("plan expire --key pay charge k --reason r --out p2").code, 0);
    ASSERT_EQ(ctl("apply p2").code, 0);
    EXPECT_EQ(ctl("reap").json()["deleted"], 0) << "an hour of grace";
    const auto write = [&](const char* name, const char* text) {
        QFile policy(path(name));
        ASSERT_TRUE(policy.open(QIODevice::WriteOnly));
        policy.write(text);
    };
    write("route.json",
        R"({"format":1,"defaults":{"grace":"0s"},"routes":[{"scope":"pay","operation":"*","grace":"2h"}]})");
    EXPECT_EQ(ctl("--policy route.json reap").json()["deleted"], 0) << "its route keeps it longer";
    write("lenient.json", R"({"format":1,"defaults":{"grace":"0s"}})");
    EXPECT_EQ(ctl("--policy lenient.json reap").json()["deleted"], 1) << "as the policy says";
    const auto reaped = ctl("keys show pay charge k").json();
    EXPECT_EQ(reaped["state"], "ABSENT") << "what befell it stays in the journal";
    EXPECT_EQ(reaped["transitions"].back()["event"], "reap");
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
}

TEST_P(CtlTest, EndsWithThreeWhereAnUndoLeavesRowsOut)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    for (const auto& key : { QStringLiteral("k"), QStringLiteral("l") }) {
        const auto worker = ctl(reserveOf(key));
        ASSERT_EQ(ctl(presentOf("finalize", key, worker.json())).code, 0);
    }
    const auto expire = ctl("plan expire --key pay charge k --key pay charge l --reason r --out p");
    ASSERT_EQ(expire.code, 0);
    ASSERT_EQ(ctl("apply p --confirm 2").code, 0);
    ASSERT_EQ(ctl(reserveOf(QStringLiteral("k"))).json()["outcome"], "execute");
    const auto undo = ctl(QStringList{ QStringLiteral("undo"), QString::fromStdString(expire.json()["request_id"]) });
    EXPECT_EQ(undo.code, 3);
    EXPECT_EQ(undo.json()["changed"], 1);
    EXPECT_EQ(undo.json()["left_out"].size(), 1U);
}

TEST_P(CtlTest, EndsWrongInvocationsWithTwo)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto worker = ctl(reserveOf(QStringLiteral("k")));
    EXPECT_EQ(ctl("keys show pay k").code, 2);
    EXPECT_EQ(ctl("plan fence --key pay charge --reason r --out p").code, 2);
    EXPECT_EQ(ctl(presentOf("advance", QStringLiteral("k"), worker.json(),
                      { QStringLiteral("--recovery-point"), QStringLiteral("sent"), QStringLiteral("--recovery-data"),
                          QStringLiteral("no json") }))
                  .code,
        2);
    EXPECT_EQ(ctl("--binding nowhere key reserve --scope s --operation o --key k --request-hash "
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
                  .code,
        2);
    EXPECT_EQ(ctl("--binding idempotency_records reap").code, 0);
}

TEST_P(CtlTest, RefusesWithThreeAndWritesTheOutcomeAllTheSame)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto worker = ctl(reserveOf(QStringLiteral("k")));
    const auto expire = ctl("plan expire --key pay charge k --reason r --out p");
    EXPECT_EQ(expire.code, 3);
    EXPECT_THAT(expire.json()["left_out"][0]["why"].get<std::string>(), HasSubstr("live"));
    EXPECT_EQ(ctl("apply p").code, 3);

    const auto fence = ctl("plan fence --key pay charge k --reason r --out p");
    EXPECT_THAT(fence.json()["items"][0]["warning"].get<std::string>(), HasSubstr("live"));
    ASSERT_EQ(ctl(presentOf("finalize", QStringLiteral("k"), worker.json())).code, 0);
    const auto drifted = ctl("apply p");
    EXPECT_EQ(drifted.code, 3);
    EXPECT_EQ(drifted.json()["skipped"], 1);
    EXPECT_NE(drifted.json()["items"][0]["reason"], "");

    const auto other = ctl(reserveOf(QStringLiteral("l")));
    const auto plan = ctl("plan fence --key pay charge l --reason r --out p");
    ASSERT_EQ(ctl("apply p").code, 0);
    const auto undo = ctl(QStringList{ QStringLiteral("undo"), QString::fromStdString(plan.json()["request_id"]) });
    EXPECT_EQ(undo.code, 3);
    EXPECT_THAT(undo.json()["error"]["message"].get<std::string>(), HasSubstr("cannot be undone"));
}

TEST_P(CtlTest, AsksForTheCountAboveOneRow)
{
    makeStuckKeys(3);
    ASSERT_EQ(ctl("plan release --filter stuck --reason r --out p").code, 0);
    EXPECT_EQ(ctl("apply p").code, 2);
    EXPECT_EQ(ctl("apply p --confirm 2").code, 2);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), 0);
    const auto done = ctl("apply p --confirm 3");
    EXPECT_EQ(done.code, 0);
    EXPECT_EQ(done.json()["changed"], 3);
}

TEST_P(CtlTest, RefusesPlansThatWereTouched)
{
    makeStuckKeys(2);
    ASSERT_EQ(ctl("plan fence --filter stuck --reason r --out p").code, 0);
    const auto good = readFile(path("p"));
    auto edited = good;
    edited.replace("key-100001", "key-100777");
    for (const auto& bad : { edited, good.left(good.size() / 2), QByteArray("{}"), QByteArray() }) {
        writeFile(path("p"), bad);
        const auto refused = ctl("apply p --confirm 2");
        EXPECT_EQ(refused.code, 1);
        EXPECT_EQ(refused.json()["error"]["failure"], "invalid");
    }
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), 0);
    TempDatabase elsewhere(GetParam());
    writeFile(path("p"), good);
    const auto there =
        QStringList{ QStringLiteral("--db"), QString::fromStdString(elsewhere.url()), QStringLiteral("--json") };
    ASSERT_EQ(plain(there + QStringList{ QStringLiteral("schema"), QStringLiteral("init") }).code, 0);
    const auto refused = plain(
        there + QStringList{ QStringLiteral("apply"), path("p"), QStringLiteral("--confirm"), QStringLiteral("2") });
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.json()["error"]["message"].get<std::string>(), HasSubstr("another database"));
}

TEST_P(CtlTest, CarriesABodyOf64MegabytesAndShowsItsBeginning)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto key = QStringLiteral("large");
    const auto reserved = ctl(reserveOf(key));
    QByteArray body(64 << 20, '\xff');
    for (qsizetype at = 0; at < body.size(); at += 4099)
        body[at] = static_cast<char>(at % 251);
    writeFile(path("body"), body);
    ASSERT_EQ(ctl(presentOf("finalize", key, reserved.json(),
                      { QStringLiteral("--response-code"), QStringLiteral("200"), QStringLiteral("--response-body"),
                          path("body") }))
                  .code,
        0);
    const auto replay = ctl(reserveOf(key)).json();
    EXPECT_EQ(replay.at("outcome"), "replay");
    EXPECT_TRUE(QByteArray::fromBase64(QByteArray::fromStdString(replay.at("response_body_base64"))) == body);

    const auto shown = ctl("keys show pay charge large");
    EXPECT_EQ(shown.code, 0);
    EXPECT_LT(shown.out.size(), 2U << 20);
    ASSERT_EQ(ctl("plan expire --key pay charge large --reason r --out p").code, 0);
    EXPECT_EQ(ctl("apply p").json()["changed"], 1);
    EXPECT_LT(readFile(path("p")).size(), 1 << 16);
}

// What a later Fencepost made is read and never written: this one does not know what a change there means.
TEST_P(CtlTest, ReadsANewerSchemaAndWritesNothingToIt)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl(reserveOf(QStringLiteral("k"), { QStringLiteral("--lease"), QStringLiteral("1ms") })).code, 0);
    ASSERT_EQ(ctl("plan fence --key pay charge k --reason r --out before").code, 0);
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("UPDATE fencepost_schema SET version = 99 WHERE version = 1"));
    const auto journal = number("SELECT count(*) FROM idempotency_transitions");

    EXPECT_EQ(ctl("keys stuck").json()["key"], "k");
    EXPECT_EQ(ctl("keys show pay charge k").code, 0);
    for (const auto& refused :
        { ctl(reserveOf(QStringLiteral("k"))), ctl(reserveOf(QStringLiteral("new"))), ctl("reap"), ctl("schema init"),
            ctl("plan fence --key pay charge k --reason r --out after"), ctl("apply before") }) {
        EXPECT_THAT(refused.code, AnyOf(1, 3)) << refused.out;
        EXPECT_THAT(refused.out + refused.err, HasSubstr("99"));
    }
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_transitions"), journal);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_records WHERE fence = 1"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_records"), 1);
}

TEST_P(CtlTest, PagesThroughATableByCursor)
{
    makeStuckKeys(1203);
    std::set<std::string> keys;
    for (const auto& line : ctl("keys list").lines())
        EXPECT_TRUE(keys.insert(line.at("key")).second);
    EXPECT_EQ(keys.size(), 1203U);
    std::set<std::string> paged;
    QStringList next{ QStringLiteral("keys"), QStringLiteral("list"), QStringLiteral("--limit"),
        QStringLiteral("500") };
    for (int page = 0; page < 3; ++page) {
        const auto lines = ctl(next).lines();
        for (const auto& line : lines)
            EXPECT_TRUE(paged.insert(line.at("key")).second);
        next = next.mid(0, 4)
            + QStringList{ QStringLiteral("--after"), QString::fromStdString(lines.back().at("cursor")) };
    }
    EXPECT_EQ(paged, keys);
    EXPECT_EQ(ctl("keys list --limit 0").out, "");
    EXPECT_EQ(ctl("keys list --after nonsense").code, 2);
    EXPECT_EQ(ctl("keys list --order fence").code, 2);
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("keys"), QStringLiteral("list"), QStringLiteral("--filter"),
                      QStringLiteral("state =") })
                  .code,
        2);
}

TEST_P(CtlTest, NamesTheTablesWhereThereAreSeveral)
{
    ASSERT_EQ(ctl("keys list").code, 1) << "no table at all";
    ASSERT_EQ(ctl("schema init").code, 0);
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute(store::sql::layout_playbook_keys.of(GetParam())));
    const auto unnamed = ctl("keys list");
    EXPECT_EQ(unnamed.code, 2);
    EXPECT_THAT(unnamed.err, AllOf(HasSubstr("idempotency_records"), HasSubstr("idempotency_keys")));
    EXPECT_EQ(ctl("keys list --binding nothing").code, 2);
    std::string own;
    for (const auto& line : ctl("profiles detect").lines())
        if (line.at("native") == true && line.at("kind") == "idempotency")
            own = line.at("binding");
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("keys"), QStringLiteral("list"), QStringLiteral("--binding"),
                      QString::fromStdString(own) })
                  .code,
        0);
}

TEST_P(CtlTest, RefusesATableOfAnotherKindAndNamesThoseThatFit)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto inbox = ctl("keys list --binding inbox_messages");
    EXPECT_EQ(inbox.code, 2);
    EXPECT_EQ(inbox.json().at("error").at("failure"), "invalid");
    EXPECT_THAT(inbox.err,
        AllOf(HasSubstr("inbox_messages is of kind inbox, not idempotency"),
            HasSubstr("There are: idempotency_records")));
    const auto keys = ctl("inbox list --binding idempotency_records");
    EXPECT_EQ(keys.code, 2);
    EXPECT_EQ(keys.json().at("error").at("failure"), "invalid");
    EXPECT_THAT(keys.err,
        AllOf(HasSubstr("idempotency_records is of kind idempotency, not inbox"),
            HasSubstr("There are: inbox_messages")));
    for (const auto* command :
        { "keys count", "keys stuck", "keys show a b c", "plan fence --filter stuck --reason r --out p" })
        EXPECT_EQ(ctl((std::string(command) + " --binding inbox_messages").c_str()).code, 2) << command;
    EXPECT_EQ(ctl("keys list --binding idempotency_records").code, 0);
    EXPECT_EQ(ctl("inbox list --binding inbox_messages").code, 0);
}

class PostgresCtlTest : public CtlTest { };

INSTANTIATE_TEST_SUITE_P(Backends, PostgresCtlTest, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

// There a backslash in a string is an escape, and the server warns of each.
TEST_P(PostgresCtlTest, ReadsStringsAsTheyAreWhereTheServerWouldNot)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET standard_conforming_strings = "
                                    "off', current_database()); END $$"));
    const auto key = QStringLiteral("a\\b\\'c\\n\\\\");
    const auto reserved = ctl(reserveOf(key));
    EXPECT_EQ(reserved.code, 0);
    EXPECT_EQ(reserved.err, "");
    const auto found = ctl(QStringList{ QStringLiteral("keys"), QStringLiteral("list"), QStringLiteral("--filter"),
        QStringLiteral("key = \"") + QString(key).replace(QLatin1String("\\"), QLatin1String("\\\\"))
            + QLatin1Char('"') });
    EXPECT_EQ(found.err, "");
    EXPECT_EQ(found.json()["key"], key.toStdString());
    const auto listed = ctl("keys list");
    EXPECT_EQ(listed.err, "");
    EXPECT_EQ(listed.json()["key"], key.toStdString());
    const auto reason = QStringLiteral("so said \\'they\\' \\x");
    const auto plan = ctl(
        QStringList{ QStringLiteral("plan"), QStringLiteral("fence"), QStringLiteral("--key"), QStringLiteral("pay"),
            QStringLiteral("charge"), key, QStringLiteral("--reason"), reason, QStringLiteral("--out"), path("p") });
    EXPECT_EQ(plan.code, 0) << plan.err;
    const auto applied = ctl("apply p");
    EXPECT_EQ(applied.code, 0);
    EXPECT_EQ(applied.err, "");
    EXPECT_EQ(ctl("audit list").json()["reason"], reason.toStdString());
    EXPECT_EQ(ctl("audit verify").err, "");
}

TEST_P(PostgresCtlTest, SaysWhereTablesBesideTheRecordsMayHideRows)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl(reserveOf(QStringLiteral("k"))).code, 0);
    ASSERT_EQ(ctl("plan fence --key pay charge k --reason r --out p").code, 0);
    ASSERT_EQ(ctl("apply p").code, 0);
    connection = std::move(*database.connect());
    const std::string role = "shown_some_" + std::to_string(::getpid());
    std::vector<std::string> statements{ "CREATE ROLE " + role, "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role,
        "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO " + role };
    for (const auto* table : { "idempotency_conflicts", "idempotency_transitions", "idempotency_audit" })
        statements.push_back("ALTER TABLE " + std::string(table) + " ENABLE ROW LEVEL SECURITY");
    for (const auto& sql : statements)
        ASSERT_TRUE(connection->execute(sql)) << sql;
    const auto before = qgetenv("PGOPTIONS");
    qputenv("PGOPTIONS", QByteArray::fromStdString("-c role=" + role));
    const auto conflicts = ctl("keys list --filter conflict");
    const auto shown = ctl("keys show pay charge k");
    const auto verified = ctl("audit verify");
    const auto listed = ctl("audit list");
    const auto again = ctl("apply p");
    const auto planned = ctl("plan release --key pay charge k --reason r --out p2");
    before.isNull() ? qunsetenv("PGOPTIONS") : qputenv("PGOPTIONS", before);
    for (const auto& sql : { "DROP OWNED BY " + role, "DROP ROLE " + role })
        EXPECT_TRUE(connection->execute(sql));

    EXPECT_THAT(conflicts.out, HasSubstr("conflicts may be hidden"));
    EXPECT_THAT(shown.json()["warnings"].dump(), HasSubstr("the journal may be hidden"));
    for (const auto* whole : { &verified, &listed }) {
        EXPECT_EQ(whole->code, 1) << whole->out;
        EXPECT_THAT(whole->out, AllOf(HasSubstr("may be hidden"), Not(HasSubstr("missing"))));
    }
    for (const auto* write : { &again, &planned }) {
        EXPECT_NE(write->code, 0) << write->out;
        EXPECT_THAT(write->out + write->err, HasSubstr("ow-level security")) << write->err;
    }
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
}

TEST_P(PostgresCtlTest, NeverCallsACountExactWhereRowsMayBeHidden)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl(reserveOf(QStringLiteral("k"))).code, 0);
    connection = std::move(*database.connect());
    const std::string role = "shown_nothing_" + std::to_string(::getpid());
    for (const auto& sql : { "CREATE ROLE " + role, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role,
             std::string("ALTER TABLE idempotency_records ENABLE ROW LEVEL SECURITY") })
        ASSERT_TRUE(connection->execute(sql));
    const auto before = qgetenv("PGOPTIONS");
    qputenv("PGOPTIONS", QByteArray::fromStdString("-c role=" + role));
    const auto counts = ctl("keys count");
    const auto listed = ctl("keys list");
    const auto stuck = ctl("keys stuck");
    const auto shown = ctl("keys show pay charge k");
    const auto text = plain({ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("keys"),
        QStringLiteral("count") });
    const auto planned = ctl("plan fence --filter state=HELD --reason r --out p");
    const auto frozen = ctl("plan show p");
    before.isNull() ? qunsetenv("PGOPTIONS") : qputenv("PGOPTIONS", before);
    for (const auto& sql : { "DROP OWNED BY " + role, "DROP ROLE " + role })
        EXPECT_TRUE(connection->execute(sql));

    const nlohmann::json hidden = { "row-level security is in force for this role: rows may be hidden" };
    EXPECT_EQ(counts.code, 0) << counts.err;
    ASSERT_GT(counts.lines().size(), 5U);
    for (const auto& line : counts.lines()) {
        EXPECT_EQ(line["count"], 0);
        EXPECT_EQ(line["exactness"], "at_least");
        EXPECT_EQ(line["warnings"], hidden);
    }
    EXPECT_THAT(counts.err, HasSubstr("rows may be hidden"));
    // There is no row to say it with, and nothing at all would say that there is none.
    for (const auto* none : { &listed, &stuck }) {
        ASSERT_EQ(none->lines().size(), 1U);
        EXPECT_EQ(none->json()["warning"], hidden[0]);
        EXPECT_THAT(none->err, HasSubstr("rows may be hidden"));
    }
    EXPECT_EQ(shown.code, 1);
    EXPECT_THAT(shown.out, HasSubstr("rows may be hidden"));
    EXPECT_EQ(planned.json()["warnings"], hidden) << planned.err;
    EXPECT_EQ(frozen.json()["warnings"], hidden) << frozen.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("at_least"), Not(HasSubstr("exact"))));
    EXPECT_THAT(text.err, HasSubstr("rows may be hidden"));
    for (const auto& line : ctl("keys count").lines())
        EXPECT_EQ(line.contains("warnings"), false);
}

TEST_P(CtlTest, TakesACursorOnlyWhereItCameFrom)
{
    makeStuckKeys(2);
    const ManualClock clock(SystemClock().now());
    store::Inbox inbox(*connection, { .clock = &clock, .bind = true });
    for (const auto* event : { "evt-1", "evt-2" })
        ASSERT_TRUE(inbox.accept({ .id = { "billing", "psp", event }, .payloadHash = sha256(event) }));
    const auto after = [&](const QStringList& command, const std::string& cursor) {
        return ctl(command + QStringList{ QStringLiteral("--after"), QString::fromStdString(cursor) });
    };
    const QStringList keys{ QStringLiteral("keys"), QStringLiteral("list") };
    const QStringList events{ QStringLiteral("inbox"), QStringLiteral("list") };
    const QStringList stuck{ QStringLiteral("keys"), QStringLiteral("stuck") };
    const QStringList byKey{ QStringLiteral("--order"), QStringLiteral("key") };
    const std::string key = ctl(keys).lines().front().at("cursor");
    const std::string event = ctl(events).lines().front().at("cursor");
    EXPECT_EQ(after(keys, key).lines().size(), 1U);
    EXPECT_EQ(after(events, event).lines().size(), 1U);
    // The values of both have the same shape: an instant and three texts.
    for (const auto& refused : { after(events, key), after(keys, event), after(keys + byKey, key), after(stuck, key),
             after(events + byKey, key), after(keys, ctl(keys + byKey).lines().front().at("cursor")) }) {
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.lines().size(), 1U);
        EXPECT_THAT(refused.err, HasSubstr("This cursor belongs to another order or table than "));
    }
    // A position in an order is one under any filter.
    const auto filtered =
        after(keys + QStringList{ QStringLiteral("--filter"), QStringLiteral("state = IN_PROGRESS") }, key);
    EXPECT_EQ(filtered.code, 0);
    EXPECT_EQ(filtered.lines().size(), 1U);
}

TEST_P(CtlTest, AuditsForeignTablesInItsOwnFileOrInTheirs)
{
    makeAtlasKeys({ "a", "b" });
    ASSERT_EQ(ctl("plan fence --key pay charge a --reason r --out p").code, 0);
    ASSERT_EQ(ctl("apply p").code, 0);
    EXPECT_EQ(ctl("apply p").json()["already_done"], 1);
    EXPECT_TRUE(QFile::exists(path("fencepost/audit.sqlite")));
    EXPECT_EQ(ctl("audit list").lines().size(), 1U);
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);

    // What was done before goes into the table, once.
    ASSERT_EQ(ctl("audit install").code, 0);
    ASSERT_EQ(ctl("audit install").code, 0);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), 1);
    EXPECT_EQ(ctl("audit list").json()["verb"], "fence");
    EXPECT_EQ(ctl("apply p").json()["already_done"], 1);
    ASSERT_EQ(ctl("plan fail --key pay charge b --reason r --out p2").code, 0);
    ASSERT_EQ(ctl("apply p2").code, 0);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), 2);
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    EXPECT_EQ(ctl("keys show pay charge b").json()["state"], "FAILED_FINAL");
}

// The audit of a table that keeps none is a file of this computer, which is easily taken away.
TEST_P(CtlTest, TellsThatItsOwnAuditWasEmptiedTakenAwayOrPutBack)
{
    makeAtlasKeys({ "a", "b", "c" });
    const auto fence = [&](const QString& key) {
        const auto made = ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("fence"), QStringLiteral("--key"),
            QStringLiteral("pay"), QStringLiteral("charge"), key, QStringLiteral("--reason"), QStringLiteral("r"),
            QStringLiteral("--out"), path("p") });
        EXPECT_EQ(made.code, 0) << made.err;
        return ctl("apply p");
    };
    const auto file = path("fencepost/audit.sqlite");
    ASSERT_EQ(fence(QStringLiteral("a")).code, 0);
    ASSERT_TRUE(QFile::copy(file, path("old")));
    ASSERT_EQ(fence(QStringLiteral("b")).code, 0);
    ASSERT_TRUE(QFile::copy(file, path("whole")));
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    const auto put = [&](const char* name) {
        for (const auto* beside : { "", "-wal", "-shm" })
            QFile::remove(file + QLatin1String(beside));
        return *name == '\0' || QFile::copy(path(name), file);
    };
    for (const auto* instead : { "", "old" }) {
        ASSERT_TRUE(put(instead));
        const auto verdict = ctl("audit verify");
        EXPECT_EQ(verdict.code, 1) << instead;
        EXPECT_EQ(verdict.json()["intact"], false) << instead;
        EXPECT_THAT(verdict.json()["reason"].get<std::string>(), HasSubstr("it had 2 entries"));
        // Nothing is written behind it: that would hide what is gone.
        const auto refused = fence(QStringLiteral("c"));
        EXPECT_EQ(refused.code, 1) << instead;
        EXPECT_THAT(refused.out, HasSubstr("emptied, taken away or put back"));
        EXPECT_EQ(number("SELECT count(*) FROM idempotency_records WHERE status = 'IN_PROGRESS'"), 1);
        EXPECT_EQ(ctl("audit verify").json()["intact"], false) << instead;
    }
    ASSERT_TRUE(put("whole"));
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    QFile head(file + QLatin1String(".head"));
    ASSERT_TRUE(head.open(QIODevice::ReadWrite));
    const auto said = head.readAll();
    EXPECT_EQ(said.size(), 67) << "\"2 \", the hash and the end of the line";
    ASSERT_TRUE(head.resize(5));
    EXPECT_THAT(ctl("audit verify").json()["reason"].get<std::string>(), HasSubstr("damaged"));
    EXPECT_EQ(fence(QStringLiteral("c")).code, 1);
    ASSERT_TRUE(head.resize(0) && head.seek(0) && head.write(said) == said.size() && head.flush());
    EXPECT_EQ(fence(QStringLiteral("c")).code, 0);
    EXPECT_EQ(ctl("audit verify").json()["entries"], 3);
}

// The audit lies in the console's own file there.
TEST_P(CtlTest, ShowsWhatWasDoneToAForeignRecord)
{
    makeAtlasKeys({ "a", "b" });
    ASSERT_EQ(ctl("plan fence --key pay charge a --reason stuck --out p").code, 0);
    ASSERT_EQ(ctl("apply p").code, 0);
    ASSERT_EQ(ctl("plan note --key pay charge a --reason asked --out p").code, 0);
    ASSERT_EQ(ctl("apply p").code, 0);
    const auto shown = ctl("keys show pay charge a").json();
    ASSERT_EQ(shown["actions"].size(), 2U);
    EXPECT_EQ(shown["actions"][0]["verb"], "note");
    EXPECT_EQ(shown["actions"][1]["verb"], "fence");
    EXPECT_EQ(shown["actions"][1]["reason"], "stuck");
    EXPECT_EQ(shown["actions"][1]["outcome"], "changed");
    EXPECT_EQ(ctl("keys show pay charge b").json()["actions"].size(), 0U);
}

// To put such a row's columns back would hand it to its old owner.
TEST_P(CtlTest, DoesNotUndoAFailureWhereNothingCanBeHeld)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute(store::sql::layout_atlas_records.of(GetParam())));
    const std::string hash = GetParam() == store::Dialect::Sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
    ASSERT_TRUE(connection->execute("INSERT INTO idempotency_records VALUES ('pay', 'charge', 'a', " + hash
        + ", 'IN_PROGRESS', '7d9f6d2e-0000-4000-8000-000000000abc', NULL, NULL, NULL, '2026-01-01 11:00:00',"
          " '2026-01-01 11:00:00', '2036-01-01 11:00:00')"));
    ASSERT_EQ(ctl("plan fail --key pay charge a --reason r --out p").code, 0);
    const auto plan = nlohmann::json::parse(readFile(path("p")).toStdString());
    EXPECT_THAT(plan.at("inverse").get<std::string>(), HasSubstr("no hold"));
    ASSERT_EQ(ctl("apply p").code, 0);
    const auto undone =
        ctl(QStringList{ QStringLiteral("undo"), QString::fromStdString(plan.at("request_id").get<std::string>()),
            QStringLiteral("--reason"), QStringLiteral("mistake") });
    EXPECT_EQ(undone.code, 3);
    EXPECT_THAT(undone.err, HasSubstr("no hold"));
    EXPECT_EQ(ctl("keys show pay charge a").json()["state"], "FAILED_FINAL");
}

TEST_P(CtlTest, NamesARowOfATableWithoutScopeByItsKeyAlone)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute(store::sql::layout_playbook_keys.of(GetParam())));
    ASSERT_TRUE(connection->execute("INSERT INTO idempotency_keys (key, payload_hash, status, expires_at) VALUES"
                                    " ('p1', 'h', 'pending', '2036-01-01 00:00:00'),"
                                    " ('p2', 'h', 'pending', '2036-01-01 00:00:00')"));
    for (const auto* keys : { "--key p1 --key p2 --reason r --out p", "--reason r --out p --key p1 --key - - p2" }) {
        const auto planned = ctl((std::string("plan fail ") + keys).c_str());
        EXPECT_EQ(planned.code, 0) << planned.err;
        EXPECT_EQ(nlohmann::json::parse(readFile(path("p")).toStdString()).at("items").size(), 2U);
    }
}

TEST_P(CtlTest, RefusesAReasonOfNothingButBlanks)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl(reserveOf(QStringLiteral("k"))).code, 0);
    const QStringList fence{ QStringLiteral("plan"), QStringLiteral("fence"), QStringLiteral("--key"),
        QStringLiteral("pay"), QStringLiteral("charge"), QStringLiteral("k"), QStringLiteral("--out"),
        QStringLiteral("p") };
    for (const auto* blank : { "", " ", "\t \n" }) {
        EXPECT_EQ(ctl(fence + QStringList{ QStringLiteral("--reason"), QLatin1String(blank) }).code, 2);
        EXPECT_EQ(ctl(fence
                      + QStringList{ QStringLiteral("--reason"), QStringLiteral("r"), QStringLiteral("--no-hold"),
                          QLatin1String(blank) })
                      .code,
            2);
    }
    EXPECT_FALSE(QFile::exists(path("p")));
}

TEST_P(CtlTest, NeverPrintsAPassword)
{
    for (const auto* url : { "postgresql://op:hunter2@127.0.0.1:1/x", "postgresql://127.0.0.1:1/x?password=hunter2" }) {
        const auto run = plain({ QStringLiteral("--db"), QLatin1String(url), QStringLiteral("--json"),
            QStringLiteral("keys"), QStringLiteral("list") });
        EXPECT_EQ(run.code, 2);
        EXPECT_THAT(run.out + run.err, AllOf(Not(HasSubstr("hunter2")), HasSubstr("password")));
    }
    QProcess process;
    auto variables = environment();
    variables.insert(QStringLiteral("PGPASSWORD"), QStringLiteral("hunter2"));
    process.setProcessEnvironment(variables);
    process.start(QStringLiteral(FENCEPOSTCTL),
        { QStringLiteral("--db"), QStringLiteral("postgresql://op@127.0.0.1:1/x"), QStringLiteral("--json"),
            QStringLiteral("keys"), QStringLiteral("list") });
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_EQ(process.exitCode(), 1);
    EXPECT_FALSE((process.readAllStandardOutput() + process.readAllStandardError()).contains("hunter2"));
}

TEST_P(CtlTest, LetsNoRowDriveTheTerminal)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto hostile = QString::fromUtf8("k\x1b[31m\xe2\x80\xae");
    makeStuckKey(hostile.toStdString());
    auto arguments = withDatabase({ QStringLiteral("keys"), QStringLiteral("list") });
    arguments.removeAll(QStringLiteral("--json"));
    const auto text = plain(arguments).out;
    EXPECT_THAT(text, AllOf(HasSubstr("k\\x1b[31m\\u{202e}"), Not(HasSubstr("\x1b"))));
    EXPECT_EQ(ctl("keys list").json()["key"], hostile.toStdString());
}

TEST_P(CtlTest, SurvivesAReaderThatLeaves)
{
    makeStuckKeys(1000);
    QProcess shell;
    shell.setProcessEnvironment(environment());
    shell.start(QStringLiteral("bash"),
        { QStringLiteral("-c"),
            QStringLiteral("\"$0\" --db \"$1\" --json keys list | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}"),
            QStringLiteral(FENCEPOSTCTL), QString::fromStdString(database.url()) });
    ASSERT_TRUE(shell.waitForFinished(60'000));
    EXPECT_EQ(shell.readAllStandardOutput().trimmed(), "0");
}

TEST(CtlProgramTest, HasASubcommandForEveryOperation)
{
    for (const auto& operation : operations()) {
        QProcess process;
        process.start(QStringLiteral(FENCEPOSTCTL),
            { QStringLiteral("plan"), QLatin1String(operation.id), QStringLiteral("--help") });
        ASSERT_TRUE(process.waitForFinished());
        EXPECT_EQ(process.exitCode(), 0) << operation.id;
        const auto help = process.readAllStandardOutput().toStdString();
        EXPECT_THAT(help, HasSubstr(std::string(operation.summary).substr(0, 20)));
        for (const auto& parameter : operation.parameters) {
            std::string option = "--" + std::string(parameter.id);
            std::replace(option.begin(), option.end(), '_', '-');
            EXPECT_THAT(help, HasSubstr(option)) << operation.id;
        }
    }
}

TEST(CtlProgramTest, FindsThePolicyBesideTheDatabaseThenHereThenInTheConfiguration)
{
    QTemporaryDir home;
    const QStringList places{ QStringLiteral("config/fencepost"), QStringLiteral("work"), QStringLiteral("data") };
    for (const auto& place : places)
        ASSERT_TRUE(QDir(home.path()).mkpath(place));
    const auto ttl = [&](const QString& db) {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.filePath(QStringLiteral("config")));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(home.filePath(QStringLiteral("work")));
        process.start(QStringLiteral(FENCEPOSTCTL),
            { QStringLiteral("--db"), db, QStringLiteral("--json"), QStringLiteral("policy"), QStringLiteral("show") });
        EXPECT_TRUE(process.waitForFinished());
        EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
        CtlRun run;
        run.out = process.readAllStandardOutput().toStdString();
        for (const auto& line : run.lines())
            if (line.at("setting") == "ttl")
                return line.at("value").get<std::string>();
        return std::string("none");
    };
    const auto file = QStringLiteral("sqlite:") + home.filePath(QStringLiteral("data/keys.db"));
    const auto server = QStringLiteral("postgresql://ann@localhost/keys");
    const auto standard = ttl(file);
    // From the last place that is looked at to the first: the nearer one wins.
    const std::vector<std::pair<std::string, std::string>> found = { { "11d", "11d" }, { "12d", "12d" },
        { "13d", "12d" } };
    for (int i = 0; i < 3; ++i) {
        QFile policy(home.filePath(places[i] + QStringLiteral("/fencepost.policy.json")));
        ASSERT_TRUE(policy.open(QIODevice::WriteOnly));
        const auto& [beside, ofServer] = found[static_cast<std::size_t>(i)];
        EXPECT_NE(beside, standard);
        policy.write(QByteArray::fromStdString(R"({"format":1,"defaults":{"ttl":")" + beside + R"("}})"));
        policy.close();
        EXPECT_EQ(ttl(file), beside);
        EXPECT_EQ(ttl(server), ofServer) << "a server has no folder";
    }
}

// A reservation follows the policy's file, wherever it was found; what is said on the command line stands above it.
TEST(CtlProgramTest, ReservesByThePolicyThatItFinds)
{
    QTemporaryDir home;
    QFile policy(home.filePath(QStringLiteral("fencepost.policy.json")));
    ASSERT_TRUE(policy.open(QIODevice::WriteOnly));
    policy.write(R"({"format":1,"defaults":{"takeover":"manual","lease":"2m","max_attempts":3}})");
    policy.close();
    const auto ctl = [&](const QStringList& arguments) {
        QProcess process;
        process.setWorkingDirectory(home.path());
        process.start(QStringLiteral(FENCEPOSTCTL),
            QStringList{ QStringLiteral("--db"), QStringLiteral("sqlite:keys.db"), QStringLiteral("--json") }
                + arguments);
        EXPECT_TRUE(process.waitForFinished());
        CtlRun run;
        run.code = process.exitCode();
        run.out = process.readAllStandardOutput().toStdString();
        run.err = process.readAllStandardError().toStdString();
        return run;
    };
    ASSERT_EQ(ctl({ QStringLiteral("schema"), QStringLiteral("init") }).code, 0);
    const auto reserve = [&](const QString& key, const QStringList& further = {}) {
        const auto run = ctl(QStringList{ QStringLiteral("key"), QStringLiteral("reserve"), QStringLiteral("--scope"),
                                 QStringLiteral("s"), QStringLiteral("--operation"), QStringLiteral("o"),
                                 QStringLiteral("--key"), key, QStringLiteral("--request-hash"), QString(64, u'a') }
            + further);
        EXPECT_EQ(run.code, 0) << run.err;
        const auto shown =
            ctl({ QStringLiteral("keys"), QStringLiteral("show"), QStringLiteral("s"), QStringLiteral("o"), key });
        return shown.json();
    };
    const auto followed = reserve(QStringLiteral("a"));
    EXPECT_EQ(followed["takeover"], "manual") << followed.dump();
    EXPECT_EQ(followed["max_attempts"], 3);
    EXPECT_EQ(
        reserve(QStringLiteral("b"), { QStringLiteral("--takeover"), QStringLiteral("auto") })["takeover"], "auto");
}

TEST(CtlProgramTest, LeavesOutABadProfile)
{
    QTemporaryDir home;
    const auto folder = home.filePath(QStringLiteral("fencepost/profiles"));
    ASSERT_TRUE(QDir().mkpath(folder));
    QFile bad(folder + QStringLiteral("/bad.json"));
    ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
    bad.write("{\"profile\": 7}");
    bad.close();
    const auto list = [&](const QStringList& first) {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
        process.setProcessEnvironment(environment);
        process.start(
            QStringLiteral(FENCEPOSTCTL), first + QStringList{ QStringLiteral("profiles"), QStringLiteral("list") });
        EXPECT_TRUE(process.waitForFinished());
        return std::pair(process.exitCode(), process.readAllStandardError().toStdString());
    };
    const auto problem = bad.fileName().toStdString() + ": /profile: found 7, expected text";
    for (const auto& first : { QStringList(), QStringList{ QStringLiteral("--profiles-dir"), folder } }) {
        const auto [code, told] = list(first);
        EXPECT_EQ(code, 0);
        EXPECT_EQ(told, "fencepostctl: warning: a profile is left out: " + problem + '\n');
    }
}

TEST(CtlProgramTest, TellsUsageFromFailure)
{
    const auto code = [](const QStringList& arguments) {
        QProcess process;
        process.start(QStringLiteral(FENCEPOSTCTL), arguments);
        EXPECT_TRUE(process.waitForFinished());
        EXPECT_NE(process.readAllStandardError() + process.readAllStandardOutput(), QByteArray());
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    };
    EXPECT_EQ(code({}), 2);
    EXPECT_EQ(code({ QStringLiteral("nonsense") }), 2);
    EXPECT_EQ(code({ QStringLiteral("keys"), QStringLiteral("list") }), 2);
    EXPECT_EQ(
        code({ QStringLiteral("--db"), QStringLiteral("mysql://x/y"), QStringLiteral("keys"), QStringLiteral("list") }),
        2);
    EXPECT_EQ(code({ QStringLiteral("--db"), QStringLiteral("sqlite:/nonexistent/x.db"), QStringLiteral("keys"),
                  QStringLiteral("list") }),
        1);
    EXPECT_EQ(code({ QStringLiteral("--db"), QStringLiteral("sqlite:/etc/passwd"), QStringLiteral("keys"),
                  QStringLiteral("list") }),
        1);
    EXPECT_EQ(code({ QStringLiteral("--version") }), 0);
    EXPECT_EQ(code({ QStringLiteral("profiles"), QStringLiteral("list") }), 0);
    EXPECT_EQ(code({ QStringLiteral("profiles"), QStringLiteral("check"), QStringLiteral("/etc/passwd") }), 1);
    QTemporaryDir folder;
    const auto mine = folder.filePath(QStringLiteral("mine.json"));
    QFile file(mine);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    std::string text(profile::shippedProfiles().front().json);
    file.write(QByteArray::fromStdString(text.insert(text.find('{') + 1, "\n")));
    file.close();
    EXPECT_EQ(code({ QStringLiteral("profiles"), QStringLiteral("check"), mine }), 0) << "right in itself";
    EXPECT_EQ(
        code({ QStringLiteral("schema"), QStringLiteral("ddl"), QStringLiteral("--layout"), QStringLiteral("atlas") }),
        0);
    EXPECT_EQ(code({ QStringLiteral("schema"), QStringLiteral("ddl"), QStringLiteral("--layout"),
                  QStringLiteral("nonsense") }),
        2);
}

} // namespace
} // namespace fencepost::test
