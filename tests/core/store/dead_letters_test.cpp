// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <thread>

#include "core/messaging/replay_verdict.h"
#include "tests/core/store/message_fixture.h"

using namespace fencepost;
using namespace fencepost::test;
using namespace std::chrono_literals;

class DeadLettersTest : public MessageTest {
protected:
    // A message of the outbox that no target takes.
    std::int64_t killed(const std::string& id, std::optional<std::string> orderingKey = {})
    {
        const auto seq = add(event(id, std::move(orderingKey)));
        EXPECT_EQ(claim(1), id);
        EXPECT_EQ(undelivered(seq, 1, false), OutboxState::Dead);
        return seq;
    }
    LetterOutcome redrive(const DeadLetter& seen) { return value(letters().redrive(seen.id, demand(seen))).outcome; }
};

INSTANTIATE_TEST_SUITE_P(Backends, DeadLettersTest, bothDialects(), nameOfDialect);

TEST_P(DeadLettersTest, ARedrivenMessageIsSentAgainUnderItsId)
{
    const auto seq = killed("a", "rf_1");
    add(event("b", "rf_1"));
    const auto seen = letter();
    clock.advance(1h);
    EXPECT_EQ(redrive(seen), LetterOutcome::Changed);
    const auto row = outboxRow(seq);
    EXPECT_EQ(row.state, OutboxState::Pending);
    EXPECT_EQ(row.attempt, 0);
    EXPECT_EQ(row.event.eventId, "a");
    EXPECT_EQ(row.event.headers,
        (Headers{ { "ce-subject", "rf_1" }, { "ce-aggregatetype", "refund" },
            { "ce-time", formatInstant(row.createdAt) }, { "replay_run_id", "run_7" } }))
        << "what names the first passage stays behind";
    EXPECT_EQ(row.attempts.size(), 1U) << "the history goes on";
    const auto after = letter();
    EXPECT_EQ(after.state, DeadLetterState::Redriven);
    EXPECT_EQ(after.settledAt, start + 1h);
    EXPECT_EQ(after.settledBy, "olga@desk");
    EXPECT_EQ(after.settledBecause, "mended");
    EXPECT_EQ(after.runId, "run_7");
    EXPECT_EQ(claim(2), "a") << "as the head of its key";
    EXPECT_EQ(redrive(seen), LetterOutcome::MovedOn) << "once";
    EXPECT_EQ(redrive(after), LetterOutcome::MovedOn);
}

// An outbox has one event of an id for a destination, and it may be another source's.
TEST_P(DeadLettersTest, TakesNoEventOfAnotherSourceForItsOwn)
{
    const auto seq = killed("a");
    ASSERT_TRUE(messages.connection->execute("UPDATE outbox_messages SET source = 'another shop', status = 'SENT'"));
    const auto seen = letter();
    EXPECT_EQ(redrive(seen), LetterOutcome::Conflicts);
    EXPECT_EQ(letter().state, DeadLetterState::Dead);
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Sent);
}

TEST_P(DeadLettersTest, WhatDiesAgainIsTheSameLetter)
{
    const auto seq = killed("a");
    const auto first = letter();
    EXPECT_EQ(redrive(first), LetterOutcome::Changed);
    EXPECT_EQ(claim(2), "a");
    clock.advance(1s);
    EXPECT_EQ(undelivered(seq, 2, false), OutboxState::Dead);
    const auto second = letter();
    EXPECT_EQ(second.id, first.id);
    EXPECT_EQ(second.state, DeadLetterState::Dead);
    EXPECT_EQ(second.deaths, 2);
    EXPECT_EQ(second.attempts.size(), 2U);
    EXPECT_EQ(second.firstAt, first.firstAt);
    EXPECT_EQ(second.settledBy, std::nullopt);
    EXPECT_EQ(redrive(first), LetterOutcome::MovedOn) << "it is not the death that was seen";
    EXPECT_EQ(redrive(second), LetterOutcome::Changed);
}

TEST_P(DeadLettersTest, AConsumerForgetsThatItGaveUpAndTheEventIsSentAgain)
{
    const auto what = delivery();
    kill(what);
    const auto seen = letter();
    EXPECT_EQ(redrive(seen), LetterOutcome::Changed);
    const auto row = inboxRow(what);
    EXPECT_EQ(row.state, InboxState::Received);
    EXPECT_EQ(row.attempt, 0);
    EXPECT_EQ(row.attempts.size(), 3U);
    const auto claimed = value(outbox().claim(wish(1)));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].event.eventId, what.id.eventId);
    EXPECT_EQ(claimed[0].event.destination, what.destination);
    EXPECT_EQ(claimed[0].event.source, what.id.source);
    EXPECT_EQ(value(outbox().payload(claimed[0].seq)), what.payload);
    EXPECT_EQ(receive(what, 5), Reception::Process) << "it is not swallowed as a duplicate";
    EXPECT_EQ(settle(what, 5), InboxSettlement::Applied);
}

TEST_P(DeadLettersTest, WhatWasProcessedMeanwhileIsNotSentAgain)
{
    const auto what = delivery();
    kill(what);
    const auto seen = letter();
    ASSERT_TRUE(main.connection->execute("UPDATE inbox_messages SET status = 'PROCESSED'"));
    EXPECT_EQ(redrive(seen), LetterOutcome::Processed);
    EXPECT_EQ(letter(), seen);
    EXPECT_EQ(count("outbox_messages"), 0);
}

TEST_P(DeadLettersTest, WhatCannotArriveIsNotSent)
{
    EXPECT_EQ(value(letters().redrive("no such letter", {})).outcome, LetterOutcome::NotFound);
    const auto first = delivery();
    ASSERT_EQ(receive(first, 1), Reception::Process);
    ASSERT_EQ(receive(delivery("evt_1", "{}"), 2), Reception::Conflict);
    const auto conflict = letter();
    EXPECT_EQ(redrive(conflict), LetterOutcome::Conflicts);
    EXPECT_EQ(value(letters().discard(conflict.id, demand(conflict))).outcome, LetterOutcome::Changed);
    ASSERT_TRUE(main.connection->execute("DELETE FROM dead_letters"));
    auto unreachable = delivery("evt_2");
    unreachable.destination.clear();
    kill(unreachable);
    EXPECT_EQ(redrive(letter()), LetterOutcome::Unreachable);
    ASSERT_TRUE(main.connection->execute("DELETE FROM dead_letters"));
    auto unkept = delivery("evt_3");
    unkept.payload.reset();
    kill(unkept);
    EXPECT_EQ(letter().payloadOctets, std::nullopt);
    EXPECT_EQ(redrive(letter()), LetterOutcome::Unreachable);
    EXPECT_EQ(letter().state, DeadLetterState::Dead);
    EXPECT_EQ(count("outbox_messages"), 0);
}

TEST_P(DeadLettersTest, ADiscardedHeadBlocksNobodyUntilItIsRestored)
{
    const auto seq = killed("a", "rf_1");
    add(event("b", "rf_1"));
    EXPECT_EQ(claim(2), "");
    const auto seen = letter();
    EXPECT_EQ(value(letters().discard(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(letter().state, DeadLetterState::Discarded);
    EXPECT_EQ(letter().settledBecause, "mended");
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Dead);
    EXPECT_EQ(outboxRow(seq).discardedAt, start);
    EXPECT_EQ(redrive(letter()), LetterOutcome::MovedOn);
    EXPECT_EQ(value(letters().restore(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(letter(), seen) << "as it was before";
    EXPECT_EQ(claim(2), "");
    EXPECT_EQ(value(letters().restore(seen.id, demand(seen))).outcome, LetterOutcome::MovedOn);
    EXPECT_EQ(value(letters().discard(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(claim(2), "b");
    EXPECT_EQ(outboxRow(seq).state, OutboxState::Dead);
}

TEST_P(DeadLettersTest, TwoOperatorsRedriveOnce)
{
    const auto what = delivery();
    kill(what);
    const auto seen = letter();
    std::atomic<int> changed = 0;
    std::vector<std::thread> threads;
    std::vector<OpenMessages> own;
    for (int i = 0; i < 6; ++i)
        own.push_back(openMessages());
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&, i] {
            const auto decided = own[static_cast<std::size_t>(i)].letters->redrive(seen.id, demand(seen));
            ASSERT_TRUE(decided) << decided.error().message << ": " << decided.error().detail;
            changed += decided->outcome == LetterOutcome::Changed ? 1 : 0;
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(changed, 1);
    EXPECT_EQ(count("outbox_messages"), 1);
}

// The last of its statements is refused: nothing of the redrive may stay.
TEST_P(DeadLettersTest, ARedriveIsWholeOrNotAtAll)
{
    const auto what = delivery();
    kill(what);
    const auto seen = letter();
    const auto before = inboxRow(what);
    ASSERT_TRUE(main.connection->execute(sqlite()
            ? "CREATE TRIGGER refuse BEFORE UPDATE ON dead_letters BEGIN SELECT RAISE(ABORT, 'no room'); END"
            : "ALTER TABLE dead_letters ADD CONSTRAINT refuse CHECK (state = 'DEAD')"));
    EXPECT_FALSE(letters().redrive(seen.id, demand(seen)));
    EXPECT_EQ(inboxRow(what), before);
    EXPECT_EQ(count("outbox_messages"), 0);
    EXPECT_EQ(letter(), seen);
    ASSERT_TRUE(
        main.connection->execute(sqlite() ? "DROP TRIGGER refuse" : "ALTER TABLE dead_letters DROP CONSTRAINT refuse"));
    EXPECT_EQ(redrive(seen), LetterOutcome::Changed);
}

TEST_P(DeadLettersTest, ForgetsOnlyWhatWasDecided)
{
    killed("a");
    const auto seen = letter();
    clock.advance(100 * 24h);
    EXPECT_EQ(value(letters().purge(30 * 24h, 100)), 0) << "nobody has decided about it";
    EXPECT_EQ(value(letters().discard(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    EXPECT_EQ(value(letters().purge(30 * 24h, 100)), 0);
    clock.advance(30 * 24h);
    EXPECT_EQ(value(letters().purge(30 * 24h, 100)), 1);
    EXPECT_EQ(count("dead_letters"), 0);
}

TEST_P(DeadLettersTest, KeepsWhatWasPutBackUntilItHasArrived)
{
    killed("a");
    ASSERT_EQ(redrive(letter()), LetterOutcome::Changed);
    clock.advance(60 * 24h);
    EXPECT_EQ(value(letters().purge(30 * 24h, 100)), 0) << "it waits in the outbox";
    const auto claimed = value(outbox().claim(wish(2)));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(value(letters().purge(30 * 24h, 100)), 0) << "it is being sent";
    ASSERT_EQ(value(outbox().sent({ claimed[0].seq }, ownerOf(2))).size(), 1U);
    EXPECT_EQ(value(letters().purge(30 * 24h, 100)), 1);
}

// The row that died first is gone, and the one that took its place begins anew: the verdict rests on both.
TEST_P(DeadLettersTest, WhatWasTriedBeforeOutlastsItsRow)
{
    killed("a");
    const auto seen = letter();
    ASSERT_EQ(value(letters().discard(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    clock.advance(1h);
    ASSERT_EQ(value(outbox().purge(1min, 100)), 1);
    ASSERT_EQ(value(letters().restore(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    ASSERT_EQ(redrive(letter()), LetterOutcome::Changed);
    const auto claimed = value(outbox().claim(wish(2)));
    ASSERT_EQ(claimed.size(), 1U);
    clock.advance(1s);
    ASSERT_TRUE(value(outbox().undelivered(
        claimed[0].seq, ownerOf(2), { "connection", "refused", false, std::chrono::seconds(10) }, maxAttempts)));
    const auto again = letter();
    EXPECT_EQ(again.deaths, 2);
    ASSERT_EQ(again.attempts.size(), 2U);
    EXPECT_EQ(again.attempts[0], seen.attempts[0]);
    EXPECT_EQ(again.attempts[1].code, "connection");
}

TEST_P(DeadLettersTest, ADecisionIsRememberedAsLongAsItsInbox)
{
    kill(delivery());
    receive(delivery("open"), 1);
    const auto seen = letter();
    ASSERT_EQ(value(letters().discard(seen.id, demand(seen))).outcome, LetterOutcome::Changed);
    clock.advance(30 * 24h);
    EXPECT_EQ(value(letters().purge(1h, 100)), 0) << "its inbox still says DEAD, and nobody could tell why";
    EXPECT_EQ(value(inbox().purge(60 * 24h, 100)), 0);
    EXPECT_EQ(value(inbox().purge(1h, 100)), 1);
    EXPECT_EQ(value(letters().purge(1h, 100)), 1);
    EXPECT_EQ(count("inbox_messages"), 1) << "nobody has decided about the other";
}

TEST_P(DeadLettersTest, AttemptsThatCannotBeReadProveNothing)
{
    const auto seq = killed("a");
    ASSERT_TRUE(main.connection->execute("UPDATE dead_letters SET attempts = '{'"));
    const auto seen = letter();
    ASSERT_EQ(seen.attempts.size(), 1U);
    EXPECT_FALSE(provesNothingHappened(seen.attempts[0].code));
    ASSERT_EQ(redrive(seen), LetterOutcome::Changed);
    ASSERT_EQ(claim(2), "a");
    EXPECT_EQ(undelivered(seq, 2, false), OutboxState::Dead);
    EXPECT_EQ(letter().attempts.size(), 3U);
}

TEST_P(DeadLettersTest, KeepAPayloadOfAnySize)
{
    auto large = event("large");
    large.payload = std::string(50'000'000, '\xff');
    const auto seq = add(large);
    const auto claimed = value(outbox().claim(wish(1)));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].payloadOctets, 50'000'000);
    EXPECT_EQ(undelivered(seq, 1, false), OutboxState::Dead);
    EXPECT_EQ(letter().payloadOctets, 50'000'000);
    EXPECT_TRUE(value(letters().payload(letter().id)) == large.payload);
}

TEST_P(DeadLettersTest, AreGroupedByWhatTheirErrorsHaveInCommon)
{
    for (int i = 0; i < 3; ++i) {
        const auto what = delivery("evt_" + std::to_string(i));
        for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
            ASSERT_EQ(receive(what, attempt), Reception::Process);
            ASSERT_EQ(
                fail(what, attempt, i == 2 ? "no such account" : "timeout after " + std::to_string(i + 10) + " ms"),
                InboxSettlement::Applied);
            clock.advance(10s);
        }
        clock.advance(50min);
    }
    const auto groups = value(store::groupsOf(*messages.connection, clock.now()));
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].pattern, "timeout after <n> ms");
    EXPECT_EQ(groups[0].dead, 2);
    EXPECT_EQ(groups[0].all, 2);
    EXPECT_EQ(groups[0].again, 0);
    EXPECT_EQ(groups[0].lastHour, 0);
    EXPECT_LT(groups[0].firstAt, groups[0].lastAt);
    EXPECT_EQ(groups[1].pattern, "no such account");
    EXPECT_EQ(groups[1].lastHour, 1);

    auto first = value(letters().find(groups[1].example));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->group.fingerprint, groups[1].fingerprint);
    EXPECT_EQ(value(letters().redrive(first->id, demand(*first))).outcome, LetterOutcome::Changed);
    const auto after = value(store::groupsOf(*messages.connection, clock.now()));
    EXPECT_EQ(after[1].dead, 0);
    EXPECT_EQ(after[1].all, 1);
    for (int attempt = 1; attempt <= maxAttempts; ++attempt) {
        const auto what = delivery("evt_2");
        ASSERT_EQ(receive(what, attempt), Reception::Process);
        ASSERT_EQ(fail(what, attempt, "no such account"), InboxSettlement::Applied);
        clock.advance(10s);
    }
    const auto again = value(store::groupsOf(*messages.connection, clock.now()));
    EXPECT_EQ(again[1].dead, 1);
    EXPECT_EQ(again[1].again, 1) << "it had been redriven";
}

TEST_P(DeadLettersTest, AnEditSendsACopyUnderAnIdOfItsOwnAndGivesTheLetterUp)
{
    const auto seq = killed("a", "rf_1");
    add(event("b", "rf_1"));
    const auto seen = letter();
    const std::string mended = R"({"id":"a","amount":5})";
    const auto edit = [&](const std::string& id, const std::string& payload) {
        return value(letters().edit(seen.id, demand(seen), { id, payload }));
    };
    EXPECT_EQ(edit("a-2", event("a").payload).outcome, LetterOutcome::Unchanged);
    EXPECT_EQ(edit("a", mended).outcome, LetterOutcome::Conflicts) << "whoever has received it refuses another payload";
    EXPECT_EQ(edit("a\nb", mended).outcome, LetterOutcome::Unreachable);
    EXPECT_EQ(edit("b", mended).outcome, LetterOutcome::Conflicts) << "the outbox has it";
    receive(delivery("known"), 1);
    EXPECT_EQ(edit("known", mended).outcome, LetterOutcome::Conflicts) << "its copy could only end as a conflict";
    EXPECT_EQ(letter(), seen);
    clock.advance(1h);
    ASSERT_EQ(edit("a-2", mended).outcome, LetterOutcome::Changed);
    const auto after = letter();
    EXPECT_EQ(after.state, DeadLetterState::Discarded);
    EXPECT_EQ(after.settledBecause, "edited as a-2: mended");
    EXPECT_EQ(after.payloadHash, seen.payloadHash) << "copy on write";
    EXPECT_EQ(value(letters().payload(seen.id)), event("a").payload);
    EXPECT_EQ(outboxRow(seq).discardedAt, start + 1h) << "nobody waits for it";
    EXPECT_EQ(edit("a-3", mended).outcome, LetterOutcome::MovedOn) << "once";

    EXPECT_EQ(claim(2), "b") << "it was written before the copy";
    EXPECT_EQ(sent({ seq + 1 }, 2).size(), 1U);
    const auto claimed = value(outbox().claim(wish(2)));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].event.eventId, "a-2");
    EXPECT_EQ(claimed[0].event.orderingKey, "rf_1");
    EXPECT_EQ(claimed[0].event.correlationId, seen.correlationId);
    EXPECT_EQ(claimed[0].event.headers,
        (Headers{ { "ce-subject", "rf_1" }, { "ce-aggregatetype", "refund" },
            { "ce-time", formatInstant(outboxRow(seq).createdAt) }, { "replay_run_id", "run_7" },
            { "edited_from", "a" } }));
    EXPECT_EQ(value(outbox().payload(claimed[0].seq)), mended);
}

TEST_P(DeadLettersTest, ADiscardIsNoEditWhateverItsReason)
{
    killed("a");
    const auto seen = letter();
    auto given = demand(seen);
    given.because = "edited as b: by hand";
    ASSERT_EQ(value(letters().discard(seen.id, given)).outcome, LetterOutcome::Changed);
    EXPECT_EQ(letter().settledBecause, "because: edited as b: by hand");
}

TEST_P(DeadLettersTest, AConflictIsSentUnderAnIdOfItsOwnWithThePayloadThatItHas)
{
    ASSERT_EQ(receive(delivery(), 1), Reception::Process);
    ASSERT_EQ(receive(delivery("evt_1", "{}"), 2), Reception::Conflict);
    const auto seen = letter();
    ASSERT_EQ(seen.kind, DeadLetterKind::Conflict);
    EXPECT_EQ(redrive(seen), LetterOutcome::Conflicts);
    EXPECT_EQ(value(letters().edit(seen.id, demand(seen), { "evt_1b", "{}" })).outcome, LetterOutcome::Changed);
    EXPECT_EQ(claim(2), "evt_1b");
}
