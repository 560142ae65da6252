// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/telemetry/observed_store.h"
#include "tests/core/store/store_fixture.h"

namespace fencepost::test {
namespace {

using namespace std::chrono_literals;
using telemetry::KeyEvent;
using telemetry::Metrics;
using testing::ElementsAre;
using testing::IsEmpty;

// "reserve IN_PROGRESS>IN_PROGRESS taken_over" of each event.
struct Told final : telemetry::EventSink {
    void record(const KeyEvent& event) override
    {
        auto line = std::string(wordOf(event.event)) + ' '
            + (event.from ? std::string(wordOf(*event.from)) : std::string("?")) + '>' + std::string(wordOf(event.to));
        if (event.outcome)
            line += ' ' + std::string(wordOf(*event.outcome));
        lines.push_back(std::move(line));
        events.push_back(event);
    }
    std::vector<std::string> take()
    {
        events.clear();
        return std::exchange(lines, {});
    }

    std::vector<std::string> lines;
    std::vector<KeyEvent> events;
};

class ObservedStoreTest : public StoreTest {
protected:
    void SetUp() override
    {
        StoreTest::SetUp();
        observed = std::make_unique<telemetry::ObservedStore>(
            subject(), telemetry::Observation{ .events = told, .metrics = &metrics, .stopwatch = &clock });
    }

    Claim reserved(const Reservation& wish)
    {
        const auto answer = value(observed->reserve(wish));
        EXPECT_EQ(answer.outcome, Outcome::Execute);
        return { wish.id, wish.owner, answer.record ? answer.record->fence : Fence() };
    }

    Told told;
    Metrics metrics;
    std::unique_ptr<telemetry::ObservedStore> observed;
};

TEST_P(ObservedStoreTest, TellsOfAnExecutionAndItsDuplicates)
{
    const auto claim = reserved(reservation(1));
    value(observed->reserve(reservation(2)));
    value(observed->renew(claim, 60s));
    value(observed->advance(claim, "charged", std::nullopt));
    value(observed->finalize(claim, completion(201, "rf_1")));
    value(observed->reserve(reservation(3)));
    value(observed->reserve(reservation(4, "pay 1000")));
    value(observed->finalize(claim, completion(201, "rf_2")));
    EXPECT_THAT(told.take(),
        ElementsAre("reserve ABSENT>IN_PROGRESS", "reserve IN_PROGRESS>IN_PROGRESS in_progress",
            "renew IN_PROGRESS>IN_PROGRESS", "advance IN_PROGRESS>IN_PROGRESS",
            "finalize IN_PROGRESS>SUCCEEDED created", "reserve SUCCEEDED>SUCCEEDED replayed",
            "reserve SUCCEEDED>SUCCEEDED conflict", "finalize SUCCEEDED>SUCCEEDED fenced"));
    EXPECT_EQ(metrics.valueOf(telemetry::Histogram::StoreReserve), 4U);
}

TEST_P(ObservedStoreTest, TellsATakeoverFromARetry)
{
    const auto first = reserved(reservation(1));
    clock.advance(61s);
    const auto second = reserved(reservation(2));
    value(observed->finalize(first, completion(201, "late")));
    value(observed->fail(second, { .retryable = true, .retryAfter = 1s }));
    clock.advance(2s);
    reserved(reservation(3));
    EXPECT_THAT(told.take(),
        ElementsAre("reserve ABSENT>IN_PROGRESS", "reserve IN_PROGRESS>IN_PROGRESS taken_over",
            "finalize IN_PROGRESS>IN_PROGRESS fenced", "fail IN_PROGRESS>FAILED_RETRYABLE",
            "reserve FAILED_RETRYABLE>IN_PROGRESS"));
}

TEST_P(ObservedStoreTest, TellsATakeoverOfWhatIsExpiredToo)
{
    const auto wish = reservation(1);
    reserved(wish);
    clock.advance(wish.ttl + 1h);
    reserved(reservation(2));
    EXPECT_EQ(told.lines.back(), "reserve IN_PROGRESS>IN_PROGRESS taken_over");
}

TEST_P(ObservedStoreTest, TellsATakeoverByTheStoresOwnClock)
{
    const auto other = open(false);
    telemetry::ObservedStore store(*other.store, { .events = told });
    for (int owner = 1; owner < 4; ++owner) {
        auto wish = reservation(owner);
        wish.lease = 1us;
        EXPECT_EQ(value(store.reserve(wish)).outcome, Outcome::Execute);
        EXPECT_GT(value(store.now()), told.events.back().at);
    }
    EXPECT_THAT(told.take(),
        ElementsAre("reserve ABSENT>IN_PROGRESS", "reserve IN_PROGRESS>IN_PROGRESS taken_over",
            "reserve IN_PROGRESS>IN_PROGRESS taken_over"));
}

TEST_P(ObservedStoreTest, TellsOfHoldsAndOperators)
{
    auto wish = reservation(1);
    wish.takeover = Takeover::Manual;
    reserved(wish);
    clock.advance(61s);
    const auto held = value(observed->reserve(reservation(2)));
    clock.advance(1s);
    value(observed->reserve(reservation(3)));
    auto resolve = operatorEvent(Event::OperatorResolve, held.record->fence);
    resolve.resolution = Resolution::FailedRetryable;
    value(observed->intervene({ resolve }));
    EXPECT_THAT(told.take(),
        ElementsAre("reserve ABSENT>IN_PROGRESS", "reserve IN_PROGRESS>HELD held", "reserve HELD>HELD held",
            "operator_resolve HELD>FAILED_RETRYABLE"));
}

TEST_P(ObservedStoreTest, TellsOfEachOfABatch)
{
    const auto all = value(observed->reserveAll({ reservation(1, "a", "k1"), reservation(2, "b", "k2") }));
    ASSERT_EQ(all.size(), 2U);
    std::vector<std::pair<Claim, Completion>> completions;
    for (std::size_t i = 0; i < 2; ++i)
        completions.emplace_back(
            Claim{ all[i]->record->id, all[i]->record->owner, all[i]->record->fence }, completion(200, "done"));
    completions[1].first.fence.value += 100;
    value(observed->finalizeAll(completions));
    EXPECT_EQ(told.events.at(0).id.key, "k1");
    EXPECT_EQ(told.events.at(3).id.key, "k2");
    EXPECT_THAT(told.take(),
        ElementsAre("reserve ABSENT>IN_PROGRESS", "reserve ABSENT>IN_PROGRESS",
            "finalize IN_PROGRESS>SUCCEEDED created", "finalize IN_PROGRESS>IN_PROGRESS fenced"));
}

TEST_P(ObservedStoreTest, TellsOfATransactionOnceItIsCommitted)
{
    const auto transaction = [&](const std::function<Status()>& work) { return subject().together(work); };
    const auto kept = observed->together(transaction, [&]() -> Status {
        value(observed->finalize(reserved(reservation(1, "a", "k1")), completion(201, "done")));
        EXPECT_THAT(told.lines, IsEmpty());
        return {};
    });
    EXPECT_TRUE(kept);
    EXPECT_THAT(told.take(), ElementsAre("reserve ABSENT>IN_PROGRESS", "finalize IN_PROGRESS>SUCCEEDED created"));

    const auto given = observed->together(transaction, [&]() -> Status {
        reserved(reservation(2, "b", "k2"));
        return Error{ Failure::Cancelled, "the handler failed", {} };
    });
    EXPECT_FALSE(given);
    EXPECT_THAT(told.take(), IsEmpty()) << "what was rolled back never was";
    reserved(reservation(3, "b", "k2"));
    EXPECT_THAT(told.take(), ElementsAre("reserve ABSENT>IN_PROGRESS"));
}

TEST_P(ObservedStoreTest, CountsWhatTheReaperTook)
{
    value(observed->finalize(reserved(reservation(1)), completion(201, "done")));
    clock.advance(std::chrono::hours(48));
    EXPECT_EQ(value(observed->reap({})).deleted, 1);
    EXPECT_EQ(metrics.valueOf(telemetry::Counter::Reaped), 1);
    EXPECT_FALSE(value(observed->find({ "s", "o", "k" })));
}

TEST_P(ObservedStoreTest, TellsNothingOfAnError)
{
    auto wish = reservation(1);
    wish.lease = 0s;
    EXPECT_FALSE(observed->reserve(wish));
    EXPECT_THAT(told.lines, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Backends, ObservedStoreTest, bothDialects(), nameOfDialect);

} // namespace
} // namespace fencepost::test
