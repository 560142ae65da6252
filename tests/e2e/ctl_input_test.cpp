// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <set>

#include <unistd.h>

#include <QProcess>

#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class InputTest : public CtlTest {
protected:
    static QStringList reserve(const char* key)
    {
        return { QStringLiteral("key"), QStringLiteral("reserve"), QStringLiteral("--scope"), QStringLiteral("pay"),
            QStringLiteral("--operation"), QStringLiteral("charge"), QStringLiteral("--key"), QString::fromUtf8(key),
            QStringLiteral("--request-hash"), QString(64, QLatin1Char('a')) };
    }

    nlohmann::json planFile() const
    {
        std::ifstream file(path("p").toStdString());
        return nlohmann::json::parse(file);
    }

    // What people do with the printed statements.
    void pipe(const std::string& statements)
    {
        QProcess tool;
        if (GetParam() == store::Dialect::Sqlite)
            tool.start(
                QStringLiteral("sqlite3"), { QStringLiteral("-bail"), QString::fromStdString(database.target().path) });
        else
            tool.start(QStringLiteral("psql"),
                { QStringLiteral("-Xq"), QStringLiteral("-v"), QStringLiteral("ON_ERROR_STOP=1"),
                    QString::fromStdString(database.url()) });
        ASSERT_TRUE(tool.waitForStarted());
        tool.write(QByteArray::fromStdString(statements));
        tool.closeWriteChannel();
        ASSERT_TRUE(tool.waitForFinished(60'000));
        ASSERT_EQ(tool.exitCode(), 0) << tool.readAllStandardError().toStdString();
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, InputTest, bothDialects(), nameOfDialect);

TEST_P(InputTest, PrintsStatementsThatMakeAWholeDatabase)
{
    const auto ddl = ctl("schema ddl --layout fencepost");
    ASSERT_EQ(ddl.code, 0) << ddl.err;
    pipe(ddl.json()["ddl"].get<std::string>());
    const auto status = ctl("schema status");
    EXPECT_EQ(status.json()["version"], store::currentSchemaVersion) << status.err;
    EXPECT_EQ(ctl(reserve("k")).json()["outcome"], "execute");
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    connection = std::move(*database.connect());
    const auto versions = number("SELECT count(*) FROM fencepost_schema");
    EXPECT_EQ(ctl("schema init").code, 0);
    EXPECT_EQ(number("SELECT count(*) FROM fencepost_schema"), versions);
    EXPECT_EQ(ctl("plan fence --key pay charge k --reason r --out p").code, 0);
    EXPECT_EQ(ctl("apply p").json()["changed"], 1);
    EXPECT_EQ(ctl("audit verify").json()["entries"], 1);
}

TEST_P(InputTest, AnswersWrongInvocationsWithTwoWhateverTheCommand)
{
    for (const char* verb : { "schema init", "schema status", "keys list", "audit list", "reap" }) {
        const auto words = QString::fromUtf8(verb).split(QLatin1Char(' '));
        EXPECT_EQ(plain(words).code, 2) << verb;
        for (const char* db : { "sqlite:", "mysql://h/d", "postgresql://u:secret@h/d" })
            EXPECT_EQ(plain(QStringList{ QStringLiteral("--db"), QString::fromUtf8(db) } + words).code, 2)
                << verb << ' ' << db;
        EXPECT_EQ(ctl(QStringList{ QStringLiteral("--statement-timeout"), QStringLiteral("abc") } + words).code, 2)
            << verb;
    }
    EXPECT_EQ(plain({ QStringLiteral("--db"), QStringLiteral("mysql://h/d"), QStringLiteral("schema"),
                        QStringLiteral("ddl") })
                  .code,
        2);
}

TEST_P(InputTest, RefusesNumbersThatDoNotFit)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    const auto present = [&](const char* fence) {
        return ctl(QStringList{ QStringLiteral("key"), QStringLiteral("finalize"), QStringLiteral("--scope"),
            QStringLiteral("pay"), QStringLiteral("--operation"), QStringLiteral("charge"), QStringLiteral("--key"),
            QStringLiteral("k"), QStringLiteral("--owner"), QStringLiteral("00000000-0000-4000-8000-000000000000"),
            QStringLiteral("--fence"), QString::fromUtf8(fence) });
    };
    for (const char* fence : { "9223372036854775808", "99999999999999999999", "-1", "1x" })
        EXPECT_EQ(present(fence).code, 2) << fence;
    EXPECT_EQ(present("1").code, 3);
    const auto tooLong =
        ctl(reserve("k") + QStringList{ QStringLiteral("--lease"), QStringLiteral("99999999999999999999s") });
    EXPECT_EQ(tooLong.code, 2);
    EXPECT_THAT(tooLong.err, HasSubstr("too long"));
}

TEST_P(InputTest, TakesKeysThatBeginWithADash)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    for (const char* key : { "-abc", "--json-ish", "k1", "k2" })
        ASSERT_EQ(ctl(reserve(key)).code, 0) << key;
    EXPECT_EQ(ctl("keys show pay charge -abc").json()["key"], "-abc");
    EXPECT_EQ(ctl("keys show pay charge --json-ish --statement-timeout 20s").json()["key"], "--json-ish");
    const auto many = ctl("plan fence --key pay charge -abc pay charge k1 --reason r --key pay charge k2 --out p");
    EXPECT_EQ(many.code, 0) << many.err;
    ASSERT_EQ(planFile()["items"].size(), 3U);
    EXPECT_EQ(planFile()["items"][0]["key"], "-abc");
    EXPECT_EQ(planFile()["items"][1]["key"], "k1");
    EXPECT_EQ(ctl("plan fence --key pay charge k1 pay charge --reason r --out p").code, 2);
}

class SqliteInputTest : public InputTest { };

INSTANTIATE_TEST_SUITE_P(Backends, SqliteInputTest, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

// Not of UTF-8, and a blob beside the text of the same octets: every row has a name of its own, and goes by it.
TEST_P(SqliteInputTest, NamesEveryRowByTheIdentityThatItIsListedWith)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute(store::sql::layout_playbook_keys.of(GetParam())));
    for (const char* key : { "CAST(x'6bff' AS TEXT)", "x'6bff'", "x'6b6b'", "'kk'" })
        ASSERT_TRUE(
            connection->execute(std::string("INSERT INTO idempotency_keys (key, payload_hash, status, expires_at) "
                                            "VALUES (")
                + key + ", 'h', 'pending', '2036-01-01 00:00:00')"))
            << key;
    std::set<std::string> identities;
    for (const auto& line : ctl("keys list").lines())
        identities.insert(line["identity"][0].get<std::string>());
    EXPECT_EQ(identities, (std::set<std::string>{ "\\x6bff", "\\b6bff", "\\b6b6b", "kk" }));
    for (const auto& identity : identities) {
        const auto key = QString::fromStdString(identity);
        const auto shown = ctl(QStringList{ QStringLiteral("keys"), QStringLiteral("show"), key });
        EXPECT_EQ(shown.code, 0) << identity << shown.err;
        EXPECT_EQ(shown.json()["identity"][0], identity);
        const auto planned = ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("fail"), QStringLiteral("--key"),
            key, QStringLiteral("--reason"), QStringLiteral("r"), QStringLiteral("--out"), path("p") });
        EXPECT_EQ(planned.code, 0) << planned.err;
        ASSERT_EQ(planFile()["items"].size(), 1U);
        EXPECT_EQ(ctl("apply p").json()["changed"], 1) << identity;
    }
    const auto all = ctl("plan expire --filter state=FAILED_FINAL --reason r --out p");
    EXPECT_EQ(all.code, 0) << all.err;
    EXPECT_EQ(planFile()["items"].size(), 4U);
}

// A slip of the hand costs no file that is no plan.
TEST_P(InputTest, APlanReplacesNothingButAPlan)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl(reserve("k")).code, 0);
    QFile notes(path("notes"));
    ASSERT_TRUE(notes.open(QIODevice::WriteOnly));
    notes.write("incident 7");
    notes.close();
    const auto refused = ctl("plan note --key pay charge k --reason r --out notes");
    EXPECT_EQ(refused.code, 2) << refused.err;
    ASSERT_TRUE(notes.open(QIODevice::ReadOnly));
    EXPECT_EQ(notes.readAll(), QByteArray("incident 7"));
    EXPECT_EQ(ctl("plan note --key pay charge k --reason r --out p").code, 0);
    EXPECT_EQ(ctl("plan note --key pay charge k --reason again --out p").code, 0);
}

class ServerInputTest : public InputTest {
protected:
    // As a role with these rights.
    CtlRun as(const QStringList& arguments, const std::vector<std::string>& rights)
    {
        const std::string role = "limited_" + std::to_string(::getpid());
        EXPECT_TRUE(connection->execute("CREATE ROLE " + role));
        for (const auto& right : rights)
            EXPECT_TRUE(connection->execute("GRANT " + right + " TO " + role)) << right;
        const auto before = qgetenv("PGOPTIONS");
        qputenv("PGOPTIONS", QByteArray::fromStdString("-c role=" + role));
        auto run = ctl(arguments);
        before.isNull() ? qunsetenv("PGOPTIONS") : qputenv("PGOPTIONS", before);
        for (const auto& sql : { "DROP OWNED BY " + role, "DROP ROLE " + role })
            EXPECT_TRUE(connection->execute(sql));
        return run;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, ServerInputTest, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(ServerInputTest, SaysWhichRightIsMissing)
{
    ASSERT_EQ(ctl("schema init").code, 0);
    ASSERT_EQ(ctl(reserve("k")).code, 0);
    connection = std::move(*database.connect());
    const auto blind = as(reserve("k"), { "SELECT, INSERT, UPDATE ON idempotency_records" });
    EXPECT_EQ(blind.code, 1);
    EXPECT_THAT(blind.err, HasSubstr("SELECT on fencepost_schema"));
    EXPECT_THAT(blind.err, Not(HasSubstr("not in this database")));

    // The record can be read although what operators did with it cannot.
    const auto shown = as({ QStringLiteral("keys"), QStringLiteral("show"), QStringLiteral("pay"),
                              QStringLiteral("charge"), QStringLiteral("k") },
        { "SELECT ON idempotency_records, idempotency_transitions, idempotency_conflicts, fencepost_schema" });
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.json()["key"], "k");
    EXPECT_TRUE(shown.json()["actions"].is_null());
    EXPECT_THAT(shown.err, HasSubstr("is not shown"));

    const std::string reads = "SELECT ON ALL TABLES IN SCHEMA public";
    const auto why = [&](const char* verb, const std::vector<std::string>& rights) {
        const auto run = as(QStringList{ QStringLiteral("plan"), QString::fromUtf8(verb), QStringLiteral("--key"),
                                QStringLiteral("pay"), QStringLiteral("charge"), QStringLiteral("k"),
                                QStringLiteral("--reason"), QStringLiteral("r"), QStringLiteral("--out"), path("p") },
            rights);
        const auto left = run.json()["left_out"];
        return left.empty() ? std::string() : left[0]["why"].get<std::string>();
    };
    EXPECT_THAT(why("note", { reads }), HasSubstr("INSERT on idempotency_audit"));
    EXPECT_THAT(why("fence", { reads, "UPDATE ON idempotency_records" }),
        testing::AllOf(HasSubstr("INSERT on idempotency_transitions"), HasSubstr("INSERT on idempotency_audit"),
            HasSubstr("idempotency_fence_seq")));
    const std::vector<std::string> all = { reads, "UPDATE ON idempotency_records, idempotency_chain",
        "INSERT ON idempotency_transitions, idempotency_audit", "USAGE ON SEQUENCE idempotency_fence_seq" };
    // Whoever cannot see what was sent to vendors closes nothing.
    auto blindToCalls = all;
    blindToCalls.front() = "SELECT ON idempotency_records, idempotency_transitions, idempotency_conflicts, "
                           "idempotency_audit, idempotency_chain, fencepost_schema";
    EXPECT_THAT(why("fail", blindToCalls), HasSubstr("SELECT on outbound_calls"));
    EXPECT_EQ(why("fence", blindToCalls), "");
    ASSERT_TRUE(connection->execute("ALTER TABLE outbound_calls ENABLE ROW LEVEL SECURITY"));
    EXPECT_THAT(why("fail", all), HasSubstr("a view of all rows of outbound_calls"));
    ASSERT_TRUE(connection->execute("ALTER TABLE outbound_calls DISABLE ROW LEVEL SECURITY"));
    EXPECT_EQ(why("fence", all), "");
    const auto applied = as({ QStringLiteral("apply"), path("p") }, all);
    EXPECT_EQ(applied.json()["changed"], 1) << applied.out << applied.err;
}

// A database without an encoding takes any octets for a text.
TEST_P(ServerInputTest, OneKeyThatIsNoTextHidesNoOther)
{
    connection = std::move(*database.connect());
    auto target = database.target();
    target.database += "_octets";
    ASSERT_TRUE(connection->execute(
        "CREATE DATABASE " + target.database + " TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"));
    const auto octets = [&](const QStringList& arguments) {
        return plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(store::formatUrl(target)),
                         QStringLiteral("--json") }
            + arguments);
    };
    ASSERT_EQ(octets({ QStringLiteral("schema"), QStringLiteral("init") }).code, 0);
    ASSERT_EQ(octets(reserve("hostile")).code, 0);
    ASSERT_EQ(octets(reserve("schön") << QStringLiteral("--lease") << QStringLiteral("1us")).code, 2)
        << "no key of ours has such octets";
    ASSERT_EQ(octets(reserve("good")).code, 0);
    {
        auto other = store::Connection::open(target, { .access = store::Access::ReadWrite });
        ASSERT_TRUE(other) << other.error().message;
        ASSERT_TRUE((*other)->execute("UPDATE idempotency_records SET idempotency_key = E'k\\xff\\xc3('"
                                      " WHERE idempotency_key = 'hostile'"));
        ASSERT_TRUE((*other)->execute("UPDATE idempotency_records SET lease_expires_at = now() - interval '1 hour'"));
    }
    const auto listed = octets({ QStringLiteral("keys"), QStringLiteral("list") });
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_EQ(listed.lines().size(), 2U);
    const auto planned = octets({ QStringLiteral("plan"), QStringLiteral("fence"), QStringLiteral("--filter"),
        QStringLiteral("stuck"), QStringLiteral("--reason"), QStringLiteral("r"), QStringLiteral("--out"), path("p") });
    EXPECT_EQ(planned.code, 0) << planned.err;
    EXPECT_EQ(planFile()["items"].size(), 2U);
    const auto applied =
        octets({ QStringLiteral("apply"), path("p"), QStringLiteral("--confirm"), QStringLiteral("2") });
    EXPECT_EQ(applied.json()["changed"], 2) << applied.out << applied.err;

    // By its octets it is found, planned, changed, undone and passed by pages like any other.
    const QStringList named{ QStringLiteral("pay"), QStringLiteral("charge"), QStringLiteral("\\x6bffc328") };
    const auto shown = octets(QStringList{ QStringLiteral("keys"), QStringLiteral("show") } + named);
    EXPECT_EQ(shown.code, 0) << shown.err;
    const auto byKey = octets(QStringList{ QStringLiteral("plan"), QStringLiteral("fail"), QStringLiteral("--reason"),
                                  QStringLiteral("r"), QStringLiteral("--out"), path("q"), QStringLiteral("--key") }
        + named);
    EXPECT_EQ(byKey.code, 0) << byKey.out << byKey.err;
    const auto failed = octets({ QStringLiteral("apply"), path("q") });
    EXPECT_EQ(failed.json()["changed"], 1) << failed.out << failed.err;
    const auto undone =
        octets({ QStringLiteral("undo"), QString::fromStdString(failed.json()["request_id"].get<std::string>()) });
    EXPECT_EQ(undone.json()["changed"], 1) << undone.out << undone.err;
    QString after;
    int paged = 0;
    for (int page = 0; page < 4; ++page) {
        auto words = QStringList{ QStringLiteral("keys"), QStringLiteral("list"), QStringLiteral("--order"),
            QStringLiteral("key"), QStringLiteral("--limit"), QStringLiteral("1") };
        if (!after.isEmpty())
            words << QStringLiteral("--after") << after;
        const auto run = octets(words);
        EXPECT_EQ(run.code, 0) << run.err;
        for (const auto& line : run.lines()) {
            ++paged;
            after = QString::fromStdString(line["cursor"].get<std::string>());
        }
    }
    EXPECT_EQ(paged, 2);
    ASSERT_TRUE(connection->execute("DROP DATABASE " + target.database + " WITH (FORCE)"));
}

// What the database said about a row is told with it, and kept; what it quoted of other rows is not.
TEST_P(ServerInputTest, ReportsAndAuditsWhatTheDatabaseSaidAboutARow)
{
    makeStuckKeys(2);
    ASSERT_TRUE(connection->execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the ledger is closed' "
        "USING DETAIL = 'Key (iban)=(DE02)', HINT = 'wait'; END $$"));
    ASSERT_TRUE(connection->execute("CREATE TRIGGER refuse BEFORE UPDATE ON idempotency_records FOR EACH ROW WHEN "
                                    "(OLD.idempotency_key = 'key-100000') EXECUTE FUNCTION refuse()"));
    ASSERT_EQ(ctl("plan fence --filter stuck --reason r --out p").code, 0);
    const auto run = ctl("apply p --confirm 2");
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.json()["changed"], 1);
    EXPECT_EQ(run.json()["failed"], 1);
    std::string why;
    const auto report = run.json();
    for (const auto& item : report["items"])
        if (item["result"] == "failed")
            why = item["reason"];
    EXPECT_THAT(why, HasSubstr("P0001: the ledger is closed."));
    EXPECT_THAT(why, testing::AllOf(Not(HasSubstr("DE02")), Not(HasSubstr("defect"))));
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'failed' AND detail LIKE '%P0001: the "
                     "ledger is closed.%' AND detail NOT LIKE '%DE02%'"),
        1);
}

} // namespace
} // namespace fencepost::test
