// SPDX-License-Identifier: GPL-3.0-or-later
#include <future>

#include <QCoreApplication>
#include <QFile>

#include "tests/e2e/lab_fixture.h"
#include "tests/support/scripted_server.h"
#include "tests/support/wait.h"

namespace fencepost::test {

namespace {

class LabFaultTest : public LabTest {
protected:
    // The client as a process, beside the lab.
    struct ClientRun {
        int code = -1;
        nlohmann::json report;
    };
    ClientRun drive(const char* words) const
    {
        QProcess client;
        client.setWorkingDirectory(database.folder());
        client.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        client.start(QStringLiteral(FENCEPOST_LAB),
            QStringList{ QStringLiteral("client"), QStringLiteral("--json"), QStringLiteral("--url"),
                QStringLiteral("http://127.0.0.1:%1").arg(port) }
                + QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts));
        EXPECT_TRUE(client.waitForFinished(300'000));
        ClientRun run{ client.exitCode(),
            nlohmann::json::parse(client.readAllStandardOutput().toStdString(), nullptr, false) };
        EXPECT_TRUE(run.report.is_object());
        return run;
    }
    WireAnswer faulty(const std::string& fault, const std::string& key)
    {
        return post("/payments", key, tenEuros, { { "Fencepost-Fault", fault } });
    }
    const std::string tenEuros = R"({"amount":1000,"currency":"EUR"})";
};

INSTANTIATE_TEST_SUITE_P(Lab, LabFaultTest, bothDialects(), nameOfDialect);

// What one request hears, whether it was executed, and what the same request hears afterwards.
struct FaultCase {
    const char* fault;
    int status; // 0: nothing
    bool reset;
    bool executed;
};

TEST_P(LabFaultTest, BefallsTheRequestThatAsksForIt)
{
    start();
    int payments = 0;
    for (const auto& [fault, status, reset, executed] : {
             FaultCase{ "delay=10ms", 201, false, true },
             FaultCase{ "timeout-before=10ms", 0, false, false },
             FaultCase{ "timeout-after=10ms", 0, false, true },
             FaultCase{ "reset-before", 0, true, false },
             FaultCase{ "reset-after", 0, true, true },
             FaultCase{ "429=7s", 429, false, false },
             FaultCase{ "5xx=502", 502, false, false },
             FaultCase{ "database-down", 503, false, false },
             FaultCase{ "slow-database=10ms", 201, false, true },
             FaultCase{ "duplicate", 201, false, true },
             FaultCase{ "delay=10ms, 5xx=504", 504, false, false },
             FaultCase{ "5xx:0%", 201, false, true },
             FaultCase{ "5xx:attempt2", 201, false, true },
         }) {
        SCOPED_TRACE(fault);
        const auto key = "key of " + std::string(fault);
        auto answer = faulty(fault, '"' + key + '"');
        // Either of the two may have come first.
        while (answer.status == 409)
            answer = post("/payments", '"' + key + '"', tenEuros);
        EXPECT_EQ(answer.status, status) << answer.body;
        EXPECT_EQ(answer.reset, reset);
        payments += executed ? 1 : 0;
        EXPECT_EQ(entries("payment"), payments);
        const auto again = post("/payments", '"' + key + '"', tenEuros);
        EXPECT_EQ(again.status, 201) << again.body;
        EXPECT_EQ(again.header("Idempotency-Status"), executed ? "replayed" : "stored");
        payments += executed ? 0 : 1;
        EXPECT_EQ(entries("payment"), payments);
    }
    const auto busy = faulty("429=7s", "busy");
    EXPECT_EQ(busy.header("Retry-After"), "7");
    EXPECT_EQ(busy.code(), "RATE_LIMIT.exceeded");
    EXPECT_EQ(faulty("nonsense", "nonsense").status, 400);
}

TEST_P(LabFaultTest, BefallsAllWhereTheAdministratorSaysSo)
{
    start("--fault 5xx=500:x1");
    EXPECT_EQ(post("/payments", "k-1", tenEuros).status, 500);
    EXPECT_EQ(post("/payments", "k-1", tenEuros).status, 201) << "once only";
    EXPECT_EQ(ask("POST", "/admin/faults", {}, R"({"faults":["429:x1","delay=1ms"]})").json().size(), 3U);
    EXPECT_EQ(post("/payments", "k-2", tenEuros).status, 429);
    const auto listed = ask("GET", "/admin/faults").json();
    EXPECT_EQ(listed.at(0), (nlohmann::json{ { "fault", "5xx=500:x1" }, { "hits", 1 } }));
    EXPECT_EQ(listed.at(1), (nlohmann::json{ { "fault", "429:x1" }, { "hits", 1 } }));
    EXPECT_EQ(ask("POST", "/admin/faults", {}, R"({"fault":"crash"})").status, 400);
    EXPECT_EQ(ask("DELETE", "/admin/faults").body, "[]");
    EXPECT_EQ(ask("PATCH", "/admin/faults").status, 405);
}

// The real store, really away: nothing is executed, and the same request is welcome afterwards.
TEST_P(LabFaultTest, FailsClosedWhileTheDatabaseIsAway)
{
    start();
    EXPECT_EQ(post("/payments", "before", tenEuros).status, 201);
    auto rival = database.connect();
    ASSERT_TRUE(rival);
    if (GetParam() == store::Dialect::Sqlite) {
        ASSERT_TRUE((*rival)->execute("BEGIN IMMEDIATE"));
    } else {
        rival->reset();
        database.administrate("ALTER DATABASE " + database.target().database + " ALLOW_CONNECTIONS false");
        database.endSessions();
    }
    const auto away = post("/payments", "during", tenEuros);
    EXPECT_EQ(away.status, 503) << away.body;
    EXPECT_EQ(away.code(), "DEPENDENCY.unavailable");
    EXPECT_NE(away.header("Retry-After"), "");
    if (GetParam() == store::Dialect::Sqlite)
        ASSERT_TRUE((*rival)->execute("ROLLBACK"));
    else
        database.administrate("ALTER DATABASE " + database.target().database + " ALLOW_CONNECTIONS true");
    auto back = post("/payments", "during", tenEuros);
    for (int i = 0; i < 10 && back.status == 503; ++i) // each worker meets its own lost connection once
        back = post("/payments", "during", tenEuros);
    EXPECT_EQ(back.status, 201) << back.body;
    EXPECT_EQ(back.header("Idempotency-Status"), "stored");
    EXPECT_EQ(entries("payment"), 2);
}

TEST_P(LabFaultTest, SendsEachEventWithOneIdHoweverOften)
{
    testing::ScriptedServer receiver({ testing::answers(500), testing::answers(204) });
    start(QStringList{ QStringLiteral("--webhook"), QString::fromStdString(receiver.url("/hooks")),
        QStringLiteral("--fault"), QStringLiteral("duplicate-event") });
    const auto refund = post("/refunds", "refund-1", refundOf(payment(), 1000));
    ASSERT_EQ(refund.status, 201) << refund.body;
    // The first is refused and sent again; the duplicate is a delivery of its own.
    ASSERT_TRUE(testing::eventually([&] { return receiver.requests().size() >= 3; }));
    for (const auto& request : receiver.requests()) {
        const auto event = nlohmann::json::parse(request.body);
        EXPECT_EQ(event["type"], "refund.succeeded");
        EXPECT_EQ(event["data"]["id"], refund.id());
        EXPECT_EQ(event["id"], receiver.lines("webhook-id").front());
        EXPECT_EQ(event["id"], receiver.lines("idempotency-key").front());
    }
}

TEST_P(LabFaultTest, ARequestMayAskThatItsEventIsSentTwice)
{
    testing::ScriptedServer receiver({ testing::answers(204) });
    start(QStringList{ QStringLiteral("--webhook"), QString::fromStdString(receiver.url("/hooks")) });
    const auto charge = payment();
    const auto refund = post("/refunds", "twice", refundOf(charge, 1000), { { "Fencepost-Fault", "duplicate-event" } });
    ASSERT_EQ(refund.status, 201) << refund.body;
    ASSERT_TRUE(testing::eventually([&] { return receiver.requests().size() == 2; }));
    ASSERT_EQ(post("/refunds", "once", refundOf(charge, 2000)).status, 201);
    ASSERT_TRUE(testing::eventually([&] { return receiver.requests().size() == 3; }));
    EXPECT_EQ(receiver.lines("webhook-id")[0], receiver.lines("webhook-id")[1]);
    EXPECT_NE(receiver.lines("webhook-id")[0], receiver.lines("webhook-id")[2]);
}

TEST_P(LabFaultTest, SendsEventsAgainAfterTheDatabaseWasAway)
{
    testing::ScriptedServer receiver({ testing::answers(204) });
    start(QStringList{ QStringLiteral("--webhook"), QString::fromStdString(receiver.url("/hooks")) });
    ASSERT_EQ(post("/refunds", "before", refundOf(payment(), 1000)).status, 201);
    // Of another payment: one of the same would wait for an event that was not marked before the database was away.
    const auto charge = payment(200'000);
    ASSERT_TRUE(testing::eventually([&] { return receiver.requests().size() == 1; }));
    database.endSessions();
    ASSERT_EQ(database.problem(), "");
    auto after = post("/refunds", "after", refundOf(charge, 2000));
    for (int i = 0; i < 10 && after.status == 503; ++i) // each worker meets its own lost connection once
        after = post("/refunds", "after", refundOf(charge, 2000));
    ASSERT_EQ(after.status, 201) << after.body;
    EXPECT_TRUE(testing::eventually([&] { return receiver.requests().size() == 2; }));
}

// The client owns the retries, whatever the lab does to it.
TEST_P(LabFaultTest, LeavesOneEffectForEachOperationOfTheClient)
{
    start("--mode reserve --lease 2s --in-flight wait");
    const auto quiet = drive("--requests 30 --concurrency 8");
    EXPECT_EQ(quiet.code, 0) << quiet.report;
    EXPECT_EQ(quiet.report["succeeded"], 30);
    EXPECT_EQ(quiet.report["effects"]["once"], 30);
    EXPECT_GE(quiet.report["attempts"], 30);

    const auto doubled = drive("--requests 20 --duplicates 2 --concurrency 3");
    EXPECT_EQ(doubled.code, 0) << doubled.report;
    EXPECT_GE(doubled.report["calls"], 60);
    EXPECT_EQ(doubled.report["effects"]["once"], 20);
    EXPECT_GE(doubled.report["replayed"], 40);

    const auto broken = drive("--requests 20 --concurrency 4 --journal calls.db --faults "
                              "reset-after:20%,reset-before:10%,5xx:10%,429=100ms:10%,duplicate:20%");
    EXPECT_EQ(broken.code, 0) << broken.report;
    EXPECT_EQ(broken.report["succeeded"], 20);
    EXPECT_EQ(broken.report["effects"]["once"], 20);
    EXPECT_EQ(broken.report["effects"]["doubled"], 0);
    EXPECT_GT(broken.report["attempts"], 20);
}

// What happened is told, whatever state the client's breaker is in when it is judged.
TEST_P(LabFaultTest, ReportsAnOutage)
{
    start();
    const auto outage = drive("--requests 40 --concurrency 10 --rounds 0 --faults 5xx=503:100%");
    EXPECT_EQ(outage.code, 1) << outage.report;
    EXPECT_EQ(outage.report["operations"], 40);
    EXPECT_EQ(outage.report["unsettled"], 40);
    EXPECT_EQ(outage.report["effects"]["once"], 0);
    EXPECT_EQ(outage.report["sound"], true);
    EXPECT_GE(outage.report["retries"], 0);
    // One breaker for all: it opens after twenty failures, and what is on its way then still ends.
    const auto crowd = drive("--requests 200 --concurrency 30 --rounds 0 --faults 5xx=503:100%");
    EXPECT_LE(crowd.report["attempts"], 20 + 30 + 3);
    EXPECT_GE(crowd.report["retries"], 0);
    QProcess wrong;
    wrong.start(QStringLiteral(FENCEPOST_LAB),
        { QStringLiteral("client"), QStringLiteral("--url"), QStringLiteral("http://127.0.0.1:%1").arg(port),
            QStringLiteral("--faults"), QStringLiteral("crap") });
    ASSERT_TRUE(wrong.waitForFinished(120'000));
    EXPECT_EQ(wrong.exitCode(), 2) << wrong.readAllStandardError().toStdString();
}

// Asking again means asking: while its own breaker is open, the client waits instead of using its rounds up.
TEST_P(LabFaultTest, WaitsForItsBreakerBeforeItGivesUp)
{
    start();
    auto client = std::async(
        std::launch::async, [this] { return drive("--requests 60 --concurrency 10 --rounds 2 --faults delay=200ms"); });
    ASSERT_TRUE(testing::eventually([&] { return !ask("GET", "/ledger").json()["entries"].empty(); }));
    ASSERT_EQ(ask("POST", "/admin/faults", {}, R"({"fault":"5xx=503:x20"})").status, 200);
    const auto outage = client.get();
    EXPECT_EQ(outage.code, 0) << outage.report;
    EXPECT_EQ(outage.report["succeeded"], 60);
    EXPECT_EQ(outage.report["effects"]["once"], 60);
}

// A console is no part of the lab: what it shows is in the database while the lab writes it.
TEST_P(LabFaultTest, IsSeenLiveByTheCommandLine)
{
    start("--mode reserve");
    EXPECT_EQ(post("/payments", "seen-live", tenEuros).status, 201);
    QProcess ctl;
    ctl.start(QStringLiteral(FENCEPOSTCTL),
        { QStringLiteral("--db"), QString::fromStdString(database.url()), QStringLiteral("--json"),
            QStringLiteral("keys"), QStringLiteral("list") });
    ASSERT_TRUE(ctl.waitForFinished(120'000));
    EXPECT_EQ(ctl.exitCode(), 0) << ctl.readAllStandardError().toStdString();
    const auto listed = ctl.readAllStandardOutput().toStdString();
    EXPECT_THAT(listed, ::testing::HasSubstr("seen-live"));
    EXPECT_THAT(listed, ::testing::HasSubstr("SUCCEEDED"));
}

TEST_P(LabFaultTest, TheClientTellsOfItsAttempts)
{
    start();
    const auto run =
        drive("--requests 20 --concurrency 4 --faults 5xx=503:20% --otlp client.otlp --metrics client.prom");
    EXPECT_EQ(run.code, 0) << run.report;
    const auto linesOf = [&](const char* name) {
        QFile file(database.folder() + QLatin1Char('/') + QLatin1String(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    };
    int counted = 0;
    for (const auto& line : linesOf("client.prom"))
        if (line.startsWith(QLatin1String("retry_attempts_total{")))
            counted += line.section(QLatin1Char(' '), -1).toInt();
    EXPECT_EQ(counted, run.report["attempts"]);
    int attempts = 0;
    int calls = 0;
    for (const auto& line : linesOf("client.otlp")) {
        const auto span =
            nlohmann::json::parse(line.toStdString()).at("/resourceSpans/0/scopeSpans/0/spans/0"_json_pointer);
        (span["name"] == "lab.refund" ? calls : attempts) += 1;
        EXPECT_EQ(span["attributes"][0]["key"], "idempotency_key");
        EXPECT_EQ(span["attributes"][0]["value"]["stringValue"].get<std::string>().size(), 64U) << "hashed";
    }
    EXPECT_EQ(attempts, run.report["attempts"]);
    EXPECT_EQ(calls, run.report["calls"]);
    QProcess wrong;
    wrong.start(QStringLiteral(FENCEPOST_LAB),
        { QStringLiteral("client"), QStringLiteral("--url"), QStringLiteral("http://127.0.0.1:%1").arg(port),
            QStringLiteral("--metrics"), database.folder() + QStringLiteral("/missing/client.prom") });
    ASSERT_TRUE(wrong.waitForFinished(120'000));
    EXPECT_EQ(wrong.exitCode(), 2);
    EXPECT_THAT(wrong.readAllStandardError().toStdString(), ::testing::HasSubstr("client.prom"));
    EXPECT_EQ(entries("refund"), 20) << "nothing was sent";
}

TEST_P(LabFaultTest, TheClientSendsNothingToWhatIsNoLab)
{
    testing::ScriptedServer foreign({ testing::answers(200, {}, "{}") });
    QProcess client;
    client.start(QStringLiteral(FENCEPOST_LAB),
        { QStringLiteral("client"), QStringLiteral("--url"), QString::fromStdString(foreign.url("")) });
    while (client.state() != QProcess::NotRunning)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    EXPECT_EQ(client.exitCode(), 1);
    const auto said = client.readAllStandardError().toStdString();
    EXPECT_THAT(said, ::testing::HasSubstr("is no lab"));
    EXPECT_THAT(said, ::testing::HasSubstr("Nothing was changed. Name a lab with --url."));
    ASSERT_EQ(foreign.requests().size(), 1U);
    EXPECT_EQ(foreign.requests().front().method, "GET");
}

TEST_P(LabFaultTest, WritesItsEventsAndSpans)
{
    start("--mode reserve --otlp spans.jsonl --log events.jsonl");
    const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    EXPECT_EQ(post("/payments", "traced-key", tenEuros, { { "traceparent", parent } }).status, 201);
    EXPECT_EQ(post("/payments", "traced-key", tenEuros).status, 201);
    EXPECT_EQ(ask("GET", "/operations/payment.create/traced-key").status, 200);
    EXPECT_EQ(ask("GET", "/somewhere/traced-key").status, 404);
    EXPECT_EQ(stop(), 0);
    const auto read = [&](const char* name) {
        QFile file(database.folder() + QLatin1Char('/') + QLatin1String(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll().toStdString();
    };
    const auto spans = read("spans.jsonl");
    for (const auto* word : { "idempotency.reserve", "idempotency.execute", "idempotency.finalize", "POST /payments",
             "4bf92f3577b34da6a3ce929d0e0e4736", "original_execution" })
        EXPECT_THAT(spans, ::testing::HasSubstr(word));
    // A replay leads to the trace that made the answer, not to its own.
    int links = 0;
    for (const auto& line : QByteArray::fromStdString(spans).split('\n')) {
        const auto tree = nlohmann::json::parse(line.toStdString(), nullptr, false);
        if (!tree.is_object())
            continue;
        for (const auto& span : tree["resourceSpans"][0]["scopeSpans"][0]["spans"])
            for (const auto& link : span.value("links", nlohmann::json::array())) {
                ++links;
                EXPECT_EQ(link["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
                EXPECT_NE(span["traceId"], link["traceId"]);
            }
    }
    EXPECT_EQ(links, 1);
    const auto events = read("events.jsonl");
    EXPECT_THAT(events, ::testing::HasSubstr(R"("outcome":"created")"));
    EXPECT_THAT(events, ::testing::HasSubstr(R"("outcome":"replayed")"));
    EXPECT_EQ(spans.find("traced-key"), std::string::npos) << "keys leave the computer as hashes";
    EXPECT_NE(events.find(R"("idempotency_key":"traced-key")"), std::string::npos) << "the log stays here";
}

} // namespace

} // namespace fencepost::test
