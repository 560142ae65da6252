// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/messaging/inbox.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time now = timeFromMicros(1'780'000'000'000'000);
const Owner first{ "11111111-1111-4111-8111-111111111111" };
const Owner second{ "22222222-2222-4222-8222-222222222222" };
const InboxArrival arrival{ second, 30s, 3 };

Delivery delivery(const std::string& payload = "{}")
{
    Delivery one;
    one.id = { "ledger", "stripe", "evt_1" };
    one.payloadHash = sha256(payload);
    one.dedupeKey = "commission:1";
    one.subject = "order-1";
    one.version = 5;
    return one;
}

InboxMessage message(InboxState state, int attempt = 1)
{
    InboxMessage row;
    row.id = delivery().id;
    row.payloadHash = delivery().payloadHash;
    row.dedupeKey = delivery().dedupeKey;
    row.subject = delivery().subject;
    row.version = delivery().version;
    row.state = state;
    row.attempt = attempt;
    row.receivedAt = now - 1h;
    if (state == InboxState::Processing) {
        row.owner = first;
        row.leaseExpiresAt = now + 10s;
    }
    if (state == InboxState::Failed)
        row.nextAttemptAt = now + 20s;
    return row;
}

InboxMessage lapsed(InboxMessage row)
{
    row.leaseExpiresAt = now;
    return row;
}

InboxMessage another(InboxMessage row)
{
    row.id.eventId = "evt_other";
    return row;
}

} // namespace

TEST(InboxDecision, AnswersEveryState)
{
    struct Case {
        const char* name;
        InboxView view;
        Reception reception;
        Duration wait;
    };
    auto due = message(InboxState::Failed);
    due.nextAttemptAt = now;
    for (const auto& [name, view, reception, wait] : {
             Case{ "absent", {}, Reception::Process, {} },
             Case{ "received", { .message = message(InboxState::Received, 0) }, Reception::Process, {} },
             Case{ "running", { .message = message(InboxState::Processing) }, Reception::Busy, 10s },
             Case{ "lapsed", { .message = lapsed(message(InboxState::Processing)) }, Reception::Process, {} },
             Case{ "waiting", { .message = message(InboxState::Failed) }, Reception::Busy, 20s },
             Case{ "due", { .message = due }, Reception::Process, {} },
             Case{ "processed", { .message = message(InboxState::Processed) }, Reception::Done, {} },
             Case{ "dead", { .message = message(InboxState::Dead) }, Reception::Dead, {} },
             Case{ "used up", { .message = lapsed(message(InboxState::Processing, 3)) }, Reception::Dead, {} },
             Case{ "same effect done", { .sameEffect = another(message(InboxState::Processed)) }, Reception::Done, {} },
             Case{ "same effect running", { .sameEffect = another(message(InboxState::Processing)) }, Reception::Busy,
                 10s },
             Case{ "same effect lapsed", { .sameEffect = another(lapsed(message(InboxState::Processing))) },
                 Reception::Process, {} },
             Case{ "overtaken", { .head = 6 }, Reception::Overtaken, {} },
             Case{ "this version again", { .head = 5 }, Reception::Overtaken, {} },
             Case{ "newer", { .head = 4 }, Reception::Process, {} },
         }) {
        const auto decision = decideArrival(view, delivery(), arrival, now);
        EXPECT_EQ(decision.reception, reception) << name;
        EXPECT_EQ(decision.wait, wait) << name;
        ASSERT_TRUE(decision.message) << name;
        EXPECT_FALSE(decision.reason.empty()) << name;
        EXPECT_EQ(isAcknowledged(decision.reception),
            decision.message->state == InboxState::Processed || decision.message->state == InboxState::Dead)
            << name << ": what is not done is never acknowledged";
        EXPECT_EQ(decision.message->receiveCount, view.message ? 2 : 1) << name;
        const bool taken = reception == Reception::Process;
        EXPECT_EQ(decision.message->owner == second, taken) << name;
        EXPECT_EQ(decision.message->leaseExpiresAt == now + 30s, taken) << name;
        EXPECT_EQ(decision.lapsed.has_value(), std::string(name) == "same effect lapsed") << name;
    }
}

TEST(InboxDecision, AnotherPayloadChangesNothingInAnyState)
{
    for (const auto state :
        { InboxState::Received, InboxState::Processing, InboxState::Processed, InboxState::Failed, InboxState::Dead }) {
        const auto decision = decideArrival({ .message = message(state) }, delivery("other"), arrival, now);
        EXPECT_EQ(decision.reception, Reception::Conflict) << wordOf(state);
        EXPECT_FALSE(decision.message) << wordOf(state);
        EXPECT_TRUE(isAcknowledged(decision.reception));
    }
}

TEST(InboxDecision, AHandlerThatIsLostCountsAsAnAttempt)
{
    auto row = lapsed(message(InboxState::Processing, 2));
    const auto third = decideArrival({ .message = row }, delivery(), arrival, now);
    EXPECT_EQ(third.message->attempt, 3);
    ASSERT_EQ(third.message->attempts.size(), 1U);
    EXPECT_EQ(third.message->attempts[0].number, 2);
    EXPECT_EQ(third.message->attempts[0].owner, first.uuid);
    EXPECT_EQ(third.message->attempts[0].code, "lease_expired");
    const auto over = decideArrival({ .message = lapsed(*third.message) }, delivery(), arrival, now + 1min);
    EXPECT_EQ(over.reception, Reception::Dead);
    EXPECT_EQ(over.message->attempts.size(), 2U);
    EXPECT_EQ(over.message->leaseExpiresAt, std::nullopt);
    // The other event of the effect is told as lost, too, and may be tried again at once.
    const auto other = decideArrival({ .sameEffect = another(row) }, delivery(), arrival, now);
    ASSERT_TRUE(other.lapsed);
    EXPECT_EQ(other.lapsed->state, InboxState::Failed);
    EXPECT_EQ(other.lapsed->nextAttemptAt, now);
    EXPECT_EQ(other.lapsed->attempts.size(), 1U);
}

TEST(InboxDecision, OnlyTheOwnerSettles)
{
    const auto running = message(InboxState::Processing);
    const auto done = decideProcessed({ .message = running }, first, "ok", now);
    EXPECT_EQ(done.settlement, InboxSettlement::Applied);
    EXPECT_EQ(done.message->state, InboxState::Processed);
    EXPECT_EQ(done.message->processedAt, now);
    EXPECT_EQ(done.message->result, "ok");
    EXPECT_EQ(decideProcessed({ .message = running }, second, "ok", now).settlement, InboxSettlement::Lost);
    EXPECT_EQ(decideProcessed({}, first, "ok", now).settlement, InboxSettlement::Lost);
    for (const auto state : { InboxState::Received, InboxState::Processed, InboxState::Failed, InboxState::Dead }) {
        auto row = message(state);
        row.owner = first;
        EXPECT_EQ(decideProcessed({ .message = row }, first, "ok", now).settlement, InboxSettlement::Lost);
        EXPECT_EQ(decideFailed(row, first, {}, 3, now).settlement, InboxSettlement::Lost);
    }
    // What was done meanwhile by a later version must not be undone by this one.
    const auto late = decideProcessed({ .message = running, .head = 7 }, first, "ok", now);
    EXPECT_EQ(late.settlement, InboxSettlement::Overtaken);
    EXPECT_EQ(late.message->state, InboxState::Processed);
    EXPECT_EQ(late.message->result, "overtaken by version 7");
}

TEST(InboxDecision, AFailureWaitsAndTheLastOneIsDead)
{
    const HandlingFailure failure{ "503", "the ledger is busy", true, 10s };
    const auto again = decideFailed(message(InboxState::Processing, 2), first, failure, 3, now);
    EXPECT_EQ(again.message->state, InboxState::Failed);
    EXPECT_EQ(again.message->nextAttemptAt, now + 10s);
    EXPECT_EQ(again.message->attempts.back(), (DeliveryAttempt{ 2, now, first.uuid, "503", "the ledger is busy" }));
    const auto dead = decideFailed(message(InboxState::Processing, 3), first, failure, 3, now);
    EXPECT_EQ(dead.message->state, InboxState::Dead);
    EXPECT_EQ(dead.message->nextAttemptAt, std::nullopt);
    const auto final = decideFailed(
        message(InboxState::Processing, 1), first, { "VALIDATION.amount", "no amount", false, {} }, 3, now);
    EXPECT_EQ(final.message->state, InboxState::Dead) << "trying again would not help";
}

TEST(InboxDecision, HasWordsForEveryState)
{
    for (const auto state :
        { InboxState::Received, InboxState::Processing, InboxState::Processed, InboxState::Failed, InboxState::Dead })
        EXPECT_EQ(inboxStateOf(wordOf(state)), state);
    EXPECT_EQ(inboxStateOf("SENT"), std::nullopt);
}
