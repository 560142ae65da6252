// SPDX-License-Identifier: GPL-3.0-or-later
#include <deque>
#include <thread>

#include <gmock/gmock.h>

#include <QEventLoop>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

#include "core/delivery/event_consumer.h"
#include "core/delivery/relay.h"
#include "core/messaging/webhook_signature.h"
#include "core/protocol/policy.h"
#include "core/retry/steady_clock.h"
#include "tests/core/store/message_fixture.h"
#include "tests/support/scripted_server.h"

using namespace fencepost;
using namespace fencepost::delivery;
using namespace fencepost::test;
using namespace std::chrono_literals;
using fencepost::testing::answers;
using fencepost::testing::closes;
using fencepost::testing::resets;
using fencepost::testing::ScriptedServer;
using fencepost::testing::staysSilent;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::string header(const HttpRequest& request, const std::string& name)
{
    for (const auto& [each, text] : request.headers)
        if (QString::fromStdString(each).compare(QString::fromStdString(name), Qt::CaseInsensitive) == 0)
            return text;
    return {};
}

} // namespace

class RelayTest : public MessageTest {
protected:
    std::int64_t addTo(const ScriptedServer& server, const std::string& id, std::optional<std::string> key = {},
        const std::string& path = "/hooks")
    {
        auto what = event(id, std::move(key));
        what.destination = server.url(path);
        return add(what);
    }

    RelayTotals pass(
        RelayOptions options = {}, const std::function<bool()>& stop = [] { return false; })
    {
        Relay relay(
            *messages.connection, { .clock = &clock, .bind = true }, { steady, clock, random }, std::move(options));
        return value(relay.pass(
            [&](const Relayed& relayed) { reports.push_back(relayed.message.event.eventId + ' ' + relayed.code); },
            stop));
    }

    // Nothing that was sent can be marked any more.
    void beginOutage()
    {
        if (sqlite()) {
            ASSERT_TRUE(
                main.connection->execute("CREATE TRIGGER away BEFORE UPDATE ON outbox_messages WHEN NEW.status ="
                                         " 'SENT' BEGIN SELECT RAISE(ABORT, 'away'); END"));
        } else
            database.endSessions();
    }

    retry::SteadyClock steady;
    SystemRandom random;
    std::vector<std::string> reports;
};

INSTANTIATE_TEST_SUITE_P(Backends, RelayTest, bothDialects(), nameOfDialect);

// Who links the library and who reads a policy file begin with the same.
TEST(DeliveryDefaults, AreThoseOfThePolicy)
{
    const auto policy = Policy().forRoute({}, {});
    const delivery::RelayOptions relay;
    EXPECT_EQ(policy.outboxLease.value, relay.lease);
    EXPECT_EQ(policy.outboxBatch.value, relay.batch);
    EXPECT_EQ(policy.outboxAttempts.value, relay.schedule.attempts);
    EXPECT_EQ(policy.webhookTimeout.value, relay.target.timeout);
    const delivery::ConsumerOptions consumer;
    EXPECT_EQ(policy.inboxLease.value, consumer.lease);
    EXPECT_EQ(policy.inboxAttempts.value, consumer.maxAttempts);
    EXPECT_EQ(policy.webhookTolerance.value, WebhookVerifier::usualTolerance);
    EXPECT_EQ(policy.reaperBatch.value, ReapRequest{}.batch);
}

TEST_P(RelayTest, SendsEachMessageWithItsNameItsAttributesAndASignature)
{
    ScriptedServer server({ answers(204) });
    const auto seq = addTo(server, "evt_1", "rf_1");
    const auto old = *WebhookSecret::parse("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    const auto fresh = *WebhookSecret::parse("whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=");
    RelayOptions options;
    options.target.secrets = { fresh, old };
    const auto totals = pass(options);

    EXPECT_EQ(totals.sent, 1);
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Sent);
    EXPECT_EQ(outboxRow(seq).sentAt, start);
    ASSERT_EQ(server.requests().size(), 1U);
    const auto& request = server.requests().front();
    EXPECT_EQ(request.body, event("evt_1").payload);
    EXPECT_EQ(header(request, "ce-specversion"), "1.0");
    EXPECT_EQ(header(request, "ce-id"), "evt_1");
    EXPECT_EQ(header(request, "ce-source"), "/lab");
    EXPECT_EQ(header(request, "ce-type"), "refund.succeeded");
    EXPECT_EQ(header(request, "ce-subject"), "rf_1");
    EXPECT_EQ(header(request, "ce-aggregatetype"), event("evt_1").aggregateType);
    EXPECT_EQ(header(request, "webhook-id"), "evt_1");
    EXPECT_EQ(header(request, "Content-Type"), "application/json");
    // Either secret is enough for whoever receives it.
    for (const auto& known : { old, fresh })
        EXPECT_EQ(WebhookVerifier::create({ known })->check(request.headers, request.body, clock.now()),
            SignatureVerdict::Valid);
}

TEST_P(RelayTest, AFailureIsTriedAgainBehindItsDelayUnderTheSameIdAndAFreshSignature)
{
    ScriptedServer server({ answers(503), answers(429, { { "Retry-After", "60" } }), answers(200) });
    const auto seq = addTo(server, "evt_1");
    EXPECT_EQ(pass().failed, 1);
    auto row = outboxRow(seq);
    EXPECT_EQ(row.state, OutboxState::Pending);
    ASSERT_EQ(row.attempts.size(), 1U);
    EXPECT_EQ(row.attempts[0].code, "503");
    // vendor: 500 ms, 2 s, 5 s, 30 s, and up to a tenth more.
    EXPECT_GE(*row.nextAttemptAt, start + 500ms);
    EXPECT_LE(*row.nextAttemptAt, start + 550ms);
    EXPECT_EQ(pass().failed, 0) << "it is not due";

    clock.advance(1s);
    EXPECT_EQ(pass().failed, 1);
    EXPECT_GE(*outboxRow(seq).nextAttemptAt, clock.now() + 60s) << "as the endpoint asked for";
    clock.advance(67s);
    EXPECT_EQ(pass().sent, 1);
    EXPECT_THAT(server.lines("webhook-id"), Each("evt_1"));
    EXPECT_THAT(server.lines("Idempotency-Key"), Each("evt_1"));
    const auto instants = server.lines("webhook-timestamp");
    ASSERT_EQ(instants.size(), 3U);
    EXPECT_NE(instants[0], instants[2]) << "the instant is the attempt's";
}

TEST_P(RelayTest, WhatFailsToTheEndBecomesADeadLetterWithItsHistory)
{
    ScriptedServer server({ answers(500) });
    const auto seq = addTo(server, "evt_1");
    RelayTotals all;
    for (int attempt = 1; attempt <= 5; ++attempt) {
        const auto totals = pass();
        all.failed += totals.failed;
        all.dead += totals.dead;
        clock.advance(1h);
    }
    EXPECT_EQ(all.failed, 4);
    EXPECT_EQ(all.dead, 1);
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Dead);
    const auto dead = letter();
    EXPECT_EQ(dead.attempts.size(), 5U);
    EXPECT_EQ(dead.group.pattern, "the endpoint answered <n>");
    EXPECT_EQ(pass().failed, 0);
    EXPECT_EQ(server.requests().size(), 5U);
}

TEST_P(RelayTest, OneEventGoesToEachOfItsDestinations)
{
    ScriptedServer first({ answers(200) });
    ScriptedServer second({ answers(200) });
    addTo(first, "evt_1");
    addTo(second, "evt_1");
    EXPECT_EQ(pass().sent, 2);
    EXPECT_THAT(first.lines("webhook-id"), ElementsAre("evt_1"));
    EXPECT_THAT(second.lines("webhook-id"), ElementsAre("evt_1"));
}

TEST_P(RelayTest, NothingGoesOutUnsignedWhereItShouldBeSigned)
{
    ScriptedServer server({ answers(200) });
    const auto seq = addTo(server, "order42");
    ASSERT_TRUE(main.connection->execute("UPDATE outbox_messages SET event_id = 'order 42'")) << "by another producer";
    RelayOptions options;
    options.target.secrets = { *WebhookSecret::parse("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=") };
    EXPECT_EQ(pass(options).dead, 1);
    EXPECT_TRUE(server.requests().empty());
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Dead);
    EXPECT_THAT(letter().reason, HasSubstr("cannot be signed"));
}

// A batch of nothing but these must not look like the end of what is due.
TEST_P(RelayTest, SendsEverythingElseWhereRowsCannotBeRead)
{
    ScriptedServer server({ answers(200) });
    for (int i = 0; i < 5; ++i)
        addTo(server, "poison" + std::to_string(i));
    ASSERT_TRUE(main.connection->execute("UPDATE outbox_messages SET headers = 'garbage'"));
    addTo(server, "good");
    const auto totals = pass({ .batch = 2 });
    EXPECT_EQ(totals.sent, 1);
    EXPECT_EQ(totals.dead, 5);
    EXPECT_THAT(server.lines("webhook-id"), ElementsAre("good"));
    EXPECT_EQ(std::count(reports.begin(), reports.end(), "poison3 unreadable"), 1);
    EXPECT_EQ(count("dead_letters WHERE code = 'unreadable' AND state = 'DEAD'"), 5);
    EXPECT_EQ(pass().dead, 0) << "once";
}

TEST_P(RelayTest, AnEventThatNoHeaderCanCarryIsDeadAndSendsNothing)
{
    ScriptedServer server({ answers(200) });
    const auto seq = addTo(server, "evt_1");
    addTo(server, "evt_2");
    const auto deleted = addTo(server, "evt_3");
    const std::string lineEnd = sqlite() ? "char(13, 10)" : "chr(13) || chr(10)";
    ASSERT_TRUE(main.connection->execute("UPDATE outbox_messages SET event_id = 'a' || " + lineEnd
        + " || 'X-Admin: yes' WHERE seq = " + std::to_string(seq)));
    RelayOptions options{ .concurrency = 1 };
    bool gone = false;
    const auto totals = pass(options, [&] {
        // Between the claim and the delivery.
        if (!gone && outboxRow(deleted).state == OutboxState::Sending)
            gone = main.connection->execute("DELETE FROM outbox_messages WHERE seq = " + std::to_string(deleted))
                       .has_value();
        return false;
    });
    EXPECT_EQ(totals.dead, 1);
    EXPECT_EQ(totals.sent, 1);
    EXPECT_EQ(totals.lost, 1);
    EXPECT_THAT(server.lines("webhook-id"), ElementsAre("evt_2"));
    EXPECT_TRUE(server.lines("X-Admin").empty() || server.lines("X-Admin").front().empty());
    EXPECT_EQ(letter().code, "request");
}

TEST_P(RelayTest, GoneDisablesTheDestination)
{
    ScriptedServer server({ answers(410) });
    RelayOptions options;
    options.perDestination = 1;
    for (int i = 0; i < 10; ++i)
        addTo(server, "evt_" + std::to_string(i));
    const auto totals = pass(options);
    EXPECT_EQ(totals.dead, 1) << "the others wait until it is enabled";
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING' AND attempt = 0"), 9);
    EXPECT_EQ(totals.disabled, 1);
    EXPECT_EQ(server.requests().size(), 1U) << "nobody asks it again";
    EXPECT_EQ(value(outbox().disabled()).size(), 1U);
    EXPECT_EQ(letter().code, "410");
    EXPECT_EQ(pass().dead, 0);
}

TEST_P(RelayTest, RedirectionsAreFailuresAndNotFollowed)
{
    ScriptedServer server({ answers(302, { { "Location", "/elsewhere" } }) });
    const auto seq = addTo(server, "evt_1");
    EXPECT_EQ(pass().failed, 1);
    EXPECT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(outboxRow(seq).attempts[0].code, "302");
}

TEST_P(RelayTest, KeepsTheOrderOfAKeyAndLetsTheOthersPass)
{
    ScriptedServer failing({ answers(503) });
    ScriptedServer server({ answers(200) });
    addTo(failing, "k1", "key");
    addTo(failing, "k2", "key");
    for (const auto* id : { "a", "b", "c" })
        addTo(server, id, "other");
    const auto totals = pass();
    EXPECT_EQ(totals.sent, 3);
    EXPECT_EQ(totals.failed, 1);
    EXPECT_EQ(failing.requests().size(), 1U) << "the second waits for the first";
    EXPECT_THAT(server.lines("ce-id"), ElementsAre("a", "b", "c"));
}

TEST_P(RelayTest, AnEndpointThatHangsOrResetsKeepsNobodyElseWaiting)
{
    ScriptedServer silent({ staysSilent() });
    ScriptedServer broken({ resets() });
    ScriptedServer server({ answers(200) });
    for (int i = 0; i < 6; ++i) {
        addTo(silent, "s" + std::to_string(i));
        addTo(broken, "r" + std::to_string(i));
    }
    for (int i = 0; i < 20; ++i)
        addTo(server, "g" + std::to_string(i));
    RelayOptions options;
    options.target.timeout = 400ms;
    const auto totals = pass(options);
    EXPECT_EQ(totals.sent, 20);
    EXPECT_EQ(totals.failed + totals.postponed, 12);
    const auto timeouts = std::count(reports.begin(), reports.end(), "s0 timeout");
    EXPECT_EQ(timeouts, 1);
    const auto lastGood =
        std::find_if(reports.rbegin(), reports.rend(), [](const std::string& each) { return each[0] == 'g'; });
    const auto firstTimeout = std::find(reports.begin(), reports.end(), "s0 timeout");
    EXPECT_LT(lastGood.base() - reports.begin(), firstTimeout - reports.begin() + 1) << "nobody waited for the hanging";
}

// A replay is safe where nothing was sent: what was cut off behind the request may have been done.
TEST_P(RelayTest, SaysHowAnEndpointFailed)
{
    ScriptedServer silent({ staysSilent() });
    ScriptedServer resetting({ resets() });
    ScriptedServer closing({ closes() });
    ScriptedServer gone({ answers(200) });
    QTcpServer withoutTls;
    ASSERT_TRUE(withoutTls.listen(QHostAddress::LocalHost));
    QObject::connect(&withoutTls, &QTcpServer::newConnection, &withoutTls, [&withoutTls] {
        auto* socket = withoutTls.nextPendingConnection();
        socket->write("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    const auto seq = addTo(silent, "silent");
    addTo(resetting, "reset");
    addTo(closing, "closed");
    addTo(gone, "refused");
    gone.stopListening();
    auto plain = event("plain");
    plain.destination = "https://127.0.0.1:" + std::to_string(withoutTls.serverPort()) + "/hooks";
    add(plain);
    RelayOptions options;
    options.target.timeout = 400ms;
    EXPECT_EQ(pass(options).failed, 5);
    EXPECT_THAT(outboxRow(seq).attempts.at(0).error, HasSubstr("did not answer within 400ms"));
    std::sort(reports.begin(), reports.end());
    EXPECT_THAT(reports,
        ElementsAre(
            "closed connection_lost", "plain tls", "refused connection", "reset connection_lost", "silent timeout"));
}

TEST_P(RelayTest, ABacklogOfWhatHangsLeavesRoomForTheOthers)
{
    ScriptedServer silent({ staysSilent() });
    ScriptedServer server({ answers(200) });
    for (int i = 0; i < 120; ++i)
        addTo(silent, "s" + std::to_string(i));
    addTo(server, "late");
    RelayOptions options;
    options.target.timeout = 10s;
    bool sent = false;
    pass(options, [&] {
        sent = sent || std::find(reports.begin(), reports.end(), "late 200") != reports.end();
        return sent;
    });
    EXPECT_TRUE(sent);
    EXPECT_EQ(std::count(reports.begin(), reports.end(), "s0 timeout"), 0) << "it did not wait for the first to end";
}

// One that answers is there, whatever it thinks of some of them.
TEST_P(RelayTest, PoisonKeepsNobodyWaitingOnItsWayToTheSameEndpoint)
{
    constexpr int poison = 40;
    std::vector<ScriptedServer::Act> acts(poison, answers(500));
    acts.push_back(answers(200));
    ScriptedServer server(acts);
    for (int i = 0; i < poison; ++i)
        addTo(server, "p" + std::to_string(i));
    for (int i = 0; i < 10; ++i)
        addTo(server, "good" + std::to_string(i));
    const auto totals = pass();
    EXPECT_EQ(totals.failed, poison);
    EXPECT_EQ(totals.sent, 10);
    EXPECT_EQ(totals.postponed, 0);
    EXPECT_THAT(server.lines("Idempotency-Attempt"), Each("1"));
}

// More of them than there are places.
TEST_P(RelayTest, ManyEndpointsThatHangLeaveRoomForTheOthers)
{
    std::deque<ScriptedServer> silent;
    for (int i = 0; i < 8; ++i) {
        silent.emplace_back(std::vector{ staysSilent() });
        for (int each = 0; each < 5; ++each)
            addTo(silent.back(), "s" + std::to_string(i) + "-" + std::to_string(each));
    }
    ScriptedServer server({ answers(200) });
    for (int i = 0; i < 20; ++i)
        addTo(server, "good" + std::to_string(i));
    RelayOptions options;
    options.target.timeout = 30s;
    options.concurrency = 4;
    options.batch = 10;
    std::ptrdiff_t sent = 0;
    pass(options, [&] {
        sent = std::count_if(reports.begin(), reports.end(), [](const std::string& each) { return each[0] == 'g'; });
        return sent == 20 || std::any_of(reports.begin(), reports.end(), [](const std::string& each) {
            return each.find("timeout") != std::string::npos;
        });
    });
    EXPECT_EQ(sent, 20) << "before the first of the others had its time";
}

TEST_P(RelayTest, GivesBackWhatItHasNotBegunWhenItIsStopped)
{
    ScriptedServer silent({ staysSilent() });
    for (int i = 0; i < 10; ++i)
        addTo(silent, "s" + std::to_string(i));
    const auto begun = steady.now();
    int asked = 0;
    pass({}, [&] { return ++asked > 2; });
    EXPECT_LT(steady.now() - begun, 5s);
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING' AND attempt = 0"), 6) << "four were on their way";
    EXPECT_EQ(count("outbox_messages WHERE status = 'SENDING'"), 4);
}

TEST_P(RelayTest, WhatWasAcceptedWhileItsStoreWasAwayIsMarkedAndNotSentAgain)
{
    bool away = false;
    ScriptedServer server({ [&](QTcpSocket& socket) {
        if (!std::exchange(away, true))
            beginOutage();
        answers(200)(socket);
    } });
    const std::vector seqs{ addTo(server, "a"), addTo(server, "b") };
    OpenMessages again;
    Relay relay(*messages.connection, { .clock = &clock, .bind = true }, { steady, clock, random }, {});
    const auto passes = [&] { return relay.pass([](const Relayed&) {}, [] { return false; }); };
    ASSERT_FALSE(passes());
    clock.advance(2min); // its leases have ended
    again = openMessages();
    if (sqlite()) {
        ASSERT_TRUE(again.connection->execute("DROP TRIGGER away"));
    }
    relay.use(*again.connection);
    EXPECT_TRUE(passes());
    EXPECT_EQ(relay.totals().sent, 2);
    EXPECT_EQ(relay.totals().lost, 0);
    EXPECT_THAT(server.lines("webhook-id"), ::testing::UnorderedElementsAre("a", "b"));
    for (const auto seq : seqs)
        EXPECT_EQ(value(again.outbox->find(seq))->state, OutboxState::Sent);
}

TEST_P(RelayTest, SeveralRelaysSendEachMessageOnce)
{
    ScriptedServer server({ answers(200) });
    constexpr int total = 60;
    for (int i = 0; i < total; ++i)
        addTo(server, "e" + std::to_string(i), "key" + std::to_string(i % 7));
    std::vector<std::thread> relays;
    std::atomic<std::int64_t> sent = 0;
    std::atomic<int> running = 3;
    for (int each = 0; each < 3; ++each)
        relays.emplace_back([&] {
            auto connection = database.connect();
            retry::SteadyClock ticks;
            SystemRandom own;
            RelayOptions options;
            options.batch = 5;
            {
                Relay relay(**connection, { .clock = &clock, .bind = true }, { ticks, clock, own }, options);
                const auto totals = relay.pass([](const Relayed&) {}, [] { return false; });
                if (totals)
                    sent += totals->sent;
            }
            --running;
        });
    // The server answers from this thread.
    QEventLoop loop;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        if (running == 0)
            loop.quit();
    });
    poll.start(10ms);
    loop.exec();
    for (auto& relay : relays)
        relay.join();
    // A relay may find nothing due while another has the heads of all keys: what is left is sent now.
    sent += pass().sent;
    EXPECT_EQ(sent, total);
    auto ids = server.lines("ce-id");
    ASSERT_EQ(ids.size(), static_cast<std::size_t>(total));
    std::map<int, int> last;
    for (const auto& id : ids) {
        const int number = std::stoi(id.substr(1));
        const auto found = last.find(number % 7);
        EXPECT_TRUE(found == last.end() || found->second < number) << id << " overtook";
        last[number % 7] = number;
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST_P(RelayTest, EverythingGoesWhereTheRunSays)
{
    ScriptedServer server({ answers(200) });
    add(event("a"));
    RelayOptions options;
    options.to = server.url("/all");
    EXPECT_EQ(pass(options).sent, 1);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0].target, "/all");
}

TEST_P(RelayTest, SomebodyMayStandBetweenTheRelayAndItsTargets)
{
    class Renaming final : public Target {
    public:
        explicit Renaming(std::unique_ptr<Target> inner)
            : m_inner(std::move(inner))
        {
        }
        void deliver(const Parcel& parcel, Ended ended) override
        {
            auto other = parcel;
            other.payload = "between";
            m_inner->deliver(other, std::move(ended));
        }

    private:
        std::unique_ptr<Target> m_inner;
    };
    ScriptedServer server({ answers(200) });
    addTo(server, "a");
    addTo(server, "b");
    RelayOptions options;
    int made = 0;
    options.around = [&](std::unique_ptr<Target> target) {
        ++made;
        return std::make_unique<Renaming>(std::move(target));
    };
    EXPECT_EQ(pass(options).sent, 2);
    EXPECT_EQ(made, 1) << "one target for all of its kind";
    for (const auto& request : server.requests())
        EXPECT_EQ(request.body, "between");
}
