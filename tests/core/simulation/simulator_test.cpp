// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

// Everything that an outcome tells, as text.
std::string bytesOf(const Outcome& outcome)
{
    std::string text;
    for (const auto value : outcome.values)
        text += std::to_string(value) + " ";
    for (const auto& step : outcome.series.steps())
        for (const auto value : { step.offered, step.retried, step.answered, step.failed, step.done, step.capacity,
                 step.queue, step.busy, step.openBreakers, step.budget, step.lag, step.deadLetters })
            text += std::to_string(value) + " ";
    for (const auto* lengths : { &outcome.latency, &outcome.delays })
        for (const auto& [edge, count] : lengths->steps())
            text += std::to_string(edge.count()) + "=" + std::to_string(count) + " ";
    for (const auto& line : outcome.trace)
        text += std::to_string(line.at.count()) + line.actor + line.text + line.state + "\n";
    for (const auto& violation : outcome.violations)
        text += violation.rule + violation.what + "\n";
    for (const auto& [what, who, turn] : outcome.happened.strikes)
        text += std::to_string(int(what)) + " " + std::to_string(who) + " " + std::to_string(turn) + "\n";
    return text;
}

Scenario stormy()
{
    return world(
        { { "load.rate", "200" }, { "load.duration", "20s" }, { "network.loss", "2%" }, { "network.duplicates", "2%" },
            { "network.latency", "exponential(8ms)" }, { "service.time", "exponential(30ms)" },
            { "service.errors", "3%" }, { "service.declines", "1%" }, { "service.lease", "1s" }, { "crash.p3", "0.2%" },
            { "crash.p9", "0.2%" }, { "crash.p11", "1%" }, { "client.double_click", "5%" }, { "client.returns", "2" },
            { "events.on", "true" }, { "events.loss", "2%" }, { "events.errors", "2%" }, { "events.poison", "0.5%" } });
}

TEST(SimulatorTest, GivesTheSameBytesForTheSameSeed)
{
    RunOptions options;
    options.keepsStrikes = options.tracesAll = true;
    const auto scenario = stormy();
    const auto first = bytesOf(simulate(scenario, options));
    EXPECT_GT(first.size(), 100'000U);
    EXPECT_EQ(first, bytesOf(simulate(scenario, options)));
    auto other = scenario;
    other.seed = 2;
    EXPECT_NE(first, bytesOf(simulate(other, options)));
}

// Integers and tables alone: no machine, compiler or library changes them.
TEST(SimulatorTest, GivesTheseNumbersWhateverItRunsOn)
{
    const auto outcome = simulate(world({ { "load.rate", "50" }, { "load.duration", "10s" }, { "network.loss", "2%" },
        { "network.latency", "exponential(8ms)" }, { "service.time", "exponential(30ms)" } }));
    EXPECT_EQ(outcome[Measure::Requests], 511);
    EXPECT_EQ(outcome[Measure::Attempts], 528);
    EXPECT_EQ(outcome[Measure::LatencyP50], 40'447);
}

TEST(SimulatorTest, AsksWithoutTroubleOnceForEachRequest)
{
    const auto outcome = simulate(world({ { "load.requests", "1000" } }));
    EXPECT_EQ(outcome[Measure::Requests], 1000);
    EXPECT_EQ(outcome[Measure::Calls], 1000);
    EXPECT_EQ(outcome[Measure::Attempts], 1000);
    EXPECT_EQ(outcome[Measure::Succeeded], 1000);
    EXPECT_EQ(outcome[Measure::Amplification], 1000);
    EXPECT_EQ(outcome[Measure::DuplicateEffects], 0);
    EXPECT_EQ(outcome[Measure::LostEffects], 0);
    EXPECT_TRUE(outcome.violations.empty());
    EXPECT_FALSE(outcome.stopped);
}

TEST(SimulatorTest, EndsEachCallOnceAndLosesNone)
{
    const auto outcome = simulate(stormy());
    EXPECT_EQ(
        outcome[Measure::Calls], outcome[Measure::Succeeded] + outcome[Measure::Refused] + outcome[Measure::Unknown]);
    std::int64_t calls = 0;
    std::int64_t attempts = 0;
    for (std::size_t i = 0; i < outcome.attempts.size(); ++i) {
        calls += outcome.attempts[i];
        attempts += outcome.attempts[i] * std::int64_t(i);
    }
    EXPECT_EQ(calls, outcome[Measure::Calls]);
    EXPECT_EQ(attempts, outcome[Measure::Attempts]);
    EXPECT_GT(outcome[Measure::Replays], 0);
    EXPECT_GT(outcome[Measure::Takeovers], 0);
    EXPECT_GT(outcome[Measure::Crashes], 0);
}

TEST(SimulatorTest, KeepsNoMoreThanIsInFlight)
{
    const auto few =
        simulate(world({ { "load.requests", "2000" }, { "load.rate", "500" }, { "load.duration", "1h" } }));
    const auto many =
        simulate(world({ { "load.requests", "20000" }, { "load.rate", "500" }, { "load.duration", "1h" } }));
    EXPECT_LT(few.mostInFlight, 100U);
    EXPECT_LT(many.mostInFlight, 100U);
    EXPECT_EQ(many[Measure::Requests], 20'000);
}

TEST(SimulatorTest, CountsOnlyDelaysWhoseRetryWasSent)
{
    const auto outcome = simulate(world({ { "load.rate", "200" }, { "load.duration", "30s" } },
        R"({"scenario": 1, "name": "test", "faults": [{"kind": "outage", "from": "5s", "for": "20s"}]})"));
    EXPECT_GT(outcome[Measure::BudgetRefusals] + outcome[Measure::BreakerRefusals], 0);
    EXPECT_GT(outcome[Measure::Retries], 0);
    EXPECT_EQ(outcome.delays.count(), outcome[Measure::Retries]);
}

// What the lives of single attempts are like where this point strikes each of them: the words of their traces, in
// order.
std::vector<std::string> livesWith(std::string_view point, Knobs knobs)
{
    auto scenario = world({ { "load.requests", "60" }, { "client.attempts", "1" }, { "service.lease", "20s" },
        { "client.attempt_timeout", "60s" }, { "client.breaker", "false" }, { point, "100%" } });
    for (const auto& [path, value] : knobs)
        EXPECT_TRUE(turn(scenario, path, value)) << path;
    RunOptions options;
    options.tracesAll = true;
    std::vector<std::string> lives(61);
    for (const auto& line : simulate(scenario, options).trace)
        lives.at(line.request) += line.text + " [" + line.state + "]; ";
    lives.erase(lives.begin());
    return lives;
}

// How many of them have all of these words, in this order.
std::int64_t livesLike(const std::vector<std::string>& lives, std::initializer_list<std::string_view> words)
{
    return std::count_if(lives.begin(), lives.end(), [&](const std::string& life) {
        std::size_t from = 0;
        for (const auto word : words) {
            from = life.find(word, from);
            if (from == std::string::npos)
                return false;
        }
        return true;
    });
}

TEST(SimulatorTest, FencesAnOwnerBeforeItsVendorIsCalledAndBeforeItFinalizes)
{
    const auto external = livesWith("crash.p18", { { "service.effect", "external" } });
    const auto all = livesLike(external, { "fences its owner (p18)" });
    const auto late = livesLike(external, { "calls the vendor, call 1", "fences its owner (p18)" });
    EXPECT_EQ(all, 60);
    EXPECT_GT(late, 10);
    EXPECT_LT(late, 50);
    EXPECT_EQ(livesLike(external, { "fences its owner (p18)", "calls the vendor" }), 0) << "it may not any more";
    EXPECT_EQ(livesLike(external, { "fenced: it is somebody else's", "gets 409 idempotency.fenced" }), 60);
    EXPECT_EQ(livesLike(livesWith("crash.p18", {}), { "its transaction commits", "fences its owner (p18)" }), 60);
}

TEST(SimulatorTest, StandsStillAfterItsHeartAtEachPlaceWhereItCouldDoHarm)
{
    const auto local = livesWith("crash.p12", {});
    EXPECT_EQ(
        livesLike(local, { "stands still at p8 for 21s" }) + livesLike(local, { "stands still at p9 for 21s" }), 60);
    EXPECT_GT(livesLike(local, { "its transaction commits", "stands still at p9" }), 10);
    const auto external = livesWith("crash.p12", { { "service.effect", "external" } });
    EXPECT_GT(livesLike(external, { "stands still at p5", "calls the vendor" }), 10);
    EXPECT_GT(livesLike(external, { "calls the vendor", "stands still at p9" }), 10);
    EXPECT_EQ(livesLike(livesWith("crash.p12", { { "service.contract", "single_tx" } }), { "stands still at p8" }), 60)
        << "it has no finalize of its own";
}

TEST(SimulatorTest, LosesTheStoreWhileItReservesOrFinalizesAndBehindThat)
{
    for (const auto* contract : { "reserve_finalize", "single_tx" }) {
        const auto lives = livesWith("crash.p20", { { "service.contract", contract } });
        const auto reserve = livesLike(lives, { "cannot keep the reservation" });
        const auto behind = livesLike(lives, { "keeps the outcome, and its word of it is lost [SUCCEEDED]" });
        EXPECT_GT(reserve, 5) << contract;
        EXPECT_GT(behind, 5) << contract;
        EXPECT_GT(60 - reserve - behind, 5) << contract;
        EXPECT_EQ(livesLike(lives, { "answers 503" }), 60) << contract;
    }
}

TEST(SimulatorTest, LooksForAHerdBehindTheBreakersThatAnOutageOpened)
{
    constexpr std::string_view down = R"({"scenario": 1, "name": "test", "load": {"rate": 300, "duration": "70s"},
        "service": {"nodes": 4, "workers": 100}, "faults": [{"kind": "outage", "from": "5s", "for": "20s"}]})";
    const auto with = simulate(world({}, down));
    EXPECT_GT(with[Measure::BreakerOpened], 0);
    EXPECT_GT(with[Measure::Herd], 1'000) << "somebody came, and was counted";
    EXPECT_LT(with[Measure::Herd], 3'000);
    const auto without = simulate(
        world({ { "client.jitter", "none" }, { "client.budget", "none" }, { "client.breaker", "false" } }, down));
    EXPECT_GT(without[Measure::Herd], with[Measure::Herd]);
}

// One request each ten minutes: between them nothing is planned, and everything stands.
TEST(SimulatorTest, SaysWhatItsNodesCouldDoAlsoWhereNothingHappens)
{
    const auto outcome =
        simulate(world({ { "load.arrivals", "regular" }, { "load.rate", "0.001" }, { "load.duration", "24h" } }));
    const auto& steps = outcome.series.steps();
    ASSERT_GT(steps.size(), 100U);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(steps[i].capacity, steps[1].capacity) << i;
        EXPECT_GT(steps[i].budget, 0) << i << ", also before the first request";
    }
    EXPECT_GT(steps[1].capacity, 0);
}

// Whoever is left behind is served at odd times, in steps that become wider: none of them is without its capacity.
TEST(SimulatorTest, SaysWhatItsNodesCouldDoInEachStepOfALongTail)
{
    for (const auto* returnsAfter : { "1s", "3700ms", "91s", "2h" }) {
        const auto outcome = simulate(world({ { "load.rate", "20" }, { "load.duration", "10s" },
            { "network.loss", "20%" }, { "network.latency", "exponential(90ms)" }, { "client.returns", "5" },
            { "client.attempts", "1" }, { "client.returns_after", returnsAfter } }));
        const auto& steps = outcome.series.steps();
        ASSERT_GT(steps.size(), 100U);
        for (std::size_t i = 0; i < steps.size(); ++i)
            EXPECT_NEAR(double(steps[i].capacity), double(steps[0].capacity), double(steps[0].capacity) / 100)
                << returnsAfter << ' ' << i;
    }
}

TEST(SimulatorTest, HasThePartOfItsCapacityThatAFaultLeaves)
{
    const auto capacityWith = [](const std::string& faults, std::uint64_t seed) {
        auto scenario = world({},
            R"({"scenario": 1, "name": "test", "load": {"rate": 50, "duration": "20s"},
            "service": {"time": "20ms", "store_time": "0s"}, "faults": [)"
                + faults + "]}");
        scenario.seed = seed;
        const auto outcome = simulate(scenario);
        const auto& steps = outcome.series.steps();
        return std::pair(steps[0].capacity, steps[steps.size() / 2].capacity);
    };
    for (const std::uint64_t seed : { 1U, 2U, 3U, 4U }) {
        const auto [whole, half] =
            capacityWith(R"({"kind": "outage", "from": "5s", "for": "10s", "share": "50%"})", seed);
        EXPECT_GT(whole, 0);
        EXPECT_EQ(half, whole / 2) << seed;
        EXPECT_EQ(capacityWith(R"({"kind": "outage", "from": "5s", "for": "10s"})", seed).second, 0);
        EXPECT_EQ(
            capacityWith(R"({"kind": "brownout", "from": "5s", "for": "10s", "factor": 5})", seed).second, whole / 5);
        const auto slowed =
            capacityWith(R"({"kind": "brownout", "from": "5s", "for": "10s", "factor": 5, "share": "25%"})", seed);
        EXPECT_EQ(slowed.second, whole / 2) << "twice as long on the average";
    }
}

TEST(SimulatorTest, StopsWhereItIsTold)
{
    const auto scenario = world({ { "load.requests", "100000" }, { "load.rate", "10000" } });
    RunOptions options;
    options.goesOn = [](const Progress& progress) { return progress.steps < 50'000; };
    const auto outcome = simulate(scenario, options);
    EXPECT_TRUE(outcome.stopped);
    EXPECT_LT(outcome[Measure::Requests], 100'000);
}

TEST(SimulatorTest, AnswersLessThanItIsAskedWhereItHasTooFewWorkers)
{
    const auto outcome = simulate(world({ { "load.rate", "400" }, { "load.duration", "10s" }, { "service.nodes", "1" },
        { "service.workers", "4" }, { "service.queue", "20" } }));
    EXPECT_GT(outcome[Measure::Overload], 0);
    EXPECT_LT(outcome[Measure::SuccessRate], 900'000);
    std::int64_t most = 0;
    for (const auto& step : outcome.series.steps())
        most = std::max(most, step.queue);
    EXPECT_GT(most, 10);
    EXPECT_LE(most, 20);
}

TEST(SimulatorTest, TellsTheLifeOfOneRequest)
{
    RunOptions options;
    options.traced = 7;
    const auto outcome = simulate(world({ { "load.requests", "10" } }), options);
    ASSERT_FALSE(outcome.trace.empty());
    std::vector<std::string> states;
    for (const auto& line : outcome.trace) {
        EXPECT_EQ(line.request, 7U);
        if (!line.state.empty() && (states.empty() || states.back() != line.state))
            states.push_back(line.state);
    }
    EXPECT_THAT(states, testing::ElementsAre("IN_PROGRESS", "SUCCEEDED"));
}

TEST(SimulatorTest, CountsAnAttemptThatWaitsForAnotherOnce)
{
    const auto waiting = simulate(world({ { "service.in_flight", "wait" }, { "service.time", "2s" },
        { "client.double_click", "100%" }, { "load.requests", "20" } }));
    EXPECT_GT(waiting[Measure::InFlightAnswers], 0);
    EXPECT_LE(waiting[Measure::InFlightAnswers], waiting[Measure::Attempts]);
}

} // namespace

} // namespace fencepost::simulation
