// SPDX-License-Identifier: Apache-2.0
#include "core/simulation/search.h"

namespace fencepost::simulation {

namespace {

// The whole schedule where a smaller one does not lead there.
Shrunk leastOf(const Scenario& world, const Outcome& outcome, std::int64_t tried, std::int64_t seeds,
    const std::function<bool(const SearchProgress&)>& goesOn)
{
    ShrinkOptions options;
    if (goesOn)
        options.goesOn = [&] { return goesOn({ tried, seeds, {} }); };
    if (auto shrunk = shrink(world, outcome, options))
        return std::move(*shrunk);
    RunOptions again;
    again.stopsAtViolation = true;
    again.tracesAll = true;
    return { outcome.violations.front(), outcome.happened, simulate(world, again), 1, false };
}

} // namespace

Search searchViolation(
    const Scenario& scenario, std::int64_t seeds, const std::function<bool(const SearchProgress&)>& goesOn)
{
    Search search;
    auto world = scenario;
    RunOptions options;
    options.stopsAtViolation = true;
    options.keepsStrikes = true;
    options.goesOn = [&](const Progress& progress) { return !goesOn || goesOn({ search.tried, seeds, progress }); };
    for (; search.tried < seeds; ++world.seed) {
        const auto outcome = simulate(world, options);
        if (!outcome.violations.empty()) {
            ++search.tried;
            search.found = FoundViolation{ world, leastOf(world, outcome, search.tried, seeds, goesOn) };
            return search;
        }
        if (outcome.stopped) {
            search.stopped = true;
            return search;
        }
        ++search.tried;
        if (goesOn && search.tried < seeds && !goesOn({ search.tried, seeds, {} })) {
            search.stopped = true;
            return search;
        }
    }
    return search;
}

} // namespace fencepost::simulation
