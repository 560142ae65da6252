// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "app/lab/faulty_target.h"
#include "tests/support/wait.h"

namespace fencepost::app {
namespace {

using namespace std::chrono_literals;
using delivery::Delivered;
using delivery::DeliveryResult;
using delivery::Parcel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StandingClock final : public Clock {
public:
    [[nodiscard]] Time now() const override { return at; }
    Time at{};
};

// Tells what it gets, and accepts it a moment later unless it is told otherwise.
class Receiver final : public delivery::Target {
public:
    struct Seen {
        std::vector<std::string> parcels; // event and payload
        Headers headers; // of the last
        Delivered answer = Delivered::Accepted;
    };
    explicit Receiver(Seen& seen)
        : m_seen(seen)
    {
    }
    void deliver(const Parcel& parcel, Ended ended) override
    {
        m_seen.parcels.push_back(parcel.message.event.eventId + ' ' + parcel.payload);
        m_seen.headers = parcel.message.event.headers;
        QTimer::singleShot(0, &m_context, [this, ended = std::move(ended)] { ended({ m_seen.answer, {}, {}, {} }); });
    }

private:
    Seen& m_seen;
    QObject m_context;
};

class FaultyTargetTest : public ::testing::Test {
protected:
    void deliver(
        const std::string& id, const std::string& fault = {}, int attempt = 1, const std::string& to = "nats://a")
    {
        Parcel parcel;
        parcel.message.seq = ++seq;
        parcel.message.attempt = attempt;
        parcel.message.event.eventId = id;
        parcel.message.event.headers = { { "traceparent", "00" } };
        if (!fault.empty())
            parcel.message.event.headers.emplace_back(faultHeader, fault);
        parcel.payload = "{}";
        parcel.destination = to;
        target.deliver(parcel, [this, id](const DeliveryResult&) { ended.push_back(id); });
    }
    [[nodiscard]] bool haveEnded(std::size_t count)
    {
        return testing::eventually([&] { return ended.size() == count; });
    }

    StandingClock clock;
    Faults faults{ 1 };
    Receiver::Seen seen;
    FaultyTarget target{ std::make_unique<Receiver>(seen), faults, clock };
    std::vector<std::string> ended;
    std::int64_t seq = 0;
};

TEST_F(FaultyTargetTest, AnEventWithoutFaultsGoesThroughAsItIs)
{
    deliver("a");
    ASSERT_TRUE(haveEnded(1));
    EXPECT_THAT(seen.parcels, ElementsAre("a {}"));
    EXPECT_EQ(seen.headers, (Headers{ { "traceparent", "00" } }));
}

TEST_F(FaultyTargetTest, ADuplicateIsHandedOverTwiceAndEndsOnce)
{
    deliver("a", "duplicate-event");
    ASSERT_TRUE(haveEnded(1));
    EXPECT_THAT(seen.parcels, ElementsAre("a {}", "a {}"));
    EXPECT_EQ(seen.headers, (Headers{ { "traceparent", "00" } })) << "the receiver hears of no fault";
    deliver("a", "duplicate-event", 2);
    ASSERT_TRUE(haveEnded(2));
    EXPECT_EQ(seen.parcels.size(), 3U) << "it was bad luck once";
}

TEST_F(FaultyTargetTest, ALaterEventOfTheDestinationOvertakesTheOneThatIsHeld)
{
    deliver("a", "reorder-event=10m");
    deliver("elsewhere", {}, 1, "nats://b");
    ASSERT_TRUE(haveEnded(1));
    deliver("b", "reorder-event=10m");
    ASSERT_TRUE(haveEnded(3)) << "b is out of order already, and waits for nobody";
    EXPECT_THAT(seen.parcels, ElementsAre("elsewhere {}", "b {}", "a {}"));
    EXPECT_THAT(ended, ElementsAre("elsewhere", "b", "a"));
}

TEST_F(FaultyTargetTest, WhatIsNotAcceptedOvertakesNobody)
{
    deliver("a", "reorder-event=10m");
    seen.answer = Delivered::Failed;
    deliver("b");
    ASSERT_TRUE(haveEnded(1));
    EXPECT_THAT(ended, ElementsAre("b"));
    clock.at += 10min;
    ASSERT_TRUE(haveEnded(2)) << "held no longer than it says";
}

TEST_F(FaultyTargetTest, ADelayEndsWithItsTimeOrWithTheFaults)
{
    deliver("a", "delay-event=2s");
    deliver("b", "delay-event=10m");
    clock.at += 2s;
    ASSERT_TRUE(haveEnded(1));
    EXPECT_THAT(ended, ElementsAre("a"));
    faults.clear();
    ASSERT_TRUE(haveEnded(2));
    deliver("c", "delay-event=10m");
    EXPECT_EQ(seen.parcels.size(), 2U);
    faults.stop();
    ASSERT_TRUE(haveEnded(3));
}

TEST_F(FaultyTargetTest, PoisonIsTheSameInEveryAttempt)
{
    deliver("a", "poison-event");
    deliver("a", "poison-event", 2);
    ASSERT_TRUE(haveEnded(2));
    EXPECT_THAT(seen.parcels, ElementsAre("a {", "a {"));
}

} // namespace
} // namespace fencepost::app
