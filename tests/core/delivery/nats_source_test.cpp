// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gmock/gmock.h>

#include "core/delivery/nats_source.h"
#include "tests/support/nats_server.h"
#include "tests/support/wait.h"

using namespace fencepost;
using namespace fencepost::delivery;
using namespace std::chrono_literals;
using fencepost::testing::eventually;
using fencepost::testing::NatsServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NatsSourceTest : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(server.problem(), ""); }
    void TearDown() override { EXPECT_EQ(server.problem(), ""); }

    NatsSourceOptions optionsOf(const std::string& path, const std::string& consumer = "ledger")
    {
        return { .url = server.url(path), .consumer = consumer, .connection = { .timeout = 5s } };
    }
    std::unique_ptr<Source> open(const NatsSourceOptions& options)
    {
        auto source = openNatsSource(options);
        EXPECT_TRUE(source) << source.error().message << ": " << source.error().detail;
        return source ? std::move(*source) : nullptr;
    }
    static std::string refused(const NatsSourceOptions& options)
    {
        const auto source = openNatsSource(options);
        EXPECT_FALSE(source);
        return source ? "" : source.error().message + ": " + source.error().detail;
    }
    // The next delivery that comes at all.
    static Delivery next(Source& source)
    {
        std::optional<Delivery> found;
        EXPECT_TRUE(eventually([&] {
            auto delivery = source.next(500ms);
            if (delivery && *delivery)
                found = std::move(**delivery);
            return found.has_value();
        }));
        return found.value_or(Delivery{});
    }

    NatsServer server;
};

TEST_F(NatsSourceTest, AMessageIsAnEventWithAllThatItSays)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.publish("refunds.succeeded",
        { { "ce-specversion", "1.0" }, { "ce-id", "evt%201" }, { "ce-source", "/shop" },
            { "ce-type", "refund.succeeded" }, { "ce-subject", "rf_1" }, { "ce-version", "7" },
            { "ce-correlationid", "req_1" }, { "ce-partitionkey", "rf%201" }, { "Content-Type", "text/plain" },
            { "traceparent", "00-1-2-00" }, { "Nats-Msg-Id", "m1" } },
        "hello");
    const auto source = open(optionsOf("refunds.*"));
    ASSERT_TRUE(source);
    const auto got = next(*source);
    EXPECT_EQ(got.id, (InboxId{ "ledger", "/shop", "evt 1" }));
    EXPECT_EQ(got.type, "refund.succeeded");
    EXPECT_EQ(got.subject, "rf_1");
    EXPECT_EQ(got.version, 7);
    EXPECT_EQ(got.correlationId, "req_1");
    EXPECT_EQ(got.orderingKey, "rf 1");
    EXPECT_EQ(got.payload, "hello");
    EXPECT_EQ(got.payloadHash, sha256("hello"));
    EXPECT_EQ(got.destination, server.url("refunds.succeeded")) << "where it came, not what was asked for";
    EXPECT_THAT(got.headers,
        ElementsAre(std::pair("Content-Type", "text/plain"), std::pair("ce-subject", "rf_1"),
            std::pair("ce-version", "7"), std::pair("traceparent", "00-1-2-00")));
    EXPECT_TRUE(source->acknowledge());
    const auto none = source->next(100ms);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    EXPECT_EQ(server.pending("REFUNDS", "ledger"), (NatsServer::Pending{ 0, 0 }));
}

// A refund and an order may have one number, and each has versions of its own.
TEST_F(NatsSourceTest, ThingsOfTwoKindsAreTwo)
{
    server.addStream("REFUNDS", { "refunds.>" });
    for (const auto* type : { "refund", "order" })
        server.publish("refunds.a",
            { { "ce-id", type }, { "ce-source", "/shop" }, { "ce-subject", "9" }, { "ce-aggregatetype", type } }, "x");
    server.publish("refunds.a", { { "ce-id", "c" }, { "ce-source", "/shop" }, { "ce-aggregatetype", "order" } }, "x");
    const auto source = open(optionsOf("refunds.*"));
    ASSERT_TRUE(source);
    for (const auto* history : { "refund/9", "order/9" }) {
        const auto delivery = next(*source);
        EXPECT_EQ(delivery.subject, "9") << "as it was told";
        EXPECT_EQ(historyOf(delivery), history);
        EXPECT_TRUE(source->acknowledge());
    }
    EXPECT_FALSE(historyOf(next(*source))) << "of nothing in particular";
    const auto of = [](const char* type, const std::string& subject) {
        Delivery delivery;
        delivery.aggregateType = type;
        delivery.subject = subject;
        return historyOf(delivery);
    };
    EXPECT_NE(of("a/b", "c"), of("a", "b/c"));
    EXPECT_NE(of("a%2Fb", "c"), of("a/b", "c"));
    EXPECT_EQ(of("refund", std::string(300, 'x'))->size(), 64U);
}

TEST_F(NatsSourceTest, AMessageThatNamesLessStillHasAName)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.publish("refunds.a", { { "Nats-Msg-Id", "m1" } }, "one");
    server.publish("refunds.a", {}, "two");
    server.publish("refunds.a", { { "ce-id", std::string(300, 'x') }, { "ce-version", "7b" } }, "three");
    server.publish("refunds.a", { { "ce-id", "\xFF" }, { "ce-type", "\xFF" }, { "X-A", "\xFF" } }, "four");
    server.publish("refunds.a", { { "ce-id", "a%00b%zz" } }, "");
    auto options = optionsOf("REFUNDS");
    const auto source = open(options);
    ASSERT_TRUE(source);
    std::vector<Delivery> all;
    for (int i = 0; i < 5; ++i) {
        all.push_back(next(*source));
        EXPECT_TRUE(source->acknowledge());
    }
    EXPECT_EQ(all[0].id, (InboxId{ "ledger", "REFUNDS", "m1" }));
    EXPECT_THAT(all[1].id.eventId, HasSubstr("REFUNDS/2/"));
    EXPECT_TRUE(isUuid(all[2].id.eventId)) << all[2].id.eventId;
    EXPECT_EQ(all[2].version, std::nullopt);
    EXPECT_TRUE(isUuid(all[3].id.eventId));
    EXPECT_EQ(all[3].type, "\xEF\xBF\xBD");
    EXPECT_THAT(all[3].headers, ElementsAre(std::pair("X-A", "\xEF\xBF\xBD")));
    EXPECT_EQ(all[4].id.eventId, "a%00b%zz");
    EXPECT_EQ(all[4].payload, "");

    options.consumer = "analytics";
    options.source = "/shop";
    const auto other = open(options);
    ASSERT_TRUE(other);
    EXPECT_EQ(next(*other).id, (InboxId{ "analytics", "/shop", "m1" })) << "each consumer has all of them";
}

// The client library takes what stands behind an empty header for its value, and an event would lose its id.
TEST_F(NatsSourceTest, AnEmptyHeaderSwallowsNoOther)
{
    server.addStream("REFUNDS", { "refunds.>" });
    const std::vector<std::string> empty{ "X-Request-Id", "X-Region", "Correlation-Id", "Accept-Language", "A", "zz",
        "X-Trace", "Ce-subject", "nats-x" };
    for (const auto& name : empty)
        server.publish("refunds.a",
            { { "ce-specversion", "1.0" }, { "ce-id", "id of " + name }, { "ce-source", "/shop" }, { name, "" },
                { "ce-time", "2026-11-20T12:00:00Z" }, { "X-Link", "http://h:1/p" }, { "Content-Type", "text/plain" } },
            name);
    server.publish("refunds.a",
        { { "ce-specversion", "1.0" }, { "ce-id", "several" }, { "ce-source", "/shop" }, { "a", "" }, { "b", "" },
            { "c", "" }, { "d", "" } },
        "several");
    const auto source = open(optionsOf("REFUNDS"));
    ASSERT_TRUE(source);
    for (const auto& name : empty) {
        const auto got = next(*source);
        EXPECT_EQ(got.id, (InboxId{ "ledger", "/shop", "id of " + name })) << name;
        EXPECT_EQ(got.payload, name);
        EXPECT_EQ(lineOf(got.headers, "X-Link"), "http://h:1/p") << name;
        EXPECT_TRUE(source->acknowledge());
    }
    EXPECT_EQ(next(*source).id.eventId, "several");
    EXPECT_TRUE(source->acknowledge());
}

TEST_F(NatsSourceTest, AStructuredMessageSaysItInItsPayload)
{
    server.addStream("REFUNDS", { "refunds.>" });
    const std::string structured = "Application/CloudEvents+JSON; charset=utf-8";
    const std::string whole =
        R"({"specversion":"1.0","id":"evt%201","source":"/shop","type":"refund.succeeded","subject":"rf_1",)"
        R"("version":7,"partitionkey":"p","correlationid":null,"data":{"id":"another","deep":[[1e300]]}})";
    server.publish("refunds.a", { { "Content-Type", structured }, { "Nats-Msg-Id", "m1" } }, whole);
    // What was put back under an id of its own says so in its headers.
    server.publish("refunds.a", { { "Content-Type", structured }, { "ce-id", "new" } }, whole);
    const std::string hostile = R"({"id":"a\u0000b","source":{"id":"x"},"data":)" + std::string(100'000, '[') + "1"
        + std::string(100'000, ']') + "}";
    server.publish("refunds.a", { { "Content-Type", structured } }, hostile);
    server.publish("refunds.a", { { "Content-Type", structured }, { "Nats-Msg-Id", "m2" } }, R"({"id":"half)");
    server.publish("refunds.a", { { "Content-Type", "application/json" }, { "Nats-Msg-Id", "m3" } }, whole);
    const auto source = open(optionsOf("REFUNDS"));
    ASSERT_TRUE(source);
    std::vector<Delivery> all;
    for (int i = 0; i < 5; ++i) {
        all.push_back(next(*source));
        EXPECT_TRUE(source->acknowledge());
    }
    EXPECT_EQ(all[0].id, (InboxId{ "ledger", "/shop", "evt%201" })) << "no percent encoding in JSON";
    EXPECT_EQ(all[0].type, "refund.succeeded");
    EXPECT_EQ(all[0].subject, "rf_1");
    EXPECT_EQ(all[0].version, 7);
    EXPECT_EQ(all[0].orderingKey, "p");
    EXPECT_EQ(all[0].correlationId, std::nullopt);
    EXPECT_EQ(all[0].payload, whole);
    EXPECT_EQ(all[1].id, (InboxId{ "ledger", "/shop", "new" }));
    EXPECT_EQ(all[2].id, (InboxId{ "ledger", "REFUNDS", R"("a\u0000b")" }));
    EXPECT_EQ(all[2].payload, hostile);
    EXPECT_EQ(all[3].id.eventId, "m2") << "not JSON: the consumer will say what is wrong with it";
    EXPECT_EQ(all[4].id.eventId, "m3") << "a payload that does not say it is an event is not read";
}

TEST_F(NatsSourceTest, WhatIsNotAcknowledgedComesAgain)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.publish("refunds.a", { { "ce-id", "evt_1" } }, "one");
    auto options = optionsOf("refunds.a");
    options.ackWait = 1s;
    {
        const auto killed = open(options);
        ASSERT_TRUE(killed);
        EXPECT_EQ(next(*killed).id.eventId, "evt_1");
    }
    const auto source = open(options);
    ASSERT_TRUE(source);
    EXPECT_EQ(next(*source).id.eventId, "evt_1");
    EXPECT_TRUE(source->deliverAgain(50ms));
    EXPECT_EQ(next(*source).id.eventId, "evt_1");
    EXPECT_TRUE(source->extend());
    EXPECT_TRUE(source->acknowledge());
    EXPECT_TRUE(eventually([&] { return server.pending("REFUNDS", "ledger") == NatsServer::Pending{ 0, 0 }; }));
}

TEST_F(NatsSourceTest, AConsumerOfAnEarlierRunTakesTheLeaseOfThisOne)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.publish("refunds.a", { { "ce-id", "evt_1" } }, "one");
    auto options = optionsOf("refunds.a");
    options.ackWait = 1h;
    ASSERT_TRUE(open(options));
    options.ackWait = 1s;
    {
        const auto killed = open(options);
        ASSERT_TRUE(killed);
        EXPECT_EQ(next(*killed).id.eventId, "evt_1");
    }
    const auto source = open(options);
    ASSERT_TRUE(source);
    EXPECT_EQ(next(*source).id.eventId, "evt_1") << "it does not wait for an hour";
}

TEST_F(NatsSourceTest, AServerThatRestartsIsAwayAndThenThereAgain)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.publish("refunds.a", { { "ce-id", "evt_1" } }, "one");
    server.publish("refunds.a", { { "ce-id", "evt_2" } }, "two");
    auto options = optionsOf("refunds.a");
    options.ackWait = 1s;
    const auto source = open(options);
    ASSERT_TRUE(source);
    EXPECT_EQ(next(*source).id.eventId, "evt_1");
    server.kill();
    EXPECT_TRUE(eventually([&] { return !source->acknowledge(); })) << "nobody heard it";
    const auto away = source->next(100ms);
    ASSERT_FALSE(away);
    EXPECT_EQ(away.error().failure, Failure::Unavailable);
    EXPECT_EQ(away.error().code, "connection");
    server.start();
    std::set<std::string> ids;
    EXPECT_TRUE(eventually([&] {
        ids.insert(next(*source).id.eventId);
        EXPECT_TRUE(source->acknowledge());
        return ids.size() == 2;
    }));
    EXPECT_THAT(ids, ElementsAre("evt_1", "evt_2"));
}

TEST_F(NatsSourceTest, AConsumerThatWasDeletedIsAnError)
{
    server.addStream("REFUNDS", { "refunds.>" });
    const auto source = open(optionsOf("refunds.a"));
    ASSERT_TRUE(source);
    server.removeConsumer("REFUNDS", "ledger");
    const auto gone = source->next(100ms);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().failure, Failure::NotFound);
    EXPECT_THAT(gone.error().message, HasSubstr("The consumer ledger of the stream REFUNDS"));
}

TEST_F(NatsSourceTest, IsRefusedInWords)
{
    server.addStream("REFUNDS", { "refunds.>" });
    server.addStream("ORDERS", { "orders.>" });
    EXPECT_THAT(refused(optionsOf("nobody.there")), HasSubstr("no stream for the subject nobody.there"));
    EXPECT_THAT(refused(optionsOf("NOBODY")), HasSubstr("none of that name"));
    EXPECT_THAT(refused(optionsOf("*.a")), HasSubstr("Several streams"));
    EXPECT_THAT(refused(optionsOf("refunds.a", "a.b")), HasSubstr("letters, digits"));
    EXPECT_THAT(refused(optionsOf("")), HasSubstr("names a subject"));
    ASSERT_TRUE(open(optionsOf("refunds.a")));
    ASSERT_TRUE(open(optionsOf("refunds.a"))) << "it is there already";
    EXPECT_THAT(refused(optionsOf("refunds.b")), HasSubstr("takes other subjects"));
    EXPECT_THAT(refused(optionsOf("REFUNDS")), HasSubstr("takes other subjects"));
    server.kill();
    EXPECT_THAT(refused(optionsOf("refunds.a")), HasSubstr("cannot be reached"));
}

TEST_F(NatsSourceTest, OneSubjectIsAFilterToo)
{
    server.addStream("ONE", { "only.this" });
    ASSERT_TRUE(open(optionsOf("only.this")));
    ASSERT_TRUE(open(optionsOf("only.this")));
}
