// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/clock.h"
#include "core/messaging/webhook_signature.h"
#include "core/protocol/key_syntax.h"
#include "core/store/outbox.h"
#include "tests/e2e/lab_fixture.h"
#include "tests/support/nats_server.h"
#include "tests/support/scripted_server.h"
#include "tests/support/wait.h"

namespace fencepost::test {

namespace {

using ::testing::ElementsAre;
using testing::eventually;
using testing::NatsServer;
using ::testing::UnorderedElementsAreArray;

constexpr const char* secretText = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

// From the refund of one lab over its outbox to the notice of another, or of itself.
class LabEventsTest : public LabTest {
protected:
    LabEventsTest()
        : receiver(GetParam())
    {
        qputenv("FENCEPOST_WEBHOOK_SECRET", secretText);
    }
    void SetUp() override
    {
        LabTest::SetUp();
        ASSERT_EQ(receiver.database.problem(), "");
    }
    void TearDown() override
    {
        LabTest::TearDown();
        receiver.stop();
        qunsetenv("FENCEPOST_WEBHOOK_SECRET");
    }

    [[nodiscard]] static std::string endpointOf(const LabProcess& lab)
    {
        return "http://127.0.0.1:" + std::to_string(lab.port) + "/events";
    }
    void sendTo(const std::string& destination, const QStringList& more = {})
    {
        start(QStringList{ QStringLiteral("--events"), QString::fromStdString(destination) } + more);
    }

    // The refund's id.
    std::string refund(const std::string& key, const std::string& charge, const std::string& fault = {})
    {
        const auto answer = post("/refunds", key, refundOf(charge, 10, key),
            { { "Fencepost-Fault", fault }, { "X-Correlation-Id", "of-" + key } });
        EXPECT_EQ(answer.status, 201) << answer.body;
        return answer.id();
    }
    // The refunds that somebody was told of, in their order.
    static std::vector<std::string> notices(const LabProcess& lab, const std::string& consumer)
    {
        const auto answer = lab.ask("GET", "/notices");
        EXPECT_EQ(answer.status, 200) << answer.body;
        std::vector<std::string> refunds;
        const auto listed = answer.json();
        for (const auto& notice : listed.value("notices", nlohmann::json::array()))
            if (notice["consumer"] == consumer)
                refunds.push_back(notice["refund_id"]);
        return refunds;
    }
    static bool told(const LabProcess& lab, const std::string& consumer, std::size_t refunds)
    {
        return eventually([&] { return notices(lab, consumer).size() >= refunds; });
    }
    bool allSent() const
    {
        return eventually([&] { return ask("GET", "/metrics").status == 200 && metric("outbox_pending") == 0; });
    }
    static std::vector<nlohmann::json> ctl(const LabProcess& lab, const char* words)
    {
        QProcess process;
        process.start(QStringLiteral(FENCEPOSTCTL),
            QStringList{ QStringLiteral("--db"), QString::fromStdString(lab.database.url()), QStringLiteral("--json") }
                + QString::fromUtf8(words).split(QLatin1Char(' ')));
        EXPECT_TRUE(process.waitForFinished(120'000));
        std::vector<nlohmann::json> lines;
        for (const auto& line : process.readAllStandardOutput().split('\n'))
            if (!line.isEmpty())
                lines.push_back(nlohmann::json::parse(line.toStdString()));
        return lines;
    }
    static void change(const LabProcess& lab, const std::string& sql)
    {
        const auto connection = lab.database.connect();
        ASSERT_TRUE(connection);
        const auto done = (*connection)->execute(sql);
        ASSERT_TRUE(done) << done.error().message << done.error().detail;
    }
    // As if the leases of all relays and consumers had ended.
    static void endEventLeases(const LabProcess& lab)
    {
        change(lab, "UPDATE outbox_messages SET lease_expires_at = created_at WHERE status = 'SENDING'");
        change(lab, "UPDATE inbox_messages SET lease_expires_at = received_at WHERE status = 'PROCESSING'");
    }

    WireAnswer deliver(const std::string& id, const std::string& payload, Time at, const WireHeaders& more = {}) const
    {
        const auto secret = WebhookSecret::parse(secretText);
        auto headers = *signedHeaders({ *secret }, id, at, payload);
        headers.insert(headers.end(), more.begin(), more.end());
        return receiver.ask("POST", "/events", headers, payload);
    }

    LabProcess receiver;
};

INSTANTIATE_TEST_SUITE_P(Lab, LabEventsTest, bothDialects(), nameOfDialect);

TEST_P(LabEventsTest, AWebhookIsOneEffectHoweverItComes)
{
    receiver.start("--max-attempts 2");
    sendTo(endpointOf(receiver));
    const auto charge = payment();
    std::vector<std::string> expected{ refund("plain", charge), refund("twice", charge, "duplicate-event") };
    const auto late = refund("late", charge, "reorder-event=10m");
    expected.push_back(refund("early", charge));
    expected.push_back(late);
    ASSERT_TRUE(told(receiver, "webhook", expected.size()));
    EXPECT_EQ(notices(receiver, "webhook"), expected);
    EXPECT_EQ(receiver.metric(R"(inbox_duplicates_total{consumer="webhook"})"), 1);
    EXPECT_TRUE(allSent());

    // What no handler can read is given up, and what comes behind it is not.
    refund("poison", charge, "poison-event");
    expected.push_back(refund("behind", charge));
    ASSERT_TRUE(told(receiver, "webhook", expected.size()));
    EXPECT_EQ(notices(receiver, "webhook"), expected);
    EXPECT_TRUE(allSent()) << "a dead letter is acknowledged";
    const auto groups = ctl(receiver, "dlq groups");
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0]["code"], "payload");
    EXPECT_EQ(groups[0]["count"], 1);
    const auto letters = ctl(receiver, "dlq list");
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_EQ(letters[0]["queue"], endpointOf(receiver)) << "where a replay goes";
    EXPECT_EQ(letters[0]["correlation_id"], "of-poison");
    EXPECT_EQ(entries("refund"), 6);
}

TEST_P(LabEventsTest, ADelayedEventComesLateAndTheOthersDoNotWaitForIt)
{
    receiver.start();
    sendTo(endpointOf(receiver));
    const auto late = refund("late", payment(1000), "delay-event=10m");
    const auto next = refund("next", payment(2000));
    ASSERT_TRUE(told(receiver, "webhook", 1));
    EXPECT_THAT(notices(receiver, "webhook"), ElementsAre(next));
    EXPECT_TRUE(eventually([&] { return metric("outbox_pending") == 1; })) << "the other is marked behind its answer";
    EXPECT_GT(metric("outbox_lag_ms"), 0);
    EXPECT_EQ(ask("DELETE", "/admin/faults").status, 200) << "who waits because of a fault goes on";
    ASSERT_TRUE(told(receiver, "webhook", 2));
    EXPECT_THAT(notices(receiver, "webhook"), ElementsAre(next, late));
}

TEST_P(LabEventsTest, FaultsOfEventsMayBefallThemAll)
{
    receiver.start();
    sendTo(endpointOf(receiver), { QStringLiteral("--fault"), QStringLiteral("duplicate-event") });
    const auto charge = payment();
    const std::vector<std::string> expected{ refund("first", charge), refund("second", charge) };
    ASSERT_TRUE(eventually([&] { return receiver.metric(R"(inbox_duplicates_total{consumer="webhook"})") == 2; }));
    EXPECT_EQ(notices(receiver, "webhook"), expected);
    EXPECT_EQ(
        ask("GET", "/admin/faults").json().at(0), (nlohmann::json{ { "fault", "duplicate-event" }, { "hits", 2 } }))
        << "drawn where an event is written, and nowhere else";
}

TEST_P(LabEventsTest, OnlyWhatIsSignedNowIsBelieved)
{
    receiver.start("--max-attempts 2");
    const auto now = SystemClock().now();
    const std::string payload =
        R"({"id":"evt_1","source":"fencepost-lab","type":"refund.succeeded","data":{"id":"rf_1"}})";
    EXPECT_EQ(receiver.ask("POST", "/events", { { "webhook-id", "evt_1" } }, payload).status, 401);
    EXPECT_EQ(deliver("evt_1", payload, now - std::chrono::minutes(10)).status, 401);
    EXPECT_EQ(deliver("evt_1", payload, now + std::chrono::minutes(10)).status, 401);
    EXPECT_EQ(deliver("evt_1", payload, now, { { "ce-id", "evt_2" } }).status, 400);
    EXPECT_TRUE(ctl(receiver, "inbox list").empty()) << "nothing of it came in";
    EXPECT_EQ(receiver.ask("GET", "/events").status, 405);

    EXPECT_EQ(deliver("evt_1", payload, now).json()["outcome"], "processed") << "without attributes of CloudEvents";
    EXPECT_EQ(deliver("evt_1", payload, now).json()["outcome"], "done");
    // The attributes are not signed: under another source the same event is another one, and is not believed.
    EXPECT_EQ(deliver("evt_1", payload, now, { { "ce-source", "elsewhere" } }).json()["outcome"], "dead");
    EXPECT_EQ(deliver("evt_1", payload + " ", now).json()["outcome"], "done") << "it says the same";
    const auto another = payload.substr(0, payload.size() - 1) + R"(,"again":1})";
    EXPECT_EQ(deliver("evt_1", another, now).json()["outcome"], "conflict");
    EXPECT_THAT(notices(receiver, "webhook"), ElementsAre("rf_1"));
    const std::string other = R"({"id":"evt_2","source":"fencepost-lab","type":"refund.failed","data":{"id":"rf_2"}})";
    EXPECT_EQ(deliver("evt_2", other, now).json()["outcome"], "processed") << "it concerns nobody here";
    EXPECT_THAT(notices(receiver, "webhook"), ElementsAre("rf_1"));
}

// What cannot be read may be what somebody waits for.
TEST_P(LabEventsTest, AnEventOfNoKindIsALetterInTheEnd)
{
    receiver.start("--max-attempts 2");
    EXPECT_EQ(receiver.metric("dlq_depth{consumer=\"webhook\"}"), 0);
    EXPECT_THAT(receiver.ask("GET", "/metrics").body, ::testing::HasSubstr("dlq_depth{consumer=\"webhook\"} 0"));
    EXPECT_THAT(
        receiver.ask("GET", "/metrics").body, ::testing::HasSubstr("inbox_duplicates_total{consumer=\"webhook\"} 0"));
    int letters = 0;
    for (const auto* payload : { "{\"x\":", "[]", "{\"data\":{\"id\":\"rf_1\"}}" }) {
        SCOPED_TRACE(payload);
        const auto id = "evt_bad" + std::to_string(++letters);
        const auto now = SystemClock().now();
        EXPECT_EQ(deliver(id, payload, now).status, 503) << "it may be sent better";
        change(receiver, "UPDATE inbox_messages SET next_attempt_at = received_at WHERE status = 'FAILED'");
        const auto last = deliver(id, payload, now);
        EXPECT_EQ(last.status, 200) << last.body;
        EXPECT_EQ(last.json()["outcome"], "dead");
        EXPECT_EQ(receiver.ask("GET", "/metrics").status, 200);
        EXPECT_EQ(receiver.metric("dlq_depth{consumer=\"webhook\"}"), letters);
    }
    EXPECT_EQ(ctl(receiver, "dlq groups").at(0)["code"], "payload");
    EXPECT_THAT(notices(receiver, "webhook"), ::testing::IsEmpty());
}

TEST_P(LabEventsTest, WithoutASecretThisComputerIsBelieved)
{
    qunsetenv("FENCEPOST_WEBHOOK_SECRET");
    receiver.start();
    const std::string payload =
        R"({"id":"evt_1","source":"fencepost-lab","type":"refund.succeeded","data":{"id":"rf_1"}})";
    const auto answer = receiver.ask("POST", "/events",
        { { "ce-id", "evt_1" }, { "ce-source", "fencepost-lab" }, { "ce-type", "refund.succeeded" } }, payload);
    EXPECT_EQ(answer.json()["outcome"], "processed") << answer.body;
    EXPECT_THAT(notices(receiver, "webhook"), ElementsAre("rf_1"));
    EXPECT_EQ(receiver.ask("POST", "/events", {}, payload).status, 400) << "it has no name";
}

// Whichever way a refund is carried out, its event is in the outbox with it, under the request's names.
TEST_P(LabEventsTest, TheEventOfARefundIsFoundByItsRequest)
{
    const auto scope = scopeOf(routeOf("POST", "/refunds"), "anonymous");
    ASSERT_TRUE(scope);
    int pending = 0;
    for (const auto* mode : { "transaction", "reserve", "reserve --effect external-idempotent" }) {
        SCOPED_TRACE(mode);
        // Nobody is there: it is a destination all the same.
        sendTo("nats://127.0.0.1:1/refunds.succeeded",
            (QStringLiteral("--max-attempts 1000 --mode ") + QLatin1String(mode)).split(QLatin1Char(' ')));
        const auto charge = payment();
        const std::string key = "refund " + std::to_string(++pending);
        const auto id = refund('"' + key + '"', charge);
        EXPECT_EQ(post("/refunds", '"' + key + '"', refundOf(charge, 10, '"' + key + '"')).id(), id)
            << "a replay writes nothing";
        EXPECT_EQ(metric("outbox_pending"), pending);
        const auto connection = database.connect();
        ASSERT_TRUE(connection);
        const auto written = store::Outbox(**connection, {}).ofRecord({ *scope, "refund.create", key });
        ASSERT_TRUE(written);
        ASSERT_EQ(written->size(), 1U);
        const auto& event = written->front().event;
        EXPECT_EQ(event.eventId, "evt_" + id.substr(3));
        EXPECT_EQ(event.source, "fencepost-lab");
        EXPECT_EQ(event.type, "refund.succeeded");
        EXPECT_EQ(event.aggregateType, "refund");
        EXPECT_EQ(event.aggregateId, id);
        EXPECT_EQ(event.orderingKey, charge);
        EXPECT_EQ(event.correlationId, "of-\"" + key + '"');
        EXPECT_EQ(stop(), 0);
    }
}

TEST_P(LabEventsTest, WhatNobodyTakesIsGivenUp)
{
    testing::ScriptedServer nobody({ testing::answers(500) });
    sendTo(nobody.url("/hooks"), { QStringLiteral("--max-attempts"), QStringLiteral("2") });
    refund("r", payment());
    ASSERT_TRUE(eventually([&] { return ctl(*this, "dlq list").size() == 1; }));
    EXPECT_EQ(nobody.requests().size(), 2U);
    EXPECT_EQ(metric("outbox_pending"), 0) << "what is dead waits for an operator";
    EXPECT_EQ(metric("dlq_depth{consumer=\"relay\"}"), 1);
    auto origin = nobody.url();
    origin.erase(origin.find('/', std::string_view("http://").size()));
    EXPECT_EQ(metric("retry_attempts_total{dependency=\"" + origin + "\",ending=\"answered\"}"), 2);
    const auto stamps = nobody.lines("webhook-timestamp");
    EXPECT_LE(std::stoll(stamps.at(0)), std::stoll(stamps.at(1)));
    EXPECT_EQ(nobody.lines("webhook-id").at(0), nobody.lines("webhook-id").at(1));
}

TEST_P(LabEventsTest, ADatabaseOfAnOlderLabStillServes)
{
    change(*this,
        "CREATE TABLE webhooks (event_id TEXT PRIMARY KEY, type TEXT NOT NULL, payload TEXT NOT NULL, created_at "
        "BIGINT "
        "NOT NULL, delivered_at BIGINT, given_up_at BIGINT)");
    change(*this,
        "INSERT INTO webhooks (event_id, type, payload, created_at) VALUES ('evt_1', 'refund.succeeded', '{}', 1)");
    receiver.start();
    sendTo(endpointOf(receiver));
    const auto id = refund("r", payment());
    ASSERT_TRUE(told(receiver, "webhook", 1));
    EXPECT_THAT(notices(receiver, "webhook"), ElementsAre(id));
    EXPECT_EQ(stop(), 0);
    const auto connection = database.connect();
    ASSERT_TRUE(connection);
    const auto kept = (*connection)->prepare("SELECT count(*) FROM webhooks WHERE delivered_at IS NULL");
    ASSERT_TRUE(kept && (*kept)->run() && (*kept)->next());
    EXPECT_EQ((*kept)->integer(0), 1) << "it is left alone";
    (*kept)->finish();
}

// The same through a broker.
class LabStreamTest : public LabEventsTest {
protected:
    void SetUp() override
    {
        LabEventsTest::SetUp();
        ASSERT_EQ(broker.problem(), "");
        broker.addStream("REFUNDS", { "refunds.>" });
    }
    void TearDown() override
    {
        LabEventsTest::TearDown();
        EXPECT_EQ(broker.problem(), "");
    }

    void receive(const char* words = "")
    {
        receiver.start(QStringList{ QStringLiteral("--consume"), QString::fromStdString(broker.url("refunds.>")) }
            + QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts));
    }
    void send() { sendTo(broker.url("refunds.succeeded")); }

    NatsServer broker;
};

INSTANTIATE_TEST_SUITE_P(Lab, LabStreamTest, bothDialects(), nameOfDialect);

TEST_P(LabStreamTest, AnEventIsOneEffectHoweverItComes)
{
    receive("--max-attempts 2");
    send();
    const auto charge = payment();
    std::vector<std::string> expected{ refund("plain", charge), refund("twice", charge, "duplicate-event") };
    const auto late = refund("late", payment(5000), "reorder-event=10m");
    expected.push_back(refund("early", charge));
    expected.push_back(late);
    refund("poison", charge, "poison-event");
    ASSERT_TRUE(told(receiver, "mailer", 4));
    EXPECT_EQ(notices(receiver, "mailer"), expected);
    EXPECT_TRUE(allSent());
    EXPECT_EQ(broker.messages("REFUNDS").size(), 6U) << "one of them twice";
    ASSERT_TRUE(eventually([&] { return ctl(receiver, "dlq groups").size() == 1; }));
    EXPECT_EQ(ctl(receiver, "dlq list").at(0)["queue"], broker.url("refunds.succeeded"));
    ASSERT_TRUE(eventually([&] { return broker.pending("REFUNDS", "mailer") == NatsServer::Pending{}; }));
    EXPECT_EQ(receiver.metric(R"(inbox_duplicates_total{consumer="mailer"})"), 1);
    EXPECT_EQ(notices(receiver, "mailer"), expected);
    EXPECT_EQ(receiver.stop(), 0);
    EXPECT_EQ(stop(), 0);
}

TEST_P(LabStreamTest, ALabThatIsKilledLosesNoEventAndDoublesNone)
{
    receive();
    std::vector<std::string> expected;
    for (const auto* point : { "p13", "p14" }) {
        SCOPED_TRACE(point);
        send();
        const auto charge = payment();
        // Its answer may be lost with it; the same request gets it from whoever comes next.
        const auto asked = [&] {
            return post(
                "/refunds", point, refundOf(charge, 10), { { "Fencepost-Fault", std::string("crash@") + point } });
        };
        asked();
        ASSERT_TRUE(died());
        endEventLeases(*this);
        send();
        const auto answer = asked();
        ASSERT_EQ(answer.status, 201) << answer.body;
        expected.push_back(answer.id());
        EXPECT_TRUE(allSent());
        ASSERT_TRUE(told(receiver, "mailer", expected.size()));
        EXPECT_EQ(stop(), 0);
    }
    EXPECT_THAT(notices(receiver, "mailer"), UnorderedElementsAreArray(expected));
}

TEST_P(LabStreamTest, AConsumerThatIsKilledLosesNoEventAndDoublesNone)
{
    send();
    const auto charge = payment();
    std::vector<std::string> expected;
    for (const auto* point : { "p15", "p16" }) {
        SCOPED_TRACE(point);
        receive((std::string("--fault crash@") + point + ":x1").c_str());
        expected.push_back(refund(point, charge));
        ASSERT_TRUE(receiver.died());
        endEventLeases(receiver);
        // A consumer that is made anew gets everything again.
        broker.removeConsumer("REFUNDS", "mailer");
        receive();
        ASSERT_TRUE(told(receiver, "mailer", expected.size()));
        ASSERT_TRUE(eventually([&] { return broker.pending("REFUNDS", "mailer") == NatsServer::Pending{}; }));
        EXPECT_EQ(notices(receiver, "mailer"), expected);
        EXPECT_EQ(receiver.stop(), 0);
    }
}

TEST_P(LabStreamTest, WhatIsWrongIsSaidAtTheStart)
{
    const auto refused = [&](const QStringList& words) {
        QProcess process;
        process.start(QStringLiteral(FENCEPOST_LAB),
            QStringList{ QStringLiteral("--db"), QString::fromStdString(database.url()) } + words);
        EXPECT_TRUE(process.waitForFinished(60'000));
        return process.exitCode();
    };
    EXPECT_EQ(refused({ QStringLiteral("--events"), QStringLiteral("ftp://127.0.0.1/x") }), 2);
    EXPECT_EQ(refused({ QStringLiteral("--events"), QString::fromStdString(broker.url("refunds.>")) }), 2);
    EXPECT_EQ(refused({ QStringLiteral("--webhook"), QString::fromStdString(broker.url("refunds")) }), 2);
    EXPECT_EQ(refused({ QStringLiteral("--consume"), QStringLiteral("http://127.0.0.1/x") }), 2);
    EXPECT_EQ(refused({ QStringLiteral("--consumer"), QStringLiteral("a b") }), 2);
    EXPECT_EQ(refused({ QStringLiteral("--consume"), QString::fromStdString(broker.url("nobody.there")) }), 1);
    qputenv("FENCEPOST_WEBHOOK_SECRET", "whsec_dG9vc2hvcnQ=");
    EXPECT_EQ(refused({}), 2);
}

} // namespace

} // namespace fencepost::test
