// SPDX-License-Identifier: GPL-3.0-or-later
#include <deque>

#include <gmock/gmock.h>

#include "core/delivery/event_consumer.h"
#include "tests/core/store/message_fixture.h"

using namespace fencepost;
using namespace fencepost::delivery;
using namespace fencepost::test;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

// A broker that does what it is told, and remembers it.
class FakeSource final : public Source {
public:
    Result<std::optional<Delivery>> next(Duration) override
    {
        if (arrivals.empty())
            return std::optional<Delivery>();
        auto arrival = arrivals.front();
        arrivals.pop_front();
        return std::optional(arrival);
    }
    Status acknowledge() override
    {
        told.emplace_back("ack");
        return deaf ? Status(Error{ Failure::Unavailable, "away", {} }) : Status();
    }
    Status deliverAgain(Duration delay) override
    {
        told.push_back("again " + formatDuration(delay));
        return {};
    }
    Status extend() override
    {
        told.emplace_back("extend");
        return {};
    }

    std::deque<Delivery> arrivals;
    std::vector<std::string> told;
    bool deaf = false;
};

const Handler succeeds = [](const Handling&) { return std::nullopt; };

} // namespace

class EventConsumerTest : public MessageTest {
protected:
    Consumed consume(const Delivery& what, const Handler& handler = succeeds)
    {
        source.told.clear();
        source.arrivals = { what };
        EventConsumer consumer(source, inbox(), clock, random, options);
        auto consumed = value(consumer.handleNext(0s, handler));
        EXPECT_TRUE(consumed);
        return consumed.value_or(Consumed{});
    }
    Handler failing(bool retryable = true)
    {
        return [this, retryable](const Handling&) {
            ++runs;
            return std::optional(HandlingFailure{ "exit_1", "no account 17", retryable, {} });
        };
    }
    Handler never()
    {
        return [](const Handling&) -> std::optional<HandlingFailure> {
            ADD_FAILURE() << "the handler was called";
            return {};
        };
    }

    FakeSource source;
    SeededRandom random{ 7 };
    ConsumerOptions options;
    int runs = 0;
};

INSTANTIATE_TEST_SUITE_P(Backends, EventConsumerTest, bothDialects(), nameOfDialect);

TEST_P(EventConsumerTest, AnEventIsHandledOnceAndItsDuplicatesAreAcknowledged)
{
    const auto what = delivery();
    const auto first = consume(what, [&](const Handling& handling) -> std::optional<HandlingFailure> {
        EXPECT_EQ(handling.delivery.payload, what.payload);
        EXPECT_EQ(handling.attempt, 1);
        EXPECT_TRUE(source.told.empty()) << "nothing is said before it is done";
        EXPECT_EQ(inboxRow(what).state, InboxState::Processing);
        return {};
    });
    EXPECT_EQ(first.outcome, "processed");
    EXPECT_TRUE(first.acknowledged);
    EXPECT_THAT(source.told, ElementsAre("ack"));
    EXPECT_EQ(inboxRow(what).state, InboxState::Processed);

    const auto second = consume(what, never());
    EXPECT_EQ(second.outcome, "done");
    EXPECT_THAT(source.told, ElementsAre("ack"));
}

TEST_P(EventConsumerTest, AFailureIsTriedAgainBehindItsDelayAndDeadInTheEnd)
{
    options.maxAttempts = 3;
    const auto what = delivery();
    EXPECT_EQ(consume(what, failing()).outcome, "failed");
    ASSERT_EQ(source.told.size(), 1U);
    EXPECT_THAT(source.told[0], HasSubstr("again 5")) << "half a second, and up to a tenth more";
    EXPECT_EQ(inboxRow(what).state, InboxState::Failed);

    const auto early = consume(what, never());
    EXPECT_EQ(early.outcome, "busy");
    EXPECT_FALSE(early.acknowledged);
    EXPECT_THAT(source.told[0], HasSubstr("again"));

    clock.advance(1s);
    EXPECT_EQ(consume(what, failing()).outcome, "failed");
    clock.advance(3s);
    const auto last = consume(what, failing());
    EXPECT_EQ(last.outcome, "dead");
    EXPECT_TRUE(last.acknowledged);
    EXPECT_THAT(source.told, ElementsAre("ack"));
    EXPECT_EQ(runs, 3);
    EXPECT_EQ(letter().attempts.size(), 3U);
    EXPECT_EQ(letter().destination, what.destination);
    EXPECT_EQ(letter().payloadOctets, static_cast<std::int64_t>(what.payload->size()));

    EXPECT_EQ(consume(what, never()).outcome, "dead") << "a duplicate of what is dead is settled too";
    EXPECT_THAT(source.told, ElementsAre("ack"));
}

TEST_P(EventConsumerTest, WhatCanNeverBeDoneIsDeadAtOnce)
{
    EXPECT_EQ(consume(delivery(), failing(false)).outcome, "dead");
    EXPECT_EQ(letter().attempts.size(), 1U);
    EXPECT_THAT(source.told, ElementsAre("ack"));
}

TEST_P(EventConsumerTest, AnEffectInTheInboxsDatabaseIsCommittedWithTheMarkOrNotAtAll)
{
    const auto noted = event("noted");
    const auto note = [&](bool good) {
        return [&, good](const Delivery& what) -> Status {
            auto said = noted;
            said.correlationId = what.id.eventId;
            if (const auto added = outbox().add(said); !added)
                return added.error();
            return good ? Status() : Status(Error{ Failure::Unavailable, "the disk is full", {} });
        };
    };
    const auto what = delivery();
    source.arrivals = { what };
    EventConsumer consumer(source, inbox(), clock, random, options);
    const auto undone = consumer.handleNext(0s, succeeds, note(false));
    ASSERT_FALSE(undone);
    EXPECT_EQ(undone.error().message, "the disk is full");
    EXPECT_EQ(count("outbox_messages"), 0);
    EXPECT_EQ(inboxRow(what).state, InboxState::Processing) << "its lease is all that keeps it";

    clock.advance(options.lease);
    source.arrivals = { what, what };
    EXPECT_EQ(value(consumer.handleNext(0s, succeeds, note(true)))->outcome, "processed");
    EXPECT_EQ(value(consumer.handleNext(0s, succeeds, note(true)))->outcome, "done");
    EXPECT_EQ(count("outbox_messages"), 1);
}

TEST_P(EventConsumerTest, AnotherPayloadUnderTheSameIdIsADeadLetterOfItsOwn)
{
    ASSERT_EQ(consume(delivery()).outcome, "processed");
    const auto other = consume(delivery("evt_1", "another"), never());
    EXPECT_EQ(other.outcome, "conflict");
    EXPECT_THAT(source.told, ElementsAre("ack"));
    EXPECT_EQ(letter().kind, DeadLetterKind::Conflict);
}

TEST_P(EventConsumerTest, AnOlderVersionIsPassedOver)
{
    auto what = delivery("new");
    what.subject = "rf_1";
    what.version = 2;
    ASSERT_EQ(consume(what).outcome, "processed");
    what.id.eventId = "old";
    what.version = 1;
    EXPECT_EQ(consume(what, never()).outcome, "overtaken");
    EXPECT_THAT(source.told, ElementsAre("ack"));
}

TEST_P(EventConsumerTest, WhatSomebodyElseHandlesIsLeftToThem)
{
    const auto what = delivery();
    ASSERT_EQ(receive(what, 1), Reception::Process);
    const auto busy = consume(what, never());
    EXPECT_EQ(busy.outcome, "busy");
    EXPECT_THAT(source.told, ElementsAre("again 30s"));
}

TEST_P(EventConsumerTest, AHandlerThatTakesLongKeepsItsEvent)
{
    const auto what = delivery();
    const auto done = consume(what, [&](const Handling& handling) -> std::optional<HandlingFailure> {
        for (int i = 0; i < 10; ++i) {
            clock.advance(options.lease / 2);
            EXPECT_TRUE(handling.keep());
            EXPECT_EQ(receive(what, 9), Reception::Busy);
        }
        return {};
    });
    EXPECT_EQ(done.outcome, "processed");
    EXPECT_THAT(source.told, ::testing::Contains("extend").Times(10));
}

TEST_P(EventConsumerTest, WhoStoodStillForTooLongLosesItAndSaysNothingForIt)
{
    const auto what = delivery();
    const auto lost = consume(what, [&](const Handling& handling) -> std::optional<HandlingFailure> {
        clock.advance(options.lease * 2);
        EXPECT_EQ(receive(what, 9), Reception::Process);
        EXPECT_FALSE(handling.keep());
        EXPECT_FALSE(handling.keep());
        return {};
    });
    EXPECT_EQ(lost.outcome, "lost");
    EXPECT_FALSE(lost.acknowledged);
    EXPECT_THAT(source.told, ElementsAre("again 1m"));
    EXPECT_EQ(inboxRow(what).owner, ownerOf(9));

    auto other = delivery("evt_2");
    const auto failed = consume(other, [&](const Handling&) {
        clock.advance(options.lease * 2);
        EXPECT_EQ(receive(other, 9), Reception::Process);
        return std::optional(HandlingFailure{ "exit_1", "no account 17", false, {} });
    });
    EXPECT_EQ(failed.outcome, "lost");
    EXPECT_EQ(count("dead_letters"), 0);
}

TEST_P(EventConsumerTest, AnAcknowledgementThatIsLostCostsADuplicateAndNothingElse)
{
    source.deaf = true;
    const auto done = consume(delivery());
    EXPECT_EQ(done.outcome, "processed");
    EXPECT_FALSE(done.acknowledged);
    source.deaf = false;
    EXPECT_EQ(consume(delivery(), never()).outcome, "done");
}

TEST_P(EventConsumerTest, AStoreThatFailsLeavesTheEventUnacknowledged)
{
    source.arrivals = { delivery() };
    EventConsumer consumer(source, inbox(), clock, random, options);
    const auto failed = consumer.handleNext(0s, [&](const Handling&) -> std::optional<HandlingFailure> {
        EXPECT_TRUE(main.connection->execute("ALTER TABLE inbox_messages RENAME TO elsewhere"));
        return {};
    });
    EXPECT_FALSE(failed);
    EXPECT_TRUE(source.told.empty());
}
