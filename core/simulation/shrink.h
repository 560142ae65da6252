// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/simulation/simulator.h"

namespace fencepost::simulation {

struct ShrinkOptions {
    std::int64_t mostSteps = 0; // of one run; none: to the end
    int mostRuns = 2'000;
    std::function<bool()> goesOn; // asked before each run; false: what has been found so far is the answer
};

// What is left of a violation.
struct Shrunk {
    Violation violation; // as it happens in the smallest world
    Schedule schedule;
    Outcome outcome; // of that world, with everything traced
    int runs = 0;
    bool complete = false; // nothing more can be left out; else the runs were over
};

// The smallest schedule under which the same rule is still violated: no request, no fault and no stroke of chance can
// be left out of it (delta debugging). `happened` is that of a run with keepsStrikes and stopsAtViolation. None: it
// does not happen again under it.
[[nodiscard]] std::optional<Shrunk> shrink(
    const Scenario& scenario, const Outcome& happened, const ShrinkOptions& options = {});

} // namespace fencepost::simulation
