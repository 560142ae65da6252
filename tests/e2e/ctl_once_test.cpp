// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include "tests/e2e/ctl_fixture.h"
#include "tests/support/signal_process.h"
#include "tests/support/wait.h"

namespace fencepost::test {
namespace {

using fencepost::testing::eventually;
using ::testing::HasSubstr;

// A command that leaves a line in a file whenever it really runs.
class OnceTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        ASSERT_EQ(ctl("schema init").code, 0);
    }

    QStringList arguments(const char* key, const QString& script, const QStringList& options = {}) const
    {
        return QStringList{ QStringLiteral("once"), QStringLiteral("--key"), QString::fromUtf8(key) } + options
            + QStringList{ QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                  QStringLiteral("echo ran >> runs; ") + script };
    }
    CtlRun once(const char* key, const QString& script, const QStringList& options = {}) const
    {
        return ctl(arguments(key, script, options));
    }
    // Kills it as soon as its command has written its process id into the file "pid". 0: it never did.
    [[nodiscard]] int commandOfKilled(QProcess& process) const
    {
        QFile pid(path("pid"));
        if (!testing::eventually([&] { return pid.exists() && pid.size() > 0; })
            || !testing::signalProcess(process, SIGKILL) || !process.waitForFinished(120'000)
            || !pid.open(QIODevice::ReadOnly))
            return 0;
        return pid.readAll().trimmed().toInt();
    }
    [[nodiscard]] int runs() const
    {
        QFile file(path("runs"));
        return file.open(QIODevice::ReadOnly) ? static_cast<int>(file.readAll().count('\n')) : 0;
    }
};

constexpr const char* slot = "nightly@2026-11-20T02:00:00Z";

INSTANTIATE_TEST_SUITE_P(Backends, OnceTest, bothDialects(), nameOfDialect);

TEST_P(OnceTest, RunsOncePerKeyAndRepeatsWhatItSaid)
{
    const auto script = QStringLiteral("echo \"$FENCEPOST_RUN_ID $FENCEPOST_FENCE\"; echo oops >&2; exit 7");
    const auto first = once(slot, script);
    EXPECT_EQ(first.code, 7);
    EXPECT_EQ(first.json()["outcome"], "execute");
    EXPECT_EQ(first.json()["stdout"], std::string(slot) + " 1\n");
    EXPECT_EQ(first.json()["stderr"], "oops\n");
    // The same instant in other words.
    const auto again = once("nightly@2026-11-20T03:00:00+01:00", script);
    EXPECT_EQ(again.code, 7);
    EXPECT_EQ(again.json()["outcome"], "replay");
    EXPECT_EQ(again.json()["stdout"], first.json()["stdout"]);
    EXPECT_EQ(again.json()["stderr"], first.json()["stderr"]);
    EXPECT_EQ(runs(), 1);
    // As a shell sees it: octet by octet, on the same streams.
    auto bare = arguments(slot, script);
    bare = QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + bare;
    const auto plainly = plain(bare);
    EXPECT_EQ(plainly.code, 7);
    EXPECT_EQ(plainly.out, std::string(slot) + " 1\n");
    EXPECT_EQ(plainly.err, "oops\n");
    EXPECT_EQ(runs(), 1);
    EXPECT_EQ(once("nightly@2026-11-21T02:00:00Z", script).json()["outcome"], "execute") << "another slot";
    EXPECT_EQ(runs(), 2);
}

TEST_P(OnceTest, RefusesAnotherCommandAndAMalformedKey)
{
    EXPECT_EQ(once(slot, QStringLiteral("true")).code, 0);
    const auto other = once(slot, QStringLiteral("false"));
    EXPECT_EQ(other.code, 3);
    EXPECT_EQ(other.json()["outcome"], "mismatch");
    EXPECT_EQ(runs(), 1);
    for (const auto* key : { "nightly", "@2026-11-20", "nightly@soon", "nightly@2026-13-01" })
        EXPECT_EQ(once(key, QStringLiteral("true")).code, 2) << key;
    const auto foreign = once("r\xC3\xA9sum\xC3\xA9@2026-11-20", QStringLiteral("true"));
    EXPECT_EQ(foreign.code, 2);
    EXPECT_THAT(foreign.err, HasSubstr("outside of ASCII"));
    EXPECT_EQ(runs(), 1);
}

TEST_P(OnceTest, SaysWhatToDoNextWhereItRunsNothing)
{
    EXPECT_EQ(once(slot, QStringLiteral("true")).code, 0);
    const auto other = once(slot, QStringLiteral("false"));
    EXPECT_THAT(other.err, HasSubstr("Another command was run under this key: " + std::string(slot)));
    EXPECT_THAT(other.err, HasSubstr("Nothing was run now."));
    EXPECT_THAT(other.err, HasSubstr("fencepostctl keys show cron nightly " + std::string(slot)));
}

TEST_P(OnceTest, SaysThatItMadeTheDatabase)
{
    const QStringList words{ QStringLiteral("--json"), QStringLiteral("--db"), QStringLiteral("sqlite:slip.db"),
        QStringLiteral("once"), QStringLiteral("--key"), QString::fromUtf8(slot), QStringLiteral("--"),
        QStringLiteral("true") };
    const auto first = plain(words);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.err, HasSubstr("There was no database"));
    EXPECT_THAT(first.err, HasSubstr("slip.db, so it was made"));
    const auto again = plain(words);
    EXPECT_EQ(again.json()["outcome"], "replay");
    EXPECT_EQ(again.err, "");
}

TEST_P(OnceTest, WhatCouldNotStartOrMayBeRepeatedRunsAgain)
{
    const QStringList missing = { QStringLiteral("once"), QStringLiteral("--key"), QString::fromUtf8(slot),
        QStringLiteral("--"), path("no-such-program") };
    EXPECT_EQ(ctl(missing).code, 127);
    QFile program(path("no-such-program"));
    ASSERT_TRUE(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\necho here\n");
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    program.close();
    const auto found = ctl(missing);
    EXPECT_EQ(found.code, 0);
    EXPECT_EQ(found.json()["stdout"], "here\n");
    const QStringList again = { QStringLiteral("--retry-failed") };
    const auto script = QStringLiteral("[ $(wc -l < runs) -ge 2 ]");
    EXPECT_EQ(once("weekly@2026-11-20", script, again).code, 1);
    EXPECT_EQ(once("weekly@2026-11-20", script, again).code, 0);
    EXPECT_EQ(once("weekly@2026-11-20", script, again).json()["outcome"], "replay");
    EXPECT_EQ(runs(), 2);
}

TEST_P(OnceTest, KeepsOctetsAndTheBeginningOfALongOutput)
{
    const auto octets = once(slot, QStringLiteral("printf '\\377\\001'"));
    EXPECT_EQ(octets.json()["stdout_base64"], "/wE=");
    EXPECT_EQ(once(slot, QStringLiteral("printf '\\377\\001'")).json()["stdout_base64"], "/wE=");
    const auto whole = QStringLiteral("head -c 150000 /dev/zero | tr '\\0' x");
    EXPECT_FALSE(once("whole@2026-11-20", whole).json()["cut"].get<bool>());
    EXPECT_EQ(once("whole@2026-11-20", whole).json()["stdout"].get<std::string>().size(), 150000U);
    const auto script = QStringLiteral("head -c 300000 /dev/zero | tr '\\0' x");
    const auto first = once("long@2026-11-20", script);
    EXPECT_TRUE(first.json()["cut"].get<bool>());
    const auto again = once("long@2026-11-20", script);
    EXPECT_EQ(again.json()["outcome"], "replay");
    EXPECT_EQ(again.json()["stdout"].get<std::string>().size(), 262144U);
    EXPECT_THAT(again.err, HasSubstr("256 KiB"));
}

TEST_P(OnceTest, ASignalEndsTheCommandAndIsKept)
{
    const auto script = QStringLiteral("exec sleep 60");
    QProcess process;
    start(process, withDatabase(arguments(slot, script)));
    ASSERT_TRUE(testing::eventually([&] { return runs() == 1; }));
    const auto beside = once(slot, script);
    EXPECT_EQ(beside.json()["outcome"], "in_progress");
    EXPECT_THAT(beside.err, HasSubstr("Ask again under this key when it has ended"));
    ASSERT_TRUE(testing::signalProcess(process, SIGTERM)) << process.readAllStandardError().toStdString();
    ASSERT_TRUE(process.waitForFinished(120'000));
    EXPECT_EQ(process.exitCode(), 128 + SIGTERM);
    EXPECT_EQ(once(slot, script).code, 128 + SIGTERM);
    EXPECT_EQ(runs(), 1);
}

TEST_P(OnceTest, WhatIsRunAgainAfterAKillDoesNotRunBesideItself)
{
    const auto script = QStringLiteral("echo $$ > pid; exec sleep 600");
    const QStringList takenOver{ QStringLiteral("--lease"), QStringLiteral("200ms"), QStringLiteral("--takeover"),
        QStringLiteral("auto") };
    QProcess process;
    start(process, withDatabase(arguments(slot, script, takenOver)));
    const auto command = commandOfKilled(process);
    ASSERT_GT(command, 0);
    EXPECT_TRUE(testing::eventually([&] { return testing::hasEnded(command); })) << command;
}

TEST_P(OnceTest, NobodyRunsAgainWhatMayHaveRun)
{
    const auto script = QStringLiteral("echo $$ > pid; exec sleep 60");
    QProcess process;
    start(process, withDatabase(arguments(slot, script, { QStringLiteral("--lease"), QStringLiteral("1ms") })));
    const auto command = commandOfKilled(process);
    ASSERT_GT(command, 0);
    ::kill(command, SIGKILL);
    const auto held = once(slot, script);
    EXPECT_EQ(held.code, 3);
    EXPECT_EQ(held.json()["outcome"], "held");
    EXPECT_THAT(held.err, HasSubstr("fencepostctl plan resolve --key cron nightly " + std::string(slot)));
    EXPECT_EQ(runs(), 1);

    // Somebody finds out that it was done: so it has succeeded, and is not run again.
    QStringList resolve{ QStringLiteral("plan"), QStringLiteral("resolve"), QStringLiteral("--key"),
        QStringLiteral("cron"), QStringLiteral("nightly"), QString::fromUtf8(slot), QStringLiteral("--as"),
        QStringLiteral("succeeded"), QStringLiteral("--evidence"), QStringLiteral("the report is there"),
        QStringLiteral("--reason"), QStringLiteral("looked"), QStringLiteral("--out"), QStringLiteral("plan.json") };
    ASSERT_EQ(ctl(resolve).code, 0);
    ASSERT_EQ(ctl("apply plan.json").code, 0);
    const auto done = once(slot, script);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.json()["outcome"], "replay");
    EXPECT_TRUE(done.json()["exit_code"].is_null());
    EXPECT_THAT(done.err, HasSubstr("its output was not kept"));
    EXPECT_EQ(runs(), 1);
}

class OnceOnAServerTest : public OnceTest { };

INSTANTIATE_TEST_SUITE_P(Backends, OnceOnAServerTest, ::testing::Values(store::Dialect::PostgreSql), nameOfDialect);

TEST_P(OnceOnAServerTest, KeepsTheOutcomeThoughTheConnectionWasCutMeanwhile)
{
    QProcess process;
    process.setWorkingDirectory(database.folder());
    const auto all =
        QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("--json") }
        + arguments(slot, QStringLiteral("until test -e cut; do sleep 0.05; done; echo done; exit 5"));
    process.start(QStringLiteral(FENCEPOSTCTL), all);
    ASSERT_TRUE(process.waitForStarted());
    ASSERT_TRUE(eventually([&] { return runs() == 1; }));
    database.close();
    ASSERT_TRUE(QFile(path("cut")).open(QIODevice::WriteOnly));
    QByteArray said;
    EXPECT_TRUE(eventually([&] {
        process.waitForReadyRead(50);
        said += process.readAllStandardError();
        return said.contains("as soon as the database answers");
    })) << said.toStdString();
    database.open();
    ASSERT_TRUE(process.waitForFinished(120'000));
    EXPECT_EQ(process.exitCode(), 5) << process.readAllStandardError().toStdString();
    const auto again = once(slot, QStringLiteral("until test -e cut; do sleep 0.05; done; echo done; exit 5"));
    EXPECT_EQ(again.code, 5);
    EXPECT_EQ(again.json()["outcome"], "replay");
    EXPECT_EQ(again.json()["stdout"], "done\n");
    EXPECT_EQ(runs(), 1);
}

} // namespace
} // namespace fencepost::test
