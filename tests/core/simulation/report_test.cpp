// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/simulation/command.h"
#include "core/simulation/report.h"

namespace fencepost::simulation {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr auto twoVariants = R"({"scenario": 1, "name": "leases", "title": "Short | long", "shows": "A *claim*.",
  "seed": 7, "load": {"requests": 10},
  "variants": [{"name": "short", "title": "Five seconds", "set": {"service.lease": "5s"}},
               {"name": "long", "title": "A minute", "set": {"service.lease": "1m"}}],
  "expect": ["short:takeovers > long:takeovers", "2 * long:duplicate_effects = 0", "long:latency_p95 <= 1000"]})";

// Two worlds whose outcomes are written by hand.
Report madeUp()
{
    const auto scenario = parseScenario(twoVariants);
    EXPECT_TRUE(scenario) << scenario.error().message;
    Report report{ *scenario, { "fencepostctl simulate leases --seed 7" }, *worldsOf(*scenario, {}), {} };
    auto& shortLease = report.worlds[0].outcome;
    shortLease[Measure::Requests] = 10;
    shortLease[Measure::Takeovers] = 3;
    shortLease[Measure::DuplicateEffects] = 1;
    shortLease[Measure::Violations] = 1;
    shortLease.attempts = { 0, 8, 2 };
    shortLease.delays.add(std::chrono::milliseconds(137));
    shortLease.violations.push_back({ "I7", "refund rf_1 happened twice", std::chrono::seconds(3), 4 });
    shortLease.series.at(std::chrono::milliseconds(50)).offered = 10;
    shortLease.retryLog.push_back({ 1, 0, "timeout", std::nullopt, "initial timeout" });
    auto& longLease = report.worlds[1].outcome;
    longLease[Measure::Requests] = 10;
    longLease[Measure::LatencyP95] = 1500;
    longLease.attempts = { 0, 10 };
    report.expectations = judge(report.scenario, report.worlds);
    return report;
}

std::string fileOf(const Report& report, const std::string& name)
{
    for (const auto& file : csvFilesOf(report))
        if (file.name == name)
            return file.content;
    return "none";
}

TEST(Report, HasTheVariantsThatWereAskedFor)
{
    const auto scenario = *parseScenario(twoVariants);
    EXPECT_THAT(*worldsOf(scenario, {}), SizeIs(2));
    const auto one = *worldsOf(scenario, { "long" });
    ASSERT_THAT(one, SizeIs(1));
    EXPECT_EQ(one[0].scenario.service.lease, std::chrono::minutes(1));
    const auto none = worldsOf(scenario, { "longer" });
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, Failure::Invalid);
    EXPECT_THAT(none.error().message, HasSubstr("it has short, long"));
}

TEST(Report, JudgesAlsoWhatNoNumberSays)
{
    auto report = madeUp();
    report.scenario.expect = { "100000 * long:latency_p95 > 0" };
    report.worlds[1].outcome[Measure::LatencyP95] = INT64_MAX / 2;
    const auto judged = judge(report.scenario, report.worlds);
    ASSERT_THAT(judged, SizeIs(1));
    EXPECT_EQ(judged[0].left, INT64_MAX);
    EXPECT_TRUE(judged[0].held);
}

TEST(Report, KeepsSeveralCommandsInOneBlock)
{
    auto report = madeUp();
    report.commands = { "fencepostctl simulate a", "fencepostctl simulate b" };
    EXPECT_THAT(markdownOf(report), HasSubstr("\n\n    fencepostctl simulate a\n    fencepostctl simulate b\n\n"));
}

TEST(Report, SaysWhichCommandHasToGoOnPastAViolation)
{
    auto report = madeUp();
    EXPECT_THAT(commandsToTheEnd({ "all" }, report.worlds), ElementsAre("all --go-on"));
    EXPECT_THAT(commandsToTheEnd({ "short", "long" }, report.worlds), ElementsAre("short --go-on", "long"));
    report.worlds[0].scenario.violates = true;
    EXPECT_THAT(commandsToTheEnd({ "all" }, report.worlds), ElementsAre("all")) << "it is what it demonstrates";
    EXPECT_THAT(commandsToTheEnd({}, report.worlds), IsEmpty());
}

TEST(Report, SaysLengthsAsExactlyAsTheyWereMeasured)
{
    const auto shown = [](std::int64_t micros) { return shownMeasure(MeasureUnit::Length, micros); };
    EXPECT_EQ(shown(0), "0ms");
    EXPECT_EQ(shown(23'041), "23.041ms");
    EXPECT_EQ(shown(137'000), "137ms");
    EXPECT_EQ(shown(1'688'000), "1.688s");
    EXPECT_EQ(shown(2'523'400), "2.523s");
    EXPECT_EQ(shown(65'500'000), "1m5.5s");
    EXPECT_EQ(shown(3'600'000'000), "1h0m0s");
}

TEST(Report, JudgesEachClaim)
{
    const auto report = madeUp();
    ASSERT_THAT(report.expectations, SizeIs(3));
    EXPECT_TRUE(report.expectations[0].held);
    EXPECT_EQ(report.expectations[0].left, 3);
    EXPECT_EQ(report.expectations[0].right, 0);
    EXPECT_TRUE(report.expectations[1].held);
    EXPECT_FALSE(report.expectations[2].held);
    EXPECT_EQ(report.expectations[2].unit, MeasureUnit::Length);
}

TEST(Report, LeavesClaimsAloneWhoseVariantIsMissing)
{
    auto report = madeUp();
    report.worlds.pop_back();
    EXPECT_THAT(judge(report.scenario, report.worlds), IsEmpty());
}

TEST(Report, NamesScenarioVersionAndSeedInEveryForm)
{
    const auto report = madeUp();
    const auto object = toJson(report, report.worlds[0]);
    EXPECT_EQ(object.at("scenario"), "leases");
    EXPECT_EQ(object.at("version"), simulatorVersion());
    EXPECT_EQ(object.at("seed"), 7);
    EXPECT_THAT(markdownOf(report), HasSubstr("Scenario `leases`, seed 7, " + simulatorVersion()));
    EXPECT_THAT(
        fileOf(report, "measures.csv"), HasSubstr("leases," + simulatorVersion() + ",7,short,takeovers,3,count\n"));
}

TEST(Report, TellsInMarkdownWhatDiffersAndWhatCameOfIt)
{
    const auto text = markdownOf(madeUp());
    EXPECT_THAT(text, HasSubstr("# Short \\| long\n"));
    EXPECT_THAT(text, HasSubstr("A \\*claim\\*."));
    EXPECT_THAT(text, HasSubstr("    fencepostctl simulate leases --seed 7\n"));
    EXPECT_THAT(text, HasSubstr("| service.lease | 5s | 1m |\n"));
    EXPECT_THAT(text, HasSubstr("| duplicate\\_effects | 1 | 0 |\n"));
    EXPECT_THAT(text, HasSubstr("**no**"));
    EXPECT_THAT(
        text, HasSubstr("I7 (an effect happens at most once), request 4 after 3s: refund rf\\_1 happened twice"));
    EXPECT_THAT(text, Not(HasSubstr("dead\\_letters"))) << "what is zero everywhere says nothing";
}

TEST(Report, WritesTablesOfEverything)
{
    const auto report = madeUp();
    EXPECT_THAT(fileOf(report, "attempts.csv"),
        AllOf(HasSubstr("scenario,version,seed,attempts,short,long\n"), HasSubstr(",1,8,10\n"), HasSubstr(",2,2,0\n")));
    EXPECT_THAT(fileOf(report, "series.csv"), HasSubstr("variant,at_us,offered,retried"));
    EXPECT_THAT(fileOf(report, "series.csv"), HasSubstr(",short,0,10,0,"));
    EXPECT_THAT(fileOf(report, "violations.csv"), HasSubstr("short,I7,3000000,4,refund rf_1 happened twice\n"));
    EXPECT_EQ(
        fileOf(report, "short-retry_log.csv"), "attempt,delay_ms,status,code,notes\n1,0,timeout,,initial timeout\n");
    EXPECT_EQ(fileOf(report, "long-retry_log.csv"), "none");
    EXPECT_TRUE(parseScenario(fileOf(report, "scenario.json")));
}

TEST(Report, ComparesWhatWasWithWhatWouldHaveBeen)
{
    auto report = madeUp();
    EXPECT_FALSE(comparedOf(report.worlds).observed);
    for (auto& world : report.worlds) {
        world.scenario.recording.emplace();
        world.scenario.recording->attempts = { 0, 5, 3, 2 };
        world.scenario.recording->delays = { std::chrono::milliseconds(100), std::chrono::milliseconds(137) };
    }
    const auto compared = comparedOf(report.worlds);
    EXPECT_TRUE(compared.observed);
    ASSERT_THAT(compared.attempts, SizeIs(3));
    EXPECT_EQ(compared.attempts[0].observed, 5);
    EXPECT_THAT(compared.attempts[1].predicted, ElementsAre(2, 0));
    EXPECT_EQ(compared.attempts[2].observed, 2);
    std::int64_t observed = 0;
    std::int64_t predicted = 0;
    for (const auto& step : compared.delays) {
        observed += step.observed;
        predicted += step.predicted[0];
    }
    EXPECT_EQ(observed, 2);
    EXPECT_EQ(predicted, 1);
    EXPECT_THAT(markdownOf(report), HasSubstr("| attempts | observed | short | long |"));
    EXPECT_THAT(
        fileOf(report, "attempts.csv"), AllOf(HasSubstr("attempts,observed,short,long\n"), HasSubstr(",1,5,8,10\n")));
}

TEST(SimulationCommand, IsALineForAShell)
{
    EXPECT_EQ(commandLineOf({ {}, "leases", 7, { { "service.time", "exponential(50ms)" } }, { "long" }, {} }),
        "fencepostctl simulate leases --seed 7 --set 'service.time=exponential(50ms)' --variant long");
    EXPECT_EQ(commandLineOf({ "search", "it's.json", {}, {}, {}, { { "--seeds", "9" } } }),
        "fencepostctl simulate search 'it'\\''s.json' --seeds 9");
}

} // namespace
} // namespace fencepost::simulation
