// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulation/shrink.h"
#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

Outcome violating(const Scenario& scenario)
{
    RunOptions options;
    options.keepsStrikes = options.stopsAtViolation = true;
    return simulate(scenario, options);
}

TEST(ShrinkTest, LeavesOneRequestAndTheStrokesThatItTakes)
{
    const auto scenario = world({ { "service.fencing", "false" }, { "service.lease", "1s" }, { "pause.p9", "5%" },
        { "pause.for", "5s" }, { "network.loss", "2%" }, { "network.duplicates", "2%" }, { "service.errors", "2%" },
        { "load.requests", "1000" } });
    const auto happened = violating(scenario);
    ASSERT_FALSE(happened.violations.empty());
    EXPECT_GT(happened.happened.requests.size(), 20U);
    const auto shrunk = shrink(scenario, happened);
    ASSERT_TRUE(shrunk);
    EXPECT_TRUE(shrunk->complete);
    EXPECT_EQ(shrunk->violation.rule, happened.violations.front().rule);
    ASSERT_EQ(shrunk->schedule.requests.size(), 1U);
    ASSERT_EQ(shrunk->schedule.strikes.size(), 1U);
    EXPECT_EQ(int(shrunk->schedule.strikes.front().what), int(Throw::Pause) + 9);
    EXPECT_NE(shrunk->schedule.text().find("pause.p9 strikes"), std::string::npos);
    EXPECT_FALSE(shrunk->outcome.trace.empty());
    EXPECT_EQ(shrunk->outcome[Measure::Requests], 1);
}

TEST(ShrinkTest, KeepsTheFaultThatItTakes)
{
    auto scenario = world({ { "client.key", "none" }, { "load.requests", "300" }, { "load.rate", "30" } },
        R"({"scenario": 1, "name": "test", "faults": [
            {"kind": "brownout", "from": "1s", "for": "1s"},
            {"kind": "silence", "from": "3s", "for": "2s"},
            {"kind": "vendor_outage", "from": "0s", "for": "9s"}]})");
    const auto happened = violating(scenario);
    ASSERT_FALSE(happened.violations.empty());
    EXPECT_EQ(happened.violations.front().rule, "I7");
    const auto shrunk = shrink(scenario, happened);
    ASSERT_TRUE(shrunk);
    EXPECT_EQ(shrunk->schedule.faults, std::vector<std::size_t>{ 1 });
    EXPECT_EQ(shrunk->schedule.requests.size(), 1U);
    EXPECT_TRUE(shrunk->schedule.strikes.empty());
}

TEST(ShrinkTest, FindsNothingWhereNothingIsBroken)
{
    const auto scenario = world({ { "load.requests", "100" } });
    EXPECT_FALSE(shrink(scenario, violating(scenario)));
}

TEST(ShrinkTest, StopsWhereItIsToldWithWhatItHas)
{
    const auto scenario = world({ { "client.key", "none" }, { "load.requests", "300" }, { "network.loss", "5%" } });
    ShrinkOptions options;
    options.mostRuns = 3;
    const auto shrunk = shrink(scenario, violating(scenario), options);
    ASSERT_TRUE(shrunk);
    EXPECT_FALSE(shrunk->complete);
    EXPECT_EQ(shrunk->violation.rule, "I7");
}

} // namespace

} // namespace fencepost::simulation
