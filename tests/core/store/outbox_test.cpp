// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "core/protocol/http_message.h"
#include "core/store/outbox_backlog.h"
#include "tests/core/store/message_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

class OutboxTest : public MessageTest {
protected:
    // As somebody does who does not use this library.
    void execute(const std::string& sql)
    {
        const auto done = main.connection->execute(sql);
        ASSERT_TRUE(done) << sql << ": " << done.error().detail;
    }

    // Due at that instant, all of them to the same destination.
    [[nodiscard]] std::string oweSql(int number, const std::string& at)
    {
        const std::string numbers = sqlite()
            ? "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(number)
                + ") SELECT i FROM n)"
            : "(SELECT generate_series(1, " + std::to_string(number) + ") AS i)";
        const std::string payload = sqlite() ? "x'7b7d'" : "'\\x7b7d'::bytea";
        return "INSERT INTO outbox_messages (event_id, destination, source, aggregatetype, aggregateid, type, payload,"
               " headers, status, next_attempt_at, attempts, created_at) SELECT 'owed' || i || '-' || "
            + std::to_string(++m_owed) + ", '" + disabledOne + "', '/lab', 'refund', 'rf_1', 'refund.succeeded', "
            + payload + ", '[]', 'PENDING', " + at + ", '[]', " + at + " FROM " + numbers + " AS numbers";
    }
    // In front of everything else.
    void oweDisabled(int number)
    {
        const auto micros = std::to_string(microsOf(clock.now() - 1h));
        execute(oweSql(number, sqlite() ? micros : "to_timestamp(" + micros + "::numeric / 1000000)"));
        value(outbox().disable(disabledOne, "relay", "the endpoint answered 410"));
    }

    // Steps of SQLite's machine; rows and entries of indexes that PostgreSQL read. Nothing is claimed by it.
    std::int64_t workOfAClaim()
    {
        value(outbox().find(0));
        EXPECT_EQ(value(outbox().claim(wish(7, 1))).size(), 1U); // prepares what is prepared once
        auto transaction = store::Transaction::begin(*messages.connection, store::Begin::Immediate);
        EXPECT_TRUE(transaction);
        const auto before = work();
        EXPECT_EQ(value(outbox().claim(wish(8, 20))).size(), 20U);
        const auto done = work() - before;
        transaction->rollback();
        return done;
    }

    void raceOfRelays();

    const std::string disabledOne = "http://127.0.0.1:9/gone";

private:
    std::int64_t work()
    {
        if (sqlite()) {
            auto* handle = static_cast<sqlite3*>(messages.connection->handle());
            std::int64_t steps = 0;
            for (auto* each = sqlite3_next_stmt(handle, nullptr); each != nullptr;
                 each = sqlite3_next_stmt(handle, each))
                steps += sqlite3_stmt_status(each, SQLITE_STMTSTATUS_VM_STEP, 0);
            return steps;
        }
        const auto statement = messages.connection->prepare(
            "SELECT CAST(sum(pg_stat_get_xact_tuples_returned(c.oid)) AS BIGINT) FROM pg_class AS c WHERE c.oid = "
            "'outbox_messages'::regclass OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = "
            "'outbox_messages'::regclass)");
        EXPECT_TRUE(statement && (*statement)->run() && (*statement)->next());
        const auto rows = (*statement)->integer(0);
        (*statement)->finish();
        return rows;
    }

    int m_owed = 0;
};

namespace {

std::string joined(std::string list, const std::string& apart, const std::string& word)
{
    for (auto at = list.find(apart); at != std::string::npos; at = list.find(apart, at + word.size()))
        list.replace(at, apart.size(), word);
    return list;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Backends, OutboxTest, bothDialects(), nameOfDialect);

TEST_P(OutboxTest, IsWrittenWithTheChange)
{
    {
        auto transaction = store::Transaction::begin(*messages.connection, store::Begin::Immediate);
        ASSERT_TRUE(transaction);
        add(event("a"));
        transaction->rollback();
    }
    EXPECT_EQ(count("outbox_messages"), 0);
    auto transaction = store::Transaction::begin(*messages.connection, store::Begin::Immediate);
    ASSERT_TRUE(transaction);
    const auto seq = add(event("a", "rf_1"));
    ASSERT_TRUE(transaction->commit());
    const auto row = outboxRow(seq);
    auto expected = event("a", "rf_1");
    EXPECT_EQ(row.payloadOctets, static_cast<std::int64_t>(expected.payload.size()));
    EXPECT_EQ(value(outbox().payload(seq)), expected.payload);
    expected.payload.clear();
    EXPECT_EQ(row.event, expected);
    EXPECT_EQ(row.state, OutboxState::Pending);
    EXPECT_EQ(row.nextAttemptAt, start);
    EXPECT_EQ(row.createdAt, start);
    const auto mine = value(outbox().ofRecord({ "s", "o", "k" }));
    ASSERT_EQ(mine.size(), 1U);
    EXPECT_EQ(mine.front(), row);
}

TEST_P(OutboxTest, AnEventIsOneMessageForEachDestination)
{
    const auto first = value(outbox().add(event("a")));
    const auto again = value(outbox().add(event("a")));
    EXPECT_FALSE(first.already);
    EXPECT_TRUE(again.already);
    EXPECT_EQ(again.seq, first.seq);
    auto elsewhere = event("a");
    elsewhere.destination = "nats://127.0.0.1:4222/refunds";
    EXPECT_FALSE(value(outbox().add(elsewhere)).already);
    auto other = event("a");
    other.payload = "{}";
    const auto refused = outbox().add(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().failure, Failure::Invalid);
    EXPECT_EQ(count("outbox_messages"), 2);
}

TEST_P(OutboxTest, RefusesWhatNoTargetCouldSend)
{
    const auto with = [](auto change) {
        auto made = event("a");
        change(made);
        return made;
    };
    const std::vector<OutboxEvent> unsendable{
        with([](auto& e) { e.eventId = ""; }),
        with([](auto& e) { e.eventId = "a\nb"; }),
        with([](auto& e) { e.eventId = "a.b"; }),
        with([](auto& e) { e.eventId = " a"; }),
        with([](auto& e) { e.eventId = "\xff"; }),
        with([](auto& e) { e.eventId = std::string(256, 'a'); }),
        with([](auto& e) { e.destination = "nowhere"; }),
        with([](auto& e) { e.destination = "http://host/\r\nX: y"; }),
        with([](auto& e) { e.type = "\xfe"; }),
        with([](auto& e) {
            e.headers = { { "a b", "c" } };
        }),
        with([](auto& e) {
            e.headers = { { "a", "b\nc" } };
        }),
    };
    for (const auto& wrong : unsendable) {
        const auto refused = outbox().add(wrong);
        ASSERT_FALSE(refused) << wrong.eventId;
        EXPECT_EQ(refused.error().failure, Failure::Invalid);
    }
    EXPECT_EQ(count("outbox_messages"), 0);
    auto dotted = event("a.b");
    dotted.destination = "nats://127.0.0.1/refunds";
    EXPECT_TRUE(outbox().add(dotted)) << "only a webhook's signature is taken apart at a dot";
}

TEST_P(OutboxTest, IsClaimedOnceAndMarkedByItsOwner)
{
    const auto a = add(event("a"));
    const auto b = add(event("b"));
    EXPECT_EQ(claim(1), "a b");
    EXPECT_EQ(claim(2), "");
    EXPECT_EQ(outboxRow(a).attempt, 1);
    EXPECT_EQ(outboxRow(a).leaseExpiresAt, start + 30s);
    EXPECT_EQ(sent({ a, b }, 2), std::vector<std::int64_t>{}) << "they are another relay's";
    EXPECT_EQ(sent({ a, 999 }, 1), std::vector<std::int64_t>{ a });
    EXPECT_EQ(outboxRow(a).state, OutboxState::Sent);
    EXPECT_EQ(outboxRow(a).sentAt, start);
    EXPECT_EQ(outboxRow(a).owner, std::nullopt);
    EXPECT_EQ(sent({ a }, 1), std::vector<std::int64_t>{}) << "once";
    EXPECT_EQ(sent({}, 1), std::vector<std::int64_t>{});
    EXPECT_EQ(undelivered(b, 1), OutboxState::Pending);
    EXPECT_EQ(value(outbox().undelivered(b, ownerOf(1), {}, 3)), std::nullopt) << "it has no owner now";
}

TEST_P(OutboxTest, BatchesAreBoundedAndTheOldestGoesFirst)
{
    for (const auto* id : { "a", "b", "c", "d", "e" })
        add(event(id));
    EXPECT_EQ(claim(1, 2), "a b");
    EXPECT_EQ(claim(2, 2), "c d");
    EXPECT_EQ(claim(3, 2), "e");
}

TEST_P(OutboxTest, WhatTheRelayHasNoTargetForIsLeftAlone)
{
    add(event("a"));
    auto elsewhere = event("b");
    elsewhere.destination = "nats://127.0.0.1/refunds";
    add(elsewhere);
    auto broker = wish(1);
    broker.schemes = { "nats", "tls" };
    EXPECT_EQ(claim(broker), "b");
    broker.schemes = {};
    EXPECT_EQ(claim(broker), "");
    EXPECT_EQ(claim(2), "a");
    broker.schemes = { "a'b" };
    EXPECT_FALSE(outbox().claim(broker));
}

TEST_P(OutboxTest, TheEventsOfOneKeyGoOneAfterTheOther)
{
    const auto first = add(event("a1", "a"));
    const auto second = add(event("a2", "a"));
    add(event("b1", "b"));
    add(event("x"));
    EXPECT_EQ(claim(1), "a1 b1 x");
    EXPECT_EQ(claim(2), "") << "its head is being sent";
    EXPECT_EQ(undelivered(first, 1), OutboxState::Pending);
    EXPECT_EQ(claim(2), "") << "its head waits for the next attempt";
    clock.advance(10s);
    EXPECT_EQ(claim(2), "a1");
    sent({ first }, 2);
    EXPECT_EQ(claim(2), "a2");
    sent({ second }, 2);
    // The same key at another destination is another sequence.
    const auto here = add(event("a3", "a"));
    auto elsewhere = event("a4", "a");
    elsewhere.destination = "https://other.example/hooks";
    add(elsewhere);
    EXPECT_EQ(claim(3), "a3 a4");
    EXPECT_GT(here, second);
}

TEST_P(OutboxTest, ADeadHeadBlocksItsKeyOrIsSkipped)
{
    const auto head = add(event("a1", "a"));
    add(event("a2", "a"));
    add(event("b1", "b"));
    EXPECT_EQ(claim(1), "a1 b1");
    EXPECT_EQ(undelivered(head, 1, false), OutboxState::Dead);
    EXPECT_EQ(claim(2), "") << "block_key is the default";
    auto skipping = wish(2);
    skipping.deadHead = DeadHead::Skip;
    EXPECT_EQ(claim(skipping), "a2");
}

TEST_P(OutboxTest, WhatFailsAgainAndAgainTakesNobodysPlace)
{
    std::vector<std::int64_t> poison;
    for (int i = 0; i < 4; ++i)
        poison.push_back(add(event("poison" + std::to_string(i))));
    EXPECT_EQ(claim(1, 4), "poison0 poison1 poison2 poison3");
    for (const auto seq : poison)
        undelivered(seq, 1);
    clock.advance(5s);
    add(event("good0"));
    add(event("good1"));
    clock.advance(5s);
    EXPECT_EQ(claim(2, 2), "good0 good1") << "they were due before";
    EXPECT_EQ(claim(2, 2), "poison0 poison1");
}

TEST_P(OutboxTest, AClaimWhoseRelayIsGoneIsSentAgainAndDiesAfterItsLastAttempt)
{
    const auto seq = add(event("a"));
    for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
        EXPECT_EQ(claim(attempt), "a");
        clock.advance(30s - 1us);
        EXPECT_EQ(claim(9), "");
        clock.advance(1us);
        EXPECT_EQ(sent({ seq }, 9), std::vector<std::int64_t>{});
    }
    EXPECT_EQ(claim(9), "");
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Dead);
    const auto dead = letter();
    EXPECT_EQ(dead.kind, DeadLetterKind::Outbox);
    EXPECT_EQ(dead.code, "lease_expired");
    ASSERT_EQ(dead.attempts.size(), 3U);
    EXPECT_EQ(dead.attempts[1].owner, ownerOf(2).uuid);
}

TEST_P(OutboxTest, TheLastFailureIsADeadLetterWithItsHistory)
{
    const auto seq = add(event("a", "rf_1"));
    for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
        ASSERT_EQ(claim(attempt), "a");
        EXPECT_EQ(undelivered(seq, attempt), attempt < maxAttempts ? OutboxState::Pending : OutboxState::Dead);
        clock.advance(10s);
    }
    const auto dead = letter();
    EXPECT_EQ(dead.source, "/lab");
    EXPECT_EQ(dead.eventId, "a");
    EXPECT_EQ(dead.code, "503");
    EXPECT_EQ(dead.group, groupOf("503", "busy with rf_2"));
    EXPECT_EQ(dead.attempts.size(), 3U);
    EXPECT_EQ(dead.record, (RecordId{ "s", "o", "k" }));
    EXPECT_EQ(dead.orderingKey, "rf_1");
    auto headers = event("a").headers;
    headers.emplace_back("ce-aggregatetype", "refund");
    headers.emplace_back("ce-time", formatInstant(start));
    EXPECT_EQ(dead.headers, headers) << "neither is known once its row is purged";
    EXPECT_EQ(value(letters().payload(dead.id)), event("a").payload);
    EXPECT_EQ(dead.payloadHash, sha256(event("a").payload));
}

// Whoever writes the table by other means than ours may write anything that its columns take.
TEST_P(OutboxTest, WhatCannotBeReadIsDeadAndKeepsNobodyWaiting)
{
    const std::vector<std::string> garbage{
        "headers = ''",
        "headers = 'no JSON'",
        "headers = '{\"a\":1}'",
        "headers = '[[\"a\",1]]'",
        "headers = '[[null,\"zz\",\"00\"]]'",
        "headers = '" + std::string(1'000, '[') + "'",
        "attempts = 'null'",
        "attempts = '[1]'",
        "attempts = '[{\"attempt\":1}]'",
        "attempts = '[{\"attempt\":1,\"at\":\"yesterday\"}]'",
        "headers = '\"', attempts = '{'",
    };
    std::vector<std::int64_t> poison;
    for (const auto& wrong : garbage) {
        poison.push_back(add(event("poison-" + std::to_string(poison.size()))));
        execute("UPDATE outbox_messages SET " + wrong + " WHERE seq = " + std::to_string(poison.back()));
    }
    add(event("good"));
    std::vector<std::int64_t> told;
    std::string ids;
    for (int i = 0; i < 10 && ids.empty(); ++i)
        for (const auto& message :
            value(outbox().claim(wish(1, 4), [&](const OutboxMessage& message) { told.push_back(message.seq); })))
            ids += message.event.eventId;
    EXPECT_EQ(ids, "good");
    std::sort(told.begin(), told.end());
    EXPECT_EQ(told, poison);
    EXPECT_EQ(count("dead_letters WHERE code = 'unreadable' AND state = 'DEAD'"), count("outbox_messages") - 1);
    for (std::size_t i = 0; i < poison.size(); ++i) {
        SCOPED_TRACE(garbage[i]);
        const auto row = outboxRow(poison[i]);
        EXPECT_EQ(row.state, OutboxState::Dead);
        EXPECT_EQ(row.owner, std::nullopt);
        EXPECT_TRUE(whyUnreadable(row));
        EXPECT_EQ(value(outbox().payload(poison[i])), event(row.event.eventId).payload);
        EXPECT_EQ(count("outbox_messages WHERE seq = " + std::to_string(poison[i]) + " AND "
                      + joined(garbage[i], ", ", " AND ")),
            1)
            << "whoever mends it sees what was written";
    }
    EXPECT_EQ(value(store::backlogOf(*messages.connection, clock.now())).pending, 0);
    EXPECT_EQ(value(outbox().ofRecord({ "s", "o", "k" })).size(), poison.size() + 1);
}

TEST_P(OutboxTest, AnUnreadableHeadBlocksItsKeyUntilItIsMendedOrDiscarded)
{
    const auto head = add(event("a1", "a"));
    add(event("a2", "a"));
    execute("UPDATE outbox_messages SET headers = 'garbage' WHERE seq = " + std::to_string(head));
    EXPECT_EQ(claim(1), "");
    EXPECT_EQ(claim(1), "");
    const auto dead = letter();
    EXPECT_EQ(dead.code, "unreadable");
    EXPECT_THAT(dead.reason, ::testing::HasSubstr("headers"));
    EXPECT_EQ(dead.eventId, "a1");
    EXPECT_EQ(value(letters().payload(dead.id)), event("a1").payload);
    const auto refused = value(letters().redrive(dead.id, demand(dead)));
    EXPECT_EQ(refused.outcome, LetterOutcome::Unreachable);
    EXPECT_THAT(refused.reason, ::testing::HasSubstr("mend"));

    EXPECT_EQ(value(letters().discard(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(claim(1), "a2");
    EXPECT_EQ(value(letters().restore(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(count("outbox_messages WHERE headers = 'garbage'"), 1);

    execute("UPDATE outbox_messages SET headers = '[[\"X-Mended\",\"yes\"]]' WHERE seq = " + std::to_string(head));
    EXPECT_EQ(value(letters().redrive(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(claim(2), "a1");
    EXPECT_EQ(lineOf(outboxRow(head).event.headers, "X-Mended"), "yes");
}

TEST_P(OutboxTest, AnUnreadableClaimWhoseRelayIsGoneIsDead)
{
    const auto seq = add(event("a"));
    const auto other = add(event("b"));
    ASSERT_EQ(claim(1), "a b");
    execute("UPDATE outbox_messages SET attempts = '?' WHERE seq = " + std::to_string(seq));
    clock.advance(30s);
    EXPECT_EQ(claim(2), "b");
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Dead);
    EXPECT_EQ(letter().code, "unreadable");
    EXPECT_EQ(sent({ other }, 2), std::vector<std::int64_t>{ other });
}

TEST_P(OutboxTest, ANumberOrAnInstantThatNobodyCanFollowKeepsNobodyWaiting)
{
    const std::string most = sqlite() ? "9223372036854775807" : "2147483647";
    const std::string least = sqlite() ? "-9223372036854775808" : "'-infinity'";
    const auto many = add(event("many"));
    const auto early = add(event("early"));
    const auto late = add(event("late"));
    add(event("good"));
    const auto change = [&](std::int64_t seq, const std::string& how) {
        execute("UPDATE outbox_messages SET " + how + " WHERE seq = " + std::to_string(seq));
    };
    change(many, "attempt = " + most);
    change(early,
        "attempt = -7, next_attempt_at = " + least + ", created_at = " + least + ", sent_at = " + least
            + ", discarded_at = " + least);
    change(late, "next_attempt_at = " + (sqlite() ? most : "'infinity'"));
    EXPECT_EQ(claim(1), "many early good");
    EXPECT_EQ(outboxRow(early).attempt, 1);
    EXPECT_EQ(undelivered(many, 1), OutboxState::Dead) << "it has had its attempts";
    EXPECT_EQ(undelivered(early, 1), OutboxState::Pending);
    EXPECT_EQ(outboxRow(late).state, OutboxState::Pending);
    clock.advance(10s);
    EXPECT_EQ(claim(2), "early");
    change(early, "lease_expires_at = " + least + ", attempt = " + std::to_string(maxAttempts));
    EXPECT_EQ(claim(3), "");
    EXPECT_EQ(outboxRow(early).state, OutboxState::Dead);
    EXPECT_EQ(count("dead_letters WHERE code = 'lease_expired'"), 1);
    EXPECT_FALSE(whyUnreadable(outboxRow(early)));
}

TEST_P(OutboxTest, WhatWasNotBegunIsGivenBack)
{
    const auto a = add(event("a"));
    const auto b = add(event("b"));
    EXPECT_EQ(claim(1), "a b");
    EXPECT_EQ(value(outbox().release({ b }, ownerOf(2))), std::vector<std::int64_t>{});
    EXPECT_EQ(value(outbox().release({ b }, ownerOf(1))), std::vector<std::int64_t>{ b });
    EXPECT_EQ(outboxRow(b).attempt, 0);
    EXPECT_EQ(claim(2), "b");
    EXPECT_EQ(value(outbox().renew({ a, b }, ownerOf(1), 1min)), std::vector<std::int64_t>{ a });
    clock.advance(31s);
    EXPECT_EQ(claim(3), "b") << "the other lease was renewed";
}

TEST_P(OutboxTest, ForgetsOnlyWhatWasSent)
{
    const auto a = add(event("a"));
    const auto dead = add(event("dead"));
    const auto pending = add(event("pending"));
    EXPECT_EQ(claim(1), "a dead pending");
    sent({ a }, 1);
    undelivered(dead, 1, false);
    undelivered(pending, 1);
    clock.advance(24h - 1us);
    EXPECT_EQ(value(outbox().purge(24h, 100)), 0);
    clock.advance(1us);
    EXPECT_EQ(value(outbox().purge(24h, 100)), 1);
    EXPECT_EQ(value(outbox().find(a)), std::nullopt);
    EXPECT_EQ(count("outbox_messages"), 2);
}

TEST_P(OutboxTest, ForgetsWhatSomebodyGaveUp)
{
    const auto discarded = add(event("discarded"));
    const auto sentOne = add(event("sent"));
    EXPECT_EQ(claim(1), "discarded sent");
    undelivered(discarded, 1, false);
    const auto dead = letter();
    clock.advance(1h);
    sent({ sentOne }, 1);
    EXPECT_EQ(value(letters().discard(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    clock.advance(24h - 1us);
    EXPECT_EQ(value(outbox().purge(24h, 100)), 0) << "it counts from when it was given up";
    clock.advance(1us);
    EXPECT_EQ(value(outbox().purge(24h, 1)), 1) << "both are one batch";
    EXPECT_EQ(value(outbox().purge(24h, 1)), 1);
    EXPECT_EQ(value(outbox().purge(24h, 1)), 0);
    EXPECT_EQ(count("outbox_messages"), 0);
    EXPECT_EQ(value(letters().payload(dead.id)), event("discarded").payload);
    EXPECT_EQ(value(letters().restore(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(value(letters().redrive(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(claim(1), "discarded") << "the letter has its payload";
}

TEST_P(OutboxTest, WhatWasGivenUpAndRestoredStays)
{
    const auto seq = add(event("a"));
    EXPECT_EQ(claim(1), "a");
    undelivered(seq, 1, false);
    const auto dead = letter();
    EXPECT_EQ(value(letters().discard(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(value(letters().restore(dead.id, demand(dead))).outcome, LetterOutcome::Changed);
    clock.advance(48h);
    EXPECT_EQ(value(outbox().purge(24h, 100)), 0);
    // As somebody else may write it, and as no purge may take it.
    execute("UPDATE outbox_messages SET status = 'PENDING', next_attempt_at = created_at, discarded_at = created_at");
    EXPECT_EQ(value(outbox().purge(24h, 100)), 0);
    EXPECT_EQ(claim(1), "a");
}

// More of it than a claim would walk past.
TEST_P(OutboxTest, WhatADisabledDestinationIsOwedIsPassedBy)
{
    oweDisabled(600);
    clock.advance(1s);
    auto elsewhere = event("b2");
    elsewhere.destination = "http://127.0.0.1:9/other";
    auto broker = event("n1");
    broker.destination = "nats://127.0.0.1/refunds";
    add(event("a1", "a"));
    clock.advance(1s);
    add(elsewhere);
    add(broker);
    clock.advance(1s);
    add(event("a2", "a"));
    add(event("c3"));
    clock.advance(1s);
    elsewhere.eventId = "d4";
    add(elsewhere);
    EXPECT_EQ(claim(1, 2), "a1 b2") << "due first, goes first, whatever its destination";
    EXPECT_EQ(claim(2), "c3 d4") << "the head of a is on its way, and nats is nobody's here";
    EXPECT_EQ(claim(3), "");
    EXPECT_EQ(count("outbox_messages WHERE status = 'PENDING' AND attempt = 0 AND event_id LIKE 'owed%'"), 600);
    EXPECT_TRUE(value(outbox().enable(disabledOne)));
    EXPECT_EQ(value(outbox().claim(wish(4, 1'000))).size(), 600U);
}

// Counted, not timed: what a claim reads while ten times as much is owed.
TEST_P(OutboxTest, AClaimCostsTheSameHoweverMuchADisabledDestinationIsOwed)
{
    oweDisabled(2'000);
    const auto addOthers = [&](const std::string& name) {
        for (int i = 0; i < 200; ++i) {
            auto what =
                event(name + std::to_string(i), i % 2 == 0 ? std::optional("k" + std::to_string(i % 7)) : std::nullopt);
            what.destination = "http://127.0.0.1:9/other" + std::to_string(i % 5);
            add(what);
        }
    };
    addOthers("first");
    const auto little = workOfAClaim();
    oweDisabled(20'000);
    addOthers("second");
    const auto much = workOfAClaim();
    EXPECT_GT(little, 10);
    EXPECT_LT(much, little * 3 / 2);
    if (!sqlite()) {
        execute("ANALYZE outbox_messages");
        EXPECT_LT(workOfAClaim(), little * 3 / 2) << "planned for what is there";
    }
}

// Each message is sent by one relay, and the messages of a key in their order.
TEST_P(OutboxTest, ManyRelaysNeverGetTheSameMessage)
{
    raceOfRelays();
}

TEST_P(OutboxTest, NorDoTheyWhereADisabledDestinationIsOwedMuch)
{
    // By the database's own clock, as the relays go.
    execute(oweSql(600, sqlite() ? "0" : "to_timestamp(0)"));
    EXPECT_TRUE(value(outbox().disable(disabledOne, "relay", "the endpoint answered 410")));
    raceOfRelays();
}

void OutboxTest::raceOfRelays()
{
    constexpr int relays = 6;
    constexpr int keys = 12;
    constexpr int each = 20;
    {
        auto transaction = store::Transaction::begin(*messages.connection, store::Begin::Immediate);
        ASSERT_TRUE(transaction);
        for (int i = 0; i < keys * each; ++i) {
            const auto key = i % keys;
            add(event("k" + std::to_string(key) + "-" + std::to_string(i / keys),
                key < keys / 2 ? std::optional("k" + std::to_string(key)) : std::nullopt));
        }
        ASSERT_TRUE(transaction->commit());
    }
    std::mutex mutex;
    std::vector<std::string> order;
    std::vector<std::thread> threads;
    for (int i = 1; i <= relays; ++i)
        threads.emplace_back([&, i] {
            const auto own = openMessages(false);
            int idle = 0;
            while (idle < 40) {
                const auto claimed = own.outbox->claim(wish(i, 5));
                ASSERT_TRUE(claimed) << claimed.error().message << ": " << claimed.error().detail;
                std::vector<std::int64_t> seqs;
                for (const auto& message : *claimed) {
                    const std::lock_guard lock(mutex);
                    order.push_back(message.event.eventId);
                    seqs.push_back(message.seq);
                }
                if (seqs.empty()) {
                    ++idle;
                    std::this_thread::sleep_for(5ms);
                    continue;
                }
                idle = 0;
                const auto marked = own.outbox->sent(seqs, ownerOf(i));
                ASSERT_TRUE(marked) << marked.error().message << ": " << marked.error().detail;
                EXPECT_EQ(*marked, seqs);
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(order.size(), static_cast<std::size_t>(keys * each));
    std::map<std::string, int> next;
    for (const auto& id : order) {
        const auto dash = id.find('-');
        const auto key = id.substr(0, dash);
        if (std::stoi(key.substr(1)) >= keys / 2) {
            EXPECT_EQ(std::count(order.begin(), order.end(), id), 1) << id;
            continue;
        }
        EXPECT_EQ(std::stoi(id.substr(dash + 1)), next[key]++) << id;
    }
}

TEST_P(OutboxTest, WhatCouldNotBeTriedIsDueAgainLaterAndCountsAsNoAttempt)
{
    const auto seq = add(event("a"));
    ASSERT_EQ(claim(1), "a");
    EXPECT_EQ(value(outbox().postpone({ seq }, ownerOf(2), 10s)), std::vector<std::int64_t>());
    EXPECT_EQ(value(outbox().postpone({ seq }, ownerOf(1), 10s)), std::vector<std::int64_t>{ seq });
    EXPECT_EQ(outboxRow(seq).attempt, 0);
    EXPECT_EQ(claim(2), "");
    clock.advance(10s);
    EXPECT_EQ(claim(2), "a");
    EXPECT_EQ(outboxRow(seq).attempt, 1);
}

TEST_P(OutboxTest, NothingIsClaimedForADestinationThatWantsNothing)
{
    auto elsewhere = event("b");
    elsewhere.destination = "http://127.0.0.1:9/other";
    add(event("a"));
    add(elsewhere);
    const auto destination = event("a").destination;
    EXPECT_TRUE(value(outbox().disable(destination, "relay", "the endpoint answered 410")));
    EXPECT_FALSE(value(outbox().disable(destination, "somebody", "again")));
    const auto disabled = value(outbox().disabled());
    ASSERT_EQ(disabled.size(), 1U);
    EXPECT_EQ(disabled[0].destination, destination);
    EXPECT_EQ(disabled[0].at, start);
    EXPECT_EQ(disabled[0].by, "relay");
    EXPECT_EQ(disabled[0].because, "the endpoint answered 410");
    EXPECT_EQ(claim(1), "b");
    EXPECT_TRUE(value(outbox().enable(destination)));
    EXPECT_FALSE(value(outbox().enable(destination)));
    EXPECT_EQ(claim(1), "a");
}

TEST_P(OutboxTest, TellsHowFarTheRelaysAreBehindAndWhoWaitsForWhom)
{
    const auto backlog = [&] { return value(store::backlogOf(*messages.connection, clock.now())); };
    EXPECT_EQ(backlog().oldest, std::nullopt);
    EXPECT_EQ(backlog().lag(), Duration::zero());
    const auto dead = add(event("a1", "a"));
    const auto tried = add(event("b1", "b"));
    const auto left = add(event("c1", "c"));
    const auto alone = add(event("d1", "d"));
    EXPECT_EQ(claim(1), "a1 b1 c1 d1");
    EXPECT_EQ(undelivered(dead, 1, false), OutboxState::Dead);
    EXPECT_EQ(undelivered(tried, 1), OutboxState::Pending);
    EXPECT_EQ(undelivered(alone, 1, false), OutboxState::Dead) << "nobody waits behind it";
    clock.advance(1min);
    for (const auto* key : { "a", "a", "b", "c", "e", "e" })
        add(event(std::string("behind-") + key + std::to_string(count("outbox_messages")), key));
    clock.advance(1s);
    const auto seen = backlog();
    EXPECT_EQ(seen.pending, 7);
    EXPECT_EQ(seen.sending, 1);
    EXPECT_EQ(seen.due, 7);
    EXPECT_EQ(seen.oldest, start) << "b1 is not sent";
    EXPECT_EQ(seen.dueSince, start + 10s) << "b1 is due since its delay is over";
    EXPECT_EQ(seen.lag(), 51s);
    EXPECT_EQ(seen.blockedKeys, 3) << "the head of e was not tried yet: it waits for its relay and for nobody else";
    EXPECT_EQ(seen.blockedMessages, 4);
    ASSERT_EQ(seen.blocked.size(), 3U);
    EXPECT_EQ(seen.blocked[0].eventId, "a1");
    EXPECT_EQ(seen.blocked[0].state, OutboxState::Dead);
    EXPECT_EQ(seen.blocked[0].waiting, 2);
    EXPECT_EQ(seen.blocked[0].orderingKey, "a");
    EXPECT_EQ(seen.blocked[0].error, "busy with rf_1");
    EXPECT_EQ(seen.blocked[0].destination, event("a1").destination);
    EXPECT_EQ(seen.blocked[1].seq, tried);
    EXPECT_EQ(seen.blocked[1].attempt, 1);
    EXPECT_EQ(seen.blocked[1].nextAttemptAt, start + 10s);
    EXPECT_EQ(seen.blocked[2].seq, left);
    EXPECT_EQ(seen.blocked[2].state, OutboxState::Sending) << "its relay is gone";
    EXPECT_EQ(seen.now, clock.now());

    EXPECT_TRUE(value(outbox().disable(event("x").destination, "relay", "the endpoint answered 410")));
    EXPECT_EQ(backlog().disabledDestinations, 1);
    EXPECT_EQ(backlog().due, 0) << "nobody may have it";
    EXPECT_EQ(backlog().lag(), Duration::zero());
    EXPECT_EQ(backlog().pending, 7);
}
