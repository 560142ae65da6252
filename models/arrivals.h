// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "core/inspector.h"

namespace fencepost::models {

// What arrived within one stretch of time, by the state that it has now.
struct ArrivalHour {
    Time from;
    Counts counts;
};

struct Arrivals {
    std::vector<ArrivalHour> hours; // oldest first, without gaps
    Duration width = std::chrono::hours(1); // of each
    Time end; // of the last of them
    int wanted = 0; // how many there should be: time ran out where there are fewer
    bool whole = true; // nothing is left that could still be counted
    std::optional<Duration>
        countable; // how long a stretch is counted in time; shorter than `width`: some are estimates
    QString skipped; // not counted at all: why

    [[nodiscard]] bool isEstimate() const;
    Duration cost{};
};

struct ArrivalsRequest {
    FilterPtr filter; // null: everything
    Duration width = std::chrono::hours(1);
    int count = 48;
    Duration slice = std::chrono::seconds(1); // of the database's time in one go
};

// Stretch by stretch, newest first, until the budget is spent: what was counted by then is the answer. Stretches with
// too many rows to be counted are estimated. `before` is what an earlier slice came to: other reads have had their turn
// in between.
[[nodiscard]] Result<Arrivals> countArrivals(
    Inspector& inspector, const Binding& binding, const ArrivalsRequest& request, const Arrivals& before = {});
// Rows that were created from `from` on and before `until`, of those that `filter` takes; null: of all.
[[nodiscard]] FilterPtr createdWithin(const FilterPtr& filter, Time from, Time until);
// Whether the table says when its rows were created.
[[nodiscard]] bool hasCreated(const Binding& binding);

} // namespace fencepost::models
