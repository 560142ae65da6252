// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <QFile>
#include <QScopeGuard>
#include <QSslKey>
#include <QSslServer>

#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "core/store/runs.h"
#include "tests/e2e/ctl_fixture.h"
#include "tests/support/scripted_server.h"
#include "tests/support/tls_certificate.h"
#include "tests/support/wait.h"

namespace fencepost::test {
namespace {

using namespace fencepost::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Messages as an operator sees them, and the relay that sends them.
class MessagesTest : public CtlTest {
protected:
    void SetUp() override
    {
        CtlTest::SetUp();
        ASSERT_EQ(ctl("schema init").code, 0);
        connection = std::move(*database.connect());
    }

    void add(const std::string& id, const std::string& destination, std::optional<std::string> key = {})
    {
        OutboxEvent event;
        event.eventId = id;
        event.destination = destination;
        event.source = "/shop";
        event.type = "refund.succeeded";
        event.orderingKey = std::move(key);
        event.payload = R"({"id":")" + id + "\"}";
        event.correlationId = "req-1";
        const auto added = store::Outbox(*connection, {}).add(event);
        ASSERT_TRUE(added) << added.error().message << added.error().detail;
    }

    // Its handler gives it up at once.
    void bury(const std::string& id, const std::string& error)
    {
        Delivery delivery;
        delivery.id = { "ledger", "shop", id };
        delivery.payloadHash = sha256(id);
        delivery.payload = id;
        delivery.type = "refund.succeeded";
        store::Inbox inbox(*connection, {});
        const Owner owner{ "00000000-0000-4000-8000-000000000001" };
        ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
        ASSERT_TRUE(inbox.fail(delivery, owner, { "exit_1", error, false, {} }, 5));
    }

    CtlRun relay(const QStringList& more = {})
    {
        QProcess process;
        start(process,
            withDatabase(
                QStringList{ QStringLiteral("relay"), QStringLiteral("run"), QStringLiteral("--once") } + more));
        return servedRunOf(process);
    }

    CtlRun last; // of a relay

    static constexpr const char* waits = "tried again until it works";

    void beginOutage()
    {
        if (GetParam() == store::Dialect::PostgreSql)
            database.close();
        else
            ASSERT_TRUE(connection->execute("BEGIN EXCLUSIVE"));
    }
    void endOutage()
    {
        if (GetParam() == store::Dialect::Sqlite) {
            ASSERT_TRUE(connection->execute("ROLLBACK"));
            return;
        }
        database.open();
        connection = std::move(*database.connect());
    }

    // A relay that goes on until it is told to stop.
    class RunningRelay {
    public:
        explicit RunningRelay(const MessagesTest& test)
        {
            test.start(m_process,
                test.withDatabase({ QStringLiteral("relay"), QStringLiteral("run"), QStringLiteral("--every"),
                    QStringLiteral("50ms") }));
        }
        template <typename Condition> [[nodiscard]] bool until(Condition condition)
        {
            return eventually([&] { return condition(); });
        }
        const std::string& errors()
        {
            m_errors += m_process.readAllStandardError().toStdString();
            return m_errors;
        }
        [[nodiscard]] bool hasEnded() const { return m_process.state() == QProcess::NotRunning; }
        CtlRun result()
        {
            auto run = servedRunOf(m_process);
            m_errors += run.err;
            run.err = m_errors;
            return run;
        }
        CtlRun stop()
        {
            m_process.terminate();
            return result();
        }

    private:
        QProcess m_process;
        std::string m_errors;
    };

    std::map<std::string, int> counts(const char* words)
    {
        std::map<std::string, int> all;
        for (const auto& line : ctl(words).lines())
            if (const int count = line["count"].get<int>(); count > 0)
                all[line["state"]] = count;
        return all;
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, MessagesTest, bothDialects(), nameOfDialect);

TEST_P(MessagesTest, TheRelaySendsWhatIsDueAndSaysWhatBecameOfIt)
{
    ScriptedServer good({ answers(200) });
    ScriptedServer gone({ answers(410) });
    ScriptedServer bad({ answers(500) });
    add("a", good.url(), "key");
    add("b", good.url(), "key");
    add("c", gone.url());
    add("d", bad.url());
    const auto run = relay();
    EXPECT_EQ(run.code, 1) << run.err;
    const auto lines = run.lines();
    ASSERT_FALSE(lines.empty());
    std::map<std::string, std::string> outcomes;
    for (const auto& line : lines)
        if (line.contains("event_id"))
            outcomes[line["event_id"]] = line["outcome"];
    EXPECT_EQ(outcomes,
        (std::map<std::string, std::string>{ { "a", "sent" }, { "b", "sent" }, { "c", "dead" }, { "d", "failed" } }));
    EXPECT_EQ(lines.back()["sent"], 2);
    EXPECT_EQ(lines.back()["failed"], 1);
    EXPECT_EQ(lines.back()["dead"], 1);
    EXPECT_EQ(lines.back()["disabled"], 1);
    EXPECT_THAT(good.lines("ce-id"), ElementsAre("a", "b"));
    EXPECT_EQ(counts("outbox count"), (std::map<std::string, int>{ { "SENT", 2 }, { "DEAD", 1 }, { "PENDING", 1 } }));

    const auto disabled = ctl("relay disabled").lines();
    ASSERT_EQ(disabled.size(), 1U);
    EXPECT_EQ(disabled[0]["destination"], gone.url());
    const auto name = QString::fromStdString(gone.url());
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("relay"), QStringLiteral("enable"), name }).code, 0);
    EXPECT_EQ(ctl(QStringList{ QStringLiteral("relay"), QStringLiteral("enable"), name }).code, 3);
    EXPECT_EQ(relay().lines().back()["sent"], 0) << "nothing is due";
}

// A service behind a certificate of its own is known by SSL_CERT_FILE, as NATS is.
TEST_P(MessagesTest, AWebhookBehindACertificateOfItsOwnIsTalkedToWhereItIsVouchedFor)
{
    const auto self = makeCertificate(database.folder(), "IP:127.0.0.1");
    QFile key(self.key);
    ASSERT_TRUE(key.open(QIODevice::ReadOnly));
    auto tls = QSslConfiguration::defaultConfiguration();
    tls.setLocalCertificate(self.read().at(0));
    tls.setPrivateKey(QSslKey(&key, QSsl::Rsa));
    QSslServer server;
    server.setSslConfiguration(tls);
    int taken = 0;
    QObject::connect(&server, &QSslServer::pendingConnectionAvailable, &server, [&] {
        auto* socket = server.nextPendingConnection();
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [&taken, socket] {
            if (!socket->readAll().contains("}"))
                return;
            ++taken;
            socket->write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        });
    });
    ASSERT_TRUE(server.listen(QHostAddress::LocalHost));
    add("a", "https://127.0.0.1:" + std::to_string(server.serverPort()) + "/hooks");
    EXPECT_EQ(relay().lines().back()["failed"], 1);
    EXPECT_EQ(taken, 0);

    const auto trusting = [&](const QString& file) {
        qputenv("SSL_CERT_FILE", file.toUtf8());
        const auto restore = qScopeGuard([] { qunsetenv("SSL_CERT_FILE"); });
        ASSERT_TRUE(connection->execute(GetParam() == store::Dialect::Sqlite
                ? "UPDATE outbox_messages SET next_attempt_at = 0"
                : "UPDATE outbox_messages SET next_attempt_at = timestamptz 'epoch'"));
        last = relay();
    };
    trusting(self.key);
    EXPECT_EQ(last.code, 2);
    EXPECT_THAT(last.err, HasSubstr("SSL_CERT_FILE"));
    trusting(self.certificate);
    EXPECT_EQ(last.lines().back()["sent"], 1) << last.out << last.err;
    EXPECT_EQ(taken, 1);
}

TEST_P(MessagesTest, WhatWaitsForADisabledDestinationIsSaidAndItsEnablingIsAudited)
{
    ScriptedServer gone({ answers(410), answers(200) });
    add("first", gone.url());
    EXPECT_EQ(relay().code, 1);
    const auto letter = ctl("dlq list").json()["identity"][0].get<std::string>();
    EXPECT_THAT(ctl(QStringList{ QStringLiteral("dlq"), QStringLiteral("show"), QString::fromStdString(letter) }).out,
        HasSubstr("its destination is disabled"));

    add("second", gone.url());
    const auto run = relay();
    EXPECT_EQ(run.code, 1) << "not everything was delivered";
    EXPECT_EQ(run.lines().back()["sent"], 0);
    EXPECT_THAT(run.err, HasSubstr("1 messages wait for a disabled destination, such as \"" + gone.url() + "\""));

    const QStringList enable{ QStringLiteral("relay"), QStringLiteral("enable"), QString::fromStdString(gone.url()),
        QStringLiteral("--reason"), QStringLiteral("the partner is back") };
    EXPECT_EQ(ctl(enable).code, 0);
    EXPECT_EQ(ctl(enable).code, 3);
    std::vector<nlohmann::json> entries;
    for (const auto& entry : ctl("audit list").lines())
        if (entry["verb"] == "enable_destination")
            entries.push_back(entry);
    ASSERT_EQ(entries.size(), 1U) << "what changed nothing has no entry";
    EXPECT_EQ(entries[0]["reason"], "the partner is back");
    EXPECT_EQ(entries[0]["outcome"], "changed");
    EXPECT_THAT(entries[0].dump(), AllOf(HasSubstr(gone.url()), HasSubstr("disabled_because"), HasSubstr("410")));
    EXPECT_EQ(ctl("audit verify").code, 0);

    const auto after = relay();
    EXPECT_EQ(after.code, 0) << after.err;
    EXPECT_EQ(after.lines().back()["sent"], 1);
    EXPECT_THAT(ctl(QStringList{ QStringLiteral("dlq"), QStringLiteral("show"), QString::fromStdString(letter) }).out,
        ::testing::Not(HasSubstr("is disabled")));
}

// A server that lets nobody in, a file that somebody else has locked for longer than anybody waits.
TEST_P(MessagesTest, ARunThatGoesOnOutlastsItsDatabase)
{
    ScriptedServer server({ answers(200) });
    add("before", server.url());
    RunningRelay run(*this);
    ASSERT_TRUE(run.until([&] { return server.requests().size() == 1; }));
    add("during", server.url());
    beginOutage();
    ASSERT_TRUE(run.until([&] { return run.errors().find(waits) != std::string::npos; })) << run.errors();
    endOutage();
    ASSERT_TRUE(run.until([&] { return server.requests().size() >= 2; })) << run.errors();
    ASSERT_TRUE(run.until([&] { return run.errors().find("works again") != std::string::npos; })) << run.errors();
    add("after", server.url());
    ASSERT_TRUE(run.until([&] { return server.lines("ce-id").back() == "after"; })) << run.errors();
    const auto done = run.stop();
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.json()["sent"], 3);
    EXPECT_THAT(server.lines("ce-id"), ElementsAre("before", "during", "after"));
    const auto first = done.err.find(waits);
    EXPECT_EQ(done.err.find(waits, first + 1), std::string::npos) << "it is said once: " << done.err;
    EXPECT_EQ(counts("outbox count"), (std::map<std::string, int>{ { "SENT", 3 } }));
}

TEST_P(MessagesTest, ARunThatWaitsForItsDatabaseIsStopped)
{
    ScriptedServer server({ answers(200) });
    add("before", server.url());
    RunningRelay run(*this);
    ASSERT_TRUE(run.until([&] { return server.requests().size() == 1; }));
    beginOutage();
    ASSERT_TRUE(run.until([&] { return run.errors().find(waits) != std::string::npos; })) << run.errors();
    const auto done = run.stop();
    endOutage();
    EXPECT_EQ(done.code, 0) << done.err;
}

TEST_P(MessagesTest, ARunEndsWhereNoWaitingHelps)
{
    ScriptedServer server({ answers(200) });
    add("a", server.url());
    RunningRelay run(*this);
    ASSERT_TRUE(run.until([&] { return server.requests().size() == 1; }));
    ASSERT_TRUE(connection->execute("DROP TABLE outbox_messages"));
    ASSERT_TRUE(run.until([&] { return run.hasEnded(); }));
    const auto done = run.result();
    EXPECT_EQ(done.code, 1);
    EXPECT_THAT(done.err, HasSubstr("A table is missing"));
    EXPECT_THAT(done.err, HasSubstr("fencepostctl schema init"));
    EXPECT_EQ(done.err.find(waits), std::string::npos);
}

TEST_P(MessagesTest, ARunThatGoesOnHasFailedWhereSomethingIsDead)
{
    ScriptedServer bad({ answers(503) });
    ScriptedServer gone({ answers(410) });
    add("a", bad.url());
    RunningRelay failing(*this);
    ASSERT_TRUE(failing.until(
        [&] { return number("SELECT count(*) FROM outbox_messages WHERE status = 'PENDING' AND attempt = 1") == 1; }));
    const auto failed = failing.stop();
    EXPECT_EQ(failed.code, 0) << "it is sent again: " << failed.err;
    EXPECT_EQ(failed.json()["failed"], 1);
    add("b", gone.url());
    RunningRelay dying(*this);
    ASSERT_TRUE(dying.until([&] { return counts("outbox count")["DEAD"] == 1; }));
    EXPECT_EQ(dying.stop().code, 1);
}

// Whoever names a descriptor means what it gives.
TEST_P(MessagesTest, ASecretThatCannotBeReadSendsNothing)
{
    const auto refused = ctl("relay run --once --secret-fd 99");
    EXPECT_NE(refused.code, 0) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("The secret's file descriptor"));
}

TEST_P(MessagesTest, WhatNobodyHereCanSendIsSaid)
{
    ScriptedServer server({ answers(200) });
    add("a", server.url());
    add("b", "kafka://broker/refunds");
    add("c", "ftp://host/refunds");
    const auto run = relay();
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.lines().back()["sent"], 1);
    EXPECT_THAT(run.err, HasSubstr("2 due messages have a destination that nothing here can send to"));
    EXPECT_THAT(run.err, HasSubstr("ftp://host/refunds"));
    EXPECT_EQ(counts("outbox count"), (std::map<std::string, int>{ { "SENT", 1 }, { "PENDING", 2 } }));
}

// As it stands there, word by word.
TEST_P(MessagesTest, AnEventThatIsInsertedAsTheReadmeSaysIsSent)
{
    QFile readme(QStringLiteral(FENCEPOST_README));
    ASSERT_TRUE(readme.open(QIODevice::ReadOnly));
    const auto text = readme.readAll();
    const auto begin = text.indexOf(QByteArray("```sql\n-- ")
        + (GetParam() == store::Dialect::Sqlite ? QByteArray("SQLite") : QByteArray("PostgreSQL")));
    ASSERT_GE(begin, 0);
    const auto statement = text.mid(begin + 7, text.indexOf(";\n```", begin) - begin - 7);
    const auto inserted = connection->execute(statement.toStdString());
    ASSERT_TRUE(inserted) << inserted.error().detail;
    ScriptedServer server({ answers(200) });
    EXPECT_EQ(relay({ QStringLiteral("--to"), QString::fromStdString(server.url()) }).code, 0);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0].body, "{\"refund\":\"rf_7\"}");
    for (const auto& [name, value] : std::map<std::string, std::string>{ { "ce-id", "evt_7" },
             { "ce-source", "/payments" }, { "ce-type", "refund.succeeded" }, { "ce-subject", "rf_7" },
             { "ce-partitionkey", "account%207" }, { "Content-Type", "application/json" } })
        EXPECT_THAT(server.lines(name), ElementsAre(value)) << name;
}

// Everything is older than a retention of nothing, and only what nobody has to do anything about goes.
TEST_P(MessagesTest, TheReaperForgetsWhatIsOverAndNothingElse)
{
    ScriptedServer good({ answers(200) });
    ScriptedServer gone({ answers(410) });
    ScriptedServer bad({ answers(500) });
    add("sent", good.url());
    add("dead", gone.url());
    add("discarded", gone.url("/other"));
    add("failing", bad.url());
    EXPECT_EQ(relay().code, 1);
    ASSERT_EQ(ctl("plan discard --filter key=discarded --reason r --out p").code, 0);
    ASSERT_EQ(ctl("apply p").code, 0);
    store::Inbox inbox(*connection, {});
    const Owner owner{ "00000000-0000-4000-8000-000000000001" };
    for (const auto* id : { "processed", "received" }) {
        Delivery delivery;
        delivery.id = { "ledger", "shop", id };
        delivery.payloadHash = sha256(id);
        ASSERT_TRUE(inbox.receive(delivery, { owner, std::chrono::seconds(30), 5 }));
        if (id == std::string("processed")) {
            ASSERT_TRUE(inbox.settle(delivery.id, owner, {}));
        }
    }
    store::Runs runs(*connection, {});
    for (const auto* id : { "over", "paused" }) {
        OperationRun run;
        run.requestId = id;
        run.verb = "replay";
        run.binding = "dead_letters";
        run.plan = "{}";
        run.settings = "{}";
        ASSERT_TRUE(runs.begin(run));
        ASSERT_TRUE(runs.put(id, { { 1, "[\"a\"]", "changed", "" } }));
        ASSERT_TRUE(runs.enter(id, id == std::string("over") ? RunPhase::Done : RunPhase::Paused, ""));
    }

    EXPECT_FALSE(ctl("reap").json().contains("outbox")) << "nobody asked";
    EXPECT_EQ(ctl("reap --outbox-retention 1h").json()["outbox"], 0) << "it is not that old";
    EXPECT_EQ(ctl("reap --outbox-retention soon").code, 2);
    const auto done =
        ctl("reap --batch 1 --inbox-retention 0s --outbox-retention 0s --dlq-retention 0s --runs-retention 0s");
    EXPECT_EQ(done.code, 0) << done.err;
    for (const auto& [table, rows] :
        std::map<std::string, int>{ { "outbox", 2 }, { "dead_letters", 1 }, { "inbox", 1 }, { "runs", 1 } })
        EXPECT_EQ(done.json()[table], rows) << table;
    EXPECT_EQ(counts("outbox count"), (std::map<std::string, int>{ { "DEAD", 1 }, { "PENDING", 1 } }));
    EXPECT_EQ(counts("dlq count"), (std::map<std::string, int>{ { "DEAD", 1 } }));
    EXPECT_EQ(counts("inbox count"), (std::map<std::string, int>{ { "PROCESSING", 1 } }));
    EXPECT_EQ(number("SELECT count(*) FROM operation_runs"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM run_items"), 1);
}

TEST_P(MessagesTest, AUserInADestinationStaysOutOfSight)
{
    const std::string secret = "https://ann:s3cret@127.0.0.1:9/hooks";
    const std::string shown = "https://***@127.0.0.1:9/hooks";
    add("a", secret, "key");
    add("b", secret, "key");
    const auto run = relay();
    EXPECT_EQ(run.lines().front()["destination"], shown);
    EXPECT_EQ(run.lines().front()["outcome"], "dead");
    std::string said = run.out + run.err;
    const auto letter = ctl("dlq list").json()["identity"][0].get<std::string>();
    store::Outbox outbox(*connection, {});
    ASSERT_TRUE(outbox.disable(secret, "relay", "answered for " + secret));
    for (const auto* words :
        { "outbox list", "outbox show 1", "outbox backlog", "dlq list", "dlq groups", "relay disabled" })
        for (const bool json : { true, false }) {
            auto arguments = withDatabase(QString::fromUtf8(words).split(QLatin1Char(' ')));
            if (!json)
                arguments.removeAll(QStringLiteral("--json"));
            const auto listed = plain(arguments);
            EXPECT_EQ(listed.code, 0) << words << listed.err;
            said += listed.out + listed.err;
        }
    EXPECT_EQ(ctl("relay disabled").json()["destination"], shown);
    const std::map<const char*, const char*> refusals{
        { "relay run --once --to", "https://ann:s3cret@127.0.0.1:99999/?token=s3cret" },
        { "relay run --to", "https://127.0.0.1:99999/?token=s3cret" },
        { "relay enable", "https://ann:s3cret@127.0.0.1:8/hooks" },
    };
    for (const auto& [command, destination] : refusals) {
        const auto refused =
            ctl(QString::fromUtf8(command).split(QLatin1Char(' ')) + QStringList{ QString::fromUtf8(destination) });
        EXPECT_NE(refused.code, 0);
        said += refused.out + refused.err;
    }
    EXPECT_THAT(ctl(QStringList{ QStringLiteral("dlq"), QStringLiteral("show"), QString::fromStdString(letter) }).out,
        ::testing::Not(HasSubstr("s3cret")));
    EXPECT_EQ(said.find("s3cret"), std::string::npos) << said;

    const auto enable = [&](const std::string& destination) {
        return ctl(
            QStringList{ QStringLiteral("relay"), QStringLiteral("enable"), QString::fromStdString(destination) });
    };
    EXPECT_EQ(enable(shown).code, 0) << "as it is listed";
    EXPECT_EQ(enable(shown).code, 3);
    ASSERT_TRUE(outbox.disable(secret, "relay", "gone"));
    ASSERT_TRUE(outbox.disable("https://bob@127.0.0.1:9/hooks", "relay", "gone"));
    EXPECT_EQ(enable(shown).code, 1) << "two are listed like this";
    EXPECT_EQ(enable(secret).code, 0);
    EXPECT_EQ(enable(shown).code, 0);
}

TEST_P(MessagesTest, OneAddressForAllAndSecretsThatStayOutOfSight)
{
    ScriptedServer server({ answers(200) });
    add("a", "http://127.0.0.1:9/unreachable");
    EXPECT_EQ(relay({ QStringLiteral("--to"), QString::fromStdString(server.url("/all")) }).code, 0);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0].target, "/all");
    EXPECT_EQ(relay({ QStringLiteral("--to"), QStringLiteral("ftp://x") }).code, 2);
    EXPECT_EQ(relay({ QStringLiteral("--schedule"), QStringLiteral("never") }).code, 2);
    EXPECT_EQ(relay({ QStringLiteral("--lease"), QStringLiteral("1s") }).code, 2);
    qputenv("FENCEPOST_WEBHOOK_SECRET", "whsec_dG9vc2hvcnQ=");
    const auto refused = relay();
    qunsetenv("FENCEPOST_WEBHOOK_SECRET");
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err.find("dG9vc2hvcnQ"), std::string::npos);
}

TEST_P(MessagesTest, AreListedCountedAndShown)
{
    add("evt-1", "http://127.0.0.1:9/hooks", "order-7");
    bury("dead-1", "no account 17");
    bury("dead-2", "no account 99");
    bury("dead-3", "timeout");

    const auto rows = ctl("outbox list --filter order_key=order-7").lines();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0]["key"], "evt-1");
    EXPECT_EQ(rows[0]["state"], "PENDING");
    EXPECT_EQ(rows[0]["queue"], "http://127.0.0.1:9/hooks");
    const auto seq = QString::fromStdString(rows[0]["identity"][0].get<std::string>());
    for (const auto& id : { seq, QStringLiteral("evt-1") }) {
        const auto shown = ctl(QStringList{ QStringLiteral("outbox"), QStringLiteral("show"), id });
        EXPECT_EQ(shown.code, 0) << shown.err;
        EXPECT_EQ(shown.json()["correlation_id"], "req-1");
        EXPECT_THAT(shown.json()["payloads"].dump(), HasSubstr("evt-1"));
    }
    EXPECT_EQ(ctl("outbox show 999").code, 1);
    EXPECT_EQ(ctl("outbox list --filter correlation=req-1").lines().size(), 1U);

    EXPECT_EQ(counts("inbox count"), (std::map<std::string, int>{ { "DEAD", 3 } }));
    EXPECT_EQ(counts("dlq count"), (std::map<std::string, int>{ { "DEAD", 3 } }));
    EXPECT_EQ(ctl("inbox show ledger shop dead-1").json()["state"], "DEAD");
    const auto groups = ctl("dlq groups").lines();
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0]["pattern"], "no account <n>");
    EXPECT_EQ(groups[0]["dead"], 2);
    EXPECT_EQ(groups[0]["last_hour"], 2);
    const auto filter = QString::fromStdString("group = " + groups[0]["group"].get<std::string>());
    const auto alike =
        ctl(QStringList{ QStringLiteral("dlq"), QStringLiteral("list"), QStringLiteral("--filter"), filter }).lines();
    ASSERT_EQ(alike.size(), 2U);
    EXPECT_THAT(alike[0]["error"].get<std::string>(), HasSubstr("no account"));
    EXPECT_EQ(ctl("dlq list --filter state=DEAD --limit 1").lines().size(), 1U);
    EXPECT_EQ(ctl("dlq show dead-3").json()["extra"]["died_as"], "inbox");
}

TEST_P(MessagesTest, AnErrorKeepsItsSecretsWhoeverListsIt)
{
    bury("told-1",
        "api_key=sk_live_abcdefghijklmnop card 4111111111111111 mail joe@example.org "
        "postgres://u:hunter2@db/x gave up");
    const std::initializer_list<const char*> secrets = { "sk_live_", "4111111111111111", "joe@example.org", "hunter2" };
    for (const auto* command : { "dlq list", "dlq groups", "dlq show told-1" }) {
        for (const auto& run : { ctl(command), text(QString::fromLatin1(command).split(QLatin1Char(' '))) }) {
            EXPECT_EQ(run.code, 0) << command;
            EXPECT_THAT(run.out, HasSubstr("gave up")) << command;
            for (const auto* secret : secrets)
                EXPECT_THAT(run.out, ::testing::Not(HasSubstr(secret))) << command;
        }
    }
    EXPECT_THAT(text({ QStringLiteral("dlq"), QStringLiteral("show"), QStringLiteral("told-1") }).err,
        HasSubstr("--reveal WHY shows it"));
    EXPECT_EQ(ctl("dlq show told-1").json()["hidden"], nlohmann::json({ "error" }));
    const auto revealed = ctl("dlq show told-1 --reveal INC-7");
    for (const auto* secret : { "sk_live_", "4111111111111111", "joe@example.org" })
        EXPECT_THAT(revealed.out, HasSubstr(secret));
}

} // namespace
} // namespace fencepost::test
