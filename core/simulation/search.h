// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/simulation/shrink.h"

namespace fencepost::simulation {

struct FoundViolation {
    Scenario scenario; // with the seed that violates
    Shrunk least; // that has to happen for it
};

struct Search {
    std::int64_t tried = 0; // seeds, lived through to their end or to their violation
    std::optional<FoundViolation> found;
    bool stopped = false;
};

struct SearchProgress {
    std::int64_t done = 0; // seeds
    std::int64_t of = 0;
    Progress world; // of the one that is lived through
};

// The scenario with one seed after the other, from its own on, until one violates an invariant; that one is made as
// small as it can be.
[[nodiscard]] Search searchViolation(
    const Scenario& scenario, std::int64_t seeds, const std::function<bool(const SearchProgress&)>& goesOn = {});

} // namespace fencepost::simulation
