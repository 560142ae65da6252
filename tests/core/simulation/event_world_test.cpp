// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

constexpr std::string_view events = R"({"scenario": 1, "name": "events", "events": {"on": true},
    "load": {"rate": 50, "duration": "20s"}})";

TEST(EventWorldTest, DeliversEveryEventOnceAndInOrder)
{
    const auto outcome = simulate(world({}, events));
    EXPECT_GT(outcome[Measure::EventsWritten], 500);
    EXPECT_EQ(outcome[Measure::EventsWritten], outcome[Measure::Succeeded]);
    EXPECT_EQ(outcome[Measure::EventsHandled], outcome[Measure::EventsWritten]);
    EXPECT_EQ(outcome[Measure::EventsSent], outcome[Measure::EventsWritten]);
    EXPECT_EQ(outcome[Measure::LateEvents], 0);
    EXPECT_EQ(outcome[Measure::Undelivered], 0);
}

TEST(EventWorldTest, HandlesOnceWhatIsLostDoubledAndLeftByWhoDies)
{
    const Knobs trouble = { { "events.loss", "5%" }, { "events.ack_loss", "5%" }, { "events.duplicates", "10%" },
        { "events.errors", "5%" }, { "events.lease", "2s" }, { "events.attempts", "50" }, { "crash.p13", "1%" },
        { "crash.p14", "1%" }, { "crash.p15", "1%" }, { "crash.p16", "1%" } };
    const auto outcome = simulate(world(trouble, events));
    EXPECT_GT(outcome[Measure::Crashes], 0);
    EXPECT_EQ(outcome[Measure::EventsHandled], outcome[Measure::EventsWritten]);
    EXPECT_EQ(outcome[Measure::DoubledEvents], 0);
    EXPECT_EQ(outcome[Measure::Undelivered], 0);
    EXPECT_GT(outcome[Measure::EventsSent], outcome[Measure::EventsWritten]);
    auto without = world(trouble, events);
    ASSERT_TRUE(turn(without, "events.inbox", "false"));
    EXPECT_GT(simulate(without)[Measure::DoubledEvents], 0);
}

TEST(EventWorldTest, KeepsNothingOfAHandlerThatOutlivesItsLease)
{
    constexpr std::string_view slow = R"({"scenario": 1, "name": "slow", "load": {"rate": "2", "duration": "10s"},
        "events": {"on": true, "keys": 1000, "lease": "1s", "time": "3s", "duplicates": "100%",
        "duplicate_after": "1500ms", "attempts": 50}})";
    RunOptions options;
    options.tracesAll = true;
    const auto outcome = simulate(world({}, slow), options);
    EXPECT_EQ(outcome[Measure::DoubledEvents], 0);
    EXPECT_EQ(outcome[Measure::Violations], 0);
    EXPECT_TRUE(std::any_of(outcome.trace.begin(), outcome.trace.end(),
        [](const TraceLine& line) { return line.text.find("a later attempt has it") != std::string::npos; }));
}

TEST(EventWorldTest, LetsAPoisonEventStopItsKeyForEverWithoutDeadLetters)
{
    const Knobs poison = { { "events.poison", "1%" }, { "events.keys", "10" } };
    const auto with = simulate(world(poison, events));
    EXPECT_GT(with[Measure::DeadLetters], 0);
    EXPECT_EQ(with[Measure::Undelivered], 0);
    EXPECT_EQ(with[Measure::EventsHandled] + with[Measure::DeadLetters], with[Measure::EventsWritten]);
    auto without = world(poison, events);
    ASSERT_TRUE(turn(without, "events.dead_letters", "false"));
    const auto stuck = simulate(without);
    EXPECT_EQ(stuck[Measure::DeadLetters], 0);
    EXPECT_GT(stuck[Measure::Undelivered], with[Measure::DeadLetters]);
}

TEST(EventWorldTest, RedrivesAtOnceOrWithARamp)
{
    constexpr std::string_view down = R"({"scenario": 1, "name": "down", "events": {"on": true, "keys": 1000},
        "load": {"rate": 50, "duration": "60s"},
        "faults": [{"kind": "consumer_outage", "from": "10s", "for": "30s"}]})";
    const auto atOnce = simulate(world(
        { { "events.dead_head", "skip" }, { "events.redrive", "at_once" }, { "events.redrive_at", "90s" } }, down));
    EXPECT_GT(atOnce[Measure::DeadLetters], 500);
    EXPECT_EQ(atOnce[Measure::Redriven], atOnce[Measure::DeadLetters]);
    EXPECT_EQ(atOnce[Measure::EventsHandled], atOnce[Measure::EventsWritten]);
    const auto ramp = simulate(world({ { "events.dead_head", "skip" }, { "events.redrive", "ramp" },
                                         { "events.redrive_at", "90s" }, { "events.redrive_rate", "20" } },
        down));
    EXPECT_EQ(ramp[Measure::EventsHandled], ramp[Measure::EventsWritten]);
    EXPECT_EQ(ramp[Measure::Redriven], ramp[Measure::DeadLetters]);
    EXPECT_LT(ramp[Measure::PeakHandling], atOnce[Measure::PeakHandling]);
}

TEST(EventWorldTest, KeepsWhatFollowsADeadEventOfItsKeyWaitingUntilItIsRedriven)
{
    constexpr std::string_view down = R"({"scenario": 1, "name": "down", "events": {"on": true, "keys": 5},
        "load": {"rate": 20, "duration": "30s"},
        "faults": [{"kind": "consumer_outage", "from": "5s", "for": "30s"}]})";
    const auto blocked = simulate(world({}, down));
    EXPECT_EQ(blocked[Measure::DeadLetters], 5);
    EXPECT_GT(blocked[Measure::Undelivered], 100);
    const auto redriven = simulate(world({ { "events.redrive", "at_once" }, { "events.redrive_at", "60s" } }, down));
    EXPECT_EQ(redriven[Measure::EventsHandled], redriven[Measure::EventsWritten]);
    EXPECT_EQ(redriven[Measure::LateEvents], 0);
}

TEST(EventWorldTest, CountsWhatDiesAgain)
{
    const auto outcome = simulate(
        world({ { "events.poison", "1%" }, { "events.redrive", "at_once" }, { "events.redrive_at", "60s" } }, events));
    EXPECT_GT(outcome[Measure::Redriven], 0);
    EXPECT_EQ(outcome[Measure::DeadAgain], outcome[Measure::Redriven]);
}

} // namespace

} // namespace fencepost::simulation
