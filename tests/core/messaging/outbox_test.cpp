// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "core/messaging/outbox.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time now = timeFromMicros(1'780'000'000'000'000);
const Owner relay{ "11111111-1111-4111-8111-111111111111" };
const Owner other{ "22222222-2222-4222-8222-222222222222" };

OutboxMessage sending(int attempt, Duration lease = 10s)
{
    OutboxMessage message;
    message.seq = 7;
    message.event.eventId = "evt_1";
    message.state = OutboxState::Sending;
    message.attempt = attempt;
    message.owner = relay;
    message.leaseExpiresAt = now + lease;
    return message;
}

} // namespace

TEST(OutboxDecision, AFailureWaitsAndTheLastOneIsDead)
{
    const DeliveryFailure failure{ "503", "busy", true, 2s };
    const auto again = decideUndelivered(sending(1), relay, failure, 3, now);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state, OutboxState::Pending);
    EXPECT_EQ(again->nextAttemptAt, now + 2s);
    EXPECT_EQ(again->owner, std::nullopt);
    EXPECT_EQ(again->leaseExpiresAt, std::nullopt);
    EXPECT_EQ(again->attempts, (std::vector<DeliveryAttempt>{ { 1, now, relay.uuid, "503", "busy" } }));
    EXPECT_EQ(decideUndelivered(sending(3), relay, failure, 3, now)->state, OutboxState::Dead);
    EXPECT_EQ(decideUndelivered(sending(1), relay, { "410", "gone", false, {} }, 3, now)->state, OutboxState::Dead);
    EXPECT_EQ(again->event.eventId, "evt_1") << "the same in every attempt";
}

TEST(OutboxDecision, OnlyTheOwnerOfAClaimSpeaksForIt)
{
    EXPECT_FALSE(decideUndelivered(sending(1), other, {}, 3, now));
    for (const auto state : { OutboxState::Pending, OutboxState::Sent, OutboxState::Dead }) {
        auto message = sending(1);
        message.state = state;
        EXPECT_FALSE(decideUndelivered(message, relay, {}, 3, now)) << wordOf(state);
        EXPECT_FALSE(decideLapsed(message, 1, now + 1h)) << wordOf(state);
        EXPECT_EQ(outboxStateOf(wordOf(state)), state);
    }
    EXPECT_EQ(outboxStateOf("PROCESSED"), std::nullopt);
}

TEST(OutboxDecision, AClaimWhoseRelayIsGoneDiesWithItsLastAttempt)
{
    EXPECT_FALSE(decideLapsed(sending(3, 1us), 3, now)) << "its lease is live";
    const auto again = decideLapsed(sending(2, 0us), 3, now);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state, OutboxState::Pending);
    EXPECT_EQ(again->nextAttemptAt, now);
    EXPECT_EQ(again->attempts.at(0).code, "lease_expired");
    const auto dead = decideLapsed(sending(3, 0us), 3, now);
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->state, OutboxState::Dead);
    EXPECT_EQ(dead->attempts.at(0).code, "lease_expired");
}

TEST(OutboxDecision, AnEventOfAnEventHasOneIdHoweverOftenItIsWritten)
{
    const auto id = derivedEventId("ledger", "stripe", "evt_1", 0);
    EXPECT_TRUE(isUuid(id)) << id;
    EXPECT_EQ(id[14], '8');
    EXPECT_EQ(id, derivedEventId("ledger", "stripe", "evt_1", 0));
    const std::set<std::string> different{ id, derivedEventId("ledger", "stripe", "evt_1", 1),
        derivedEventId("ledger", "stripe", "evt_2", 0), derivedEventId("ledgers", "tripe", "evt_1", 0),
        derivedEventId("ledger", "stripeevt_", "1", 0) };
    EXPECT_EQ(different.size(), 5U);
}

TEST(DeliveryAttempts, RoundTripAndStayBounded)
{
    std::vector<DeliveryAttempt> attempts;
    EXPECT_EQ(formatAttempts(attempts), "[]");
    EXPECT_TRUE(parseAttempts("")->empty());
    for (int i = 1; i <= 150; ++i)
        addAttempt(attempts, { i, now + i * 1s, relay.uuid, "503", "busy \"quoted\"\n" + std::to_string(i) });
    EXPECT_EQ(attempts.size(), keptAttempts);
    EXPECT_EQ(attempts.front().number, 51) << "the newest are kept";
    EXPECT_EQ(parseAttempts(formatAttempts(attempts)).value(), attempts);
    for (int i = 1; i <= 250; ++i)
        addAttempt(attempts, { 150 + i, now + i * 1s, relay.uuid, "connection", "refused" });
    EXPECT_EQ(attempts.size(), keptAttempts);
    EXPECT_EQ(attempts.front().number, 150) << "the last that may have had its effect outlasts what had none";
    EXPECT_EQ(attempts[1].number, 302);
    EXPECT_EQ(attempts.back().number, 400);
    // Cut between two characters, and what is no text is kept as far as it is one.
    std::vector<DeliveryAttempt> long_;
    addAttempt(long_, { 1, now, "", "", std::string(keptErrorOctets - 1, 'x') + "\xc3\xbc" });
    EXPECT_EQ(long_[0].error.size(), keptErrorOctets - 1);
    addAttempt(long_, { 2, now, "", "", "\xff\xfe" });
    EXPECT_TRUE(parseAttempts(formatAttempts(long_)));
    for (const auto* broken : { "{", "{}", "[1]", R"([{"attempt":"1"}])", R"([{"attempt":1,"at":"never"}])", "null" })
        EXPECT_FALSE(parseAttempts(broken)) << broken;
}
