// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <map>

#include <QDir>

#include "tests/e2e/ctl_fixture.h"

namespace fencepost::test {

using CtlProfilesTest = CtlTest;

INSTANTIATE_TEST_SUITE_P(Backends, CtlProfilesTest, bothDialects(), nameOfDialect);

namespace {

// As Oban's migrations make it, without the columns that nobody asks for here.
void makeJobs(store::Connection& connection, store::Dialect dialect)
{
    const bool sqlite = dialect == store::Dialect::Sqlite;
    const std::string instant = sqlite ? "TEXT" : "timestamp";
    const std::string list = sqlite ? "TEXT" : "text[]";
    const std::string states = sqlite ? "SELECT 1"
                                      : "CREATE TYPE oban_job_state AS ENUM ('available', 'suspended', 'scheduled', "
                                        "'executing', 'retryable', 'completed', "
                                        "'discarded', 'cancelled')";
    ASSERT_TRUE(connection.execute(states));
    ASSERT_TRUE(connection.execute("CREATE TABLE oban_jobs (id INTEGER PRIMARY KEY, state "
        + std::string(sqlite ? "TEXT" : "oban_job_state")
        + " NOT NULL, queue TEXT NOT NULL DEFAULT 'default', worker TEXT "
          "NOT NULL, args TEXT, errors TEXT, attempt INTEGER NOT NULL, max_attempts INTEGER NOT NULL, inserted_at "
        + instant + ", scheduled_at " + instant + ", attempted_at " + instant + ", attempted_by " + list
        + ", discarded_at " + instant + ", cancelled_at " + instant + ", completed_at " + instant + ")"));
    const std::string jobs[] = { "(3, 'executing', 'Mailer', 1, 20, '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z')",
        "(7, 'discarded', 'Mailer', 20, 20, '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z')",
        "(8, 'cancelled', 'Mailer', 1, 20, '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z')" };
    for (const auto& job : jobs)
        ASSERT_TRUE(connection.execute(
            "INSERT INTO oban_jobs (id, state, worker, attempt, max_attempts, inserted_at, attempted_at) VALUES "
            + job));
}

} // namespace

TEST_P(CtlProfilesTest, SaysThatATableCannotTellWhatIsStuck)
{
    connection = std::move(*database.connect());
    const std::string instant = GetParam() == store::Dialect::Sqlite ? "TEXT" : "timestamptz";
    ASSERT_TRUE(connection->execute("CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, scope TEXT NOT NULL, "
                                    "request_hash TEXT NOT NULL, response TEXT NOT NULL, expires_at "
        + instant + " NOT NULL, created_at " + instant + " NOT NULL)"));
    for (const auto* command : { "keys stuck", "--binding idempotency_keys rows stuck" }) {
        const auto stuck = ctl(command);
        EXPECT_EQ(stuck.code, 0) << stuck.err;
        EXPECT_TRUE(stuck.out.empty()) << stuck.out;
        EXPECT_NE(stuck.err.find("idempotency_keys: its profile does not say when a row is stuck"), std::string::npos)
            << stuck.err;
    }
}

TEST_P(CtlProfilesTest, ReadsCountsAndChangesTheTableOfAFramework)
{
    connection = std::move(*database.connect());
    makeJobs(*connection, GetParam());
    ASSERT_FALSE(HasFatalFailure());
    const auto found = ctl("profiles detect").lines();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["profile"], "oban.jobs");
    EXPECT_EQ(found[0]["reasons"][0], "its name is \"oban_jobs\"");

    std::map<std::string, int> states;
    for (const auto& line : ctl("--binding oban_jobs rows count").lines())
        states[line["state"]] = line["count"];
    EXPECT_EQ(states["DEAD"], 2);
    EXPECT_EQ(states["IN_PROGRESS"], 1);
    EXPECT_EQ(states["UNKNOWN"], 0);
    EXPECT_EQ(ctl("--binding oban_jobs rows list").lines().size(), 3U);
    const auto stuck = ctl("--binding oban_jobs rows stuck").lines();
    ASSERT_EQ(stuck.size(), 1U);
    EXPECT_EQ(stuck[0]["key"], "3");
    EXPECT_EQ(ctl("--binding oban_jobs rows show 7").json()["state"], "DEAD");
    EXPECT_EQ(ctl("--binding oban_jobs rows show nothing").code, 1);
    EXPECT_EQ(ctl("rows list").code, 2);
    EXPECT_EQ(ctl("--binding nothing rows list").code, 2);

    ASSERT_EQ(ctl("plan replay --binding oban_jobs --key 7 --reason r --out p").code, 0);
    EXPECT_EQ(ctl("apply p").json()["changed"], 1);
    EXPECT_EQ(ctl("apply p").json()["already_done"], 1);
    EXPECT_EQ(number("SELECT max_attempts FROM oban_jobs WHERE id = 7 AND state = 'available'"), 21);
    EXPECT_EQ(ctl("plan replay --binding oban_jobs --key 7 --reason r --out p2").code, 3);

    const auto unsaid = ctl("plan discard --binding oban_jobs --key 8 --reason r --out p3");
    EXPECT_EQ(unsaid.code, 2);
    EXPECT_NE(unsaid.err.find("exported_to"), std::string::npos) << unsaid.err;
    EXPECT_EQ(ctl("plan discard --binding oban_jobs --key 8 --reason r --out p3 --param exported_to").code, 2);
    ASSERT_EQ(ctl("plan discard --binding oban_jobs --key 8 --reason r --out p3 --param exported_to=/b.json").code, 0);
    EXPECT_EQ(ctl("apply p3").json()["changed"], 1);
    EXPECT_EQ(number("SELECT count(*) FROM oban_jobs"), 2);
    EXPECT_EQ(ctl("plan release --binding oban_jobs --key 3 --reason r --out p4").code, 0);
    EXPECT_EQ(ctl("plan fence --binding oban_jobs --key 3 --reason r --out p5").code, 3);
}

TEST_P(CtlProfilesTest, ShowsAndTriesProfiles)
{
    connection = std::move(*database.connect());
    makeJobs(*connection, GetParam());
    const auto shown = ctl("profiles show oban.jobs").json();
    EXPECT_EQ(shown["kind"], "job");
    EXPECT_EQ(shown["shipped"], true);
    EXPECT_FALSE(shown["dangers"].empty());
    EXPECT_EQ(ctl("profiles show no.such").code, 1);
    const auto document = ctl("profiles show oban.jobs --document").json();
    EXPECT_EQ(document["detect"]["require"]["t"][0], "id");
    std::ofstream(path("copy.json").toStdString()) << document;
    EXPECT_EQ(ctl({ QStringLiteral("profiles"), QStringLiteral("check"), path("copy.json") }).code, 0);
    EXPECT_EQ(ctl("profiles show no.such --document").code, 1);

    const std::string text = R"({"profile": "mine", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "state", "attempt"]}}, "source": {"tables": {"t": "oban_jobs"}},
        "identity": ["id"], "fields": {"key": ["text", ["col", "id"]], "raw_state": ["text", ["col", "state"]]},
        "state": [{"when": ["eq", ["col", "state"], "executing"], "is": "IN_PROGRESS"}],
        "actions": {"fail": {"steps": [{"set": {"state": "discarded"}, "when": ["eq", ["col", "state"], "executing"],
            "unchanged": ["state"]}]}}})";
    ASSERT_TRUE(QDir().mkpath(path("profiles")));
    std::ofstream(path("profiles/mine.json").toStdString()) << text;
    const auto tried = ctl({ QStringLiteral("profiles"), QStringLiteral("test"), path("profiles/mine.json") });
    ASSERT_EQ(tried.code, 0) << tried.err;
    const auto found = tried.json();
    EXPECT_EQ(found["states"]["IN_PROGRESS"], 1);
    EXPECT_EQ(found["states"]["UNKNOWN"], 2);
    bool dry = false;
    for (const auto& action : found["dry_run"])
        dry = dry || (action["verb"] == "fail" && action["allowed"] == true && action["rows"] == 1);
    EXPECT_TRUE(dry) << tried.out;
    EXPECT_EQ(number("SELECT count(*) FROM oban_jobs WHERE state = 'executing'"), 1);

    // Beside the shipped ones it fits worse; where it is said, it is what is meant.
    const QStringList with{ QStringLiteral("--profiles"), path("profiles") };
    const auto listed = ctl(with + QStringList{ QStringLiteral("profiles"), QStringLiteral("list") });
    EXPECT_NE(listed.out.find("\"mine\""), std::string::npos);
    const auto meant = ctl(with
        + QStringList{ QStringLiteral("--read-as"), QStringLiteral("oban_jobs=mine"), QStringLiteral("profiles"),
            QStringLiteral("detect") });
    EXPECT_EQ(meant.json()["profile"], "mine");
    const auto nobody = ctl(with
        + QStringList{ QStringLiteral("--read-as"), QStringLiteral("oban_jobs=nobody"), QStringLiteral("profiles"),
            QStringLiteral("detect") });
    EXPECT_EQ(nobody.code, 2) << nobody.err;

    std::ofstream(path("wrong.json").toStdString()) << text.substr(0, text.size() / 2);
    EXPECT_EQ(ctl({ QStringLiteral("profiles"), QStringLiteral("test"), path("wrong.json") }).code, 1);
}

TEST_P(CtlProfilesTest, SaysWhatDoesNotFitAndWhatAnotherCommandNeeds)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("CREATE TABLE my_work (id INTEGER PRIMARY KEY, st TEXT)"));
    ASSERT_TRUE(connection->execute("INSERT INTO my_work VALUES (1, 'open')"));
    const std::string text = R"({"profile": "mine", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
        "detect": {"require": {"t": ["id", "st"]}}, "source": {"tables": {"t": "work"}},
        "identity": ["id"], "fields": {"key": ["text", ["col", "id"]], "owner": ["col", "wroker"]},
        "state": [{"when": ["eq", ["col", "st"], "open"], "is": "PENDING"}],
        "actions": {"fail": {"steps": [{"set": {"st": "broken"}, "when": ["true"], "unchanged": ["st"]}]}}})";
    ASSERT_TRUE(QDir().mkpath(path("profiles of mine")));
    const auto file = path("profiles of mine") + QLatin1String("/mine.json");
    std::ofstream(file.toStdString()) << text;
    const auto nothing = ctl({ QStringLiteral("profiles"), QStringLiteral("test"), file });
    EXPECT_EQ(nothing.code, 1);
    EXPECT_NE(nothing.err.find("--read-as"), std::string::npos) << nothing.err;
    const QStringList as{ QStringLiteral("--read-as"), QStringLiteral("my_work=mine") };
    const auto tried = ctl(as + QStringList{ QStringLiteral("profiles"), QStringLiteral("test"), file });
    ASSERT_EQ(tried.code, 0) << tried.err;
    EXPECT_EQ(tried.json()["absent"][0], "field owner: the table has no column \"wroker\"");

    const QStringList with{ QStringLiteral("--profiles"), path("profiles of mine") };
    const auto unknown = ctl(with
        + QStringList{ QStringLiteral("--read-as"), QStringLiteral("nowhere=mine"), QStringLiteral("profiles"),
            QStringLiteral("detect") });
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("There is no table \"nowhere\" here"), std::string::npos) << unknown.err;
    const auto other = ctl(with
        + QStringList{ QStringLiteral("--read-as"), QStringLiteral("my_work=gruelbox.transaction_outbox"),
            QStringLiteral("profiles"), QStringLiteral("detect") });
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("cannot be read as gruelbox.transaction_outbox"), std::string::npos) << other.err;

    const auto planned = plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + with + as
        + QString::fromUtf8("plan fail --binding my_work --key 1 --reason r --out p").split(QLatin1Char(' ')));
    ASSERT_EQ(planned.code, 0) << planned.err;
    EXPECT_NE(planned.out.find("fencepostctl --db … --profiles '" + path("profiles of mine").toStdString()
                  + "' --read-as my_work=mine apply p"),
        std::string::npos)
        << planned.out;
    // What was reviewed is what is carried out.
    std::ofstream(file.toStdString()) << std::string(text).replace(text.find("broken"), 6, "gone");
    const auto another = ctl(with + as + QStringList{ QStringLiteral("apply"), QStringLiteral("p") });
    EXPECT_EQ(another.code, 1);
    EXPECT_NE(another.err.find("has changed since the plan was made"), std::string::npos) << another.err;
    EXPECT_EQ(number("SELECT count(*) FROM my_work WHERE st = 'open'"), 1);
    std::ofstream(file.toStdString()) << text;
    const auto applied = ctl(with + as + QStringList{ QStringLiteral("apply"), QStringLiteral("p") });
    EXPECT_EQ(applied.json()["changed"], 1) << applied.err;

    ASSERT_TRUE(connection->execute("ALTER TABLE my_work RENAME TO work"));
    std::ofstream(file.toStdString()) << std::string(text).replace(text.find("\"st\"], \"open"), 4, "\"stt\"");
    const auto misspelt = ctl({ QStringLiteral("profiles"), QStringLiteral("test"), file });
    EXPECT_EQ(misspelt.code, 1);
    EXPECT_NE(misspelt.err.find("/state/0/when: the table has no column"), std::string::npos) << misspelt.err;
    const auto detected = ctl(with + QStringList{ QStringLiteral("profiles"), QStringLiteral("detect") });
    EXPECT_NE(detected.err.find("work is not read as mine: /state/0"), std::string::npos) << detected.err;
}

TEST_P(CtlProfilesTest, SaysWhoseFunctionsAViewRunsAndLeavesOthersAlone)
{
    connection = std::move(*database.connect());
    const bool sqlite = GetParam() == store::Dialect::Sqlite;
    ASSERT_TRUE(connection->execute(
        "CREATE TABLE outbox (id TEXT PRIMARY KEY, aggregatetype TEXT, aggregateid TEXT, type TEXT, payload TEXT)"));
    ASSERT_TRUE(connection->execute(std::string("CREATE VIEW outbox_slow AS SELECT o.* FROM outbox AS o WHERE ")
        + (sqlite ? "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n) > 0"
                  : "(SELECT CAST(pg_sleep(60) AS text)) = ''")));
    ASSERT_TRUE(connection->execute("INSERT INTO outbox VALUES ('1', 'a', 'a', 't', '{}')"));
    const auto text = plain({ QStringLiteral("--db"), QString::fromStdString(database.url()),
        QStringLiteral("profiles"), QStringLiteral("detect") });
    EXPECT_EQ(text.code, 0);
    EXPECT_NE(text.err.find(sqlite ? "outbox_slow: It is a view: what it reads and computes"
                                   : "outbox_slow: It is a view: the functions in it run with the rights of whoever "
                                     "reads it, which is this connection's role"),
        std::string::npos)
        << text.err;
    EXPECT_EQ(text.err.find("outbox: It is"), std::string::npos) << text.err;
    EXPECT_NE(text.out.find("longer than 2s"), std::string::npos) << text.out;
    const auto started = std::chrono::steady_clock::now();
    EXPECT_EQ(ctl("--binding outbox rows list").lines().size(), 1U);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(2));
}

TEST_P(CtlProfilesTest, ShowsWhatWasChangedInAProfileBeforeItIsTrusted)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("CREATE TABLE work (id INTEGER PRIMARY KEY, n BIGINT)"));
    const auto folder = path("profiles");
    ASSERT_TRUE(QDir().mkpath(folder));
    const auto counted = [&](const char* written) {
        std::ofstream((folder + QStringLiteral("/mine.json")).toStdString())
            << R"({"profile": "mine", "format": 1, "kind": "job", "dialects": ["postgresql", "sqlite"],
"detect": {"require": {"t": ["id", "n"]}}, "source": {"tables": {"t": "work"}}, "identity": ["id"],
"fields": {"key": ["text", ["col", "id"]]}, "state": [{"when": ["true"], "is": "PENDING"}],
"actions": {"fail": {"steps": [{"set": {"n": )"
            << written << R"(}, "when": ["true"], "unchanged": ["n"]}]}}})";
        const auto run = ctl({ QStringLiteral("--profiles"), folder, QStringLiteral("--binding"),
            QStringLiteral("work"), QStringLiteral("rows"), QStringLiteral("count") });
        EXPECT_EQ(run.code, 0) << run.err;
        return run.err;
    };
    EXPECT_EQ(counted("2").find("has changed"), std::string::npos) << "it was never seen before";
    const auto told = counted("666");
    EXPECT_NE(told.find("mine.json has changed since it was last used here"), std::string::npos) << told;
    EXPECT_NE(told.find(R"(  + "actions": {"fail": {"steps": [{"set": {"n": 666})"), std::string::npos) << told;
    EXPECT_EQ(counted("666").find("has changed"), std::string::npos) << "once";
}

TEST_P(CtlProfilesTest, NamesFileAndPlaceOfWhatCannotWork)
{
    connection = std::move(*database.connect());
    const bool sqlite = GetParam() == store::Dialect::Sqlite;
    ASSERT_TRUE(connection->execute("CREATE TABLE work (id INTEGER PRIMARY KEY, n BIGINT)"));
    ASSERT_TRUE(connection->execute("INSERT INTO work VALUES (1, 1)"));
    const auto file = path("typed.json");
    const auto tried = [&](const std::string& command, const std::string& stuck) {
        std::ofstream(file.toStdString())
            << R"({"profile": "mine", "format": 1, "kind": "job",
            "dialects": ["postgresql", "sqlite"], "detect": {"require": {"t": ["id", "n"]}},
            "source": {"tables": {"t": "work"}}, "identity": ["id"], "fields": {"key": ["text", ["col", "id"]]},
            "state": [{"when": ["true"], "is": "PENDING"}], "stuck": )"
            << stuck << R"(, "actions": {"fail": {"steps": [{"set": {"n": 2}, "when": ["true"],
            "unchanged": ["n"]}]}}})";
        return ctl({ QStringLiteral("profiles"), QString::fromStdString(command), file });
    };
    const auto checked = tried("check", R"(["older_than", "abc", "PT5M"])");
    EXPECT_EQ(checked.code, 1);
    EXPECT_NE(checked.err.find(file.toStdString() + ": /stuck/1: found"), std::string::npos) << checked.err;
    const auto typed = tried("test", R"(["eq", ["col", "n"], "abc"])");
    EXPECT_EQ(typed.code, sqlite ? 0 : 1);
    EXPECT_EQ(typed.err.find("rights"), std::string::npos) << typed.err;
    EXPECT_EQ(typed.err.find(file.toStdString() + ": /stuck: the column") != std::string::npos, !sqlite) << typed.err;
    const auto unreadable = tried("test", R"(["lt", ["text", ["col", "n"]], ["add", ["col", "n"], 1]])");
    EXPECT_EQ(unreadable.code, sqlite ? 0 : 1);
    EXPECT_EQ(unreadable.err.find(file.toStdString() + ": /stuck does not go") != std::string::npos, !sqlite)
        << unreadable.err;
    const auto dry = tried("test", R"(["eq", ["col", "n"], 5])");
    ASSERT_EQ(dry.code, 0) << dry.err;
    for (const auto& action : dry.json()["dry_run"])
        EXPECT_EQ(action["not_checked"].get<std::string>().find("Not checked") == 0, action["allowed"] == true);
    EXPECT_EQ(ctl("--time-zone Nowhere/Z profiles detect").code, 2);
}

TEST_P(CtlProfilesTest, TriesTheTablesBesideOneThatCannotBeRead)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("CREATE TABLE work (id INTEGER PRIMARY KEY, n BIGINT)"));
    ASSERT_TRUE(connection->execute("INSERT INTO work VALUES (1, 1)"));
    ASSERT_TRUE(connection->execute(std::string("CREATE VIEW a_work AS SELECT w.* FROM work AS w WHERE ")
        + (GetParam() == store::Dialect::Sqlite ? "abs(-9223372036854775807 - w.n) > 0" : "1 / (w.n - 1) > 0")));
    const auto file = path("several.json");
    std::ofstream(file.toStdString()) << R"({"profile": "mine", "format": 1, "kind": "job",
        "dialects": ["postgresql", "sqlite"], "detect": {"require": {"t": ["id", "n"]}},
        "source": {"tables": {"t": {"pattern": "*work"}}}, "identity": ["id"],
        "fields": {"key": ["text", ["col", "id"]]}, "state": [{"when": ["true"], "is": "PENDING"}]})";
    const auto tried = ctl({ QStringLiteral("profiles"), QStringLiteral("test"), file });
    EXPECT_EQ(tried.code, 1);
    EXPECT_NE(tried.err.find("The table a_work cannot be read"), std::string::npos) << tried.err;
    const auto lines = tried.lines();
    ASSERT_EQ(lines.size(), 2U) << tried.out;
    EXPECT_TRUE(lines[0].contains("error")) << tried.out;
    EXPECT_EQ(lines[1]["binding"], "work") << tried.out;
}

TEST_P(CtlProfilesTest, ShowsWhoseARowIsAndWhyItIsStuck)
{
    connection = std::move(*database.connect());
    const bool sqlite = GetParam() == store::Dialect::Sqlite;
    const std::string instant = sqlite ? " TEXT" : " timestamptz";
    const std::string uuid = sqlite ? " TEXT" : " uuid";
    ASSERT_TRUE(connection->execute("CREATE TABLE \"InboxState\" (\"Id\" INTEGER PRIMARY KEY, \"MessageId\"" + uuid
        + ", \"ConsumerId\"" + uuid + ", \"LockId\"" + uuid + ", \"RowVersion\" INTEGER, \"Received\"" + instant
        + ", \"ReceiveCount\" INTEGER, \"Consumed\"" + instant + ", \"Delivered\"" + instant
        + ", \"LastSequenceNumber\" INTEGER)"));
    ASSERT_TRUE(connection->execute("INSERT INTO \"InboxState\" VALUES (1, '00000001-0000-4000-8000-000000000001', "
                                    "'00000002-0000-4000-8000-000000000002', '00000003-0000-4000-8000-000000000003', "
                                    "1, '2026-01-01 10:00:00', 1, '2026-01-02 10:00:00', NULL, NULL)"));
    const auto stuck = plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()),
        QStringLiteral("rows"), QStringLiteral("stuck"), QStringLiteral("--binding"), QStringLiteral("InboxState") });
    ASSERT_EQ(stuck.code, 0) << stuck.err;
    const auto title = stuck.out.substr(0, stuck.out.find('\n'));
    const auto row = stuck.out.substr(stuck.out.find('\n') + 1);
    const auto consumer = title.find("CONSUMER");
    ASSERT_NE(consumer, std::string::npos) << title;
    EXPECT_EQ(row.substr(consumer, 8), "00000002") << stuck.out;
    EXPECT_EQ(row.substr(title.find("SOURCE"), 1), "-") << stuck.out;
    EXPECT_NE(row.find("its profile calls it stuck (outbox not flushed): it last changed "), std::string::npos) << row;
}

TEST_P(CtlProfilesTest, TellsTheRowsOfSeveralSchemasApart)
{
    connection = std::move(*database.connect());
    const bool sqlite = GetParam() == store::Dialect::Sqlite;
    const std::string instant = sqlite ? " TEXT" : " timestamptz";
    for (const std::string schema : { "orders", "refunds" }) {
        const auto table = schema + (sqlite ? "_" : ".") + "idempotency_keys";
        ASSERT_TRUE(sqlite || connection->execute("CREATE SCHEMA " + schema));
        ASSERT_TRUE(connection->execute("CREATE TABLE " + table
            + " (key TEXT PRIMARY KEY, scope TEXT, request_hash TEXT, response " + (sqlite ? "TEXT" : "jsonb")
            + ", expires_at" + instant + ", created_at" + instant + ")"));
        ASSERT_TRUE(connection->execute(
            "INSERT INTO " + table + " VALUES ('dup', 's', 'h', '{}', '2030-01-01 10:00:00', '2026-01-01 10:00:00')"));
    }
    // Whoever asks for one of them is told that there are several, in a plan as in a list. In SQLite that is the view
    // over all of them.
    const std::vector<std::string> asking = { "rows list", "plan expire --key dup --reason r --out p" };
    for (const auto& command : sqlite ? std::vector<std::string>() : asking) {
        const auto which = ctl(QString::fromStdString(command).split(QLatin1Char(' '))
            + QStringList{ QStringLiteral("--binding"), QStringLiteral("idempotency_keys") });
        EXPECT_EQ(which.code, 2) << command;
        EXPECT_NE(which.err.find("Several tables are called"), std::string::npos) << which.err;
    }
    const QString over = QString::fromLatin1(sqlite ? "*_idempotency_keys" : "*.idempotency_keys");
    const auto listed = plain({ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("rows"),
        QStringLiteral("list"), QStringLiteral("--binding"), over });
    ASSERT_EQ(listed.code, 0) << listed.err;
    EXPECT_EQ(listed.out.rfind("SCHEMA", 0), 0U) << listed.out;
    EXPECT_NE(listed.out.find("\nrefunds"), std::string::npos) << listed.out;
    const auto several = ctl({ QStringLiteral("rows"), QStringLiteral("show"), QStringLiteral("s"), QStringLiteral("-"),
        QStringLiteral("dup"), QStringLiteral("--binding"), over });
    EXPECT_NE(several.code, 0);
    EXPECT_NE(several.err.find("name one by its identity (in_schema key)"), std::string::npos) << several.err;
    EXPECT_NE(several.err.find("refunds"), std::string::npos) << several.err;
}

} // namespace fencepost::test
