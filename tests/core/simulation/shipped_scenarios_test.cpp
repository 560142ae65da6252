// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/simulation/report.h"
#include "core/simulation/scenario_knobs.h"

namespace fencepost::simulation {
namespace {

using testing::Contains;
using testing::Not;
using testing::SizeIs;

class Shipped : public testing::TestWithParam<ShippedScenario> { };

std::string nameOf(const testing::TestParamInfo<ShippedScenario>& info)
{
    return std::string(info.param.name);
}

std::vector<ReportedWorld> livedThrough(const Scenario& scenario, const RunOptions& options = {})
{
    auto worlds = worldsOf(scenario, {});
    EXPECT_TRUE(worlds) << worlds.error().message;
    for (auto& world : *worlds)
        world.outcome = simulate(world.scenario, options);
    return std::move(*worlds);
}

TEST_P(Shipped, SaysWhatItShows)
{
    const auto scenario = parseScenario(GetParam().json);
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(scenario->name, GetParam().name) << "its file has its name";
    EXPECT_FALSE(scenario->title.empty());
    EXPECT_FALSE(scenario->shows.empty());
    EXPECT_FALSE(scenario->expect.empty()) << "it claims nothing";
}

TEST_P(Shipped, IsTheSameWhenItIsWrittenAndRead)
{
    const auto scenario = parseScenario(GetParam().json);
    ASSERT_TRUE(scenario) << scenario.error().message;
    const auto text = formatScenario(*scenario);
    const auto again = parseScenario(text);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(formatScenario(*again), text);
    for (const auto& knob : scenarioKnobs())
        EXPECT_EQ(shownValue(knob, *again), shownValue(knob, *scenario)) << knob.path;
    EXPECT_EQ(again->faults.size(), scenario->faults.size());
    EXPECT_EQ(again->expect, scenario->expect);
    EXPECT_EQ(again->start, scenario->start);
}

TEST_P(Shipped, KeepsWhatItClaims)
{
    const auto scenario = parseScenario(GetParam().json);
    ASSERT_TRUE(scenario) << scenario.error().message;
    const auto worlds = livedThrough(*scenario);
    const auto judged = judge(*scenario, worlds);
    ASSERT_THAT(judged, SizeIs(scenario->expect.size()));
    for (const auto& one : judged)
        EXPECT_TRUE(one.held) << one.text << ": " << one.left << " and " << one.right;
    for (const auto& world : worlds) {
        EXPECT_FALSE(world.outcome.stopped) << world.variant;
        EXPECT_EQ(world.outcome[Measure::Violations] > 0, world.scenario.violates) << world.variant;
    }
}

TEST_P(Shipped, GivesTheSameBytesAgain)
{
    const auto scenario = parseScenario(GetParam().json);
    ASSERT_TRUE(scenario) << scenario.error().message;
    // The last one is the most protected: its world has all the parts.
    auto worlds = worldsOf(*scenario, {});
    ASSERT_TRUE(worlds);
    Report report{ *scenario, {}, { worlds->back() }, {} };
    auto& world = report.worlds.front();
    RunOptions options;
    options.keepsLogs = true;
    world.outcome = simulate(world.scenario, options);
    const auto once = toJson(report, world).dump();
    const auto files = csvFilesOf(report);
    world.outcome = simulate(world.scenario, options);
    EXPECT_EQ(toJson(report, world).dump(), once);
    const auto again = csvFilesOf(report);
    ASSERT_EQ(again.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i)
        EXPECT_EQ(again[i].content, files[i].content) << files[i].name;
}

INSTANTIATE_TEST_SUITE_P(All, Shipped, testing::ValuesIn(shippedScenarios().begin(), shippedScenarios().end()), nameOf);

Scenario shipped(std::string_view name)
{
    for (const auto& one : shippedScenarios())
        if (one.name == name)
            return *parseScenario(one.json);
    ADD_FAILURE() << "no scenario " << name;
    return {};
}

std::string fixture(const std::string& name)
{
    std::ifstream file(std::string(FENCEPOST_FIXTURES) + "/playbook/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string logOf(const Scenario& scenario, const std::string& name)
{
    RunOptions options;
    options.keepsLogs = true;
    const Report report{ scenario, {}, livedThrough(scenario, options), {} };
    for (const auto& file : csvFilesOf(report))
        if (file.name == name)
            return file.content;
    return "there is no " + name;
}

TEST(WorkedExample, WritesThePlaybooksReplays)
{
    EXPECT_EQ(logOf(shipped("worked_example"), "replay_outcomes.csv"), fixture("replay_outcomes.csv"));
}

TEST(WorkedExample, WritesThePlaybooksInbox)
{
    EXPECT_EQ(logOf(shipped("worked_example"), "inbox.csv"), fixture("inbox.csv"));
}

TEST(WorkedExample, WritesThePlaybooksRetryLog)
{
    EXPECT_EQ(logOf(shipped("retry_log"), "retry_log.csv"), fixture("retry_log.csv"));
}

TEST(ShippedScenarios, CoverWhatIsAskedOfThem)
{
    std::set<std::string_view> names;
    for (const auto& one : shippedScenarios())
        names.insert(one.name);
    for (const char* name :
        { "naive_retries", "without_keys", "without_jitter", "without_budget", "thundering_herd", "duplicate_webhook",
            "stale_worker", "memory_store", "short_ttl", "tenant_collision", "poison_event", "redrive", "backoff_study",
            "payout_crash", "clock_step", "double_click", "worked_example", "retry_log", "load_shedding" })
        EXPECT_THAT(names, Contains(name));
}

} // namespace
} // namespace fencepost::simulation
