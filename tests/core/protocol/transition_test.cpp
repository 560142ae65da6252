// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/protocol/transition.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

const Time start = timeFromMicros(1'700'000'000'000'000);

Trigger reserve(const char* owner, const char* hash, std::int64_t nextFence)
{
    return { .event = Event::Reserve,
        .id = { "s", "o", "k" },
        .owner = { owner },
        .nextFence = { nextFence },
        .requestHash = hash,
        .lease = 60s,
        .ttl = 24h };
}

} // namespace

TEST(Decide, TheFirstReservationExecutes)
{
    const auto decision = decide(std::nullopt, reserve("a", "h", 1), start);
    EXPECT_EQ(decision.outcome, Outcome::Execute);
    EXPECT_EQ(decision.row, 1);
    ASSERT_TRUE(decision.record);
    EXPECT_EQ(decision.record->leaseExpiresAt, start + 60s);
}

TEST(Decide, ADuplicateWhileTheLeaseLivesIsInFlight)
{
    const auto first = decide(std::nullopt, reserve("a", "h", 1), start);
    const auto second = decide(first.record, reserve("b", "h", 2), start + 60s - 1us);
    EXPECT_EQ(second.outcome, Outcome::InFlight);
    EXPECT_FALSE(second.writes);
    EXPECT_EQ(decide(first.record, reserve("b", "h", 2), start + 60s).outcome, Outcome::Execute);
}
