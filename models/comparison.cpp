// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/comparison.h"

#include "models/arrivals.h"
#include "models/stretch_counter.h"

namespace fencepost::models {

namespace {

constexpr Duration comparisonBudget = std::chrono::milliseconds(200);

} // namespace

Result<Comparison> compareWithBefore(
    Inspector& inspector, const Binding& binding, const std::optional<TimeRange>& range)
{
    Comparison comparison;
    if (!hasCreated(binding)) {
        comparison.skipped = QStringLiteral("This table does not say when its rows were created.");
        return comparison;
    }
    if (range) {
        comparison.range = *range;
    } else {
        const auto info = inspector.info();
        if (!info)
            return info.error();
        comparison.range = { info->now - std::chrono::hours(1), info->now };
    }
    StretchCounter counter(inspector, binding, nullptr, comparisonBudget);
    const auto before = stretchBefore(comparison.range);
    auto counts = counter.count(comparison.range.from, comparison.range.until);
    if (!counts)
        return counts.error();
    auto countsBefore = counter.count(before.from, before.until);
    if (!countsBefore)
        return countsBefore.error();
    if (!*counts || !*countsBefore) {
        comparison.skipped = QStringLiteral("Counting this table by its arrivals takes too long, so it was not done.");
        return comparison;
    }
    comparison.counts = std::move(**counts);
    comparison.before = std::move(**countsBefore);
    return comparison;
}

} // namespace fencepost::models
