// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include "core/messaging/webhook_signature.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/scripted_server.h"
#include "tests/support/signal_process.h"
#include "tests/support/wait.h"

using namespace fencepost;
using namespace fencepost::test;
using fencepost::testing::answers;
using fencepost::testing::closes;
using fencepost::testing::eventually;
using fencepost::testing::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class CtlWatchTest : public CtlTest {
protected:
    static QStringList rule(const char* text) { return { QStringLiteral("--rule"), QString::fromUtf8(text) }; }
    static QStringList watch(const char* words)
    {
        return QStringLiteral("watch").split(QLatin1Char(' ')) + QString::fromUtf8(words).split(QLatin1Char(' '));
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, CtlWatchTest, bothDialects(), nameOfDialect);

TEST_P(CtlWatchTest, OneLookAnswersByItsExitCode)
{
    makeStuckKeys(3);
    const auto quiet = ctl(watch("--once") + rule("stuck > 3") + rule("dead_letters > 0 in 1d"));
    EXPECT_EQ(quiet.code, 0) << quiet.err;
    ASSERT_EQ(quiet.lines().size(), 2U);
    EXPECT_EQ(quiet.lines()[0]["firing"], false);
    EXPECT_EQ(quiet.lines()[0]["value"], 3);

    const auto fires = ctl(watch("--once") + rule("stuck > 2") + rule("oldest_lease > 1d"));
    EXPECT_EQ(fires.code, 3) << fires.err;
    ASSERT_EQ(fires.lines().size(), 2U);
    EXPECT_EQ(fires.lines()[0]["firing"], true);
    EXPECT_EQ(fires.lines()[0]["binding"], "idempotency_records");
    EXPECT_EQ(fires.lines()[1]["firing"], false);
    EXPECT_EQ(ctl(watch("--once") + rule("oldest_lease > 10m")).code, 3);
}

TEST_P(CtlWatchTest, WhatCannotBeWatchedIsNoQuiet)
{
    connection = std::move(*database.connect());
    ASSERT_TRUE(connection->execute("CREATE TABLE something (a INTEGER)"));
    const auto nothing = ctl(watch("--once") + rule("stuck > 3"));
    EXPECT_EQ(nothing.code, 1);
    ASSERT_EQ(nothing.lines().size(), 2U) << nothing.out;
    EXPECT_EQ(nothing.lines()[0]["error"]["failure"], "unsupported");
    EXPECT_EQ(nothing.lines()[1]["firing"], nullptr) << "neither quiet nor over";
    EXPECT_NE(nothing.lines()[1]["error"], nullptr);
    EXPECT_EQ(ctl(watch("--once")).code, 2) << "no rule";
    EXPECT_EQ(ctl(watch("--once") + rule("stuck > 3 in 5m")).code, 2);
    EXPECT_EQ(ctl(watch("--once --every 0s") + rule("stuck > 3")).code, 2);
    EXPECT_EQ(ctl(watch("--once --webhook ftp://h/p") + rule("stuck > 3")).code, 2);
    EXPECT_EQ(ctl(watch("--once --webhook nats://h/p") + rule("stuck > 3")).code, 2);
}

TEST_P(CtlWatchTest, AWebhookIsToldOfEachChangeUnderOneIdUntilItTakesIt)
{
    makeStuckKeys(3);
    ScriptedServer server({ answers(503), closes(), answers(204) });
    QProcess process;
    auto environment = this->environment();
    environment.insert(
        QStringLiteral("FENCEPOST_WEBHOOK_SECRET"), QStringLiteral("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(FENCEPOSTCTL),
        withDatabase(watch("--every 1s --webhook") + QStringList{ QString::fromStdString(server.url("/alerts")) }
            + rule("stuck > 2")));
    ASSERT_TRUE(eventually([&] { return server.requests().size() >= 3; }));
    // Two are mended, so that it is over: the watch tells of that as well.
    ASSERT_TRUE(connection->execute("UPDATE idempotency_records SET status = 'FAILED_FINAL', error_code = 'x'"
                                    " WHERE idempotency_key <> 'key-100000'"));
    ASSERT_TRUE(eventually([&] { return server.requests().size() >= 4; }));
    ASSERT_TRUE(fencepost::testing::signalProcess(process, SIGTERM)) << process.readAllStandardError().toStdString();
    const auto run = servedRunOf(process);
    EXPECT_EQ(run.code, 0) << run.err;
    ASSERT_EQ(run.lines().size(), 2U) << run.out;
    EXPECT_EQ(run.lines()[0]["firing"], true);
    EXPECT_EQ(run.lines()[1]["firing"], false);
    const auto ids = server.lines("webhook-id");
    ASSERT_EQ(ids.size(), 4U);
    EXPECT_EQ(ids[0], ids[1]);
    EXPECT_EQ(ids[0], ids[2]);
    EXPECT_NE(ids[0], ids[3]);
    EXPECT_THAT(server.lines("ce-type"),
        ElementsAre(
            "fencepost.alert.fired", "fencepost.alert.fired", "fencepost.alert.fired", "fencepost.alert.ceased"));
    const auto told = nlohmann::json::parse(server.requests()[0].body);
    EXPECT_EQ(told["rule"], "stuck > 2");
    EXPECT_EQ(told["value"], 3);
    EXPECT_THAT(server.lines("webhook-signature")[0], HasSubstr("v1,"));
    EXPECT_THAT(server.requests()[0].body, Not(HasSubstr("key-100")));
}

TEST_P(CtlWatchTest, ItEndsWithTheFirstThatFiresAndSaysWhatWasNotTold)
{
    makeStuckKeys(1);
    ScriptedServer server({ answers(410) });
    QProcess process;
    start(process,
        withDatabase(watch("--first --webhook") + QStringList{ QString::fromStdString(server.url("/alerts")) }
            + rule("stuck > 0")));
    const auto run = servedRunOf(process);
    EXPECT_EQ(run.code, 3);
    EXPECT_EQ(run.json()["firing"], true);
    EXPECT_THAT(run.err, HasSubstr("410"));
}

class CtlWatchOutageTest : public CtlWatchTest { };
INSTANTIATE_TEST_SUITE_P(Backends, CtlWatchOutageTest, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(CtlWatchOutageTest, WhileTheConnectionIsLostNothingIsSaidToBeKnownEachTime)
{
    makeStuckKeys(1);
    ScriptedServer server({ answers(204) });
    QProcess process;
    start(process,
        withDatabase(watch("--every 1s --webhook") + QStringList{ QString::fromStdString(server.url("/alerts")) }
            + rule("stuck > 0")));
    QByteArray out;
    const auto told = [&](const char* words, int times) {
        return eventually([&] {
            process.waitForReadyRead(50);
            out += process.readAllStandardOutput();
            return out.count(words) >= times;
        });
    };
    ASSERT_TRUE(told(R"("firing":true)", 1)) << "it has begun to look";
    for (const int times : { 1, 2 }) {
        connection.reset();
        database.close();
        EXPECT_TRUE(told(R"("watching":false)", times)) << out.toStdString();
        database.open();
        EXPECT_TRUE(told(R"("watching":true)", times)) << out.toStdString();
    }
    // What is printed is posted behind it, and whoever ends it then cuts that short.
    EXPECT_TRUE(eventually([&] { return server.lines("ce-type").size() >= 5; }));
    ASSERT_TRUE(fencepost::testing::signalProcess(process, SIGTERM)) << process.readAllStandardError().toStdString();
    const auto run = servedRunOf(process);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_THAT(server.lines("ce-type"),
        ElementsAre("fencepost.alert.fired", "fencepost.watch.lost", "fencepost.watch.resumed", "fencepost.watch.lost",
            "fencepost.watch.resumed"));
}

} // namespace
