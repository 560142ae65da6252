// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <gtest/gtest.h>

#include "core/messaging/outbox_claim.h"

namespace fencepost {
namespace {

using std::chrono::seconds;

const Owner relay("00000000-0000-4000-8000-000000000001");
const Owner other("00000000-0000-4000-8000-000000000002");
constexpr Time now(seconds(100));

OutboxMessage waiting()
{
    OutboxMessage message;
    message.seq = 7;
    message.attempt = 2;
    message.nextAttemptAt = now;
    return message;
}

TEST(OutboxClaim, IsOneMoreAttemptInTheHandsOfARelay)
{
    const auto claimed = decideClaimed(waiting(), relay, seconds(30), now);
    ASSERT_TRUE(claimed);
    auto expected = waiting();
    expected.state = OutboxState::Sending;
    expected.owner = relay;
    expected.leaseExpiresAt = now + seconds(30);
    expected.nextAttemptAt.reset();
    expected.attempt = 3;
    EXPECT_EQ(*claimed, expected);
}

TEST(OutboxClaim, IsOnlyOfWhatWaitsAndIsDue)
{
    EXPECT_FALSE(decideClaimed(waiting(), relay, seconds(30), now - Duration(1)));
    auto sending = *decideClaimed(waiting(), relay, seconds(30), now);
    EXPECT_FALSE(decideClaimed(sending, other, seconds(30), now + seconds(60))) << "its lapse is decided first";
    auto never = waiting();
    never.nextAttemptAt.reset();
    EXPECT_FALSE(decideClaimed(never, relay, seconds(30), now));
}

TEST(OutboxClaim, CountsNoFurtherThanANumberGoes)
{
    auto message = waiting();
    message.attempt = std::numeric_limits<int>::max();
    EXPECT_EQ(decideClaimed(message, relay, seconds(30), now)->attempt, std::numeric_limits<int>::max());
}

TEST(OutboxClaim, EndsWithWhatItsOwnerSent)
{
    const auto claimed = *decideClaimed(waiting(), relay, seconds(30), now);
    EXPECT_FALSE(decideSent(claimed, other, now));
    const auto sent = decideSent(claimed, relay, now + seconds(1));
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->state, OutboxState::Sent);
    EXPECT_EQ(sent->sentAt, now + seconds(1));
    EXPECT_FALSE(sent->owner);
    EXPECT_FALSE(sent->leaseExpiresAt);
    EXPECT_FALSE(decideSent(*sent, relay, now)) << "once";
}

} // namespace
} // namespace fencepost
