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
    const auto request = std::to_string(shrunk->schedule.requests.front());
    EXPECT_EQ(linesOf(shrunk->schedule, scenario),
        (std::vector<std::string>{ "request " + request, "pause.p9 strikes execution 1 of request " + request }));
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
    EXPECT_EQ(linesOf(shrunk->schedule, scenario).back(), "faults[1]: silence from 3s for 2s");
}

TEST(ShrinkTest, NamesWhatStruckAsTheTraceDoes)
{
    const auto scenario = world({});
    const auto lineOf = [&](Throw what, std::uint64_t who, std::uint64_t turn) {
        return linesOf({ {}, { { what, who, turn } }, {} }, scenario).front();
    };
    EXPECT_EQ(
        lineOf(Throw::LostBack, 293U << 8U | 1U, 2), "network.loss strikes the answer to attempt 2 of request 293");
    EXPECT_EQ(lineOf(Throw::LostThere, 293U << 8U | 2U, 1),
        "network.loss strikes attempt 1 of call 2 of request 293, on its way there");
    EXPECT_EQ(lineOf(Throw::EventDuplicated, 13U << 8U | 1U, 1),
        "events.duplicates strikes delivery 1 of the event of request 13");
    EXPECT_EQ(lineOf(Throw::VendorLost, 7, 5), "vendor.loss strikes the answer to call 2 to the vendor, of request 7");
    EXPECT_EQ(lineOf(Throw(int(Throw::Crash) + 9), 7, 1), "crash.p9 strikes execution 2 of request 7");
    EXPECT_EQ(lineOf(Throw(int(Throw::Crash) + 14), 7U << 8U | 1U, 3),
        "crash.p14 strikes delivery 3 of the event of request 7");
    EXPECT_EQ(lineOf(Throw(int(Throw::Crash) + 22), 7, 1002), "crash.p22 strikes call 2 to the vendor, of request 7");
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
