// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <future>

#include <gtest/gtest.h>

#include "core/service/heartbeat.h"

using namespace fencepost;
using namespace std::chrono_literals;

namespace {

// A store that counts, on the heartbeat's thread.
class Heartbeats : public ::testing::Test {
protected:
    Heartbeat::Open open()
    {
        return [this]() -> Result<Heartbeat::Renew> {
            ++opened;
            if (closed)
                return Error{ Failure::Unavailable, "closed", {} };
            return Heartbeat::Renew([this](const Claim& kept, Duration lease) -> Result<Applied> {
                EXPECT_EQ(lease, length);
                EXPECT_EQ(kept.fence.value, 7);
                ++renewed;
                renewed.notify_all();
                if (failing)
                    return Error{ Failure::Unavailable, "away", {} };
                Applied applied;
                applied.outcome = outcome;
                return applied;
            });
        };
    }
    // Until the store was asked that often.
    void await(int count)
    {
        for (int seen = renewed; seen < count; seen = renewed)
            renewed.wait(seen);
    }

    Duration length = 1h;
    LeaseTerms often{ 1h, 1ms, 1s };
    Claim claim{ { "s", "o", "k" }, { "owner" }, { 7 } };
    std::atomic<int> opened = 0;
    std::atomic<int> renewed = 0;
    std::atomic<bool> closed = false;
    std::atomic<bool> failing = false;
    std::atomic<Outcome> outcome = Outcome::Applied;
};

TEST_F(Heartbeats, RenewWhileTheBeatIsKeptAndNoLonger)
{
    Heartbeat heartbeat(open());
    auto beat = heartbeat.keep(claim, often);
    await(5);
    EXPECT_FALSE(beat->isLost());
    beat.reset();
    const int last = renewed;
    // Another one goes on, this one does not.
    auto other = heartbeat.keep({ claim.id, claim.owner, claim.fence }, often);
    await(last + 3);
    EXPECT_EQ(opened, 1);
}

TEST_F(Heartbeats, OpenNothingWhereNothingIsDue)
{
    Heartbeat heartbeat(open());
    auto beat = heartbeat.keep(claim, { 1h, 20min, 1s });
    EXPECT_FALSE(beat->isLost());
    beat.reset();
    EXPECT_EQ(opened, 0);
}

TEST_F(Heartbeats, SayThatTheRecordWasTakenAway)
{
    outcome = Outcome::LostOwnership;
    Heartbeat heartbeat(open());
    auto beat = heartbeat.keep(claim, often);
    while (!beat->isLost())
        std::this_thread::yield();
    EXPECT_EQ(renewed, 1) << "who has lost it does not ask again";
}

TEST_F(Heartbeats, OutliveAStoreThatIsAway)
{
    failing = true;
    Heartbeat heartbeat(open());
    auto beat = heartbeat.keep(claim, often);
    await(3);
    EXPECT_FALSE(beat->isLost()) << "the lease is not over";
    EXPECT_GE(opened, 2) << "a connection that failed is opened again";
    failing = false;
    await(renewed + 2);
    EXPECT_FALSE(beat->isLost());
}

TEST_F(Heartbeats, EndTheLeaseEarlierThanItEnds)
{
    closed = true;
    Heartbeat heartbeat(open());
    auto beat = heartbeat.keep(claim, { 1h, 1ms, 1h });
    EXPECT_TRUE(beat->isLost()) << "all of it is margin";
}

} // namespace
