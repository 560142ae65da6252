// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/messaging/replay_fate.h"
#include "core/messaging/replay_verdict.h"

using namespace fencepost;

namespace {

ReplayEvidence letter(DeadLetterKind kind = DeadLetterKind::Outbox)
{
    ReplayEvidence evidence;
    evidence.kind = kind;
    evidence.hasDestination = true;
    evidence.hasPayload = true;
    return evidence;
}

ReplayVerdict withInbox(InboxState state, bool live, bool samePayload = true)
{
    auto evidence = letter(DeadLetterKind::Inbox);
    evidence.inbox = { { "ledger", state, live, samePayload } };
    return judgeReplay(evidence).verdict;
}

RecordEvidence record(State status, bool live = false)
{
    RecordEvidence known;
    known.scope = "refunds";
    known.status = status;
    known.live = live;
    known.autoTakeover = true;
    return known;
}

ReplayVerdict withRecord(const RecordEvidence& known)
{
    auto evidence = letter();
    evidence.records = { known };
    evidence.codes = { "timeout" };
    return judgeReplay(evidence).verdict;
}

ReplayVerdict withCodes(std::vector<std::string> codes)
{
    auto evidence = letter();
    evidence.codes = std::move(codes);
    return judgeReplay(evidence).verdict;
}

FateEvidence fate(DeadLetterKind kind)
{
    FateEvidence evidence;
    evidence.kind = kind;
    evidence.runId = "run";
    evidence.outbox = OutboxState::Pending;
    return evidence;
}

} // namespace

TEST(ReplayVerdictTest, TheInboxOfItsConsumerDecides)
{
    for (const bool live : { false, true }) {
        EXPECT_EQ(withInbox(InboxState::Received, live), ReplayVerdict::Safe);
        EXPECT_EQ(withInbox(InboxState::Processing, live), live ? ReplayVerdict::Racing : ReplayVerdict::Safe);
        EXPECT_EQ(withInbox(InboxState::Processed, live), ReplayVerdict::Succeeded);
        EXPECT_EQ(withInbox(InboxState::Failed, live), ReplayVerdict::Safe);
        EXPECT_EQ(withInbox(InboxState::Dead, live), ReplayVerdict::Safe);
        EXPECT_EQ(withInbox(InboxState::Processed, live, false), ReplayVerdict::Conflict);
        EXPECT_EQ(withInbox(InboxState::Processing, live, false), ReplayVerdict::Conflict);
    }
    EXPECT_EQ(judgeReplay(letter(DeadLetterKind::Conflict)).verdict, ReplayVerdict::Conflict);
    auto several = letter();
    several.inbox = { { "ledger", InboxState::Processed, false, true }, { "mail", InboxState::Dead, false, true } };
    EXPECT_EQ(judgeReplay(several).verdict, ReplayVerdict::Safe) << "the one that has it acknowledges it";
    several.inbox[1] = { "mail", InboxState::Processing, true, true };
    EXPECT_EQ(judgeReplay(several).verdict, ReplayVerdict::Racing);
}

TEST(ReplayVerdictTest, WhatItsConsumerHasGivenUpIsNotSentPastItsOwnLetter)
{
    auto sent = letter();
    sent.inbox = { { "ledger", InboxState::Dead, false, true } };
    EXPECT_NE(judgeReplay(sent).unsendable.find("ledger has given it up"), std::string::npos);
    sent.inbox.push_back({ "mail", InboxState::Processed, false, true });
    EXPECT_NE(judgeReplay(sent).unsendable, "");
    sent.inbox.push_back({ "audit", InboxState::Failed, false, true });
    EXPECT_EQ(judgeReplay(sent).unsendable, "") << "that one waits for it";
    sent.inbox = { { "ledger", InboxState::Dead, false, true } };
    sent.elsewhere = true;
    EXPECT_EQ(judgeReplay(sent).unsendable, "") << "the inbox may tell of another destination's copy";
    auto own = letter(DeadLetterKind::Inbox);
    own.inbox = { { "ledger", InboxState::Dead, false, true } };
    EXPECT_EQ(judgeReplay(own).unsendable, "");
}

TEST(ReplayVerdictTest, TheRecordOfItsIdDecides)
{
    EXPECT_EQ(withRecord(record(State::InProgress, true)), ReplayVerdict::Racing);
    EXPECT_EQ(withRecord(record(State::InProgress)), ReplayVerdict::Safe);
    EXPECT_EQ(withRecord(record(State::Succeeded)), ReplayVerdict::Succeeded);
    EXPECT_EQ(withRecord(record(State::FailedFinal)), ReplayVerdict::Succeeded) << "its failure is its answer";
    EXPECT_EQ(withRecord(record(State::FailedRetryable)), ReplayVerdict::Safe);
    auto manual = record(State::InProgress);
    manual.autoTakeover = false;
    EXPECT_EQ(withRecord(manual), ReplayVerdict::Unknown);
    auto held = record(State::InProgress, true);
    held.held = true;
    EXPECT_EQ(withRecord(held), ReplayVerdict::Unknown);
    auto forgotten = record(State::Succeeded);
    forgotten.expired = true;
    EXPECT_EQ(withRecord(forgotten), ReplayVerdict::Unknown) << "it would be executed again";
    auto other = record(State::Succeeded);
    other.samePayload = false;
    EXPECT_EQ(withRecord(other), ReplayVerdict::Conflict);
    auto both = letter(DeadLetterKind::Inbox);
    both.inbox = { { "ledger", InboxState::Dead, false, true } };
    both.records = { held };
    EXPECT_EQ(judgeReplay(both).verdict, ReplayVerdict::Unknown) << "a dead handler may have had its effect";
}

TEST(ReplayVerdictTest, AttemptsThatWereRefusedHadNoEffect)
{
    EXPECT_EQ(withCodes({ "connection", "tls", "404", "429" }), ReplayVerdict::Safe);
    for (const auto* code : { "timeout", "connection_lost", "unreadable", "500", "503", "409", "408", "302" })
        EXPECT_EQ(withCodes({ "connection", code, "connection" }), ReplayVerdict::Unknown) << code;
    EXPECT_EQ(withCodes({}), ReplayVerdict::Unknown);
    auto busy = letter();
    busy.beingSent = true;
    EXPECT_EQ(judgeReplay(busy).verdict, ReplayVerdict::Racing);
    EXPECT_NE(judgeReplay(busy).unsendable, "") << "nothing is put in its place, whoever wishes it";
    auto lost = letter();
    lost.hasPayload = false;
    EXPECT_NE(judgeReplay(lost).unsendable, "");
    EXPECT_EQ(judgeReplay(letter()).unsendable, "");
}

TEST(ReplayVerdictTest, WhatAnInboxKnowsIsNothingAboutOneOfSeveralDestinations)
{
    auto evidence = letter();
    evidence.elsewhere = true;
    evidence.inbox = { { "ledger", InboxState::Processed, false, true } };
    evidence.records = { record(State::Succeeded) };
    evidence.codes = { "connection", "404" };
    EXPECT_EQ(judgeReplay(evidence).verdict, ReplayVerdict::Safe) << "nothing arrived at this one";
    evidence.codes.emplace_back("503");
    EXPECT_EQ(judgeReplay(evidence).verdict, ReplayVerdict::Unknown);
    EXPECT_NE(judgeReplay(evidence).reason.find("ledger"), std::string::npos);
    evidence.inbox.front() = { "ledger", InboxState::Processing, true, true };
    EXPECT_EQ(judgeReplay(evidence).verdict, ReplayVerdict::Racing);
    evidence.inbox.front().samePayload = false;
    EXPECT_EQ(judgeReplay(evidence).verdict, ReplayVerdict::Conflict);
    evidence.kind = DeadLetterKind::Inbox;
    evidence.inbox.front() = { "ledger", InboxState::Processed, false, true };
    EXPECT_EQ(judgeReplay(evidence).verdict, ReplayVerdict::Succeeded) << "its own consumer died of it";
}

TEST(ReplayVerdictTest, EveryVerdictHasItsWord)
{
    for (const auto verdict : { ReplayVerdict::Succeeded, ReplayVerdict::Racing, ReplayVerdict::Safe,
             ReplayVerdict::Conflict, ReplayVerdict::Unknown }) {
        EXPECT_EQ(replayVerdictOf(wordOf(verdict)), verdict);
        EXPECT_FALSE(titleOf(verdict).empty());
    }
    EXPECT_EQ(replayVerdictOf("likely"), std::nullopt);
}

TEST(ReplayFateTest, WhatBecameOfALetter)
{
    auto evidence = fate(DeadLetterKind::Outbox);
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::Pending);
    evidence.outbox = OutboxState::Sent;
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::Succeeded);
    evidence.inboxes = 1;
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::Pending) << "its consumer has not processed it";
    evidence.processed = 1;
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::Succeeded);
    evidence.dead = 1;
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::DeadAgain);
    evidence = fate(DeadLetterKind::Outbox);
    evidence.outbox.reset();
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::Succeeded) << "only what was delivered is purged";
    evidence = fate(DeadLetterKind::Inbox);
    evidence.deaths = 2;
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::DeadAgain);
    EXPECT_EQ(fateOf(evidence, 2, "another"), ReplayFate::Settled);
    evidence = fate(DeadLetterKind::Inbox);
    evidence.outbox = OutboxState::Dead;
    EXPECT_EQ(fateOf(evidence, 1, "run"), ReplayFate::DeadAgain) << "it did not even reach its consumer";
    evidence = fate(DeadLetterKind::Outbox);
    evidence.tried = true;
    evidence.code = "429";
    EXPECT_TRUE(isThrottled(evidence));
    evidence.outbox = OutboxState::Dead;
    EXPECT_TRUE(isThrottled(evidence)) << "its last attempt was asked to wait as well";
    evidence.outbox = OutboxState::Sent;
    EXPECT_FALSE(isThrottled(evidence));
    evidence.outbox = OutboxState::Pending;
    evidence.tried = false;
    EXPECT_FALSE(isThrottled(evidence)) << "that was in an earlier life";
    EXPECT_FALSE(isFailing(evidence));
    evidence.tried = true;
    EXPECT_TRUE(isFailing(evidence));
    evidence.outbox = OutboxState::Sent;
    EXPECT_FALSE(isFailing(evidence));
    evidence.failed = 1;
    EXPECT_TRUE(isFailing(evidence)) << "it arrived, and its consumer fails";
}
