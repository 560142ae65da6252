// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QEventLoop>

#include "tests/e2e/ctl_fixture.h"
#include "tests/support/scripted_server.h"

namespace fencepost::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr const char* now = "2026-11-20T10:30:20Z";

// A registry of jobs that leave a line in a file whenever they really run, and one that asks a server.
class CronTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        ASSERT_EQ(ctl("schema init").code, 0);
        write(R"({"format":1,"jobs":[
            {"id":"nightly","schedule":"0 2 * * *","command":["sh","-c","echo $FENCEPOST_RUN_ID >> runs"],"scopes":["eu","us"]},
            {"id":"hourly","schedule":"0 * * * *","command":["sh","-c","echo $FENCEPOST_RUN_ID >> runs"],"missed":"all",
             "catch_up":"3h"},
            {"id":"late","schedule":"0 1 * * *","command":["sh","-c","echo late >> runs"],"missed":"skip"}]})");
    }

    void write(const std::string& text)
    {
        QFile file(path("jobs.json"));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(text));
    }
    QStringList cron(const char* verb, const char* at = now) const
    {
        return { QStringLiteral("cron"), QString::fromUtf8(verb), QStringLiteral("--registry"),
            QStringLiteral("jobs.json"), QStringLiteral("--now"), QString::fromUtf8(at) };
    }
    QStringList runs() const
    {
        QFile file(path("runs"));
        if (!file.open(QIODevice::ReadOnly))
            return {};
        auto lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        lines.sort();
        return lines;
    }
};
INSTANTIATE_TEST_SUITE_P(Backends, CronTest, bothDialects(), nameOfDialect);

TEST_P(CronTest, ListsItsJobsAndWhatIsDue)
{
    const auto jobs = ctl(cron("list")).lines();
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_EQ(jobs[0]["next"], "2026-11-21T02:00:00.000000Z");
    EXPECT_EQ(ctl(cron("check")).json()["jobs"], 3);
    const auto due = ctl(cron("due")).lines();
    ASSERT_EQ(due.size(), 4U) << "once, whatever it may do there";
    EXPECT_EQ(due[0]["run_id"], "nightly@2026-11-20T02:00:00Z");
    EXPECT_EQ(due[0]["scope"], "cron");
    EXPECT_EQ(due[3]["run_id"], "hourly@2026-11-20T10:00:00Z");
    for (const auto& slot : due)
        EXPECT_EQ(slot["state"], "ABSENT");
}

TEST_P(CronTest, CarriesEachSlotOutOnceHoweverManyDoSo)
{
    QProcess one;
    QProcess other;
    start(one, withDatabase(cron("run")));
    start(other, withDatabase(cron("run")));
    for (auto* process : { &one, &other }) {
        ASSERT_TRUE(process->waitForFinished(120'000));
        EXPECT_EQ(process->exitCode(), 0) << process->readAllStandardError().toStdString();
    }
    const QStringList once = { QStringLiteral("hourly@2026-11-20T08:00:00Z"),
        QStringLiteral("hourly@2026-11-20T09:00:00Z"), QStringLiteral("hourly@2026-11-20T10:00:00Z"),
        QStringLiteral("nightly@2026-11-20T02:00:00Z") };
    EXPECT_EQ(runs(), once);
    EXPECT_EQ(ctl(cron("run")).out, "");
    EXPECT_EQ(runs(), once);
    for (const auto& slot : ctl(cron("due")).lines())
        EXPECT_EQ(slot["state"], "SUCCEEDED");
    EXPECT_EQ(ctl(cron("run", "2026-11-20T11:00:00Z")).json()["run_id"], "hourly@2026-11-20T11:00:00Z");
}

TEST_P(CronTest, CarriesNoSlotOutAgainForWhatAJobMayDo)
{
    const auto job = [](const char* scopes) {
        return R"({"format":1,"jobs":[{"id":"nightly","schedule":"0 2 * * *","command":["sh","-c",)"
               R"("echo $FENCEPOST_RUN_ID >> runs"])"
            + std::string(scopes) + "}]}";
    };
    for (const auto* scopes : { R"(,"scopes":["eu"])", R"(,"scopes":["eu","us"])", "" }) {
        write(job(scopes));
        EXPECT_EQ(ctl(cron("run")).code, 0);
    }
    EXPECT_EQ(runs(), QStringList{ QStringLiteral("nightly@2026-11-20T02:00:00Z") });
    EXPECT_EQ(ctl({ QStringLiteral("once"), QStringLiteral("--key"), QStringLiteral("nightly@2026-11-20T02:00:00Z"),
                      QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                      QStringLiteral("echo $FENCEPOST_RUN_ID >> runs") })
                  .code,
        0);
    EXPECT_EQ(runs().size(), 1) << "by hand it is the same run";
}

TEST_P(CronTest, TellsTheCommandWhatItMayDo)
{
    write(R"({"format":1,"jobs":[{"id":"nightly","schedule":"0 2 * * *","scopes":["eu","us"],)"
          R"("command":["sh","-c","echo $FENCEPOST_SCOPES >> runs"]}]})");
    EXPECT_EQ(ctl(cron("run")).code, 0);
    EXPECT_EQ(runs(), QStringList{ QStringLiteral("eu us") });
}

TEST_P(CronTest, SaysWhichRunFailed)
{
    write(R"({"format":1,"jobs":[{"id":"bad","schedule":"0 2 * * *","command":["sh","-c","exit 7"]}]})");
    auto arguments = cron("run");
    const auto failed =
        plain(QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + arguments);
    EXPECT_EQ(failed.code, 1);
    EXPECT_THAT(failed.err, ::testing::HasSubstr("bad@2026-11-20T02:00:00Z ended with exit code 7"));
}

TEST_P(CronTest, AsksATargetUnderTheRunsKeyUntilItAnswers)
{
    write(R"({"format":1,"jobs":[{"id":"sync","schedule":"0 10 * * *","url_env":"SYNC","path":"/sync"}]})");
    testing::ScriptedServer server({ testing::answers(400), testing::answers(201, {}, "done") });
    const auto run = [&](const char* at) {
        QProcess process;
        auto with = environment();
        with.insert(QStringLiteral("SYNC"), QString::fromStdString(server.url("/")));
        process.setProcessEnvironment(with);
        process.setWorkingDirectory(database.folder());
        process.start(QStringLiteral(FENCEPOSTCTL), withDatabase(cron("run", at)));
        return servedRunOf(process);
    };
    EXPECT_EQ(run("2026-11-19T10:30:00Z").code, 1); // refused for good
    EXPECT_EQ(run("2026-11-19T10:31:00Z").out, "");
    const auto next = run(now);
    EXPECT_EQ(next.code, 0) << next.out << next.err;
    EXPECT_EQ(next.json()["status"], 201);
    EXPECT_EQ(run(now).out, "");
    EXPECT_THAT(server.lines("Idempotency-Key"), ElementsAre("sync@2026-11-19T10:00:00Z", "sync@2026-11-20T10:00:00Z"));
    EXPECT_EQ(server.requests().back().target, "/sync");
    EXPECT_EQ(ctl(cron("run", "2026-11-21T10:30:00Z")).code, 2) << "the variable is not set";
}

// Another body under the slot's key would be another request to the target.
TEST_P(CronTest, SendsTheSameInEveryAttemptHoweverItsRegistryIsEdited)
{
    testing::ScriptedServer server({ testing::answers(401), testing::answers(201, {}, "done") });
    for (const auto* scopes : { R"(["eu"])", R"(["eu","us"])" }) {
        write(R"({"format":1,"jobs":[{"id":"sync","schedule":"0 10 * * *","url_env":"SYNC","path":"/sync","scopes":)"
            + std::string(scopes) + "}]}");
        QProcess process;
        auto with = environment();
        with.insert(QStringLiteral("SYNC"), QString::fromStdString(server.url("/")));
        process.setProcessEnvironment(with);
        process.setWorkingDirectory(database.folder());
        process.start(QStringLiteral(FENCEPOSTCTL), withDatabase(cron("run")));
        servedRunOf(process);
    }
    ASSERT_EQ(server.requests().size(), 2U);
    EXPECT_THAT(server.requests().front().body, ::testing::HasSubstr(R"(["eu"])"));
    EXPECT_EQ(server.requests().back().body, server.requests().front().body);
}

// What the target did before is done; a refusal of the moment is none of the slot, and the next run asks again.
TEST_P(CronTest, TellsWhatATargetHasDoneFromWhatItDoesNotTakeNow)
{
    write(R"({"format":1,"jobs":[{"id":"sync","schedule":"0 10 * * *","url_env":"SYNC","path":"/sync"}]})");
    testing::ScriptedServer server({ testing::answers(401), testing::answers(421), testing::answers(409, {}, "moved"),
        testing::answers(
            409, { { "Content-Type", "application/problem+json" } }, R"({"error_code":"PROVIDER.duplicate"})") });
    const auto run = [&] {
        QProcess process;
        auto with = environment();
        with.insert(QStringLiteral("SYNC"), QString::fromStdString(server.url("/")));
        process.setProcessEnvironment(with);
        process.setWorkingDirectory(database.folder());
        process.start(QStringLiteral(FENCEPOSTCTL), withDatabase(cron("run")));
        return servedRunOf(process);
    };
    for (const int status : { 401, 421, 409 }) {
        const auto refused = run();
        EXPECT_EQ(refused.code, 1) << refused.out;
        EXPECT_EQ(refused.json()["status"], status);
        EXPECT_EQ(ctl(cron("due")).json()["state"], "FAILED_RETRYABLE");
    }
    const auto done = run();
    EXPECT_EQ(done.code, 0) << done.out << done.err;
    EXPECT_EQ(ctl(cron("due")).json()["state"], "SUCCEEDED");
    EXPECT_EQ(run().out, "");
    EXPECT_EQ(server.requests().size(), 4U);
}

// A target that is still at it has not done it.
TEST_P(CronTest, TakesNoRunningRequestForADoneOne)
{
    write(R"({"format":1,"jobs":[{"id":"sync","schedule":"0 10 * * *","targetUrlEnv":"SYNC","path":"/sync"}]})");
    const Headers problem{ { "Content-Type", "application/problem+json" }, { "Idempotency-Should-Retry", "true" } };
    testing::ScriptedServer server({ testing::answers(202, problem, R"({"error_code":"idempotency.in_progress"})"),
        testing::answers(303, problem, R"({"error_code":"idempotency.in_progress"})"),
        testing::answers(201, {}, "done") });
    QProcess process;
    auto with = environment();
    with.insert(QStringLiteral("SYNC"), QString::fromStdString(server.url("/")));
    process.setProcessEnvironment(with);
    process.setWorkingDirectory(database.folder());
    process.start(QStringLiteral(FENCEPOSTCTL), withDatabase(cron("run", now)));
    const auto run = servedRunOf(process);
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(run.json()["status"], 201) << run.out;
    EXPECT_EQ(server.requests().size(), 3U);
}

TEST_P(CronTest, NamesTheFileThePlaceAndWhatIsExpected)
{
    write(R"({"format":1,"jobs":[{"id":"a","schedule":"0 25 * * *","command":["x"]}]})");
    for (const auto* verb : { "list", "check", "due", "run" }) {
        const auto run = ctl(cron(verb));
        EXPECT_EQ(run.code, 2) << verb;
        EXPECT_NE(run.err.find("jobs.json: jobs[0].schedule: \"25\" is no hour"), std::string::npos) << run.err;
    }
    EXPECT_EQ(
        ctl({ QStringLiteral("cron"), QStringLiteral("list"), QStringLiteral("--registry"), QStringLiteral("none") })
            .code,
        1);
}

} // namespace
} // namespace fencepost::test
