// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/dead_letters.h"
#include "core/store/inbox.h"
#include "core/store/outbox.h"
#include "tests/core/store/store_fixture.h"

namespace fencepost::test {

// One more connection to the same database, with its inbox, its outbox and its dead letters.
struct OpenMessages {
    std::unique_ptr<store::Connection> connection;
    std::unique_ptr<store::Inbox> inbox;
    std::unique_ptr<store::Outbox> outbox;
    std::unique_ptr<store::DeadLetters> letters;
};

// The tables of messages in a fresh database, on a clock that stands still.
class MessageTest : public StoreTest {
protected:
    static constexpr int maxAttempts = 3;

    void SetUp() override
    {
        StoreTest::SetUp();
        messages = openMessages();
    }

    OpenMessages openMessages(bool decided = true)
    {
        OpenMessages opened;
        auto connection = database.connect();
        EXPECT_TRUE(connection) << connection.error().message << ": " << connection.error().detail;
        if (!connection)
            return opened;
        opened.connection = std::move(*connection);
        const auto clockOf = decided ? store::StoreClock{ .clock = &clock, .bind = true } : store::StoreClock{};
        opened.inbox = std::make_unique<store::Inbox>(*opened.connection, clockOf);
        opened.outbox = std::make_unique<store::Outbox>(*opened.connection, clockOf);
        opened.letters = std::make_unique<store::DeadLetters>(*opened.connection, clockOf);
        return opened;
    }

    store::Inbox& inbox() { return *messages.inbox; }
    store::Outbox& outbox() { return *messages.outbox; }
    store::DeadLetters& letters() { return *messages.letters; }

    static Delivery delivery(const std::string& event = "evt_1", const std::string& payload = R"({"amount":10})")
    {
        Delivery made;
        made.id = { "ledger", "stripe", event };
        made.payloadHash = hashOf(payload);
        made.payload = payload;
        made.type = "refund.succeeded";
        made.destination = "http://127.0.0.1:9/hooks";
        made.headers = { { "ce-type", "refund.succeeded" }, { "traceparent", "00-1-2-00" } };
        made.correlationId = "req_" + event;
        return made;
    }
    static InboxArrival arrival(int owner) { return { ownerOf(owner), std::chrono::seconds(30), maxAttempts }; }
    Reception receive(const Delivery& what, int owner)
    {
        return value(inbox().receive(what, arrival(owner))).reception;
    }
    InboxSettlement settle(const Delivery& what, int owner)
    {
        return value(inbox().settle(what.id, ownerOf(owner), "ok"));
    }
    InboxSettlement fail(const Delivery& what, int owner, const std::string& error = "handler refused ch_123")
    {
        return value(
            inbox().fail(what, ownerOf(owner), { "exit_1", error, true, std::chrono::seconds(10) }, maxAttempts))
            .settlement;
    }
    // Until it is dead.
    void kill(const Delivery& what)
    {
        for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
            ASSERT_EQ(receive(what, attempt), Reception::Process);
            ASSERT_EQ(fail(what, attempt), InboxSettlement::Applied);
            clock.advance(std::chrono::seconds(10));
        }
    }
    InboxMessage inboxRow(const Delivery& what)
    {
        auto row = value(inbox().find(what.id));
        EXPECT_TRUE(row);
        return row.value_or(InboxMessage{});
    }

    static OutboxEvent event(const std::string& id, std::optional<std::string> orderingKey = {})
    {
        OutboxEvent made;
        made.eventId = id;
        made.destination = "http://127.0.0.1:9/hooks";
        made.source = "/lab";
        made.type = "refund.succeeded";
        made.aggregateType = "refund";
        made.aggregateId = "rf_1";
        made.orderingKey = std::move(orderingKey);
        made.payload = "{\"id\":\"" + id + "\"}";
        made.headers = { { "ce-subject", "rf_1" }, { "traceparent", "00-1-2-00" } };
        made.record = RecordId{ "s", "o", "k" };
        made.correlationId = "req_1";
        return made;
    }
    std::int64_t add(const OutboxEvent& what) { return value(outbox().add(what)).seq; }
    store::OutboxClaim wish(int owner, int batch = 50)
    {
        return { .owner = ownerOf(owner),
            .lease = std::chrono::seconds(30),
            .batch = batch,
            .schemes = { "http", "https" },
            .maxAttempts = maxAttempts };
    }
    // The ids of what was claimed, "a b c".
    std::string claim(const store::OutboxClaim& what)
    {
        std::string ids;
        for (const auto& message : value(outbox().claim(what)))
            ids += (ids.empty() ? "" : " ") + message.event.eventId;
        return ids;
    }
    std::string claim(int owner, int batch = 50) { return claim(wish(owner, batch)); }
    std::vector<std::int64_t> sent(const std::vector<std::int64_t>& seqs, int owner)
    {
        return value(outbox().sent(seqs, ownerOf(owner)));
    }
    OutboxState undelivered(std::int64_t seq, int owner, bool retryable = true)
    {
        const auto after = value(outbox().undelivered(
            seq, ownerOf(owner), { "503", "busy with rf_1", retryable, std::chrono::seconds(10) }, maxAttempts));
        EXPECT_TRUE(after);
        return after ? after->state : OutboxState::Pending;
    }
    OutboxMessage outboxRow(std::int64_t seq)
    {
        auto row = value(outbox().find(seq));
        EXPECT_TRUE(row);
        return row.value_or(OutboxMessage{});
    }

    // The only dead letter there is.
    DeadLetter letter()
    {
        EXPECT_EQ(count("dead_letters"), 1);
        const auto statement = main.connection->prepare("SELECT id FROM dead_letters");
        EXPECT_TRUE(statement && (*statement)->run() && (*statement)->next());
        const auto id = (*statement)->text(0);
        (*statement)->finish();
        auto found = value(letters().find(id));
        EXPECT_TRUE(found);
        return found.value_or(DeadLetter{});
    }
    static LetterDemand demand(const DeadLetter& seen)
    {
        return { .seenDeaths = seen.deaths, .by = "olga@desk", .because = "mended", .runId = "run_7" };
    }

    OpenMessages messages;
};

} // namespace fencepost::test
