// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <latch>
#include <thread>

#include "tests/core/store/message_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;
using namespace std::string_literals;

class InboxTest : public MessageTest {
protected:
    static Delivery versioned(const std::string& event, std::int64_t version)
    {
        auto made = delivery(event);
        made.subject = "rf_1";
        made.version = version;
        return made;
    }
    static Delivery effectOf(const std::string& event, const std::string& key)
    {
        auto made = delivery(event);
        made.dedupeKey = key;
        return made;
    }
    std::int64_t effects() { return count("ledger_entries"); }
    store::Inbox::Effect book()
    {
        return [this] { return messages.connection->execute("INSERT INTO ledger_entries VALUES (1)"); };
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, InboxTest, bothDialects(), nameOfDialect);

TEST_P(InboxTest, AnEventIsHandledOnce)
{
    const auto event = delivery();
    EXPECT_EQ(receive(event, 1), Reception::Process);
    const auto busy = value(inbox().receive(event, arrival(2)));
    EXPECT_EQ(busy.reception, Reception::Busy);
    EXPECT_EQ(busy.wait, 30s);
    EXPECT_EQ(settle(event, 1), InboxSettlement::Applied);
    EXPECT_EQ(receive(event, 2), Reception::Done);
    const auto row = inboxRow(event);
    EXPECT_EQ(row.state, InboxState::Processed);
    EXPECT_EQ(row.result, "ok");
    EXPECT_EQ(row.processedAt, start);
    EXPECT_EQ(row.receiveCount, 3);
    EXPECT_EQ(row.attempt, 1);
    EXPECT_EQ(row.correlationId, "req_evt_1");
    EXPECT_EQ(count("dead_letters"), 0);
}

TEST_P(InboxTest, ARecordedDeliveryIsHandledLater)
{
    const auto event = delivery();
    EXPECT_EQ(value(inbox().accept(event)).reception, Reception::Busy) << "nobody may acknowledge what nobody handled";
    EXPECT_EQ(value(inbox().accept(event)).reception, Reception::Busy);
    EXPECT_EQ(inboxRow(event).state, InboxState::Received);
    EXPECT_EQ(receive(event, 1), Reception::Process);
    EXPECT_EQ(value(inbox().accept(event)).reception, Reception::Busy);
    EXPECT_EQ(inboxRow(event).state, InboxState::Processing);
    EXPECT_EQ(settle(event, 1), InboxSettlement::Applied);
    EXPECT_EQ(value(inbox().accept(event)).reception, Reception::Done);
}

TEST_P(InboxTest, EachConsumerHandlesItForItself)
{
    const auto event = delivery();
    auto other = event;
    other.id.consumer = "analytics";
    EXPECT_EQ(receive(event, 1), Reception::Process);
    EXPECT_EQ(receive(other, 2), Reception::Process);
}

TEST_P(InboxTest, AnotherPayloadUnderTheSameIdIsADeadLetterOfItsOwn)
{
    const auto event = delivery();
    const auto other = delivery("evt_1", R"({"amount":9999})");
    EXPECT_EQ(receive(event, 1), Reception::Process);
    const auto before = inboxRow(event);
    for (const int owner : { 2, 3 }) {
        EXPECT_EQ(receive(other, owner), Reception::Conflict);
        clock.advance(1min);
    }
    EXPECT_EQ(value(inbox().accept(other)).reception, Reception::Conflict);
    EXPECT_EQ(inboxRow(event), before) << "the first is untouched";
    const auto dead = letter();
    EXPECT_EQ(dead.kind, DeadLetterKind::Conflict);
    EXPECT_EQ(dead.code, "inbox.payload_conflict");
    EXPECT_EQ(dead.payloadHash, other.payloadHash);
    EXPECT_EQ(value(letters().payload(dead.id)), other.payload);
    EXPECT_EQ(dead.deaths, 3);
    EXPECT_EQ(settle(event, 1), InboxSettlement::Applied);
}

TEST_P(InboxTest, AnEndedLeaseIsTakenOverAndTheFirstHandlerIsRefused)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE ledger_entries (n INTEGER)"));
    const auto event = delivery();
    EXPECT_EQ(receive(event, 1), Reception::Process);
    clock.advance(30s - 1us);
    EXPECT_EQ(receive(event, 2), Reception::Busy);
    clock.advance(1us);
    EXPECT_EQ(receive(event, 2), Reception::Process);
    EXPECT_EQ(value(inbox().settle(event.id, ownerOf(1), "ok", book())), InboxSettlement::Lost);
    EXPECT_EQ(effects(), 0) << "an effect of whoever lost the event is not begun";
    EXPECT_EQ(fail(event, 1), InboxSettlement::Lost);
    EXPECT_FALSE(value(inbox().renew(event.id, ownerOf(1), 1min)));
    EXPECT_TRUE(value(inbox().renew(event.id, ownerOf(2), 1min)));
    clock.advance(59s);
    EXPECT_EQ(receive(event, 3), Reception::Busy);
    EXPECT_EQ(value(inbox().settle(event.id, ownerOf(2), "ok", book())), InboxSettlement::Applied);
    EXPECT_EQ(effects(), 1);
    EXPECT_EQ(inboxRow(event).attempts.at(0).code, "lease_expired") << "the handler that was lost is in the history";
}

TEST_P(InboxTest, TheEffectAndItsMarkAreOne)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE ledger_entries (n INTEGER)"));
    const auto event = delivery();
    EXPECT_EQ(receive(event, 1), Reception::Process);
    const auto broken = inbox().settle(event.id, ownerOf(1), "ok", [&]() -> Status {
        EXPECT_TRUE(book()());
        return Error{ Failure::Full, "no room", {} };
    });
    EXPECT_FALSE(broken);
    EXPECT_EQ(effects(), 0);
    EXPECT_EQ(inboxRow(event).state, InboxState::Processing);
    EXPECT_EQ(value(inbox().settle(event.id, ownerOf(1), "ok", book())), InboxSettlement::Applied);
    EXPECT_EQ(effects(), 1);
}

TEST_P(InboxTest, AFailureWaitsAndTheLastOneIsADeadLetterWithItsHistory)
{
    const auto event = delivery();
    for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
        EXPECT_EQ(receive(event, attempt), Reception::Process) << attempt;
        EXPECT_EQ(fail(event, attempt, "no account ac_" + std::to_string(attempt)), InboxSettlement::Applied);
        const bool last = attempt == maxAttempts;
        EXPECT_EQ(inboxRow(event).state, last ? InboxState::Dead : InboxState::Failed);
        EXPECT_EQ(receive(event, 9), last ? Reception::Dead : Reception::Busy);
        clock.advance(10s);
    }
    const auto dead = letter();
    EXPECT_EQ(dead.kind, DeadLetterKind::Inbox);
    EXPECT_EQ(dead.state, DeadLetterState::Dead);
    EXPECT_EQ(dead.code, "exit_1");
    EXPECT_EQ(dead.reason, "no account ac_3");
    EXPECT_EQ(dead.group, groupOf("exit_1", "no account ac_77")) << "ids are no part of the group";
    ASSERT_EQ(dead.attempts.size(), 3U);
    EXPECT_EQ(dead.attempts[0].error, "no account ac_1");
    EXPECT_EQ(dead.attempts[2].owner, ownerOf(3).uuid);
    EXPECT_EQ(dead.firstAt, start);
    EXPECT_EQ(dead.deadAt, start + 20s);
    EXPECT_EQ(dead.headers, event.headers);
    EXPECT_EQ(dead.destination, event.destination);
    EXPECT_EQ(dead.correlationId, event.correlationId);
    EXPECT_EQ(value(letters().payload(dead.id)), event.payload);
    EXPECT_EQ(receive(event, 9), Reception::Dead) << "a duplicate of it is acknowledged and changes nothing";
    EXPECT_EQ(letter().deaths, 1);
}

TEST_P(InboxTest, WhatFailsForGoodDiesAtOnce)
{
    const auto event = delivery();
    EXPECT_EQ(receive(event, 1), Reception::Process);
    const auto failed = value(inbox().fail(event, ownerOf(1), { "schema", "not \xff our\0 event"s, false, {} }, 3));
    EXPECT_EQ(failed.message->state, InboxState::Dead);
    EXPECT_EQ(letter().reason, "not \xEF\xBF\xBD our\xEF\xBF\xBD event") << "what no database takes as text";
}

TEST_P(InboxTest, AnEventThatKillsEveryHandlerDies)
{
    const auto event = delivery();
    for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
        EXPECT_EQ(receive(event, attempt), Reception::Process);
        clock.advance(31s);
    }
    EXPECT_EQ(receive(event, 9), Reception::Dead);
    EXPECT_EQ(inboxRow(event).state, InboxState::Dead);
    EXPECT_EQ(letter().code, "lease_expired");
    EXPECT_EQ(letter().attempts.size(), 3U);
}

TEST_P(InboxTest, TwoEventsWithOneEffectAreCarriedOutOnce)
{
    const auto first = effectOf("evt_1", "commission:1");
    const auto second = effectOf("evt_2", "commission:1");
    EXPECT_EQ(receive(first, 1), Reception::Process);
    EXPECT_EQ(receive(second, 2), Reception::Busy);
    EXPECT_EQ(settle(first, 1), InboxSettlement::Applied);
    EXPECT_EQ(receive(second, 2), Reception::Done);
    EXPECT_EQ(inboxRow(second).state, InboxState::Processed);
    EXPECT_EQ(inboxRow(second).result, "same effect as evt_1");
    // Of another consumer it is another effect.
    auto elsewhere = effectOf("evt_3", "commission:1");
    elsewhere.id.consumer = "analytics";
    EXPECT_EQ(receive(elsewhere, 3), Reception::Process);
}

TEST_P(InboxTest, AnEffectWhoseHandlerIsGoneIsTakenOverByAnotherEvent)
{
    const auto first = effectOf("evt_1", "commission:1");
    const auto second = effectOf("evt_2", "commission:1");
    EXPECT_EQ(receive(first, 1), Reception::Process);
    clock.advance(31s);
    EXPECT_EQ(receive(second, 2), Reception::Process);
    EXPECT_EQ(settle(first, 1), InboxSettlement::Lost);
    EXPECT_EQ(settle(second, 2), InboxSettlement::Applied);
    EXPECT_EQ(receive(first, 3), Reception::Done);
}

TEST_P(InboxTest, AnOlderVersionDoesNotFollowANewer)
{
    const auto older = versioned("evt_2", 2);
    const auto newer = versioned("evt_3", 3);
    EXPECT_EQ(receive(newer, 1), Reception::Process);
    EXPECT_EQ(settle(newer, 1), InboxSettlement::Applied);
    EXPECT_EQ(receive(older, 2), Reception::Overtaken);
    EXPECT_EQ(inboxRow(older).state, InboxState::Processed);
    EXPECT_EQ(inboxRow(older).result, "overtaken by version 3");
    EXPECT_EQ(receive(versioned("evt_4", 4), 3), Reception::Process);
}

TEST_P(InboxTest, AVersionThatIsOvertakenWhileItIsHandledHasNoEffect)
{
    ASSERT_TRUE(main.connection->execute("CREATE TABLE ledger_entries (n INTEGER)"));
    const auto older = versioned("evt_2", 2);
    const auto newer = versioned("evt_3", 3);
    EXPECT_EQ(receive(older, 1), Reception::Process);
    EXPECT_EQ(receive(newer, 2), Reception::Process);
    EXPECT_EQ(value(inbox().settle(newer.id, ownerOf(2), "ok", book())), InboxSettlement::Applied);
    EXPECT_EQ(value(inbox().settle(older.id, ownerOf(1), "ok", book())), InboxSettlement::Overtaken);
    EXPECT_EQ(effects(), 1);
    EXPECT_EQ(inboxRow(older).state, InboxState::Processed);
}

TEST_P(InboxTest, OneOfManyHandlesAnEvent)
{
    for (int round = 0; round < 10; ++round) {
        // Half of them bring the event itself, half another one with its effect.
        std::atomic<int> won = 0;
        std::latch together(8);
        std::vector<std::thread> threads;
        std::vector<OpenMessages> own;
        for (int i = 0; i < 8; ++i)
            own.push_back(openMessages());
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] {
                const auto name = std::to_string(round);
                const auto event = effectOf((i % 2 == 0 ? "evt_a" : "evt_b") + name, "commission:" + name);
                together.arrive_and_wait();
                const auto received = own[static_cast<std::size_t>(i)].inbox->receive(event, arrival(i + 1));
                ASSERT_TRUE(received) << received.error().message << ": " << received.error().detail;
                won += received->reception == Reception::Process ? 1 : 0;
            });
        for (auto& thread : threads)
            thread.join();
        EXPECT_EQ(won, 1) << round;
    }
}

TEST_P(InboxTest, ForgetsOnlyWhatWasProcessed)
{
    for (const auto* id : { "done", "running", "failed", "dead", "recorded" }) {
        const auto event = delivery(id);
        if (std::string(id) == "dead") {
            kill(event);
            continue;
        }
        if (std::string(id) == "recorded") {
            EXPECT_TRUE(inbox().accept(event));
            continue;
        }
        EXPECT_EQ(receive(event, 1), Reception::Process);
        if (std::string(id) == "done")
            settle(event, 1);
        if (std::string(id) == "failed")
            fail(event, 1);
    }
    clock.advance(30 * 24h - 31s);
    EXPECT_EQ(value(inbox().purge(30 * 24h, 100)), 0);
    clock.advance(1min);
    EXPECT_EQ(value(inbox().purge(30 * 24h, 100)), 1);
    EXPECT_EQ(count("inbox_messages"), 4);
    EXPECT_EQ(value(inbox().find(delivery("done").id)), std::nullopt);
}

TEST_P(InboxTest, KeepsWhatADeliverySays)
{
    auto event = delivery("id with a . and a\nnewline");
    event.dedupeKey = "commission:1";
    event.subject = "rf_1";
    event.version = 7;
    EXPECT_EQ(receive(event, 1), Reception::Process);
    const auto row = inboxRow(event);
    EXPECT_EQ(row.id, event.id);
    EXPECT_EQ(row.payloadHash, event.payloadHash);
    EXPECT_EQ(row.dedupeKey, event.dedupeKey);
    EXPECT_EQ(row.subject, event.subject);
    EXPECT_EQ(row.version, event.version);
    EXPECT_EQ(row.owner, ownerOf(1));
    EXPECT_EQ(row.leaseExpiresAt, start + 30s);
    EXPECT_EQ(row.receivedAt, start);
}

TEST_P(InboxTest, RefusesWhatIsNoDelivery)
{
    auto nameless = delivery();
    nameless.id.eventId.clear();
    auto octets = delivery();
    octets.id.source = "\xff";
    auto zero = delivery();
    zero.id.consumer = std::string("a\0b", 3);
    auto unhashed = delivery();
    unhashed.payloadHash = "short";
    for (const auto& wrong : { nameless, octets, zero, unhashed }) {
        const auto refused = inbox().receive(wrong, arrival(1));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().failure, Failure::Invalid);
        EXPECT_FALSE(inbox().accept(wrong));
    }
    EXPECT_FALSE(inbox().receive(delivery(), { { "nobody" }, 30s, 3 }));
    EXPECT_FALSE(inbox().receive(delivery(), { ownerOf(1), 0s, 3 }));
    EXPECT_EQ(count("inbox_messages"), 0);
}
