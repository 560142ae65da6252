// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include <gmock/gmock.h>

#include "core/protocol/http_message.h"
#include "core/store/outbox.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/nats_server.h"
#include "tests/support/signal_process.h"
#include "tests/support/wait.h"

namespace fencepost::test {
namespace {

using namespace fencepost::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// From an outbox through JetStream into an inbox, with the real programs.
class NatsTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        ASSERT_EQ(server.problem(), "");
        ASSERT_EQ(ctl("schema init").code, 0);
        connection = std::move(*database.connect());
        server.addStream("REFUNDS", { "refunds.>" });
    }
    void TearDown() override { EXPECT_EQ(server.problem(), ""); }

    void add(const std::string& id, const std::string& subject = "refunds.succeeded")
    {
        OutboxEvent event;
        event.eventId = id;
        event.destination = server.url(subject);
        event.source = "/shop";
        event.type = "refund.succeeded";
        event.orderingKey = "account 7";
        event.payload = "{\"id\":\"" + id + "\"}";
        event.correlationId = "req-1";
        const auto added = store::Outbox(*connection, {}).add(event);
        ASSERT_TRUE(added) << added.error().message << added.error().detail;
    }

    // `script` is run by sh for each event.
    [[nodiscard]] QStringList consumeOf(const QString& script, const QStringList& more = {}) const
    {
        return withDatabase(QStringList{ QStringLiteral("consume"), QStringLiteral("--from"),
                                QString::fromStdString(server.url("refunds.>")), QStringLiteral("--consumer"),
                                QStringLiteral("ledger"), QStringLiteral("--lease"), QStringLiteral("5s") }
            + more + QStringList{ QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), script });
    }
    CtlRun consumeOnce(const char* script, const QStringList& more = {}) const
    {
        return plain(consumeOf(QString::fromUtf8(script), more + QStringList{ QStringLiteral("--once") }));
    }
    CtlRun relay() const { return ctl("relay run --once"); }

    [[nodiscard]] std::string fileText(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    }
    std::string stateOf(const std::string& id)
    {
        const auto shown = ctl(QStringList{ QStringLiteral("inbox"), QStringLiteral("show"), QStringLiteral("ledger"),
            QStringLiteral("/shop"), QString::fromStdString(id) });
        return shown.code == 0 ? shown.json()["state"].get<std::string>() : std::string();
    }

    NatsServer server;
};

INSTANTIATE_TEST_SUITE_P(Backends, NatsTest, bothDialects(), nameOfDialect);

TEST_P(NatsTest, AnEventGoesThroughTheStreamToItsHandlerOnce)
{
    add("evt.1");
    add("evt_2");
    const auto sent = relay();
    EXPECT_EQ(sent.code, 0) << sent.err;
    EXPECT_EQ(sent.json()["sent"], 2);
    const auto done = consumeOnce("cat >> got; echo \" $EVENT_ID $EVENT_SOURCE $EVENT_TYPE $EVENT_CORRELATION_ID "
                                  "$EVENT_CONSUMER $EVENT_ATTEMPT\" >> got");
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(fileText("got"),
        "{\"id\":\"evt.1\"} evt.1 /shop refund.succeeded req-1 ledger 1\n"
        "{\"id\":\"evt_2\"} evt_2 /shop refund.succeeded req-1 ledger 1\n");
    const auto lines = done.lines();
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0]["event_id"], "evt.1");
    EXPECT_EQ(lines[0]["outcome"], "processed");
    EXPECT_EQ(lines[0]["acknowledged"], true);
    EXPECT_EQ(lines[2]["processed"], 2);
    EXPECT_EQ(stateOf("evt.1"), "PROCESSED");
    EXPECT_EQ(server.pending("REFUNDS", "ledger"), (NatsServer::Pending{ 0, 0 }));

    // Another publisher sends it once more.
    server.publish("refunds.succeeded", { { "ce-id", "evt.1" }, { "ce-source", "/shop" } }, "{\"id\":\"evt.1\"}");
    server.publish("refunds.succeeded", { { "ce-id", "evt_2" }, { "ce-source", "/shop" } }, "another payload");
    const auto again = consumeOnce("echo twice >> got");
    EXPECT_EQ(again.code, 1) << "a conflict is nothing to be silent about";
    EXPECT_EQ(again.lines()[0]["outcome"], "done");
    EXPECT_EQ(again.lines()[1]["outcome"], "conflict");
    EXPECT_THAT(fileText("got"), Not(HasSubstr("twice")));
    EXPECT_EQ(server.pending("REFUNDS", "ledger"), (NatsServer::Pending{ 0, 0 }));
}

TEST_P(NatsTest, AHandlerThatFailsEndsInADeadLetter)
{
    add("evt_1");
    ASSERT_EQ(relay().code, 0);
    std::vector<std::string> outcomes;
    EXPECT_TRUE(eventually([&] {
        const auto run = consumeOnce("echo x >> got; echo no account 17 >&2; exit 75",
            { QStringLiteral("--max-attempts"), QStringLiteral("2") });
        for (const auto& line : run.lines())
            if (line.contains("outcome") && line["outcome"] != "busy") {
                outcomes.push_back(line["outcome"]);
                EXPECT_EQ(line["code"], "exit_75");
            }
        return !outcomes.empty() && outcomes.back() == "dead";
    }));
    EXPECT_THAT(outcomes, ElementsAre("failed", "dead"));
    EXPECT_EQ(fileText("got"), "x\nx\n");
    EXPECT_EQ(stateOf("evt_1"), "DEAD");
    const auto letters = ctl("dlq list").lines();
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_THAT(letters[0].dump(), HasSubstr("no account 17"));
    EXPECT_THAT(letters[0].dump(), HasSubstr(server.url("refunds.succeeded")));
    EXPECT_EQ(server.pending("REFUNDS", "ledger"), (NatsServer::Pending{ 0, 0 }));
}

// Another system's event, of which only the dead letter is known here.
TEST_P(NatsTest, AReplayedEventTellsAllThatItToldAtFirst)
{
    const Headers attributes{ { "ce-id", "evt_1" }, { "ce-source", "/shop" }, { "ce-type", "refund%20made" },
        { "ce-subject", "rf%201" }, { "ce-time", "2026-03-01T02:03:04Z" }, { "ce-partitionkey", "account%207" },
        { "ce-correlationid", "req_1" }, { "ce-version", "7" }, { "ce-tenant", "north" },
        { "ce-dataschema", "https://shop.example/refund/1" }, { "Content-Type", "text/plain" }, { "X-Shop", "1" } };
    auto published = attributes;
    published.emplace_back("traceparent", "00-1-2-00");
    published.emplace_back("ce-traceparent", "00-1-2-00");
    server.publish("refunds.succeeded", published, "one");
    ASSERT_EQ(consumeOnce("exit 65").code, 1);
    ASSERT_EQ(ctl(QStringList{ QStringLiteral("plan"), QStringLiteral("replay"), QStringLiteral("--filter"),
                      QStringLiteral("state = DEAD"), QStringLiteral("--reason"), QStringLiteral("mended"),
                      QStringLiteral("--out"), path("replay.json") })
                  .code,
        0);
    QProcess relaying;
    start(relaying, withDatabase({ QStringLiteral("relay"), QStringLiteral("run") }));
    QProcess consuming;
    start(consuming, consumeOf(QStringLiteral("cat > got")));
    const auto applied =
        ctl(QStringList{ QStringLiteral("apply"), path("replay.json"), QStringLiteral("--ramp"), QStringLiteral("1") });
    EXPECT_EQ(applied.code, 0) << applied.err << applied.out;
    EXPECT_EQ(applied.json()["run"]["succeeded"], 1);
    for (auto* running : { &relaying, &consuming }) {
        ASSERT_TRUE(signalProcess(*running, SIGTERM));
        EXPECT_TRUE(running->waitForFinished());
    }
    const auto stored = server.messages("REFUNDS");
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored[1].payload, "one");
    for (const auto& [name, value] : attributes)
        EXPECT_EQ(linesOf(stored[1].headers, name), (std::vector<std::string_view>{ value })) << name;
    for (const auto* first : { "traceparent", "ce-traceparent" })
        EXPECT_THAT(linesOf(stored[1].headers, first), ::testing::IsEmpty()) << first;
    EXPECT_EQ(fileText("got"), "one");
    EXPECT_EQ(stateOf("evt_1"), "PROCESSED");
}

TEST_P(NatsTest, WhatCanNeverBeDoneIsDeadAtOnceAndASignalIsAFailure)
{
    add("never");
    add("killed");
    ASSERT_EQ(relay().code, 0);
    const auto run = consumeOnce("test $EVENT_ID = killed && kill -9 $$; exit 65");
    EXPECT_EQ(run.code, 1);
    std::map<std::string, std::string> outcomes;
    for (const auto& line : run.lines())
        if (line.contains("outcome"))
            outcomes[line["event_id"]] = line["outcome"].get<std::string>() + ' ' + line["code"].get<std::string>();
    EXPECT_EQ(outcomes["never"], "dead exit_65");
    EXPECT_EQ(outcomes["killed"].substr(0, 15), "failed signal_9");
}

TEST_P(NatsTest, ACommandThatIsNotThereCostsNoAttempt)
{
    add("evt_1");
    ASSERT_EQ(relay().code, 0);
    for (const auto* command : { "/nowhere/at/all", "no-such-command" }) {
        const auto run = plain(withDatabase({ QStringLiteral("consume"), QStringLiteral("--from"),
            QString::fromStdString(server.url("refunds.>")), QStringLiteral("--consumer"), QStringLiteral("ledger"),
            QStringLiteral("--once"), QStringLiteral("--"), QString::fromUtf8(command) }));
        EXPECT_EQ(run.code, 1);
        EXPECT_THAT(run.err, HasSubstr("There is no such command"));
    }
    EXPECT_EQ(stateOf("evt_1"), "") << "nobody has received it";
    EXPECT_EQ(consumeOnce("cat > got").code, 0);
}

// It would fail each time, and whatever is behind it would wait for ever.
TEST_P(NatsTest, AnEventWithMoreThanACommandCanBeToldIsDeadAtOnce)
{
    server.publish("refunds.a", { { "Content-Type", "application/cloudevents+json" } },
        R"({"specversion":"1.0","id":"long","source":"/shop","data":1,"type":")" + std::string(150'000, 'x') + "\"}");
    server.publish("refunds.a", { { "ce-id", "behind" }, { "ce-source", "/shop" } }, "{}");
    const auto run = consumeOnce("echo $EVENT_ID >> got");
    EXPECT_EQ(stateOf("long"), "DEAD") << run.out << run.err;
    EXPECT_EQ(stateOf("behind"), "PROCESSED") << run.out << run.err;
    EXPECT_EQ(fileText("got"), "behind\n");
}

// It is known by what stands before it, which a cut would take away.
TEST_P(NatsTest, ALongSecretInAnErrorIsHiddenBeforeTheErrorIsCut)
{
    add("evt_1");
    ASSERT_EQ(relay().code, 0);
    const auto run = consumeOnce("printf 'refused: password=' >&2; head -c 3000 /dev/zero | tr '\\0' 'S' >&2; exit 65");
    EXPECT_EQ(stateOf("evt_1"), "DEAD") << run.err;
    const auto letters = ctl("dlq list");
    EXPECT_THAT(letters.out, HasSubstr("refused: password="));
    for (const auto& text : { run.out, letters.out })
        EXPECT_THAT(text, ::testing::Not(HasSubstr("SSSSSSSS")));
}

TEST_P(NatsTest, AHandlerNeedNotReadWhatItIsGiven)
{
    server.publish("refunds.a", { { "ce-id", "large" }, { "ce-source", "/shop" } }, std::string(900'000, 'x'));
    const auto run = consumeOnce("exit 0");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(stateOf("large"), "PROCESSED");
}

TEST_P(NatsTest, AConsumerThatIsKilledLeavesItsEventToTheNextOne)
{
    add("evt_1");
    ASSERT_EQ(relay().code, 0);
    QProcess process;
    start(process, consumeOf(QStringLiteral("echo $$ > pid; echo $EVENT_ATTEMPT >> got; exec sleep 600")));
    ASSERT_TRUE(eventually([&] { return fileText("got") == "1\n"; }));
    EXPECT_EQ(stateOf("evt_1"), "PROCESSING");
    ASSERT_TRUE(signalProcess(process, SIGKILL));
    ASSERT_TRUE(process.waitForFinished());
    const auto handler = std::stoi(fileText("pid"));
    EXPECT_TRUE(eventually([&] { return testing::hasEnded(handler); })) << "it would work beside the next one";
    EXPECT_EQ(server.pending("REFUNDS", "ledger"), (NatsServer::Pending{ 0, 1 })) << "nobody acknowledged it";

    ASSERT_TRUE(eventually([&] {
        EXPECT_EQ(consumeOnce("echo $EVENT_ATTEMPT >> got").code, 0);
        return stateOf("evt_1") == "PROCESSED";
    }));
    EXPECT_EQ(fileText("got"), "1\n2\n");
    EXPECT_EQ(server.pending("REFUNDS", "ledger"), (NatsServer::Pending{ 0, 0 }));
}

TEST_P(NatsTest, ASignalEndsItBetweenTwoEvents)
{
    add("evt_1");
    add("evt_2");
    ASSERT_EQ(relay().code, 0);
    QProcess process;
    start(process,
        consumeOf(QStringLiteral("echo $EVENT_ID >> got; until test -e go; do sleep 0.05; done; echo end >> got")));
    ASSERT_TRUE(eventually([&] { return fileText("got") == "evt_1\n"; }));
    ASSERT_TRUE(signalProcess(process, SIGTERM));
    QFile go(path("go"));
    ASSERT_TRUE(go.open(QIODevice::WriteOnly));
    ASSERT_TRUE(process.waitForFinished());
    const auto run = runOf(process);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(fileText("got"), "evt_1\nend\n");
    EXPECT_EQ(run.json()["processed"], 1);
    EXPECT_EQ(stateOf("evt_1"), "PROCESSED");
}

TEST_P(NatsTest, AServerThatRestartsIsWaitedFor)
{
    QProcess process;
    start(process, consumeOf(QStringLiteral("echo $EVENT_ID >> got")));
    server.publish("refunds.a", { { "ce-id", "first" }, { "ce-source", "/shop" } }, "");
    ASSERT_TRUE(eventually([&] { return fileText("got") == "first\n"; })) << "it has begun";
    server.kill();
    server.start();
    add("evt_1");
    ASSERT_EQ(relay().code, 0);
    EXPECT_TRUE(eventually([&] { return fileText("got") == "first\nevt_1\n"; }));
    ASSERT_TRUE(signalProcess(process, SIGINT));
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_EQ(runOf(process).code, 0);
}

TEST_P(NatsTest, ADatabaseThatIsAwayIsWaitedFor)
{
    QProcess process;
    start(process, consumeOf(QStringLiteral("echo $EVENT_ID >> got")));
    const auto publish = [&](const char* id) {
        server.publish("refunds.a", { { "ce-id", id }, { "ce-source", "/shop" } }, "");
    };
    publish("first");
    ASSERT_TRUE(eventually([&] { return stateOf("first") == "PROCESSED"; })) << "it is marked, not only done";
    const bool file = GetParam() == store::Dialect::Sqlite;
    if (file) {
        ASSERT_TRUE(connection->execute("BEGIN EXCLUSIVE"));
    } else
        database.endSessions();
    publish("second");
    std::string errors;
    ASSERT_TRUE(eventually([&] {
        errors += process.readAllStandardError().toStdString();
        return errors.find("tried again until it works") != std::string::npos;
    })) << errors;
    if (file) {
        ASSERT_TRUE(connection->execute("ROLLBACK"));
    }
    EXPECT_TRUE(eventually([&] { return fileText("got") == "first\nsecond\n"; })) << errors;
    ASSERT_TRUE(signalProcess(process, SIGTERM));
    ASSERT_TRUE(process.waitForFinished());
    const auto run = runOf(process);
    EXPECT_EQ(run.code, 0) << errors << run.err;
    EXPECT_EQ(run.json()["processed"], 2);
    EXPECT_EQ(stateOf("second"), "PROCESSED");
}

TEST_P(NatsTest, WhatIsWrongIsSaidBeforeAnythingHappens)
{
    const auto to = [&](const std::string& url) {
        return ctl(QStringList{ QStringLiteral("relay"), QStringLiteral("run"), QStringLiteral("--once"),
            QStringLiteral("--to"), QString::fromStdString(url) });
    };
    EXPECT_EQ(to(server.url("refunds.a")).code, 0);
    EXPECT_EQ(to(server.url("refunds.>")).code, 2);
    const auto secret = to("nats://ann:s3cret@127.0.0.1/a");
    EXPECT_EQ(secret.code, 2);
    EXPECT_THAT(secret.err + secret.out, Not(HasSubstr("s3cret")));

    const auto from = [&](const std::string& url, const QString& consumer = QStringLiteral("ledger")) {
        return ctl(QStringList{ QStringLiteral("consume"), QStringLiteral("--once"), QStringLiteral("--from"),
            QString::fromStdString(url), QStringLiteral("--consumer"), consumer, QStringLiteral("--"),
            QStringLiteral("true") });
    };
    EXPECT_EQ(from("http://127.0.0.1/a").code, 2);
    EXPECT_EQ(from("nats://ann:s3cret@127.0.0.1/a").code, 2);
    EXPECT_EQ(from(server.url("refunds.a"), QStringLiteral("a b")).code, 2);
    const auto nowhere = from(server.url("nobody.there"));
    EXPECT_EQ(nowhere.code, 1);
    EXPECT_THAT(nowhere.err, HasSubstr("no stream for the subject nobody.there"));
    qputenv("FENCEPOST_NATS_USER", "ann");
    EXPECT_EQ(from(server.url("refunds.a")).code, 2) << "half of a name";
    qunsetenv("FENCEPOST_NATS_USER");

    add("evt_1");
    ASSERT_EQ(relay().code, 0);
    const auto missing = ctl(QStringList{ QStringLiteral("consume"), QStringLiteral("--once"), QStringLiteral("--from"),
        QString::fromStdString(server.url("REFUNDS")), QStringLiteral("--consumer"), QStringLiteral("ledger"),
        QStringLiteral("--"), QStringLiteral("/no/such/program") });
    EXPECT_EQ(missing.code, 1);
    EXPECT_THAT(missing.err, HasSubstr("There is no such command"));
    server.kill();
    const auto away = from(server.url("refunds.a"));
    EXPECT_EQ(away.code, 1);
    EXPECT_THAT(away.err, HasSubstr("cannot be reached"));
}

TEST_P(NatsTest, CredentialsComeFromTheEnvironment)
{
    NatsServer closed({}, "ann", "s3cret");
    ASSERT_EQ(closed.problem(), "");
    closed.addStream("REFUNDS", { "refunds.>" });
    add("evt_1");
    const auto to = QStringList{ QStringLiteral("relay"), QStringLiteral("run"), QStringLiteral("--once"),
        QStringLiteral("--to"), QString::fromStdString(closed.url("refunds.a")) };
    qputenv("FENCEPOST_NATS_USER", "ann");
    qputenv("FENCEPOST_NATS_PASSWORD", "s3cret");
    const auto sent = ctl(to);
    qunsetenv("FENCEPOST_NATS_USER");
    qunsetenv("FENCEPOST_NATS_PASSWORD");
    EXPECT_EQ(sent.code, 0) << sent.err << sent.out;
    EXPECT_EQ(closed.messages("REFUNDS").size(), 1U);
    EXPECT_THAT(sent.err + sent.out, Not(HasSubstr("s3cret")));
}

} // namespace
} // namespace fencepost::test
