// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/telemetry/event.h"

namespace fencepost::telemetry {
namespace {

using namespace std::chrono_literals;

const auto start = timeFromMicros(1'700'000'000'000'000);

// "warning IN_PROGRESS > IN_PROGRESS taken_over", with the error code where there is one; "?" for what nobody knows.
std::string told(const KeyEvent& event)
{
    std::string text = std::string(wordOf(event.level)) + ' '
        + (event.from ? std::string(wordOf(*event.from)) : std::string("?")) + " > " + std::string(wordOf(event.to));
    if (event.outcome)
        text += ' ' + std::string(wordOf(*event.outcome));
    return event.errorCode ? text + ' ' + *event.errorCode : text;
}

// One record that the protocol itself moves, as a store would.
class Life {
public:
    Life()
    {
        trigger.id = { "acme", "POST /refunds", "k1" };
        trigger.requestHash = sha256("abc");
        trigger.payloadHash = sha256("abc");
        trigger.lease = 60s;
        trigger.ttl = std::chrono::hours(24);
        trigger.owner = { "00000000-0000-4000-8000-000000000001" };
    }

    Reserved reserve(const std::function<void(Trigger&)>& change = {})
    {
        const auto decision = carryOut(Event::Reserve, change);
        return { decision.outcome, record, now };
    }

    Applied apply(Event event, const std::function<void(Trigger&)>& change = {})
    {
        const auto decision = carryOut(event, change);
        return { decision.outcome, decision.reason, record, now };
    }

    // The events that the store's answer and the decision give are compared wherever both know all.
    Decision carryOut(Event event, const std::function<void(Trigger&)>& change = {})
    {
        auto asked = trigger;
        asked.event = event;
        asked.nextFence = { ++fences };
        if (record && event != Event::Reserve) {
            asked.owner = record->owner;
            asked.fence = record->fence;
        }
        if (change)
            change(asked);
        last = decide(record, asked, now);
        lastTrigger = asked;
        if (last.writes)
            record = last.record;
        return last;
    }

    [[nodiscard]] KeyEvent decided() const { return eventOf(lastTrigger, last, now); }

    [[nodiscard]] Reservation reservation() const
    {
        Reservation wish;
        wish.id = trigger.id;
        wish.requestHash = trigger.requestHash;
        wish.payloadHash = trigger.payloadHash;
        return wish;
    }

    Trigger trigger;
    std::optional<Record> record;
    Time now = start;
    std::int64_t fences = 0;
    Decision last;
    Trigger lastTrigger;
};

TEST(KeyEvent, TellsAnExecutionFromItsReplay)
{
    Life life;
    EXPECT_EQ(told(eventOf(life.reservation(), life.reserve())), "info ABSENT > IN_PROGRESS");
    life.now += 1s;
    EXPECT_EQ(told(eventOf(life.reservation(), life.reserve())),
        "info IN_PROGRESS > IN_PROGRESS in_progress idempotency.in_progress");
    const auto done = life.apply(Event::Finalize, [](Trigger& trigger) { trigger.response.code = 201; });
    EXPECT_EQ(told(eventOf(Event::Finalize, life.trigger.id, done)), "info IN_PROGRESS > SUCCEEDED created");
    life.now += 1s;
    EXPECT_EQ(told(eventOf(life.reservation(), life.reserve())), "info SUCCEEDED > SUCCEEDED replayed");
}

// A duplicate that meets a request of its own process: the record is not to be seen yet, but it is there.
TEST(KeyEvent, TellsOfWorkWhoseRecordNobodySeesYet)
{
    const Life life;
    EXPECT_EQ(told(eventOf(life.reservation(), { Outcome::InFlight, {}, life.now })),
        "info IN_PROGRESS > IN_PROGRESS in_progress idempotency.in_progress");
}

TEST(KeyEvent, SaysWhatAConflictPresented)
{
    Life life;
    auto wish = life.reservation();
    life.reserve();
    wish.payloadHash = sha256("xyz");
    const auto event = eventOf(wish, life.reserve([](Trigger& trigger) { trigger.requestHash = sha256("xyz"); }));
    EXPECT_EQ(told(event), "warning IN_PROGRESS > IN_PROGRESS conflict CONFLICT.idempotency.payload_mismatch");
    EXPECT_EQ(event.payloadHash, sha256("xyz"));
    EXPECT_EQ(event.attempt, 1);
    EXPECT_EQ(event.fence.value, 1);
}

TEST(KeyEvent, TellsATakeoverFromARetryWhereSomebodyLooked)
{
    Life life;
    life.reserve();
    life.now += 61s;
    const auto taken = life.reserve();
    EXPECT_EQ(taken.outcome, Outcome::Execute);
    EXPECT_EQ(
        told(eventOf(life.reservation(), taken, State::InProgress)), "warning IN_PROGRESS > IN_PROGRESS taken_over");
    EXPECT_EQ(told(life.decided()), "warning IN_PROGRESS > IN_PROGRESS taken_over");
    EXPECT_EQ(told(eventOf(life.reservation(), taken)), "info ? > IN_PROGRESS");

    life.apply(Event::Fail, [](Trigger& trigger) {
        trigger.retryable = true;
        trigger.errorCode = "DEPENDENCY.timeout";
    });
    EXPECT_EQ(told(life.decided()), "info IN_PROGRESS > FAILED_RETRYABLE DEPENDENCY.timeout");
    life.now += 1s;
    const auto retried = life.reserve();
    EXPECT_EQ(
        told(eventOf(life.reservation(), retried, State::FailedRetryable)), "info FAILED_RETRYABLE > IN_PROGRESS");
    EXPECT_EQ(eventOf(life.reservation(), retried).attempt, 3);
}

TEST(KeyEvent, CallsTheLoserFenced)
{
    Life life;
    life.reserve();
    const auto late = life.apply(Event::Finalize, [](Trigger& trigger) { trigger.fence.value = 99; });
    EXPECT_EQ(late.outcome, Outcome::LostOwnership);
    EXPECT_EQ(told(eventOf(Event::Finalize, life.trigger.id, late)),
        "warning IN_PROGRESS > IN_PROGRESS fenced idempotency.fenced");
    life.apply(Event::OperatorFence, [](Trigger& trigger) { trigger.noHold = true; });
    EXPECT_EQ(told(life.decided()), "warning IN_PROGRESS > IN_PROGRESS fenced");
}

TEST(KeyEvent, RaisesTheAlarmWhenItIsHeldAndNotWithEveryRefusal)
{
    Life life;
    life.trigger.takeover = Takeover::Manual;
    life.reserve();
    life.now += 61s;
    const auto held = life.reserve();
    EXPECT_EQ(told(eventOf(life.reservation(), held)), "error ? > HELD held idempotency.outcome_unknown");
    EXPECT_EQ(told(life.decided()), "error IN_PROGRESS > HELD held idempotency.outcome_unknown");
    life.now += 1s;
    EXPECT_EQ(
        told(eventOf(life.reservation(), life.reserve())), "warning HELD > HELD held idempotency.outcome_unknown");
}

TEST(KeyEvent, KeepsHeartbeatsQuiet)
{
    Life life;
    life.reserve();
    const auto renewed = life.apply(Event::Renew);
    EXPECT_EQ(told(eventOf(Event::Renew, life.trigger.id, renewed)), "debug IN_PROGRESS > IN_PROGRESS");
    const auto point = life.apply(Event::Advance, [](Trigger& trigger) { trigger.recoveryPoint = "charged"; });
    EXPECT_EQ(told(eventOf(Event::Advance, life.trigger.id, point)), "info IN_PROGRESS > IN_PROGRESS");
}

TEST(KeyEvent, FollowsARecordToItsEnd)
{
    Life life;
    life.reserve();
    life.apply(Event::Fail, [](Trigger& trigger) { trigger.errorCode = "VALIDATION.amount"; });
    EXPECT_EQ(told(life.decided()), "info IN_PROGRESS > FAILED_FINAL created VALIDATION.amount");
    life.apply(Event::OperatorExpire, [](Trigger& trigger) { trigger.tombstone = std::chrono::hours(1); });
    EXPECT_EQ(told(life.decided()), "warning FAILED_FINAL > EXPIRED expired VALIDATION.amount");
    EXPECT_EQ(
        told(eventOf(life.reservation(), life.reserve())), "warning EXPIRED > EXPIRED expired idempotency.key_expired");
    life.now += std::chrono::hours(2);
    EXPECT_EQ(told(eventOf(life.reservation(), life.reserve())), "info EXPIRED > IN_PROGRESS");
    life.apply(Event::Finalize);
    life.now += std::chrono::hours(48);
    life.apply(Event::Reap);
    const auto reaped = life.decided();
    EXPECT_EQ(told(reaped), "info EXPIRED > ABSENT");
    EXPECT_FALSE(reaped.status);
}

TEST(KeyEvent, SaysWhatIsMissing)
{
    const auto event = eventOf(Event::Renew, { "a", "b", "k" }, { Outcome::NotFound, "gone", std::nullopt, start });
    EXPECT_EQ(told(event), "warning ABSENT > ABSENT");
    EXPECT_EQ(event.attempt, 0);
    EXPECT_EQ(event.id.key, "k");
}

// Whatever the protocol decides, the store's answer says nothing else about it than the decision.
TEST(KeyEvent, NeverContradictsTheDecision)
{
    constexpr std::array events = { Event::Reserve, Event::Reserve, Event::Renew, Event::Advance, Event::Finalize,
        Event::Fail, Event::Hold, Event::Reconcile, Event::OperatorFence, Event::OperatorExpire };
    SeededRandom random(7);
    std::set<std::string> seen;
    for (int history = 0; history < 400; ++history) {
        Life life;
        life.trigger.takeover = random.below(3) == 0 ? Takeover::Manual : Takeover::Auto;
        life.trigger.maxAttempts = static_cast<int>(random.below(3));
        for (int step = 0; step < 12; ++step) {
            life.now += Duration(1 + static_cast<std::int64_t>(random.below(3) * random.below(100'000'000)));
            const auto event = events[random.below(events.size())];
            const auto change = [&](Trigger& trigger) {
                trigger.retryable = random.below(2) == 0;
                trigger.evidence = static_cast<Evidence>(random.below(3));
                if (random.below(5) == 0)
                    trigger.requestHash = sha256("other");
                if (random.below(5) == 0)
                    trigger.fence.value += 1;
            };
            const auto before = life.record ? shownState(*life.record, life.now) : State::Absent;
            const auto told = event == Event::Reserve
                ? eventOf(life.reservation(), life.reserve(change), before)
                : eventOf(event, life.trigger.id, life.apply(event, change), before);
            const auto decided = life.decided();
            EXPECT_EQ(told.outcome, decided.outcome) << wordOf(event);
            EXPECT_EQ(told.level, decided.level) << wordOf(event);
            EXPECT_EQ(told.from, decided.from) << wordOf(event);
            EXPECT_EQ(told.to, decided.to) << wordOf(event);
            EXPECT_EQ(told.errorCode, decided.errorCode) << wordOf(event);
            if (told.outcome)
                seen.insert(std::string(wordOf(*told.outcome)));
        }
    }
    EXPECT_EQ(seen.size(), allKeyOutcomes().size()) << "the histories reach every outcome";
}

TEST(KeyEvent, GoesToEverySink)
{
    struct Sink final : EventSink {
        void record(const KeyEvent& event) override { keys.push_back(event.id.key); }
        std::vector<std::string> keys;
    };
    Sink first;
    Sink second;
    EventFan fan({ &first, &second });
    fan.record({ .id = { "a", "b", "k1" } });
    fan.record({ .id = { "a", "b", "k2" } });
    EXPECT_EQ(first.keys, (std::vector<std::string>{ "k1", "k2" }));
    EXPECT_EQ(second.keys, first.keys);
}

// printf '%s%s' salt key | sha256sum
TEST(KeyEvent, HashesAKeyWithItsSalt)
{
    EXPECT_EQ(keyHash("abc", ""), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(keyHash("c", "ab"), keyHash("abc", ""));
    EXPECT_NE(keyHash("abc", "salt"), keyHash("abc", ""));
}

} // namespace
} // namespace fencepost::telemetry
