// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <set>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QElapsedTimer>

#include "core/store/statements.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/signal_process.h"

namespace fencepost::test {
namespace {

using ::testing::HasSubstr;

class InterruptionTest : public CtlTest {
protected:
    QString makePlan(const QString& filter, const char* file)
    {
        const auto made = ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("fence"), QStringLiteral("--filter"),
            filter, QStringLiteral("--reason"), QStringLiteral("incident 7"), QStringLiteral("--out"), path(file) });
        EXPECT_EQ(made.code, 0) << made.err;
        return QString::number(made.json()["rows"].get<int>());
    }

    QStringList applyOf(const char* file, const QString& rows)
    {
        return { QStringLiteral("apply"), path(file), QStringLiteral("--confirm"), rows };
    }

    void run(const std::string& sql)
    {
        const auto done = connection->execute(sql);
        ASSERT_TRUE(done) << done.error().detail;
    }

    // Each change is in the records, in the journal and in the audit, or in none of them, and never twice.
    void expectExactlyOnceOrNotAtAll()
    {
        // Each in one statement: a server may still commit what a client that was killed had asked for.
        const auto differs = [&](const char* counted) {
            return number(
                std::string("SELECT (SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed') - (SELECT ")
                + counted + ")");
        };
        EXPECT_EQ(differs("count(*) FROM idempotency_transitions WHERE event = 'operator_fence'"), 0);
        EXPECT_EQ(
            differs("count(DISTINCT idempotency_key) FROM idempotency_transitions WHERE event = 'operator_fence'"), 0);
        EXPECT_EQ(differs("count(*) FROM idempotency_records r WHERE EXISTS (SELECT 1 FROM idempotency_transitions t"
                          " WHERE t.idempotency_key = r.idempotency_key AND t.event = 'operator_fence' AND t.fence = "
                          "r.fence)"),
            0);
        EXPECT_EQ(
            number("SELECT count(*) FROM (SELECT request_id, item FROM idempotency_audit WHERE outcome = 'changed'"
                   " GROUP BY request_id, item HAVING count(*) > 1) twice"),
            0);
    }

    // Some rows were changed, the disk ended one, the others were not tried.
    static void expectStoppedByTheDisk(const CtlRun& done, int rows)
    {
        EXPECT_EQ(done.code, 1) << done.err;
        const auto report = done.json();
        EXPECT_GT(report["changed"], 0) << report.dump().substr(0, 500);
        EXPECT_GT(report["not_run"], 0);
        EXPECT_EQ(report["failed"], 1);
        EXPECT_EQ(report["skipped"], report["not_run"]);
        EXPECT_EQ(report["changed"].get<int>() + report["failed"].get<int>() + report["skipped"].get<int>(), rows);
        EXPECT_THAT(done.err, HasSubstr("Run the same plan again"));
    }

    void expectFinishedByAnotherRun(const char* file, const QString& count)
    {
        expectExactlyOnceOrNotAtAll();
        const auto rest = ctl(applyOf(file, count));
        EXPECT_EQ(rest.code, 0) << rest.err;
        EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"), count.toInt());
        expectExactlyOnceOrNotAtAll();
        EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, InterruptionTest, bothDialects(), nameOfDialect);

TEST_P(InterruptionTest, ChangesEveryRowOnceOrNotAtAllUnderAHundredKills)
{
    constexpr int rows = 400;
    constexpr int wanted = 100;
    makeStuckKeys(rows);
    const auto count = makePlan(QStringLiteral("stuck"), "plan");
    ASSERT_EQ(count, QString::number(rows));
    SeededRandom chance(11);
    int killed = 0;
    int amidst = 0;
    while (killed < wanted) {
        const auto before = number("SELECT count(*) FROM idempotency_audit");
        // Near its end the plan would finish before it can be killed that often: the last rows are left for the proof.
        if (before >= rows - 20)
            break;
        QProcess process;
        start(process, withDatabase(applyOf("plan", count)));
        // Killed after it has changed a few rows, or a moment before: from outside, at any point of its work.
        const auto goal = before + static_cast<std::int64_t>(chance.below(4));
        QElapsedTimer limit;
        limit.start();
        while (process.state() == QProcess::Running && number("SELECT count(*) FROM idempotency_audit") < goal
            && limit.elapsed() < 20'000)
            process.waitForFinished(static_cast<int>(chance.below(3)) + 1);
        ASSERT_EQ(process.state(), QProcess::Running) << process.readAllStandardError().toStdString();
        ASSERT_TRUE(testing::signalProcess(process, SIGKILL)) << process.readAllStandardError().toStdString();
        ASSERT_TRUE(process.waitForFinished());
        ASSERT_EQ(process.exitStatus(), QProcess::CrashExit);
        ++killed;
        amidst += number("SELECT count(*) FROM idempotency_audit") > before ? 1 : 0;
        expectExactlyOnceOrNotAtAll();
    }
    EXPECT_GE(killed, wanted);
    EXPECT_GT(amidst, wanted / 4);
    const auto done = ctl(applyOf("plan", count));
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.json()["changed"].get<int>() + done.json()["already_done"].get<int>(), rows);
    expectExactlyOnceOrNotAtAll();
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"), rows);
    EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), rows);
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
}

// Somebody else's table, which knows nothing of fences or journals: a trigger of the test counts what is really
// written.
class ForeignInterruptionTest : public InterruptionTest {
protected:
    static constexpr int rows = 800;
    static constexpr int wanted = 100;

    void makePendingKeys()
    {
        connection = std::move(*database.connect());
        const bool sqlite = GetParam() == store::Dialect::Sqlite;
        run(store::sql::layout_playbook_keys.of(GetParam()));
        run("CREATE TABLE written (key TEXT NOT NULL)");
        if (sqlite) {
            run("CREATE TRIGGER count_writes AFTER UPDATE ON idempotency_keys BEGIN INSERT INTO written VALUES "
                "(new.key); END");
        } else {
            run("CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written VALUES "
                "(new.key); RETURN new; END $$");
            run("CREATE TRIGGER count_writes AFTER UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION "
                "count_write()");
        }
        const auto most = std::to_string(rows);
        const std::string source = sqlite
            ? "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + most + ") SELECT i FROM n)"
            : "generate_series(1, " + most + ") AS n(i)";
        run("INSERT INTO idempotency_keys (key, payload_hash, status, created_at, expires_at) SELECT 'key-' || (1000 + "
            "i), 'h' || i, 'pending', '2026-01-01 00:00:00', '2099-01-01 00:00:00' FROM "
            + source);
    }

    // What is written, and what the audit of the same database says of it where it is kept there. Each in one
    // statement: a server may still commit what a client that was killed had asked for.
    void expectOnce(bool auditedHere)
    {
        const auto differs = [&](const char* counted) {
            return number(
                std::string("SELECT (SELECT count(*) FROM idempotency_keys WHERE status = 'failed') - (SELECT ")
                + counted + ")");
        };
        EXPECT_EQ(differs("count(*) FROM written"), 0);
        EXPECT_EQ(differs("count(DISTINCT key) FROM written"), 0);
        if (!auditedHere)
            return;
        EXPECT_EQ(differs("count(*) FROM idempotency_audit"), 0);
        EXPECT_EQ(differs("count(DISTINCT item) FROM idempotency_audit WHERE outcome = 'changed'"), 0);
    }

    void applyUnderKills(bool auditedHere)
    {
        const auto made = ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("fail"), QStringLiteral("--filter"),
            QStringLiteral("stuck"), QStringLiteral("--reason"), QStringLiteral("incident 7"), QStringLiteral("--out"),
            path("plan") });
        ASSERT_EQ(made.code, 0) << made.err;
        const auto count = QString::number(rows);
        ASSERT_EQ(made.json()["rows"].get<int>(), rows);
        const auto written = [&] { return number("SELECT count(*) FROM written"); };
        SeededRandom chance(12);
        int killed = 0;
        int amidst = 0;
        for (; killed < wanted && written() < rows - 20; ++killed) {
            const auto before = written();
            QProcess process;
            start(process, withDatabase(applyOf("plan", count)));
            const auto goal = before + static_cast<std::int64_t>(chance.below(4));
            QElapsedTimer limit;
            limit.start();
            while (process.state() == QProcess::Running && written() < goal && limit.elapsed() < 20'000)
                process.waitForFinished(static_cast<int>(chance.below(3)) + 1);
            ASSERT_EQ(process.state(), QProcess::Running) << process.readAllStandardError().toStdString();
            ASSERT_TRUE(testing::signalProcess(process, SIGKILL)) << process.readAllStandardError().toStdString();
            ASSERT_TRUE(process.waitForFinished());
            amidst += written() > before ? 1 : 0;
            expectOnce(auditedHere);
        }
        EXPECT_EQ(killed, wanted);
        EXPECT_GT(amidst, wanted / 4);
        const auto done = ctl(applyOf("plan", count));
        ASSERT_EQ(done.code, 0) << done.err << done.out;
        EXPECT_EQ(done.json()["changed"].get<int>() + done.json()["already_done"].get<int>(), rows);
        expectOnce(auditedHere);
        EXPECT_EQ(written(), rows);
        EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, ForeignInterruptionTest, bothDialects(), nameOfDialect);

TEST_P(ForeignInterruptionTest, WritesEveryRowOnceOrNotAtAllBesideItsAudit)
{
    makePendingKeys();
    // Or counting what is written would wait for the writer, which is through with most of it by then.
    if (GetParam() == store::Dialect::Sqlite)
        run("PRAGMA journal_mode=WAL");
    ASSERT_EQ(ctl("audit install").code, 0);
    applyUnderKills(true);
}

// The audit is in another file then, which no transaction can share: the next run settles what the last one left open.
TEST_P(ForeignInterruptionTest, WritesEveryRowOnceOrNotAtAllWithTheAuditElsewhere)
{
    makePendingKeys();
    applyUnderKills(false);
    const auto entries = ctl(QStringList{ QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--limit"),
                                 QStringLiteral("1000") })
                             .lines();
    ASSERT_EQ(entries.size(), static_cast<std::size_t>(rows));
    std::set<int> items;
    for (const auto& entry : entries) {
        EXPECT_EQ(entry["outcome"], "changed");
        items.insert(entry["item"].get<int>());
    }
    EXPECT_EQ(items.size(), static_cast<std::size_t>(rows));
}

// By the keyboard, and by whoever stops a service; who asks twice is not answered by a torn report.
TEST_P(InterruptionTest, StopsBetweenTwoRowsWhenAsked)
{
    constexpr int rows = 2000;
    makeStuckKeys(rows);
    const auto count = makePlan(QStringLiteral("stuck"), "plan");
    int before = 0;
    for (const int signal : { SIGINT, SIGTERM }) {
        QProcess process;
        start(process, withDatabase(applyOf("plan", count)));
        while (process.state() == QProcess::Running && number("SELECT count(*) FROM idempotency_audit") == before)
            process.waitForFinished(2);
        ASSERT_TRUE(testing::signalProcess(process, signal)) << process.readAllStandardError().toStdString();
        ASSERT_TRUE(testing::signalProcess(process, signal)) << process.readAllStandardError().toStdString();
        ASSERT_TRUE(process.waitForFinished(120'000));
        ASSERT_EQ(process.exitStatus(), QProcess::NormalExit) << signal;
        EXPECT_EQ(process.exitCode(), 1) << signal;
        const auto report = nlohmann::json::parse(process.readAllStandardOutput().toStdString());
        EXPECT_GT(report["changed"], 0) << signal;
        EXPECT_GT(report["not_run"], 0) << signal;
        EXPECT_EQ(report["already_done"].get<int>(), before) << signal;
        EXPECT_EQ(report["changed"].get<int>() + before + report["skipped"].get<int>(), rows) << signal;
        EXPECT_EQ(report["stopped_by"]["failure"], "cancelled") << signal;
        expectExactlyOnceOrNotAtAll();
        before += report["changed"].get<int>();
        EXPECT_EQ(number("SELECT count(*) FROM idempotency_audit"), before) << signal;
        EXPECT_EQ(ctl("audit verify").json()["intact"], true);
    }
}

// What only a server does: it hangs up on those whom it serves.
class ServerInterruptionTest : public InterruptionTest { };

INSTANTIATE_TEST_SUITE_P(
    Backends, ServerInterruptionTest, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

// The server's own disk: what it answers comes from a trigger, in the middle of the plan.
TEST_P(ServerInterruptionTest, StopsWhenTheDiskIsFullAndFinishesLater)
{
    constexpr int rows = 40;
    makeStuckKeys(rows);
    const auto count = makePlan(QStringLiteral("stuck"), "plan");
    run("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend "
        "file' USING ERRCODE = '53100'; END $$");
    run("CREATE TRIGGER full_disk BEFORE INSERT ON idempotency_audit FOR EACH ROW WHEN (NEW.item >= 15) EXECUTE "
        "FUNCTION full_disk()");
    const auto done = ctl(applyOf("plan", count));
    expectStoppedByTheDisk(done, rows);
    EXPECT_EQ(done.json()["stopped_by"]["failure"], "full");
    run("DROP TRIGGER full_disk ON idempotency_audit");
    expectFinishedByAnotherRun("plan", count);
}

// Two operators carry out one plan while the server keeps ending their sessions, wherever they are.
TEST_P(ServerInterruptionTest, ChangesEveryRowOnceOrNotAtAllWhileTwoApplyAndTheServerHangsUp)
{
    constexpr int rows = 300;
    makeStuckKeys(rows);
    const auto count = makePlan(QStringLiteral("stuck"), "plan");
    const auto changed = [&] { return number("SELECT count(*) FROM idempotency_audit WHERE outcome = 'changed'"); };
    SeededRandom chance(13);
    std::int64_t ended = 0;
    int reported = 0;
    for (int round = 0; round < 100 && changed() < rows; ++round) {
        QProcess first;
        QProcess second;
        for (auto* process : { &first, &second })
            start(*process, withDatabase(applyOf("plan", count)));
        const auto goal = changed() + 1 + static_cast<std::int64_t>(chance.below(16));
        const auto isRunning = [](const QProcess& process) { return process.state() == QProcess::Running; };
        QElapsedTimer limit;
        limit.start();
        while ((isRunning(first) || isRunning(second)) && changed() < goal && limit.elapsed() < 20'000) {
            first.waitForFinished(2);
            second.waitForFinished(0);
        }
        // One of them may connect only now.
        while (isRunning(first) || isRunning(second)) {
            ended += number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE "
                            "'fencepostctl%' AND datname = current_database()");
            first.waitForFinished(1);
            second.waitForFinished(1);
        }
        for (auto* process : { &first, &second }) {
            ASSERT_TRUE(process->state() == QProcess::NotRunning || process->waitForFinished(120'000));
            ASSERT_EQ(process->exitStatus(), QProcess::NormalExit);
            const auto out = process->readAllStandardOutput().toStdString();
            const auto report = nlohmann::json::parse(out, nullptr, false);
            ASSERT_TRUE(report.is_object()) << out << process->readAllStandardError().toStdString();
            if (!report.contains("changed"))
                continue;
            ++reported;
            EXPECT_EQ(report["changed"].get<int>() + report["already_done"].get<int>() + report["skipped"].get<int>()
                    + report["failed"].get<int>(),
                rows);
        }
        expectExactlyOnceOrNotAtAll();
    }
    EXPECT_GT(ended, 4);
    EXPECT_GT(reported, 2);
    const auto done = ctl(applyOf("plan", count));
    ASSERT_EQ(done.code, 0) << done.err << done.out;
    EXPECT_EQ(changed(), rows);
    expectExactlyOnceOrNotAtAll();
    EXPECT_EQ(ctl("audit verify").json()["intact"], true);
}

// Whoever waits for a lock when it is told to stop cannot know what became of it, and says so.
TEST_P(ServerInterruptionTest, AnswersWhenItIsStoppedAmidstAWrite)
{
    makeStuckKeys(1);
    ASSERT_TRUE(connection->execute("BEGIN"));
    ASSERT_TRUE(connection->execute("UPDATE idempotency_records SET correlation_id = 'x'"));
    const auto watcher = std::move(*database.connect());
    const auto waits = [&] {
        const auto statement = watcher->prepare("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                                                "AND datname = current_database()");
        EXPECT_TRUE(statement && (*statement)->run() && (*statement)->next());
        const auto found = (*statement)->integer(0);
        (*statement)->finish();
        return found;
    };
    for (const int signal : { SIGINT, SIGTERM }) {
        // The server has not noticed yet that the one before is gone.
        const auto waitedBefore = waits();
        QProcess process;
        start(process,
            withDatabase(QStringLiteral("key reserve --scope pay --operation charge --key key-100000 --request-hash")
                             .split(QLatin1Char(' '))
                + QStringList{ QString::fromStdString(toHex(sha256("key-100000"))) }));
        QElapsedTimer limit;
        limit.start();
        while (process.state() == QProcess::Running && waits() == waitedBefore && limit.elapsed() < 20'000)
            process.waitForFinished(5);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        ASSERT_TRUE(process.waitForFinished(120'000));
        ASSERT_EQ(process.exitStatus(), QProcess::NormalExit) << signal;
        EXPECT_EQ(process.exitCode(), 1) << signal;
        const auto answer = nlohmann::json::parse(process.readAllStandardOutput().toStdString(), nullptr, false);
        ASSERT_TRUE(answer.is_object()) << signal;
        EXPECT_EQ(answer["error"]["failure"], "in_doubt") << signal;
    }
    ASSERT_TRUE(connection->execute("ROLLBACK"));
}

// A server that takes the call and then says nothing.
TEST(StoppedProgram, AnswersWhileItIsStillConnecting)
{
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener, 4), 0);
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    for (const int signal : { SIGINT, SIGTERM }) {
        QProcess process;
        process.start(QStringLiteral(FENCEPOSTCTL),
            { QStringLiteral("--db"), QStringLiteral("postgresql://nobody@127.0.0.1:%1/x").arg(ntohs(address.sin_port)),
                QStringLiteral("--json"), QStringLiteral("keys"), QStringLiteral("list") });
        ASSERT_TRUE(process.waitForStarted());
        const int call = ::accept(listener, nullptr, nullptr);
        ASSERT_GE(call, 0);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        ASSERT_TRUE(process.waitForFinished(120'000));
        ::close(call);
        ASSERT_EQ(process.exitStatus(), QProcess::NormalExit) << signal;
        EXPECT_EQ(process.exitCode(), 1) << signal;
        const auto answer = nlohmann::json::parse(process.readAllStandardOutput().toStdString(), nullptr, false);
        ASSERT_TRUE(answer.is_object()) << signal;
        EXPECT_EQ(answer["error"]["failure"], "cancelled") << signal;
    }
    ::close(listener);
}

// What only a file has: a disk of the program's own, and one lock for all writers. PostgreSQL's locks of rows are
// tested in tests/core/store.
class FileInterruptionTest : public InterruptionTest { };

INSTANTIATE_TEST_SUITE_P(Backends, FileInterruptionTest, ::testing::Values(store::Dialect::Sqlite), nameOfDialect);

TEST_P(FileInterruptionTest, StopsWhenTheDiskIsFullAndFinishesLater)
{
    constexpr int rows = 300;
    makeStuckKeys(rows);
    const auto count = makePlan(QStringLiteral("stuck"), "plan");
    connection.reset(); // Closing the last connection empties the write-ahead log.
    const auto done = ctl(applyOf("plan", count), [] {
        // The largest file that it may write: some rows fit into the write-ahead log.
        const rlimit limit{ 700'000, 700'000 };
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::signal(SIGXFSZ, SIG_IGN);
    });
    expectStoppedByTheDisk(done, rows);
    connection = std::move(*database.connect());
    expectFinishedByAnotherRun("plan", count);
}

TEST_P(FileInterruptionTest, SaysThatTheDatabaseIsLocked)
{
    makeStuckKeys(1);
    makePlan(QStringLiteral("stuck"), "plan");
    ASSERT_TRUE(connection->execute("BEGIN IMMEDIATE"));
    const auto locked = ctl(applyOf("plan", QStringLiteral("1")));
    EXPECT_EQ(locked.code, 1);
    EXPECT_EQ(locked.json()["failed"], 1);
    EXPECT_EQ(locked.json()["stopped_by"]["failure"], "unavailable");
    ASSERT_TRUE(connection->execute("ROLLBACK"));
    EXPECT_EQ(ctl(applyOf("plan", QStringLiteral("1"))).code, 0);
}

} // namespace
} // namespace fencepost::test
