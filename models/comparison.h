// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QString>

#include "core/forensics.h"

namespace fencepost::models {

// The rows that were created within a stretch of time beside those of the stretch before it, by the state that they
// have now.
struct Comparison {
    TimeRange range;
    Counts counts;
    Counts before; // of stretchBefore(range)
    QString skipped; // nothing was counted: why

    [[nodiscard]] Duration cost() const { return counts.cost.time + before.cost.time; }
};

// Of the hour up to now, by the database's clock, where no range is given.
[[nodiscard]] Result<Comparison> compareWithBefore(
    Inspector& inspector, const Binding& binding, const std::optional<TimeRange>& range);

} // namespace fencepost::models
