// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
    QString skipped; // not counted at all: why
    Duration cost{};
};

struct ArrivalsRequest {
    FilterPtr filter; // null: everything
    Duration width = std::chrono::hours(1);
    int count = 48;
    Duration slice = std::chrono::seconds(1); // of the database's time in one go
};

// Stretch by stretch, newest first, until the budget is spent: what was counted by then is the answer. A table that is
// too large to be counted is left alone.
// `before` is what an earlier slice came to: other reads have had their turn in between.
[[nodiscard]] Result<Arrivals> countArrivals(
    Inspector& inspector, const Binding& binding, const ArrivalsRequest& request, const Arrivals& before = {});
// Whether the table says when its rows were created.
[[nodiscard]] bool hasCreated(const Binding& binding);

} // namespace fencepost::models
