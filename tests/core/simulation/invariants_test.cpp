// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <gmock/gmock.h>

#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;

std::set<std::string> brokenIn(const Scenario& scenario)
{
    const auto outcome = simulate(scenario);
    std::set<std::string> rules;
    for (const auto& violation : outcome.violations)
        rules.insert(violation.rule);
    return rules;
}

Scenario with(Scenario scenario, Knobs knobs)
{
    for (const auto& [path, value] : knobs)
        EXPECT_TRUE(turn(scenario, path, value)) << path;
    return scenario;
}

// Everything that a protocol has to bear, at once and often.
Scenario harsh(std::uint64_t seed)
{
    auto scenario = world({ { "load.rate", "100" }, { "load.duration", "5s" }, { "client.count", "5" },
        { "network.loss", "3%" }, { "network.duplicates", "3%" }, { "network.latency", "exponential(10ms)" },
        { "network.duplicate_after", "exponential(800ms)" }, { "service.time", "exponential(40ms)" },
        { "service.errors", "3%" }, { "service.lease", "1s" }, { "service.restart", "200ms" },
        { "service.max_attempts", "0" }, { "client.double_click", "10%" }, { "client.other_payload", "20%" },
        { "client.returns", "3" }, { "client.returns_after", "3s" }, { "pause.for", "2500ms" } });
    for (const int point : { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16 })
        EXPECT_TRUE(turn(scenario, "crash.p" + std::to_string(point), "0.1%"));
    for (const int point : { 11, 12, 17, 18, 19, 20, 21, 22 })
        EXPECT_TRUE(turn(scenario, "crash.p" + std::to_string(point), "1%"));
    for (const int point : { 5, 8, 9 })
        EXPECT_TRUE(turn(scenario, "pause.p" + std::to_string(point), "1%"));
    scenario.seed = seed;
    return scenario;
}

constexpr std::uint64_t seeds = 12;

TEST(InvariantsTest, HoldForALocalEffectUnderEverySchedule)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        auto scenario = harsh(seed);
        EXPECT_THAT(brokenIn(scenario), IsEmpty()) << seed;
        EXPECT_THAT(brokenIn(with(scenario, { { "service.in_flight", "wait" } })), IsEmpty()) << seed;
        EXPECT_THAT(brokenIn(with(scenario, { { "service.contract", "single_tx" } })), IsEmpty()) << seed;
        EXPECT_THAT(brokenIn(with(scenario, { { "service.completer", "5s" } })), IsEmpty()) << seed;
        EXPECT_THAT(brokenIn(with(scenario,
                        { { "events.on", "true" }, { "events.loss", "3%" }, { "events.duplicates", "3%" },
                            { "events.ack_loss", "3%" }, { "events.errors", "3%" }, { "events.lease", "2s" } })),
            IsEmpty())
            << seed;
    }
}

// Each takeover pushes the record's end on, so the effect has to be known longer than it was to be at first.
TEST(InvariantsTest, HoldForALocalEffectWhoseRecordIsTakenOverPastItsFirstRetention)
{
    for (const char* point : { "crash.p3", "crash.p5", "crash.p9" })
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            auto scenario = world({ { "load.rate", "5" }, { "load.duration", "60s" }, { "client.returns", "10" },
                { "client.returns_after", "25s" }, { "client.attempts", "1" }, { "client.breaker", "false" },
                { "service.ttl", "60s" }, { "service.lease", "5s" }, { "service.errors", "60%" },
                { "crash.p9", "20%" } });
            EXPECT_TRUE(turn(scenario, point, "20%"));
            scenario.seed = seed;
            EXPECT_THAT(brokenIn(scenario), IsEmpty()) << point << ' ' << seed;
        }
}

TEST(InvariantsTest, HoldForAVendorThatKnowsKeysAndForOneThatDoesNot)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto scenario = with(harsh(seed),
            { { "vendor.loss", "3%" }, { "vendor.errors", "3%" }, { "vendor.timeout", "400ms" },
                { "service.lease", "2s" } });
        EXPECT_THAT(brokenIn(with(scenario, { { "service.effect", "external_idempotent" } })), IsEmpty()) << seed;
        EXPECT_THAT(brokenIn(with(scenario, { { "service.effect", "external" } })), IsEmpty()) << seed;
        EXPECT_THAT(
            brokenIn(with(scenario, { { "service.effect", "external" }, { "vendor.look_up", "true" } })), IsEmpty())
            << seed;
    }
}

TEST(InvariantsTest, HoldsWhatNobodyKnowsInsteadOfSendingItTwice)
{
    const auto outcome = simulate(world({ { "service.effect", "external" }, { "crash.p6", "2%" },
        { "load.requests", "500" }, { "client.returns", "3" } }));
    EXPECT_GT(outcome[Measure::Crashes], 0);
    EXPECT_GT(outcome[Measure::Held], 0);
    EXPECT_EQ(outcome[Measure::DuplicateEffects], 0);
}

// A vendor that is slow now and then carries out what nobody waits for any more.
TEST(InvariantsTest, HoldForAVendorThatIsSlowerThanAnybodyWaits)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        auto scenario = world({ { "load.rate", "50" }, { "load.duration", "20s" }, { "service.effect", "external" },
            { "vendor.look_up", "true" }, { "vendor.timeout", "200ms" }, { "vendor.time", "exponential(80ms)" },
            { "client.returns", "3" }, { "client.returns_after", "60s" } });
        scenario.seed = seed;
        for (const char* lease : { "1s", "20s" }) {
            const auto outcome = simulate(with(scenario, { { "service.lease", lease } }));
            EXPECT_EQ(outcome[Measure::DuplicateEffects], 0) << seed << " " << lease;
            EXPECT_TRUE(outcome.violations.empty()) << seed << " " << lease;
            EXPECT_EQ(outcome[Measure::Held], 0) << "whoever came back found out";
            EXPECT_EQ(outcome[Measure::LostEffects], 0);
        }
        const auto keyed = simulate(with(scenario, { { "service.effect", "external_idempotent" } }));
        EXPECT_EQ(keyed[Measure::DuplicateEffects], 0) << seed;
        const auto naive = simulate(with(scenario, { { "vendor.ledger", "false" }, { "service.takeover", "auto" } }));
        EXPECT_GT(naive[Measure::DuplicateEffects], 0) << seed << ": it is what the others are protected from";
    }
}

// As a service does: it asks for a lease that the call fits into.
TEST(InvariantsTest, LetNobodyWaitForALeaseThatIsLongEnough)
{
    const auto outcome = simulate(world({ { "service.effect", "external_idempotent" }, { "service.lease", "10s" },
        { "vendor.timeout", "15s" }, { "load.requests", "200" } }));
    EXPECT_EQ(outcome[Measure::Succeeded], 200);
    EXPECT_EQ(outcome[Measure::Violations], 0);
}

TEST(InvariantsTest, AreBrokenWithoutFencing)
{
    const auto scenario = world({ { "service.fencing", "false" }, { "service.lease", "1s" }, { "pause.p9", "3%" },
        { "pause.for", "5s" }, { "load.requests", "500" } });
    EXPECT_THAT(brokenIn(scenario), IsSupersetOf({ "I1", "I3" }));
    EXPECT_THAT(brokenIn(with(scenario, { { "service.fencing", "true" } })), IsEmpty());
    EXPECT_THAT(brokenIn(with(scenario, { { "service.effect_guard", "false" } })),
        IsSupersetOf({ "I1", "I3", "I4", "I7", "I9" }));
}

TEST(InvariantsTest, AreBrokenWithoutAKey)
{
    const auto scenario = world({ { "network.loss", "5%" }, { "load.requests", "500" } });
    EXPECT_THAT(brokenIn(with(scenario, { { "client.key", "none" } })), Contains("I7"));
    EXPECT_THAT(brokenIn(with(scenario, { { "client.key", "attempt" } })), Contains("I7"));
    EXPECT_THAT(brokenIn(with(scenario, { { "service.contract", "none" } })), Contains("I7"));
    EXPECT_THAT(brokenIn(scenario), IsEmpty());
}

TEST(InvariantsTest, AreBrokenByAMemoryThatIsLostWithItsProcess)
{
    const auto scenario = world({ { "service.store", "memory" }, { "crash.p10", "1%" }, { "load.requests", "1000" } });
    EXPECT_THAT(brokenIn(scenario), IsSupersetOf({ "I2", "I5" }));
    // The row of the effect is in the database, and keeps it from happening twice.
    EXPECT_THAT(brokenIn(scenario), testing::Not(Contains("I7")));
    EXPECT_THAT(brokenIn(with(scenario, { { "service.effect_guard", "false" } })), Contains("I7"));
    EXPECT_THAT(brokenIn(with(scenario, { { "service.store", "durable" } })), IsEmpty());
}

TEST(InvariantsTest, AreBrokenByAnExpiryBeforeTheLastRetry)
{
    const auto scenario = world({ { "service.ttl", "1s" }, { "client.returns", "1" }, { "client.returns_after", "10s" },
        { "crash.p11", "5%" }, { "client.attempts", "1" }, { "load.requests", "500" } });
    EXPECT_THAT(brokenIn(scenario), Contains("I7"));
    EXPECT_THAT(brokenIn(with(scenario, { { "service.ttl", "24h" } })), IsEmpty());
}

TEST(InvariantsTest, AreBrokenByAScopeThatTenantsShare)
{
    const auto scenario = world({ { "client.key", "pool" }, { "load.requests", "500" }, { "service.scope", "route" } });
    const auto outcome = simulate(scenario);
    EXPECT_GT(outcome[Measure::ForeignAnswers], 0);
    EXPECT_GT(outcome[Measure::LostEffects], 0);
    EXPECT_THAT(brokenIn(scenario), Contains("I4"));
    const auto scoped = simulate(with(scenario, { { "service.scope", "principal" } }));
    EXPECT_EQ(scoped[Measure::ForeignAnswers], 0);
    EXPECT_TRUE(scoped.violations.empty());
}

TEST(InvariantsTest, AreBrokenByAVendorThatIsJustCalledAgain)
{
    const auto scenario = world({ { "service.effect", "external" }, { "vendor.loss", "5%" }, { "vendor.timeout", "1s" },
        { "service.takeover", "auto" }, { "load.requests", "500" }, { "vendor.ledger", "false" } });
    EXPECT_THAT(brokenIn(scenario), Contains("I7"));
    EXPECT_THAT(
        brokenIn(with(scenario, { { "vendor.ledger", "true" }, { "service.takeover", "by_effect" } })), IsEmpty());
}

TEST(InvariantsTest, HaveWordsForPeople)
{
    for (int rule = 1; rule <= 9; ++rule)
        EXPECT_FALSE(meaningOfRule("I" + std::to_string(rule)).empty());
    EXPECT_TRUE(meaningOfRule("I10").empty());
}

} // namespace

} // namespace fencepost::simulation
