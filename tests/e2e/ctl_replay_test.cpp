// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <set>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/scripted_server.h"
#include "tests/support/signal_process.h"
#include "tests/support/wait.h"

namespace fencepost::test {
namespace {

using namespace fencepost::testing;
using ::testing::HasSubstr;

// Dead letters are replayed from the command line, by real processes.
class CtlReplayTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        ASSERT_EQ(ctl("schema init").code, 0);
        connection = std::move(*database.connect());
    }

    // Messages that were given up: nobody listened where they went.
    void bury(int count, const std::string& destination = "http://127.0.0.1:9/hooks")
    {
        store::Outbox outbox(*connection, {});
        const Owner owner{ "00000000-0000-4000-8000-000000000001" };
        for (int i = 0; i < count; ++i) {
            OutboxEvent event;
            event.eventId = "e" + std::to_string(1'000 + i);
            event.destination = destination;
            event.source = "/shop";
            event.type = "refund.succeeded";
            event.payload = "{}";
            ASSERT_TRUE(outbox.add(event));
        }
        while (true) {
            const auto claimed = outbox.claim({ .owner = owner,
                .lease = std::chrono::seconds(30),
                .batch = 100,
                .schemes = { "http" },
                .maxAttempts = 5 });
            ASSERT_TRUE(claimed);
            if (claimed->empty())
                return;
            for (const auto& message : *claimed)
                ASSERT_TRUE(
                    outbox.undelivered(message.seq, owner, { "connection", "Connection refused", false, {} }, 5));
        }
    }

    std::string makePlan(const QStringList& more = {})
    {
        const auto made = ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("replay"), QStringLiteral("--filter"),
                                  QStringLiteral("state = DEAD"), QStringLiteral("--reason"),
                                  QStringLiteral("the endpoint is back"), QStringLiteral("--out"), path("plan.json") }
            + more);
        EXPECT_EQ(made.code, 0) << made.err;
        plan = made.json();
        return plan.value("request_id", "");
    }

    QStringList apply(const QStringList& more = {}) const
    {
        return QStringList{ QStringLiteral("apply"), path("plan.json"), QStringLiteral("--confirm"),
            QString::number(plan["rows"].get<int>()) }
        + more;
    }

    void relayOnceTo(const ScriptedServer& server) const
    {
        QProcess relay;
        start(relay,
            withDatabase(words("relay run --once --to")) + QStringList{ QString::fromStdString(server.url("/in")) });
        EXPECT_EQ(servedRunOf(relay).code, 0);
    }

    static QStringList words(const char* text) { return QString::fromUtf8(text).split(QLatin1Char(' ')); }

    nlohmann::json plan;
};

INSTANTIATE_TEST_SUITE_P(Backends, CtlReplayTest, bothDialects(), nameOfDialect);

TEST_P(CtlReplayTest, ThePlanIsCarriedOutInStagesWhileARelaySends)
{
    bury(6);
    ScriptedServer server({ answers(200) });
    const auto id = makePlan();
    EXPECT_EQ(plan["rows"], 6);
    EXPECT_EQ(plan["verdicts"]["safe"], 6);
    QProcess relay;
    start(relay,
        withDatabase(words("relay run --every 50ms --to")) + QStringList{ QString::fromStdString(server.url("/in")) });
    QProcess replay;
    start(replay, withDatabase(apply(words("--ramp 1,2 --brake 5% --report report.jsonl"))));
    const auto run = servedRunOf(replay);
    EXPECT_EQ(run.code, 0) << run.err << run.out;
    const auto told = run.json();
    EXPECT_EQ(told["changed"], 6);
    EXPECT_EQ(told["run"]["phase"], "DONE");
    EXPECT_EQ(told["run"]["succeeded"], 6);
    EXPECT_EQ(told["run"]["stages"].size(), 3U);
    relay.terminate();
    EXPECT_EQ(servedRunOf(relay).code, 0);
    EXPECT_EQ(server.requests().size(), 6U);
    for (const auto& runId : server.lines("replay_run_id"))
        EXPECT_EQ(runId, id);
    QFile report(path("report.jsonl"));
    ASSERT_TRUE(report.open(QIODevice::ReadOnly));
    EXPECT_EQ(report.readAll().count("\"fate\":\"succeeded\""), 6);
    const auto show = words("runs show") + QStringList{ QString::fromStdString(id) };
    const auto shown = ctl(show).json();
    ASSERT_EQ(shown["stages"].size(), 3U);
    EXPECT_EQ(shown["stages"][1]["succeeded"], 2);
    EXPECT_NE(plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + show)
                  .out.find("stage 2  2 of 2 · succeeded 2 · dead again 0"),
        std::string::npos);

    EXPECT_EQ(ctl(apply()).json()["already_done"], 6);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"), 6);
    EXPECT_EQ(ctl("audit verify").code, 0);
    const auto runs = ctl("runs list").lines();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0]["state"], "DONE");
    EXPECT_EQ(runs[0]["run"], id);
}

TEST_P(CtlReplayTest, AnEditTakesItsPayloadFromAFileAndSendsACopyOnce)
{
    bury(2);
    QFile payload(path("mended.json"));
    ASSERT_TRUE(payload.open(QIODevice::WriteOnly));
    payload.write("{\"card\":\"4!11\"}\n");
    payload.close();
    const auto edit = [this](const char* filter, const char* file) {
        return ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("edit"), QStringLiteral("--filter"),
            QString::fromUtf8(filter), QStringLiteral("--payload"), QString::fromUtf8(file),
            QStringLiteral("--event-id"), QStringLiteral("e1000-mended"), QStringLiteral("--reason"),
            QStringLiteral("a digit was missing"), QStringLiteral("--out"), path("plan.json") });
    };
    EXPECT_EQ(edit("key = e1000", "@nowhere.json").code, 2);
    const auto both = edit("state = DEAD", "@mended.json");
    EXPECT_NE(both.code, 0);
    EXPECT_THAT(both.err, HasSubstr("one event"));
    EXPECT_FALSE(QFile::exists(path("plan.json")));

    const auto named = [this](const char* eventId) {
        return ctl(words("plan edit --filter key=e1000 --payload @mended.json --reason r --out p --event-id")
            + QStringList{ QString::fromUtf8(eventId) });
    };
    EXPECT_EQ(named("e1000").json()["rows"], 0) << "its own";
    EXPECT_THAT(named("e1000").out, HasSubstr("an id of its own"));
    for (const auto* unfit : { "a b", "a.b", "\xC3\xBC", "" })
        EXPECT_EQ(named(unfit).code, 2) << unfit;

    const auto made = edit("key = e1000", "@mended.json");
    ASSERT_EQ(made.code, 0) << made.err;
    plan = made.json();
    EXPECT_EQ(plan["rows"], 1);
    EXPECT_THAT(made.out, ::testing::Not(HasSubstr("4!11"))) << "it is for the plan's file alone";
    EXPECT_EQ(ctl(apply()).json()["changed"], 1);
    EXPECT_EQ(ctl(apply()).json()["already_done"], 1);
    EXPECT_EQ(number("SELECT count(*) FROM outbox_messages WHERE event_id = 'e1000-mended'"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM dead_letters WHERE state = 'DISCARDED'"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE parameters LIKE '%4!11%'"), 0);
    ScriptedServer server({ answers(200) });
    relayOnceTo(server);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0].body, "{\"card\":\"4!11\"}\n") << "octet by octet";
    EXPECT_THAT(server.lines("ce-id"), ::testing::ElementsAre("e1000-mended"));
    EXPECT_THAT(server.lines("edited_from"), ::testing::ElementsAre("e1000"));
}

TEST_P(CtlReplayTest, AnEditMayBeOfOctetsThatAreNoText)
{
    bury(1);
    const QByteArray octets("\x1f\x8b\x00\xff", 4);
    QFile payload(path("mended.gz"));
    ASSERT_TRUE(payload.open(QIODevice::WriteOnly));
    payload.write(octets);
    payload.close();
    const auto made = ctl(words("plan edit --filter") + QStringList{ QStringLiteral("state = DEAD") }
        + words("--payload @mended.gz --event-id mended --reason packed --out plan.json"));
    ASSERT_EQ(made.code, 0) << made.err;
    plan = made.json();
    EXPECT_THAT(plan.dump(), HasSubstr("4 octets"));
    const auto shown = ctl(words("plan show plan.json"));
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(ctl(apply()).json()["changed"], 1);
    ScriptedServer server({ answers(200) });
    relayOnceTo(server);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0].body, octets.toStdString());
}

TEST_P(CtlReplayTest, KilledAtAnyMomentItIsGoneOnWithAndNoneIsPutBackTwice)
{
    constexpr int rows = 60;
    bury(rows);
    const auto id = makePlan();
    int kills = 0;
    for (int attempt = 0; attempt < 40; ++attempt) {
        QProcess process;
        start(process, withDatabase(apply(words("--rate 400"))));
        if (process.waitForFinished(40 + attempt * 7 % 60))
            break;
        ASSERT_TRUE(testing::signalProcess(process, SIGKILL));
        process.waitForFinished(10'000);
        ++kills;
        // Its runner is known to be gone before its sign of life is old.
        ASSERT_TRUE(connection->execute("UPDATE operation_runs SET beat_at = NULL"));
        if (number("SELECT count(*) FROM dead_letters WHERE state = 'REDRIVEN'") == rows)
            break;
    }
    EXPECT_GT(kills, 0);
    const auto last = ctl(apply());
    EXPECT_EQ(last.code, 0) << last.err << last.out;
    EXPECT_EQ(last.json()["changed"].get<int>() + last.json()["already_done"].get<int>(), rows);
    EXPECT_EQ(number("SELECT count(*) FROM dead_letters WHERE state = 'REDRIVEN'"), rows);
    EXPECT_EQ(number("SELECT count(*) FROM outbox_messages WHERE status = 'PENDING'"), rows);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"), rows);
    EXPECT_EQ(number("SELECT count(DISTINCT identity) FROM idempotency_audit WHERE outcome = 'changed'"), rows);
    const auto shown = ctl(QStringList{ QStringLiteral("runs"), QStringLiteral("show"), QString::fromStdString(id) });
    EXPECT_EQ(shown.json()["items"].size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(shown.json()["state"], "DONE");
}

TEST_P(CtlReplayTest, ARunIsPausedResumedAndStoppedFromElsewhere)
{
    bury(40);
    const auto id = QString::fromStdString(makePlan());
    const auto order = [&](const char* verb) {
        return ctl(QStringList{ QStringLiteral("runs"), QLatin1String(verb), id });
    };
    const auto redriven = [&] { return number("SELECT count(*) FROM dead_letters WHERE state = 'REDRIVEN'"); };
    QProcess replay;
    start(replay, withDatabase(apply(words("--rate 4"))));
    while (redriven() < 2)
        ASSERT_FALSE(replay.waitForFinished(20)) << replay.readAllStandardError().toStdString();
    EXPECT_EQ(order("pause").code, 0);
    EXPECT_FALSE(replay.waitForFinished(1'000));
    const auto paused = redriven();
    EXPECT_FALSE(replay.waitForFinished(1'500));
    EXPECT_EQ(redriven(), paused);
    EXPECT_EQ(ctl("runs list").json()["state"], "PAUSED");
    EXPECT_EQ(order("resume").json()["state"], "RUNNING");
    while (redriven() == paused)
        ASSERT_FALSE(replay.waitForFinished(20));
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("runs"), QStringLiteral("rate"), id, QStringLiteral("2") }).code, 0);
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("runs"), QStringLiteral("rate"), id, QStringLiteral("9999") }).code, 2);
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("runs"), QStringLiteral("rate"), id, QStringLiteral("0") }).code, 2)
        << "who types it wants none, and not all at once";
    EXPECT_EQ(order("stop").code, 0);
    ASSERT_TRUE(replay.waitForFinished(120'000));
    const auto run = runOf(replay);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(run.json()["run"]["phase"], "STOPPED");
    EXPECT_EQ(run.json()["changed"].get<std::int64_t>(), redriven());
    EXPECT_EQ(run.json()["stopped_by"]["next"], "Make a new plan of what is left");
    EXPECT_EQ(order("resume").code, 3) << "it was stopped for good";
    EXPECT_EQ(ctl(apply()).code, 3);
    EXPECT_EQ(order("pause").code, 3);
    EXPECT_EQ(ctl("runs show 00000000-0000-4000-8000-000000000000").code, 1);
}

// Its last sign of life is fresh, and nobody gives another.
TEST_P(CtlReplayTest, ARunThatWasKilledJustNowIsTakenUp)
{
    bury(12);
    const auto id = QString::fromStdString(makePlan());
    QProcess process;
    start(process, withDatabase(apply(words("--rate 5"))));
    const auto redriven = [&] { return number("SELECT count(*) FROM dead_letters WHERE state = 'REDRIVEN'"); };
    ASSERT_TRUE(testing::eventually([&] { return redriven() >= 3; }));
    ASSERT_TRUE(testing::signalProcess(process, SIGKILL));
    process.waitForFinished();
    ASSERT_LT(redriven(), 12);
    EXPECT_EQ(ctl(words("runs resume") + QStringList{ id } + words("--report /no/such/report")).code, 2);
    const auto report = path("report");
    const auto resumed = ctl(words("runs resume") + QStringList{ id, QStringLiteral("--report"), report });
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(resumed.json()["run"]["phase"], "DONE");
    QFile lines(report);
    ASSERT_TRUE(lines.open(QIODevice::ReadOnly));
    EXPECT_EQ(lines.readAll().count('\n'), 12);
    EXPECT_EQ(redriven(), 12);
    EXPECT_EQ(number("SELECT count(*) FROM outbox_messages"), 12);
}

TEST_P(CtlReplayTest, ABrakeLeavesTheRestForAResume)
{
    bury(5);
    ScriptedServer server({ answers(410) });
    for (const auto* table : { "outbox_messages", "dead_letters" })
        ASSERT_TRUE(connection->execute("UPDATE " + std::string(table) + " SET destination = '" + server.url() + "'"));
    const auto id = QString::fromStdString(makePlan());
    QProcess relay;
    start(relay, withDatabase(words("relay run --every 50ms")));
    QProcess replay;
    start(replay, withDatabase(apply(words("--ramp 1 --brake 5%"))));
    const auto run = servedRunOf(replay);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(run.json()["run"]["phase"], "PAUSED");
    EXPECT_EQ(run.json()["run"]["dead_again"], 1);
    EXPECT_EQ(run.json()["changed"], 1);
    relay.terminate();
    (void)servedRunOf(relay);
    EXPECT_EQ(ctl("dlq count").code, 0);
    // Whoever resumes knows what failed; nobody sends now, and nobody waits for a minute to see that.
    ASSERT_TRUE(connection->execute("UPDATE operation_runs SET settings = replace(settings, "
                                    "'\"patience_us\":60000000', '\"patience_us\":1000000')"));
    const auto resumed = ctl(QStringList{ QStringLiteral("runs"), QStringLiteral("resume"), id });
    EXPECT_EQ(resumed.json()["changed"], 4) << resumed.err << resumed.out;
}

TEST_P(CtlReplayTest, ARunThatBreaksOffWhileItsOutcomesAreWaitedForIsNoSuccess)
{
    bury(1);
    const auto id = QString::fromStdString(makePlan());
    QProcess replay;
    start(replay, withDatabase(apply(words("--ramp 1 --patience 100s"))));
    ASSERT_TRUE(eventually([this] { return ctl("runs list").out.find("\"changed\":1") != std::string::npos; }));
    ASSERT_TRUE(connection->execute("ALTER TABLE operation_runs RENAME TO elsewhere"));
    const auto run = servedRunOf(replay);
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.err, HasSubstr("the run broke off"));
    EXPECT_THAT(run.err, HasSubstr("Every row was done"));
    EXPECT_THAT(run.err, HasSubstr("runs resume " + id.toStdString()));
    ASSERT_TRUE(connection->execute("ALTER TABLE elsewhere RENAME TO operation_runs"));
    ScriptedServer server({ answers(200) });
    relayOnceTo(server);
    const auto resumed = ctl(QStringList{ QStringLiteral("runs"), QStringLiteral("resume"), id });
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(resumed.json()["run"]["succeeded"], 1);
}

TEST_P(CtlReplayTest, AFileThatTheDiskDoesNotTakeKeepsThePlanOfBefore)
{
    bury(1);
    makePlan();
    const auto content = [this] {
        QFile file(path("plan.json"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const auto before = content();
    ASSERT_FALSE(before.isEmpty());
    const auto run = plain(withDatabase(QStringList{ QStringLiteral("plan"), QStringLiteral("replay"),
                               QStringLiteral("--filter"), QStringLiteral("state = DEAD"), QStringLiteral("--reason"),
                               QStringLiteral("again"), QStringLiteral("--out"), path("plan.json") }),
        [] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{ 100, 100 };
            setrlimit(RLIMIT_FSIZE, &limit);
        });
    EXPECT_EQ(run.code, 1) << run.out;
    EXPECT_THAT(run.err, HasSubstr("cannot be written"));
    EXPECT_EQ(content(), before);
}

// A slip of the hand must not cost a file, least of all the database.
TEST_P(CtlReplayTest, AReportReplacesNothingButAReport)
{
    bury(2);
    makePlan();
    QFile precious(path("precious.txt"));
    ASSERT_TRUE(precious.open(QIODevice::WriteOnly));
    precious.write("the only copy\n");
    precious.close();
    const auto refused = ctl(apply(words("--report precious.txt")));
    EXPECT_EQ(refused.code, 2) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("is no report of a run: it is not replaced"));
    EXPECT_EQ(number("SELECT count(*) FROM dead_letters WHERE state = 'DEAD'"), 2) << "and nothing was put back";
    EXPECT_EQ(precious.size(), 14);
    EXPECT_EQ(ctl(apply(words("--report r.jsonl"))).code, 0);
    EXPECT_EQ(ctl(apply(words("--report r.jsonl"))).code, 0) << "the report of before is its own";
}

TEST_P(CtlReplayTest, APlanWithoutRowsIsWrittenAndSaysSo)
{
    Delivery delivery;
    delivery.id = { "ledger", "shop", "a" };
    delivery.payloadHash = sha256("a");
    delivery.payload = "a";
    store::Inbox inbox(*connection, {});
    const Owner owner{ "00000000-0000-4000-8000-000000000001" };
    ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
    ASSERT_TRUE(inbox.fail(delivery, owner, { "exit_1", "no", false, {} }, 5));
    makePlan();
    EXPECT_EQ(plan["rows"], 0);
    EXPECT_EQ(plan["left_out"].size(), 1U);
    EXPECT_TRUE(QFile::exists(path("plan.json")));
    EXPECT_EQ(ctl(apply()).code, 3) << "there was nothing to apply";
    const auto text = plain({ QStringLiteral("plan"), QStringLiteral("show"), path("plan.json") });
    EXPECT_THAT(text.out, HasSubstr("left out"));
    const auto discard = ctl(
        QStringList{ QStringLiteral("plan"), QStringLiteral("discard"), QStringLiteral("--key"), QStringLiteral("a"),
            QStringLiteral("--reason"), QStringLiteral("lost"), QStringLiteral("--out"), path("plan.json") });
    EXPECT_EQ(discard.code, 0) << discard.err;
    plan = discard.json();
    EXPECT_EQ(ctl(apply(words("--rate 5"))).code, 2) << "only a replay has a rate";
    EXPECT_EQ(ctl(apply()).code, 0);
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("undo"), QString::fromStdString(plan["request_id"]) }).code, 0);
    EXPECT_EQ(ctl("dlq count").lines()[0]["count"], 1);
    for (const auto* wrong :
        { "--ramp 1,x", "--ramp 0", "--rate 0", "--rate 6000", "--brake 0%", "--brake 5%", "--patience x" })
        EXPECT_EQ(ctl(apply(words(wrong))).code, 2) << wrong;
    for (const char* option : { "--ramp", "--brake", "--patience", "--report" })
        EXPECT_EQ(ctl(apply({ QString::fromUtf8(option), QString() })).code, 2)
            << option << " of a variable that nobody set";
}

TEST_P(CtlReplayTest, AStageThatFailedIsNotGoneBeyondEvenWhereNobodySpeaksOfABrake)
{
    bury(8);
    ScriptedServer server({ answers(400) });
    makePlan();
    const auto over = ctl(apply(words("--ramp 1,3 --report") + QStringList{ path("plan.json") }));
    EXPECT_EQ(over.code, 2) << "the report would take the place of the plan";
    QProcess relay;
    start(relay,
        withDatabase(words("relay run --schedule playbook --every 50ms --to"))
            + QStringList{ QString::fromStdString(server.url("/in")) });
    QProcess replay;
    start(replay, withDatabase(apply(words("--ramp 1,3 --report report.jsonl --patience 100s"))));
    const auto run = servedRunOf(replay);
    relay.terminate();
    relay.waitForFinished();
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(run.json()["run"]["phase"], "PAUSED") << run.out;
    EXPECT_EQ(run.json()["changed"], 1) << run.out;
    QFile report(path("report.jsonl"));
    ASSERT_TRUE(report.open(QIODevice::ReadOnly));
    EXPECT_EQ(report.readAll().count("\"fate\":null"), 7) << "what was not put back has no fate";
}

} // namespace
} // namespace fencepost::test
