// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/evidence/deliveries.h"

using namespace fencepost;
using exchange::InboxResult;
using exchange::InboxRow;

namespace {

Time minute(int number)
{
    return timeFromMicros(1'700'000'000'000'000) + std::chrono::minutes(number);
}

// One delivery a minute, each with what became of it a minute later; none: it is not told.
Deliveries deliveries(const std::vector<std::optional<InboxResult>>& results)
{
    std::optional<Deliveries> all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto at = static_cast<int>(i);
        const InboxRow row{ "e", "pay", minute(at), results[i] ? std::optional(minute(at + 1)) : std::nullopt,
            results[i] };
        if (all)
            all->add(row);
        else
            all.emplace(row);
    }
    return *all;
}

} // namespace

TEST(DeliveriesTest, ADuplicateIsAFurtherDeliveryAndNoSecondMessage)
{
    const auto all = deliveries({ InboxResult::Ok, InboxResult::Replayed, InboxResult::Replayed });
    const auto& message = all.message();
    EXPECT_EQ(message.id, (InboxId{ "unknown", "pay", "e" }));
    EXPECT_EQ(message.state, InboxState::Processed);
    EXPECT_EQ(message.receiveCount, 3);
    EXPECT_EQ(message.attempt, 1);
    EXPECT_EQ(message.receivedAt, minute(0));
    EXPECT_EQ(message.processedAt, minute(1));
    EXPECT_EQ(message.result, "ok");
    EXPECT_FALSE(all.letter());
    EXPECT_TRUE(all.takes({ "e", "pay", minute(9), {}, {} }));
    EXPECT_FALSE(all.takes({ "e", "other", minute(9), {}, {} }));
}

TEST(DeliveriesTest, WhatWasReceivedAndNotProcessedIsReceived)
{
    EXPECT_EQ(deliveries({ std::nullopt, std::nullopt }).message().state, InboxState::Received);
    EXPECT_EQ(deliveries({ InboxResult::Failed, std::nullopt }).message().state, InboxState::Failed);
    const Deliveries processed({ "e", "pay", minute(0), minute(1), {} });
    EXPECT_EQ(processed.message().state, InboxState::Processed) << "when, and not what came of it";
    EXPECT_EQ(processed.message().processedAt, minute(1));
    EXPECT_FALSE(processed.message().result);
    auto again = deliveries({ InboxResult::Failed });
    again.add({ "e", "pay", minute(3), minute(4), {} });
    EXPECT_EQ(again.message().state, InboxState::Processed);
}

TEST(DeliveriesTest, FailuresAreAttemptsAndDeathIsALetter)
{
    const auto all = deliveries({ InboxResult::Failed, InboxResult::Failed, InboxResult::Dead });
    ASSERT_EQ(all.message().attempts.size(), 3U);
    EXPECT_EQ(all.message().attempts[1].number, 2);
    EXPECT_EQ(all.message().attempts[1].at, minute(2));
    EXPECT_EQ(all.message().state, InboxState::Dead);
    const auto letter = all.letter();
    ASSERT_TRUE(letter);
    EXPECT_EQ(letter->eventId, "e");
    EXPECT_EQ(letter->deadAt, minute(3));
    EXPECT_EQ(letter->deaths, 1);
    EXPECT_EQ(letter->attempts.size(), 3U);
}

TEST(DeliveriesTest, WhatWasProcessedOnceStaysSoAndWhenIsNotGuessed)
{
    EXPECT_EQ(deliveries({ InboxResult::Dead, InboxResult::Ok }).message().state, InboxState::Processed);
    EXPECT_FALSE(deliveries({ InboxResult::Dead, InboxResult::Ok }).letter());
    EXPECT_EQ(deliveries({ InboxResult::Ok, InboxResult::Failed }).message().state, InboxState::Processed);
    const auto replayed = deliveries({ InboxResult::Replayed }).message();
    EXPECT_EQ(replayed.state, InboxState::Processed);
    EXPECT_FALSE(replayed.processedAt);
    EXPECT_EQ(replayed.result, "replayed");
}
