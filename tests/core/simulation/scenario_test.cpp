// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/simulation/expectation.h"
#include "core/simulation/scenario_lists.h"
#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

using testing::HasSubstr;
using testing::Not;

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
    EXPECT_THAT(
        refusalOf(
            R"json({"scenario": 1, "name": "a", "faults": [{"kind": "node_crash", "from": "1s", "for": "1s", "node": 9}]})json"),
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

// What would do nothing, or would be passed over without a word.
TEST(ScenarioTest, RefusesWhatSaysNothing)
{
    const struct {
        const char* members;
        const char* words;
    } bad[] = {
        { R"("faults": [{"kind": "outage", "from": "20s"}])", "faults[0]: it does not say for how long" },
        { R"("faults": [{"kind": "outage", "from": "20s", "for": "0s"}])", "faults[0]: it does not say for how long" },
        { R"("faults": [{"kind": "outage", "from": "0s", "for": "1s", "share": "0%"}])", "strike nobody" },
        { R"("faults": [{"kind": "outage", "from": "0s", "for": "1s", "factor": 3}])",
            "a fault of the kind outage has from, for, share, retry_after; not \"factor\"" },
        { R"("faults": [{"kind": "partition", "from": "0s", "for": "1s", "node": 1}])", "not \"node\"" },
        { R"("phases": [{"from": "0s", "until": "1s"}])", "phases[0]: it does not say its rate" },
        { R"("nix": {})", "nix: a scenario has no such setting" },
        { R"("client": {"polcy": {}})", "client.polcy: a scenario has no such setting" },
        { R"("client": {"policy": {}})", "client.policy: it has to be a single value" },
        { R"("load": [])", "load: it has to be an object of settings" },
        { R"("load": null)", "load: it has to be an object of settings" },
        { R"("recording": {})", "recording: it does not say its requests" },
        { R"("deliveries": [{}])", "deliveries[0]: it does not say its at" },
        { R"("phases": [{"from": "5s", "until": "1s", "rate": 3}], "variants": [{"name": "v", "set": {}}])",
            "phases[0]: it ends before it begins" },
        { R"("variants": [{"name": "u"}, {"name": "v"}, {"name": "u"}])",
            "variants[2].name: \"u\" stands there twice" },
    };
    for (const auto& [members, words] : bad) {
        const auto refusal = refusalOf(R"({"scenario": 1, "name": "a", )" + std::string(members) + "}");
        EXPECT_THAT(refusal, HasSubstr(words)) << members;
        EXPECT_THAT(refusal, Not(HasSubstr(".set: "))) << "it is wrong in all of them";
    }
    EXPECT_TRUE(parseScenario(R"({"scenario": 1, "name": "a", "client": {}})"));
}

TEST(ScenarioTest, SaysWhatIsWrongWithAClaim)
{
    const auto refusalOfClaim = [](const std::string& claim) {
        return refusalOf(
            R"({"scenario": 1, "name": "a", "variants": [{"name": "v"}, {"name": "w"}], "expect": ["v:requests > 0", ")"
            + claim + "\"]}");
    };
    EXPECT_THAT(refusalOfClaim("v:requests >"), HasSubstr("expect[1]: nothing stands behind its comparison"));
    EXPECT_THAT(refusalOfClaim("> 3"), HasSubstr("nothing stands before its comparison"));
    EXPECT_THAT(
        refusalOfClaim("v:success_rate > 99%"), HasSubstr("\"99%\" is no whole number: a share is compared in parts"));
    EXPECT_THAT(refusalOfClaim("v:amplification > 1.05"), HasSubstr("(1.05 is 1050)"));
    EXPECT_THAT(refusalOfClaim("requests > 3"), HasSubstr("does not say of which variant, as in \"v:requests\""));
    EXPECT_THAT(refusalOfClaim("x:requests > 3"), HasSubstr("\"x\" is none of the scenario's variants: v, w"));
    EXPECT_THAT(refusalOfClaim("v:luck > 3"), HasSubstr("\"luck\" is no measure"));
    EXPECT_THAT(
        refusalOf(R"({"scenario": 1, "name": "a", "expect": ["v:requests > 3"]})"), HasSubstr("\"v\" is no variant"));
}

TEST(ScenarioTest, TakesAWholeListAsOneSetting)
{
    Scenario scenario;
    const std::string faults = "outage from=20s for=30s share=50% retry_after=3s; brownout from=1m for=10s factor=4; "
                               "partition from=5s for=2s500ms share=12.5%; node_crash from=1s for=2s node=2; "
                               "clock_step from=1s for=2s node=1 back=1h";
    ASSERT_TRUE(turn(scenario, "faults", faults));
    ASSERT_EQ(scenario.faults.size(), 5U);
    EXPECT_EQ(scenario.faults[0].share, 500'000);
    EXPECT_EQ(scenario.faults[1].factor, 4);
    EXPECT_TRUE(scenario.faults[4].back);
    EXPECT_EQ(shownList("faults", scenario), faults);
    ASSERT_TRUE(turn(scenario, "phases", "from=10s until=20s rate=500.5;from=20s until=30s rate=0"));
    EXPECT_EQ(shownList("phases", scenario), "from=10s until=20s rate=500.5; from=20s until=30s rate=0");
    EXPECT_EQ(scenario.phases[0].rate, 500'500);
    for (const auto& [value, words] : { std::pair("storm from=1s for=2s", "faults[0]: kind: \"storm\" is none of"),
             std::pair("outage from=1s for=2s; outage from=1s", "faults[1]: it does not say for how long"),
             std::pair("outage from=1s for=2s factor=3", "not \"factor\""),
             std::pair("outage from=1s for", "member=value"),
             std::pair("outage from=1s for=2s;", "faults[1]: it says nothing") }) {
        const auto turned = turn(scenario, "faults", value);
        ASSERT_FALSE(turned) << value;
        EXPECT_THAT(turned.error().message, HasSubstr(words));
        EXPECT_EQ(shownList("faults", scenario), faults) << "what was there stays";
    }
    EXPECT_THAT(turn(scenario, "faults[1].node", "1").error().message, HasSubstr("faults[1].node"));
    EXPECT_TRUE(turn(scenario, "faults", ""));
    EXPECT_TRUE(scenario.faults.empty());
}

TEST(ScenarioTest, NamesEachMemberOfAList)
{
    for (std::size_t kind = 0; kind < faultKinds().size(); ++kind) {
        Fault fault{ .kind = FaultKind(kind), .length = std::chrono::seconds(1) };
        EXPECT_EQ(faultKinds()[kind], wordOf(fault.kind));
        for (const auto member : membersOf(fault.kind)) {
            EXPECT_FALSE(meaningOfMember(member).empty()) << member;
            EXPECT_TRUE(checkMember(fault.kind, member)) << member;
            EXPECT_TRUE(
                turnFault(fault, member, member == "factor" || member == "node" ? "3" : shownMember(fault, member)))
                << member;
        }
    }
    for (const auto member : phaseMembers())
        EXPECT_FALSE(meaningOfMember(member).empty()) << member;
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

Result<Scenario> withSettings(const std::vector<std::pair<std::string, std::string>>& set)
{
    Variant variant;
    variant.set = set;
    return withVariant(Scenario(), variant);
}

TEST(ScenarioTest, BoundsEachLengthOfASpread)
{
    Scenario scenario;
    for (const auto* value : { "1h1s", "uniform(0s,2h)", "exponential(9d)", "percentiles(0=1ms,100=300d)" }) {
        const auto turned = turn(scenario, "network.latency", value);
        ASSERT_FALSE(turned) << value;
        EXPECT_THAT(
            turned.error().message, HasSubstr("network.latency: \"" + std::string(value) + "\" is longer than 1h"));
    }
    for (const auto* value : { "1h", "uniform(0s,1h)", "exponential(1h)", "percentiles(0=1ms,100=1h)" })
        EXPECT_TRUE(turn(scenario, "network.latency", value)) << value;
}

TEST(ScenarioTest, TakesAPolicyOfOnesOwn)
{
    const auto scenario =
        withSettings({ { "client.policy", "vendor" }, { "client.growth", "exponential" }, { "client.base", "10ms" },
            { "client.throttled_base", "40ms" }, { "client.factor", "3" }, { "client.cap", "200ms" },
            { "client.floor", "5ms" }, { "client.jitter", "none" }, { "client.retry_after", "clamp" } });
    ASSERT_TRUE(scenario) << scenario.error().message;
    const auto policy = policyOf(scenario->client);
    EXPECT_EQ(retry::boundOf(policy.backoff, 2), std::chrono::milliseconds(30));
    EXPECT_EQ(retry::boundOf(policy.backoff, 1, true), std::chrono::milliseconds(40));
    EXPECT_EQ(retry::boundOf(policy.backoff, 9), std::chrono::milliseconds(200));
    EXPECT_EQ(policy.backoff.floor, std::chrono::milliseconds(5));
    EXPECT_EQ(policy.retryAfter, retry::RetryAfterRule::Clamp);
    const auto series = withSettings({ { "client.growth", "series" }, { "client.factor", "2" } });
    ASSERT_TRUE(series) << series.error().message;
    EXPECT_EQ(retry::boundOf(policyOf(series->client).backoff, 2), std::chrono::milliseconds(300));
}

// A setting that nothing would come of is no setting.
TEST(ScenarioTest, RefusesASettingThatThePolicyCannotHeed)
{
    const auto refusal = [](const std::vector<std::pair<std::string, std::string>>& set) {
        const auto scenario = withSettings(set);
        return scenario ? std::string("it was taken") : scenario.error().message;
    };
    EXPECT_THAT(refusal({ { "client.policy", "vendor" }, { "client.base", "10s" } }),
        HasSubstr("client.base: the delays of vendor are a table (500ms, 2s, 5s, 30s); client.growth"));
    EXPECT_THAT(refusal({ { "client.policy", "standard_webhooks" }, { "client.factor", "3" } }),
        HasSubstr("client.factor: the delays of standard_webhooks are a table"));
    EXPECT_EQ(refusal({ { "client.policy", "vendor" }, { "client.base", "10s" }, { "client.jitter", "decorrelated" } }),
        "it was taken")
        << "this jitter begins with the base";
    EXPECT_THAT(refusal({ { "client.policy", "polly" }, { "client.factor", "3" } }),
        HasSubstr("client.factor: the jitter polly_v2 grows by the delay before"));
    EXPECT_THAT(refusal({ { "client.jitter", "decorrelated" }, { "client.growth", "series" } }),
        HasSubstr("client.growth: the jitter decorrelated"));
    EXPECT_EQ(refusal({ { "client.policy", "stripe" }, { "client.cap", "20ms" } }),
        "client.cap: no delay is shorter than 500ms (client.floor, of the preset), and none is longer than 20ms "
        "(client.cap)");
    EXPECT_EQ(refusal({ { "client.policy", "stripe" }, { "client.cap", "20ms" }, { "client.floor", "1ms" } }),
        "it was taken");
    EXPECT_THAT(refusal({ { "client.floor", "3s" } }), HasSubstr("client.floor: no delay is shorter than 3s"));
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

TEST(ScenarioTest, BoundsTheFactorOfAMeasure)
{
    const Scenario scenario;
    EXPECT_TRUE(parseExpectation("-100000 * attempts < 100000 * calls", scenario));
    EXPECT_TRUE(parseExpectation("attempts < 9223372036854775807", scenario)) << "a number alone is none";
    for (const auto* text : { "9223372036854775807 * attempts > 0", "0 < -100001 * attempts" }) {
        const auto expectation = parseExpectation(text, scenario);
        ASSERT_FALSE(expectation) << text;
        EXPECT_THAT(expectation.error().message, HasSubstr("a factor beyond 100000"));
    }
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
