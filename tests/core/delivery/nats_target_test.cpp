// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include <gmock/gmock.h>

#include <QFile>

#include "core/delivery/nats_address.h"
#include "core/delivery/relay.h"
#include "core/retry/steady_clock.h"
#include "tests/core/store/message_fixture.h"
#include "tests/support/nats_server.h"
#include "tests/support/tls_certificate.h"
#include "tests/support/wait.h"

using namespace fencepost;
using namespace fencepost::delivery;
using namespace fencepost::test;
using namespace std::chrono_literals;
using fencepost::testing::eventually;
using fencepost::testing::NatsServer;
using fencepost::testing::StoredMessage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string header(const StoredMessage& message, const std::string& name)
{
    return std::string(lineOf(message.headers, name).value_or(""));
}

// What each address is refused for, or how it is written.
std::string read(const std::string& url, NatsSubject subject = NatsSubject::Exact)
{
    const auto address = natsAddressOf(url, subject);
    return address ? formatUrl(*address) : address.error().message;
}

} // namespace

TEST(NatsAddressTest, NamesAServerAndASubject)
{
    EXPECT_EQ(read("nats://broker/refunds.succeeded"), "nats://broker:4222/refunds.succeeded");
    EXPECT_EQ(read("tls://[::1]:5000/a"), "tls://[::1]:5000/a");
    EXPECT_EQ(read("nats://broker/a%20b"), "A NATS subject has neither blanks nor control characters");
    EXPECT_EQ(read("nats://broker/a/b%3Fc%25"), "nats://broker:4222/a/b%3Fc%25");
    EXPECT_EQ(natsAddressOf("nats://broker/a/b%3Fc%25", NatsSubject::Exact)->subject, "a/b?c%");
    EXPECT_EQ(read("nats://broker/orders.>", NatsSubject::Pattern), "nats://broker:4222/orders.>");
    EXPECT_THAT(read("nats://broker/orders.>"), HasSubstr("wildcards"));
    EXPECT_THAT(read("nats://broker/orders.*.paid"), HasSubstr("wildcards"));
    EXPECT_THAT(read("nats://broker"), HasSubstr("names a subject"));
    EXPECT_THAT(read("nats://broker/"), HasSubstr("names a subject"));
    EXPECT_THAT(read("nats://broker/a..b"), HasSubstr("both sides of each dot"));
    EXPECT_THAT(read("nats://broker/.a"), HasSubstr("both sides of each dot"));
    EXPECT_THAT(read("nats://broker/$JS.API.STREAM.DELETE.ORDERS"), HasSubstr("server's own"));
    EXPECT_THAT(read("nats://broker/a?b=c"), HasSubstr("ends with its subject"));
    EXPECT_THAT(read("nats://broker/" + std::string(2'000, 'a')), HasSubstr("at most"));
    EXPECT_THAT(read("nats:///a"), HasSubstr("no NATS URL"));
    EXPECT_THAT(read("http://broker/a"), HasSubstr("no NATS URL"));
    EXPECT_THAT(read("nats://broker:0/a"), HasSubstr("port"));
}

TEST(NatsAddressTest, HasNoCredentialsInItAndRepeatsNone)
{
    for (const auto* url : { "nats://ann:s3cret@broker/a", "nats://s3cret@broker/a", "nats://ann:s3cret@/a",
             "nats://ann:s3cret@bro ker/a", "nats://ann:s3cret@broker:x/a" }) {
        const auto address = natsAddressOf(url, NatsSubject::Exact);
        ASSERT_FALSE(address) << url;
        EXPECT_THAT(address.error().message + address.error().detail, Not(HasSubstr("s3cret")));
    }
}

class NatsTargetTest : public MessageTest {
protected:
    void SetUp() override
    {
        MessageTest::SetUp();
        ASSERT_EQ(server.problem(), "");
    }
    void TearDown() override { EXPECT_EQ(server.problem(), ""); }

    std::int64_t addTo(const std::string& url, const std::string& id, std::optional<std::string> key = {})
    {
        auto what = event(id, std::move(key));
        what.destination = url;
        return add(what);
    }

    std::unique_ptr<Relay> relay(RelayOptions options = {})
    {
        return std::make_unique<Relay>(
            *messages.connection, store::StoreClock{ .clock = &clock, .bind = true }, parts, std::move(options));
    }

    RelayTotals pass(
        Relay& relay, const std::function<bool()>& stop = [] { return false; })
    {
        return value(relay.pass(
            [&](const Relayed& relayed) {
                reports.push_back(relayed.message.event.eventId + ' ' + relayed.code);
                words.push_back(relayed.error);
            },
            stop));
    }
    RelayTotals pass(RelayOptions options = {}) { return pass(*relay(std::move(options))); }

    Parcel parcel(const OutboxEvent& what, int attempt = 1)
    {
        Parcel made;
        made.message.event = what;
        made.message.attempt = attempt;
        made.message.createdAt = start;
        made.payload = what.payload;
        made.destination = what.destination;
        made.message.event.payload.clear();
        return made;
    }
    DeliveryResult deliver(Target& target, const Parcel& parcel)
    {
        std::optional<DeliveryResult> result;
        target.deliver(parcel, [&](const DeliveryResult& ended) { result = ended; });
        EXPECT_FALSE(result) << "not before the event loop";
        EXPECT_TRUE(eventually([&] { return result.has_value(); }));
        return result.value_or(DeliveryResult{});
    }

    NatsServer server;
    retry::SteadyClock steady;
    SystemRandom random;
    TargetParts parts{ steady, clock, random };
    std::vector<std::string> reports;
    std::vector<std::string> words;
};

INSTANTIATE_TEST_SUITE_P(Backends, NatsTargetTest, bothDialects(), nameOfDialect);

TEST_P(NatsTargetTest, AnEventIsSentOnceAStreamHasStoredIt)
{
    server.addStream("REFUNDS", { "refunds.>" });
    auto what = event("evt_1", "rf_1");
    what.destination = server.url("refunds.succeeded");
    what.headers = { { "X-Tenant", "acme" }, { "Content-Type", "text/plain" }, { "Nats-Rollup", "all" },
        { "Nats-Expected-Stream", "OTHER" } };
    const auto seq = add(what);
    EXPECT_EQ(pass().sent, 1);
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Sent);

    const auto stored = server.messages("REFUNDS");
    ASSERT_EQ(stored.size(), 1U);
    const auto& message = stored[0];
    EXPECT_EQ(message.subject, "refunds.succeeded");
    EXPECT_EQ(message.payload, what.payload);
    EXPECT_EQ(header(message, "ce-specversion"), "1.0");
    EXPECT_EQ(header(message, "ce-id"), "evt_1");
    EXPECT_EQ(header(message, "ce-source"), "/lab");
    EXPECT_EQ(header(message, "ce-type"), "refund.succeeded");
    EXPECT_EQ(header(message, "ce-subject"), "rf_1");
    EXPECT_EQ(header(message, "ce-partitionkey"), "rf_1");
    EXPECT_EQ(header(message, "ce-correlationid"), "req_1");
    EXPECT_EQ(header(message, "Content-Type"), "text/plain");
    EXPECT_EQ(header(message, "X-Tenant"), "acme");
    EXPECT_NE(header(message, "Nats-Msg-Id"), "");
    EXPECT_EQ(header(message, "Nats-Rollup"), "") << "no event tells the server to delete a stream";
    EXPECT_EQ(header(message, "Nats-Expected-Stream"), "");
}

TEST_P(NatsTargetTest, TheAttemptsOfOneLifeAreStoredOnceAndAReplayOnceMore)
{
    server.addStream("REFUNDS", { "refunds.>" });
    auto what = event("evt_1");
    what.destination = server.url("refunds.a");
    const auto target = makeNatsTarget(parts, {});
    // The acknowledgement of the first was lost.
    EXPECT_EQ(deliver(*target, parcel(what, 1)).delivered, Delivered::Accepted);
    EXPECT_EQ(deliver(*target, parcel(what, 2)).delivered, Delivered::Accepted);
    EXPECT_EQ(server.messages("REFUNDS").size(), 1U);

    auto replayed = what;
    replayed.headers = headersOfReplay(what.headers, "run_7");
    EXPECT_EQ(deliver(*target, parcel(replayed, 1)).delivered, Delivered::Accepted);
    EXPECT_EQ(deliver(*target, parcel(replayed, 2)).delivered, Delivered::Accepted);
    EXPECT_EQ(server.messages("REFUNDS").size(), 2U) << "its window would have swallowed it";

    // One that was put back without a run's name begins another life all the same.
    EXPECT_EQ(deliver(*target, parcel(what, 1)).delivered, Delivered::Accepted);
    const auto stored = server.messages("REFUNDS");
    ASSERT_EQ(stored.size(), 3U);
    for (const auto& message : stored)
        EXPECT_EQ(header(message, "ce-id"), "evt_1");
}

TEST_P(NatsTargetTest, OneIdOfTwoSourcesOrOnTwoSubjectsIsTwoMessages)
{
    server.addStream("ALL", { "a.>", "b.>" });
    const auto target = makeNatsTarget(parts, {});
    auto what = event("1");
    what.destination = server.url("a.x");
    EXPECT_EQ(deliver(*target, parcel(what, 2)).delivered, Delivered::Accepted);
    what.source = "/other";
    EXPECT_EQ(deliver(*target, parcel(what, 2)).delivered, Delivered::Accepted);
    what.destination = server.url("b.x");
    EXPECT_EQ(deliver(*target, parcel(what, 2)).delivered, Delivered::Accepted);
    EXPECT_EQ(server.messages("ALL").size(), 3U);
}

TEST_P(NatsTargetTest, ARedrivenMessageReachesTheStreamAgain)
{
    server.addStream("REFUNDS", { "refunds.>" });
    const auto seq = addTo(server.url("refunds.a"), "evt_1");
    ASSERT_EQ(pass().sent, 1);
    // Its consumer gave it up.
    auto dead = delivery("evt_1");
    dead.id.source = "/lab";
    dead.destination = server.url("refunds.a");
    kill(dead);
    const auto seen = letter();
    ASSERT_EQ(value(letters().redrive(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(pass().sent, 1);
    const auto stored = server.messages("REFUNDS");
    ASSERT_EQ(stored.size(), 2U) << outboxRow(seq).attempt;
    EXPECT_EQ(header(stored[1], "ce-id"), "evt_1");
    EXPECT_EQ(header(stored[1], "replay_run_id"), "run_7");
    EXPECT_NE(header(stored[0], "Nats-Msg-Id"), header(stored[1], "Nats-Msg-Id"));
}

TEST_P(NatsTargetTest, ASubjectThatNoStreamTakesIsAFailureInWords)
{
    const auto seq = addTo(server.url("nobody.there"), "evt_1");
    EXPECT_EQ(pass().failed, 1);
    EXPECT_THAT(reports, ElementsAre("evt_1 no_stream"));
    EXPECT_THAT(words[0], HasSubstr("takes the subject nobody.there"));
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Pending) << "somebody may make it";
    server.addStream("LATE", { "nobody.>" });
    clock.advance(1h);
    EXPECT_EQ(pass().sent, 1);
}

TEST_P(NatsTargetTest, AServerThatWasNeverThereIsToldAsSuch)
{
    server.kill();
    const auto first = addTo(server.url("a"), "evt_1");
    addTo(server.url("a"), "evt_2");
    const auto totals = pass();
    EXPECT_EQ(totals.failed + totals.postponed, 2);
    EXPECT_GE(totals.failed, 1) << "somebody sees why";
    EXPECT_THAT(reports, ::testing::Contains("evt_1 connection"));
    EXPECT_EQ(outboxRow(first).state, OutboxState::Pending);
}

TEST_P(NatsTargetTest, AServerThatRestartsAmidstARunCostsNoEventAnAttemptTooMany)
{
    constexpr int total = 40;
    server.addStream("REFUNDS", { "refunds.>" });
    for (int i = 0; i < total; ++i)
        addTo(server.url("refunds." + std::to_string(i % 3)), "evt_" + std::to_string(i));
    const auto running = relay();
    bool killed = false;
    std::int64_t sent = value(
        running->pass(
            [&](const Relayed&) {
                if (!killed)
                    server.kill();
                killed = true;
            },
            [] {
                return false;
            })).sent;
    EXPECT_TRUE(killed);
    EXPECT_LT(sent, total);
    for (int i = 0; i < 8; ++i) {
        clock.advance(1min);
        EXPECT_EQ(pass(*running).sent, 0);
    }
    EXPECT_EQ(count("outbox_messages WHERE status = 'DEAD'"), 0);
    server.start();
    EXPECT_TRUE(eventually([&] {
        clock.advance(1min);
        sent += pass(*running).sent;
        return sent == total;
    }));
    std::map<std::string, int> ids;
    for (const auto& message : server.messages("REFUNDS"))
        ++ids[header(message, "ce-id")];
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(total));
    for (const auto& [id, times] : ids)
        EXPECT_EQ(times, 1) << id << ": what was stored and not acknowledged is no second message";
}

TEST_P(NatsTargetTest, AServerThatHangsIsATimeoutAndStopsNobody)
{
    server.addStream("REFUNDS", { "refunds.>" });
    const auto target = makeNatsTarget(parts, { .timeout = 3s });
    auto what = event("evt_1");
    what.destination = server.url("refunds.a");
    ASSERT_EQ(deliver(*target, parcel(what)).delivered, Delivered::Accepted);
    server.pause();
    const auto result = deliver(*target, parcel(what, 2));
    EXPECT_EQ(result.delivered, Delivered::Failed);
    EXPECT_EQ(result.code, "timeout");
    EXPECT_TRUE(result.retryable);
}

TEST_P(NatsTargetTest, AMessageInFlightEndsWithItsTarget)
{
    server.addStream("REFUNDS", { "refunds.>" });
    auto what = event("evt_1");
    what.destination = server.url("refunds.a");
    auto target = makeNatsTarget(parts, { .timeout = 10min });
    ASSERT_EQ(deliver(*target, parcel(what)).delivered, Delivered::Accepted);
    server.pause();
    target->deliver(parcel(what, 2), [](const DeliveryResult&) { FAIL() << "its target is gone"; });
    // It waits for an answer for ten minutes; the test has one for less.
    target.reset();
}

TEST_P(NatsTargetTest, WhatIsTooLargeIsDeadAtOnceAndTheOthersPass)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.addStream("SMALL", { "small" }, 100);
    auto poison = event("poison");
    poison.destination = server.url("refunds.a");
    poison.payload = Bytes(50'000'000, 'x');
    const auto seq = add(poison);
    auto wide = event("wide");
    wide.destination = server.url("small");
    wide.payload = Bytes(1'000, 'x');
    add(wide);
    addTo(server.url("refunds.a"), "good");
    auto large = event("large");
    large.destination = server.url("refunds.a");
    large.payload = Bytes(2'000'000, 'x');
    const auto second = add(large);
    const auto totals = pass();
    EXPECT_EQ(totals.dead, 3);
    EXPECT_EQ(totals.sent, 1);
    for (const auto& [row, said] :
        { std::pair(seq, "cannot read it again"), { second, "no more than 1048576 octets, and it has 2000000" } }) {
        EXPECT_EQ(outboxRow(row).state, OutboxState::Dead);
        ASSERT_EQ(outboxRow(row).attempts.size(), 1U);
        EXPECT_EQ(outboxRow(row).attempts[0].code, "max_payload");
        EXPECT_THAT(outboxRow(row).attempts[0].error, HasSubstr(said));
    }
    EXPECT_THAT(reports, ::testing::Contains("wide jetstream_10054"));
}

TEST_P(NatsTargetTest, IdsOfAllKindsArriveAsTheyAreAndBreakNoFrame)
{
    server.addStream("REFUNDS", { "refunds.>" });
    for (const auto* id : { "order.42.paid", "order 42",
             "\xC3\xBC"
             "bung",
             "50%", "a\"b" })
        addTo(server.url("refunds.a"), id);
    RelayOptions options;
    options.perDestination = 16; // nobody waits for anybody, however slow this machine is
    EXPECT_EQ(pass(options).sent, 5);
    std::vector<std::string> ids;
    for (const auto& message : server.messages("REFUNDS"))
        ids.push_back(header(message, "ce-id"));
    std::sort(ids.begin(), ids.end());
    EXPECT_THAT(ids, ElementsAre("%C3%BCbung", "50%25", "a%22b", "order%2042", "order.42.paid"));

    // The outbox refuses these; a row may come into it without us.
    const auto target = makeNatsTarget(parts, {});
    auto what = event("line\r\nNats-Rollup: all");
    what.destination = server.url("refunds.a");
    auto forged = event("forged");
    forged.destination = what.destination;
    forged.headers = { { "X-A", "b\r\nNats-Rollup: all" } };
    for (const auto& each : { what, forged }) {
        const auto result = deliver(*target, parcel(each));
        EXPECT_EQ(result.delivered, Delivered::Failed);
        EXPECT_EQ(result.code, "request");
        EXPECT_FALSE(result.retryable);
    }
    EXPECT_EQ(server.messages("REFUNDS").size(), 5U);
}

TEST_P(NatsTargetTest, ASubjectThatIsNoneIsDeadAtOnce)
{
    addTo(server.url("orders.>"), "evt_1");
    addTo(server.url(""), "evt_2");
    EXPECT_EQ(pass().dead, 2);
    EXPECT_THAT(words[0], HasSubstr("wildcards"));
}

TEST_P(NatsTargetTest, CredentialsAreNeededAndNeverTold)
{
    NatsServer closed({}, "ann", "s3cret");
    ASSERT_EQ(closed.problem(), "");
    closed.addStream("REFUNDS", { "refunds.>" });
    addTo(closed.url("refunds.a"), "evt_1");
    RelayOptions options;
    EXPECT_EQ(pass(options).sent, 0);
    options.target.nats = { .user = "ann", .password = "wr0ng" };
    clock.advance(1h);
    EXPECT_EQ(pass(options).sent, 0);
    EXPECT_THAT(reports, ElementsAre("evt_1 authorization", "evt_1 authorization"));
    EXPECT_THAT(words, ::testing::Each(Not(HasSubstr("wr0ng"))));
    options.target.nats = { .user = "ann", .password = "s3cret" };
    clock.advance(1h);
    EXPECT_EQ(pass(options).sent, 1);
    EXPECT_EQ(closed.problem(), "");
}

TEST_P(NatsTargetTest, ACertificateIsVerifiedWhoeverInsistsOnTls)
{
    const auto self = makeCertificate(database.folder(), "DNS:localhost");
    NatsServer secure({ QStringLiteral("--tls"), QStringLiteral("--tlscert"), self.certificate,
        QStringLiteral("--tlskey"), self.key });
    ASSERT_EQ(secure.problem(), "");
    secure.addStream("REFUNDS", { "refunds.>" });
    const auto port = secure.url("refunds.a").substr(std::string("nats://127.0.0.1").size());

    auto what = event("evt_1");
    const auto sendTo = [&](const std::string& url, const TargetOptions& options) {
        what.destination = url;
        const auto result = deliver(*makeNatsTarget(parts, options), parcel(what));
        return result.code;
    };
    TargetOptions trusting;
    trusting.tls = QSslConfiguration();
    trusting.tls->setCaCertificates(self.read());
    EXPECT_EQ(sendTo("tls://localhost" + port, {}), "tls") << "nobody vouches for it";
    EXPECT_EQ(sendTo("nats://localhost" + port, {}), "tls");
    EXPECT_EQ(sendTo("tls://127.0.0.1" + port, trusting), "tls") << "it is somebody else's";
    EXPECT_EQ(sendTo("nats://127.0.0.1" + port, trusting), "tls");
    EXPECT_EQ(server.problem(), "");
    auto plain = server.url("refunds.a");
    EXPECT_EQ(sendTo("tls" + plain.substr(4), trusting), "tls") << "the server speaks none";
    EXPECT_TRUE(secure.messages("REFUNDS").empty());
    EXPECT_EQ(sendTo("tls://localhost" + port, trusting), "stored");
    EXPECT_EQ(secure.messages("REFUNDS").size(), 1U);
}
