// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulator lives through in a second on one core, beside a bare loop over a priority queue that takes and
// plans as many entries in the same run; and a million requests with retries and faults. Of the thread's own time, so
// that what else the machine does counts for neither; `elapsed` is what passed on the wall.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

#include <benchmark/benchmark.h>

#include <queue>

#include "core/simulation/dice.h"
#include "core/simulation/simulator.h"

namespace {

using namespace fencepost;
using namespace fencepost::simulation;
using Stopwatch = std::chrono::steady_clock;

constexpr std::string_view quiet = R"json({"scenario": 1, "name": "quiet",
    "load": {"rate": 2000, "requests": 200000, "duration": "1h"},
    "service": {"nodes": 4, "time": "exponential(20ms)"}})json";

constexpr std::string_view outage = R"json({"scenario": 1, "name": "outage",
    "load": {"rate": 2000, "requests": 200000, "duration": "1h"},
    "client": {"breaker": false, "budget": "none"},
    "service": {"nodes": 4, "time": "exponential(20ms)"},
    "faults": [{"kind": "outage", "from": "10s", "for": "60s"}]})json";

constexpr std::string_view troubled = R"json({"scenario": 1, "name": "troubled",
    "load": {"rate": 5000, "requests": 1000000, "duration": "1h"},
    "client": {"count": 1000, "budget": "none", "breaker": false},
    "network": {"latency": "exponential(5ms)", "loss": "1%", "duplicates": "0.5%"},
    "service": {"nodes": 10, "time": "exponential(20ms)", "errors": "2%", "lease": "5s"},
    "crash": {"p9": "0.01%", "p11": "0.5%"},
    "faults": [{"kind": "outage", "from": "30s", "for": "20s"},
               {"kind": "brownout", "from": "80s", "for": "10s", "factor": 5}]})json";

double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    constexpr double nano = 1e-9;
    return double(now.tv_sec) + double(now.tv_nsec) * nano;
}

struct Entry {
    std::int64_t at;
    std::uint64_t turn;
    std::uint64_t what[2];
};

struct Later {
    bool operator()(const Entry& left, const Entry& right) const
    {
        return left.at != right.at ? left.at > right.at : left.turn > right.turn;
    }
};

// Takes so many entries and plans one for each, with as many waiting as in the world.
std::uint64_t bareLoop(std::int64_t entries, std::size_t waiting)
{
    const Dice dice(1);
    std::priority_queue<Entry, std::vector<Entry>, Later> queue;
    std::uint64_t turn = 0;
    const auto planAt = [&](std::int64_t now) {
        const auto number = dice.roll(Throw::Gap, ++turn);
        queue.push({ now + std::int64_t(number % 3'000'000), turn, { number, turn } });
    };
    for (std::size_t i = 0; i < waiting; ++i)
        planAt(0);
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < entries; ++i) {
        const auto entry = queue.top();
        queue.pop();
        sum += entry.what[0];
        planAt(entry.at);
    }
    return sum;
}

void run(benchmark::State& state, std::string_view json)
{
    const auto scenario = parseScenario(json);
    double world = 0;
    double bare = 0;
    double elapsed = 0;
    std::int64_t steps = 0;
    std::size_t inFlight = 0;
    for (auto _ : state) {
        const auto wall = Stopwatch::now();
        auto begin = threadSeconds();
        const auto outcome = simulate(*scenario);
        world += threadSeconds() - begin;
        elapsed += std::chrono::duration<double>(Stopwatch::now() - wall).count();
        steps += outcome[Measure::Steps];
        inFlight = std::max(inFlight, outcome.mostInFlight);
        begin = threadSeconds();
        // Each request's timeout is waited for, whether or not it is answered.
        constexpr std::size_t timeout = 3;
        const auto waiting = static_cast<std::size_t>(scenario->load.rate / 1000) * timeout;
        benchmark::DoNotOptimize(bareLoop(outcome[Measure::Steps], waiting));
        bare += threadSeconds() - begin;
    }
    const auto runs = static_cast<double>(state.iterations());
    state.counters["events_per_second"] = static_cast<double>(steps) / world;
    state.counters["bare_per_second"] = static_cast<double>(steps) / bare;
    state.counters["share_of_bare"] = bare / world;
    state.counters["seconds"] = world / runs;
    state.counters["elapsed"] = elapsed / runs;
    state.counters["steps"] = static_cast<double>(steps) / runs;
    state.counters["most_in_flight"] = static_cast<double>(inFlight);
}

void withoutTrouble(benchmark::State& state)
{
    run(state, quiet);
}

void throughAnOutage(benchmark::State& state)
{
    run(state, outage);
}

void aMillionRequests(benchmark::State& state)
{
    run(state, troubled);
}

BENCHMARK(withoutTrouble)->Unit(benchmark::kMillisecond);
BENCHMARK(throughAnOutage)->Unit(benchmark::kMillisecond);
BENCHMARK(aMillionRequests)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace

BENCHMARK_MAIN();
