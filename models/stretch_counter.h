// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/inspector.h"

namespace fencepost::models {

// How many rows were created within one stretch of time after the other, by the state that they have now. A stretch
// that cannot be counted within the budget is estimated from slices of it, which lie as evenly as no clock would have
// them (multiples of the golden ratio): what arrives every minute is met no more often than what arrives at any time.
class StretchCounter {
public:
    // `countable`: what is known of how long a stretch is counted in time; none: nothing.
    StretchCounter(Inspector& inspector, const Binding& binding, FilterPtr filter, Duration budget,
        std::optional<Duration> countable = {});

    // None: not even a slice could be counted in time.
    Result<std::optional<Counts>> count(Time from, Time until);
    [[nodiscard]] std::optional<Duration> countable() const { return m_countable; }

private:
    Result<std::optional<Counts>> exactly(Time from, Time until);
    Result<std::optional<Counts>> estimated(Time from, Time until);

    Inspector& m_inspector;
    const Binding& m_binding;
    FilterPtr m_filter;
    Duration m_budget;
    std::optional<Duration> m_countable;
};

} // namespace fencepost::models
