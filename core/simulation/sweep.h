// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/simulation/scenario_knobs.h"
#include "core/simulation/simulator.h"

namespace fencepost::simulation {

// One knob and the values that it takes, one after the other.
struct SweepAxis {
    std::string path;
    std::string range; // as it was written
    std::vector<std::string> values;
};

// "service.lease=10s..60s:10s", "client.jitter=none,full". Invalid: the message names the path and what was expected.
[[nodiscard]] Result<SweepAxis> parseSweepAxis(std::string_view text);

struct SweepPoint {
    std::vector<std::string> values; // by axis
    std::array<std::int64_t, measureCount> measures{};

    [[nodiscard]] std::int64_t operator[](Measure measure) const { return measures[static_cast<std::size_t>(measure)]; }
};

struct Sweep {
    Scenario scenario; // that was swept, with the axes as they stood before
    std::string variant; // which one of its scenario it is, as whoever asked says; empty: the scenario itself
    std::string command; // that gives the same again; empty: it is not said
    std::vector<SweepAxis> axes;
    std::vector<SweepPoint> points; // the last axis runs fastest
    bool stopped = false;
};

struct SweepProgress {
    std::size_t done = 0; // points
    std::size_t of = 0;
    Progress world; // of the one that is lived through
};

inline constexpr std::size_t mostSweepPoints = 10'000;

// The scenario once for each value of one axis, or for each pair of two. Invalid: a point of it is no world, or there
// are too many; nothing was simulated then.
[[nodiscard]] Result<Sweep> sweep(const Scenario& scenario, const std::vector<SweepAxis>& axes,
    const std::function<bool(const SweepProgress&)>& goesOn = {});

// scenario,version,seed,variant, the axes, and every measure.
[[nodiscard]] std::string sweepCsv(const Sweep& sweep);

} // namespace fencepost::simulation
