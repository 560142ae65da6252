// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/simulation/worlds.h"

namespace fencepost::simulation {

namespace {

// Many clients that come at once to a service that can handle a few: who comes back in step comes back in vain. As in
// the study that AWS published about exponential backoff and jitter.
Outcome contended(std::string_view jitter)
{
    return simulate(world({ { "load.arrivals", "at_once" }, { "load.requests", "200" }, { "client.count", "200" },
        { "client.shared", "false" }, { "client.jitter", jitter }, { "client.base", "20ms" }, { "client.cap", "5s" },
        { "client.attempts", "60" }, { "client.total", "10m" }, { "client.budget", "none" },
        { "client.breaker", "false" }, { "service.nodes", "1" }, { "service.workers", "1" }, { "service.queue", "0" },
        { "service.time", "5ms" }, { "service.store_time", "0s" }, { "network.latency", "uniform(5ms,7ms)" } }));
}

TEST(ProtectionTest, OrdersJittersAsThePublishedStudyDoes)
{
    const auto none = contended("none");
    const auto equal = contended("equal");
    const auto full = contended("full");
    const auto decorrelated = contended("decorrelated");
    for (const auto* outcome : { &equal, &full, &decorrelated })
        EXPECT_EQ((*outcome)[Measure::Succeeded], 200);
    EXPECT_GT(none[Measure::Attempts], equal[Measure::Attempts]);
    EXPECT_GT(equal[Measure::Attempts], full[Measure::Attempts]);
    // About equal: neither is half as much again as the other.
    EXPECT_LT(decorrelated[Measure::Attempts] * 2, full[Measure::Attempts] * 3);
    EXPECT_LT(full[Measure::Attempts] * 2, decorrelated[Measure::Attempts] * 3);
}

Scenario outage(Knobs knobs)
{
    return world(knobs, R"({"scenario": 1, "name": "outage",
        "load": {"rate": 1000, "duration": "90s", "arrivals": "regular"}, "service": {"workers": 500, "queue": 5000},
        "faults": [{"kind": "outage", "from": "10s", "for": "60s"}]})");
}

// G8 of the protocol.
TEST(ProtectionTest, KeepsTheAmplificationOfAnOutageAtWhatTheBudgetAllows)
{
    const auto scenario = outage({ { "client.breaker", "false" } });
    const auto outcome = simulate(scenario);
    const std::int64_t first = 60 * 1000;
    const std::int64_t reserve = 60 * 10 + 100;
    const auto retried = outcome[Measure::OutageRetryShare] * first / 1'000'000;
    EXPECT_LE(retried, first / 5 + reserve);
    EXPECT_GT(retried, first / 10);
    const auto naive = simulate(outage({ { "client.breaker", "false" }, { "client.budget", "none" } }));
    EXPECT_GT(naive[Measure::OutageRetryShare], 3 * outcome[Measure::OutageRetryShare]);
}

TEST(ProtectionTest, SendsLittleMoreThanProbesWhereTheBreakerIsOpen)
{
    const auto outcome = simulate(outage({}));
    EXPECT_GE(outcome[Measure::BreakerOpened], 1);
    std::int64_t attempts = 0;
    const auto& steps = outcome.series.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto at = outcome.series.width() * std::int64_t(i);
        if (at > std::chrono::seconds(25) && at < std::chrono::seconds(68))
            attempts += steps[i].offered + steps[i].retried;
    }
    EXPECT_LT(attempts, 200);
    EXPECT_LT(outcome[Measure::Herd], 3'000);
}

TEST(ProtectionTest, ForgetsNoPlaceWhoeverDiesWithIt)
{
    const auto outcome = simulate(world({ { "client.limiter", "true" }, { "client.throttle", "true" },
        { "network.loss", "0.1%" }, { "load.rate", "200" }, { "load.duration", "30s" } }));
    EXPECT_GT(outcome[Measure::SuccessRate], 900'000);
    EXPECT_TRUE(outcome.violations.empty());
}

} // namespace

} // namespace fencepost::simulation
