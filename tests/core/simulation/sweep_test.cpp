// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simulation/report.h"
#include "core/simulation/search.h"
#include "core/simulation/sweep.h"

namespace fencepost::simulation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Scenario small()
{
    Scenario scenario;
    scenario.name = "small";
    scenario.load.requests = 50;
    scenario.load.duration = std::chrono::seconds(5);
    return scenario;
}

// Every attempt under a key of its own and answers that are lost: something is done twice.
Scenario doubling()
{
    auto scenario = small();
    scenario.client.key = KeyUse::Attempt;
    scenario.network.loss = 100'000;
    return scenario;
}

std::string refusal(std::string_view text)
{
    const auto axis = parseSweepAxis(text);
    return axis ? "it was read" : axis.error().message;
}

TEST(Sweep, ReadsRangesAndWords)
{
    EXPECT_THAT(parseSweepAxis("service.lease=10s..40s:15s")->values, ElementsAre("10s", "25s", "40s"));
    EXPECT_THAT(parseSweepAxis("client.jitter=none,full")->values, ElementsAre("none", "full"));
    EXPECT_THAT(refusal("service.lease"), HasSubstr("path=first..last:step"));
    EXPECT_THAT(refusal("service.leash=1s..2s:1s"), HasSubstr("service.leash: a scenario has no such setting"));
    EXPECT_THAT(refusal("service.lease=20s..10s:1s"), HasSubstr("its last value lies before its first"));
    EXPECT_THAT(refusal("service.lease=1s..2s"), HasSubstr("first..last:step"));
    EXPECT_THAT(refusal("client.jitter=none,more"), HasSubstr("none of"));
}

TEST(Sweep, LivesThroughEveryPair)
{
    const auto swept =
        sweep(small(), { *parseSweepAxis("service.lease=10s..20s:10s"), *parseSweepAxis("service.nodes=1..3:1") });
    ASSERT_TRUE(swept) << swept.error().message;
    ASSERT_THAT(swept->points, SizeIs(6));
    EXPECT_THAT(swept->points[0].values, ElementsAre("10s", "1"));
    EXPECT_THAT(swept->points[1].values, ElementsAre("10s", "2"));
    EXPECT_THAT(swept->points[5].values, ElementsAre("20s", "3"));
    for (const auto& point : swept->points)
        EXPECT_EQ(point[Measure::Requests], 50);
}

TEST(Sweep, NamesTheWorldThatWasSwept)
{
    auto scenario = small();
    scenario.service.lease = std::chrono::seconds(7);
    auto swept = sweep(scenario, { *parseSweepAxis("service.nodes=1..3:1") });
    ASSERT_TRUE(swept) << swept.error().message;
    swept->variant = "short";
    const auto files = sweepFilesOf(*swept);
    ASSERT_THAT(files, SizeIs(2));
    EXPECT_EQ(files[0].name, "sweep.csv");
    EXPECT_THAT(files[0].content, HasSubstr("scenario,version,seed,variant,service.nodes,requests,"));
    EXPECT_THAT(files[0].content, HasSubstr("\nsmall," + simulatorVersion() + ",1,short,3,50,"));
    const auto again = parseScenario(files[1].content);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->service.lease, std::chrono::seconds(7)) << "also what was turned";
}

TEST(Sweep, GivesTheSameAsTheWorldAlone)
{
    const auto swept = sweep(small(), { *parseSweepAxis("network.loss=0%..10%:10%") });
    ASSERT_TRUE(swept) << swept.error().message;
    auto lossy = small();
    lossy.network.loss = 100'000;
    ASSERT_THAT(swept->points, SizeIs(2));
    EXPECT_EQ(swept->points[1].measures, simulate(lossy).values);
}

TEST(Sweep, RefusesWhatIsNoWorldBeforeItBegins)
{
    auto scenario = small();
    scenario.service.effect = EffectKind::External;
    int asked = 0;
    const auto swept =
        sweep(scenario, { *parseSweepAxis("service.contract=reserve_finalize,single_tx") }, [&](const SweepProgress&) {
            ++asked;
            return true;
        });
    ASSERT_FALSE(swept);
    EXPECT_THAT(swept.error().message, HasSubstr("service.contract"));
    EXPECT_EQ(asked, 0);
    EXPECT_FALSE(sweep(small(), {}));
    const auto lease = *parseSweepAxis("service.lease=1s..900s:1s");
    EXPECT_FALSE(sweep(small(), { lease, lease }));
    EXPECT_FALSE(sweep(small(), { lease, *parseSweepAxis("service.nodes=1..100:1") })) << "too many points";
}

TEST(Sweep, StopsBetweenTwoPoints)
{
    const auto swept = sweep(small(), { *parseSweepAxis("service.nodes=1..9:1") },
        [](const SweepProgress& progress) { return progress.done < 2; });
    ASSERT_TRUE(swept);
    EXPECT_TRUE(swept->stopped);
    EXPECT_THAT(swept->points, SizeIs(2));
}

TEST(Search, FindsTheFirstSeedThatViolates)
{
    const auto search = searchViolation(doubling(), 50);
    ASSERT_TRUE(search.found);
    EXPECT_EQ(search.found->least.violation.rule, "I7");
    EXPECT_EQ(search.found->scenario.seed, doubling().seed + static_cast<std::uint64_t>(search.tried) - 1);
    EXPECT_GT(simulate(search.found->scenario)[Measure::Violations], 0) << "its seed gives it again";
}

TEST(Search, SaysThatNothingWasFound)
{
    const auto search = searchViolation(small(), 20);
    EXPECT_FALSE(search.found);
    EXPECT_FALSE(search.stopped);
    EXPECT_EQ(search.tried, 20);
    const auto stopped = searchViolation(small(), 20, [](const SearchProgress& progress) { return progress.done < 5; });
    EXPECT_TRUE(stopped.stopped);
    EXPECT_EQ(stopped.tried, 5);
}

TEST(Sweep, TakesTheLengthOfAFault)
{
    const auto axis = parseSweepAxis("faults[0].for=10s..30s:10s");
    ASSERT_TRUE(axis) << axis.error().message;
    EXPECT_EQ(axis->values, (std::vector<std::string>{ "10s", "20s", "30s" }));
    EXPECT_FALSE(parseSweepAxis("faults[0].for=10s..forever:10s"));
    EXPECT_FALSE(parseSweepAxis("faults[0].length=10s..30s:10s"));
    EXPECT_TRUE(parseSweepAxis("phases[0].rate=10"));
    const auto scenario = *parseScenario(R"({"scenario": 1, "name": "out", "load": {"rate": "10", "duration": "60s"},
        "faults": [{"kind": "outage", "from": "5s", "for": "1s"}]})");
    const auto swept = sweep(scenario, { *axis });
    ASSERT_TRUE(swept) << swept.error().message;
    ASSERT_EQ(swept->points.size(), 3U);
    EXPECT_GT(swept->points[0][Measure::Succeeded], swept->points[2][Measure::Succeeded]);
    EXPECT_FALSE(sweep(scenario, { *parseSweepAxis("faults[7].for=10s..30s:10s") })) << "there is no such fault";
}

} // namespace
} // namespace fencepost::simulation
