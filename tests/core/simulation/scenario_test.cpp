// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/simulation/expectation.h"
#include "core/simulation/scenario_knobs.h"
#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

using testing::HasSubstr;

std::string refusalOf(std::string_view json)
{
    const auto scenario = parseScenario(json);
    return scenario ? std::string("accepted") : scenario.error().message;
}

TEST(ScenarioTest, ReadsKnobsFaultsAndVariants)
{
    const auto scenario = parseScenario(R"json({
        "scenario": 1, "name": "outage", "title": "An outage", "shows": "What a budget is for.", "seed": 7,
        "load": {"rate": 12.5, "duration": "2m"},
        "client": {"key": "none", "budget": "none", "breaker": false},
        "network": {"latency": "exponential(5ms)"},
        "crash": {"p9": "0.5%"},
        "faults": [{"kind": "clock_step", "from": "10s", "for": "20s", "node": 2, "back": "1h"}],
        "variants": [{"name": "kept", "title": "With keys", "set": {"client.key": "operation", "service.nodes": 3}}],
        "expect": ["kept:duplicate_effects = 0"]
    })json");
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(scenario->seed, 7U);
    EXPECT_EQ(scenario->load.rate, 12'500);
    EXPECT_EQ(scenario->load.duration, std::chrono::minutes(2));
    EXPECT_EQ(KeyUse(scenario->client.key), KeyUse::None);
    EXPECT_FALSE(scenario->client.breaker);
    EXPECT_EQ(scenario->crash[9], 5'000);
    ASSERT_EQ(scenario->faults.size(), 1U);
    EXPECT_EQ(scenario->faults[0].node, 1);
    EXPECT_TRUE(scenario->faults[0].back);
    const auto kept = withVariant(*scenario, scenario->variants.front());
    ASSERT_TRUE(kept);
    EXPECT_EQ(KeyUse(kept->client.key), KeyUse::Operation);
    EXPECT_EQ(kept->service.nodes, 3);
}

TEST(ScenarioTest, KnowsWhichOfItsWorldsAreMeantToViolate)
{
    const auto scenario = parseScenario(R"json({"scenario": 1, "name": "a", "variants": [
        {"name": "wrong", "violates": true, "set": {}}, {"name": "right", "set": {}}]})json");
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_TRUE(withVariant(*scenario, scenario->variants[0])->violates);
    EXPECT_FALSE(withVariant(*scenario, scenario->variants[1])->violates);
    EXPECT_TRUE(parseScenario(formatScenario(*scenario))->variants[0].violates);
    EXPECT_TRUE(parseScenario(R"json({"scenario": 1, "name": "a", "violates": true})json")->violates);
    EXPECT_THAT(refusalOf(R"json({"scenario": 1, "name": "a", "violates": "yes"})json"), HasSubstr("true or false"));
}

TEST(ScenarioTest, SaysWhereAndWhatIsWrong)
{
    EXPECT_THAT(refusalOf("[]"), HasSubstr("\"scenario\": 1"));
    EXPECT_THAT(refusalOf(R"json({"scenario": 2, "name": "a"})json"), HasSubstr("format 1"));
    EXPECT_THAT(refusalOf(R"json({"scenario": 1, "name": "a b"})json"), HasSubstr("one word"));
    EXPECT_THAT(
        refusalOf(R"json({"scenario": 1, "name": "a", "service": {"leese": "1s"}})json"), HasSubstr("service.leese"));
    EXPECT_THAT(
        refusalOf(R"json({"scenario": 1, "name": "a", "service": {"lease": 3}})json"), HasSubstr("with its unit"));
    EXPECT_THAT(
        refusalOf(R"json({"scenario": 1, "name": "a", "network": {"loss": "120%"}})json"), HasSubstr("between"));
    EXPECT_THAT(refusalOf(R"json({"scenario": 1, "name": "a", "client": {"key": "some"}})json"),
        HasSubstr("operation, attempt, none, pool"));
    EXPECT_THAT(refusalOf(R"json({"scenario": 1, "name": "a", "faults": [{"kind": "node_crash", "node": 9}]})json"),
        HasSubstr("faults[0].node"));
    EXPECT_THAT(
        refusalOf(R"json({"scenario": 1, "name": "a", "expect": ["happiness > 1"]})json"), HasSubstr("no measure"));
    EXPECT_THAT(
        refusalOf(R"json({"scenario": 1, "name": "a", "load": {"arrivals": "at_once"}})json"), HasSubstr("counted"));
    EXPECT_THAT(
        refusalOf(
            R"json({"scenario": 1, "name": "a", "service": {"contract": "single_tx", "effect": "external"}})json"),
        HasSubstr("reserve_finalize"));
    EXPECT_THAT(refusalOf(R"json({"scenario": 1, "name": "a", "variants": [{"name": "v"}, {"name": "v"}]})json"),
        HasSubstr("twice"));
}

TEST(ScenarioTest, WritesWhatItReads)
{
    constexpr std::string_view json = R"json({"scenario": 1, "name": "all", "start": "2025-09-15T12:00:00Z",
        "load": {"rate": "0.5", "duration": "90s"}, "network": {"latency": "percentiles(0=5ms,50=20ms,100=2s)"},
        "phases": [{"from": "10s", "until": "20s", "rate": 3.25}],
        "faults": [{"kind": "outage", "from": "1s", "for": "2s", "share": "12.5%", "retry_after": "3s"},
                   {"kind": "brownout", "from": "1s", "for": "2s", "factor": 7}],
        "recording": {"source": "a log", "requests": [{"at": "1s", "key": "k1", "payload": "abc", "result": "rf_1",
            "attempts": [{"ending": "timed_out", "took": "3s", "code": 200, "note": "slow"}]}],
            "attempts": [0, 4, 1], "delays": ["137ms"]},
        "deliveries": [{"at": "5s", "event": "ev_1", "source": "payments", "took": "3s"}],
        "variants": [{"name": "v", "set": {"seed": 3}}], "expect": ["v:attempts >= 1"]})json";
    const auto scenario = parseScenario(json);
    ASSERT_TRUE(scenario) << scenario.error().message;
    const auto written = formatScenario(*scenario);
    const auto again = parseScenario(written);
    ASSERT_TRUE(again) << again.error().message << written;
    EXPECT_EQ(formatScenario(*again), written);
    EXPECT_EQ(again->phases[0].rate, 3'250);
    EXPECT_EQ(again->faults[0].share, 125'000);
    EXPECT_EQ(again->start, scenario->start);
    ASSERT_EQ(again->recording->requests.size(), 1U);
    EXPECT_EQ(again->recording->requests[0].attempts[0].ending, RecordedEnding::TimedOut);
    EXPECT_EQ(again->recording->delays[0], std::chrono::milliseconds(137));
    EXPECT_EQ(again->deliveries[0].event, "ev_1");
}

TEST(ScenarioTest, TakesEveryKnobAtTheValueThatItShows)
{
    const Scenario usual;
    for (const auto& knob : scenarioKnobs()) {
        Scenario scenario;
        const auto value = shownValue(knob, usual);
        const auto turned = turn(scenario, knob.path, value);
        EXPECT_TRUE(turned) << knob.path << ": " << value;
        EXPECT_EQ(shownValue(knob, scenario), value) << knob.path;
        EXPECT_FALSE(knob.meaning.empty()) << knob.path;
    }
}

TEST(ScenarioTest, NamesEveryPolicyAndJitterThatThereIs)
{
    Scenario scenario;
    for (const auto& preset : retry::presets()) {
        EXPECT_TRUE(turn(scenario, "client.policy", preset.name)) << preset.name;
        EXPECT_EQ(policyOf(scenario.client).name, preset.name);
    }
    for (int jitter = 0; jitter <= int(retry::Jitter::PollyV2); ++jitter) {
        const auto word = retry::wordOf(retry::Jitter(jitter));
        EXPECT_TRUE(turn(scenario, "client.jitter", word)) << word;
        EXPECT_EQ(policyOf(scenario.client).backoff.jitter, retry::Jitter(jitter));
    }
}

TEST(ScenarioTest, SweepsNumbersLengthsAndWords)
{
    const auto valuesOf = [](std::string_view path, std::string_view range) {
        const auto values = sweptValues(*findScenarioKnob(path), range);
        return values ? *values : std::vector<std::string>{ values.error().message };
    };
    EXPECT_THAT(valuesOf("service.lease", "10s..30s:10s"), testing::ElementsAre("10s", "20s", "30s"));
    EXPECT_THAT(valuesOf("network.loss", "0%..1%:0.5%"), testing::ElementsAre("0%", "0.5%", "1%"));
    EXPECT_THAT(valuesOf("client.jitter", "none,full"), testing::ElementsAre("none", "full"));
    EXPECT_THAT(valuesOf("service.nodes", "5..2:1"), testing::ElementsAre(HasSubstr("before its first")));
    EXPECT_THAT(valuesOf("service.nodes", "1..2"), testing::ElementsAre(HasSubstr("first..last:step")));
}

TEST(ScenarioTest, ComparesMeasures)
{
    Scenario scenario;
    scenario.variants = { { "a", {}, {} }, { "b", {}, {} } };
    const auto expectation = parseExpectation("a:attempts > 2 * b:attempts", scenario);
    ASSERT_TRUE(expectation);
    EXPECT_EQ(expectation->left.variant, "a");
    EXPECT_EQ(expectation->right.factor, 2);
    EXPECT_TRUE(holds(5, expectation->comparison, 4));
    EXPECT_FALSE(holds(4, expectation->comparison, 4));
    EXPECT_FALSE(parseExpectation("attempts > 1", scenario)); // of which?
    EXPECT_FALSE(parseExpectation("a:attempts", scenario));
}

TEST(ScenarioTest, AcceptsEveryShippedOne)
{
    for (const auto& shipped : shippedScenarios()) {
        const auto scenario = parseScenario(shipped.json);
        ASSERT_TRUE(scenario) << shipped.name << ": " << scenario.error().message;
        EXPECT_EQ(scenario->name, shipped.name);
        EXPECT_FALSE(scenario->shows.empty()) << shipped.name;
        EXPECT_FALSE(scenario->expect.empty()) << shipped.name;
    }
}

} // namespace

} // namespace fencepost::simulation
