// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"

namespace fencepost::retry {

// The time for deadlines, delays and windows: it never steps, so nobody waits an hour because a clock was set. Its
// instants mean nothing to anybody else; a date in a Retry-After is compared with SystemClock.
class SteadyClock final : public Clock {
public:
    [[nodiscard]] Time now() const override
    {
        return Time(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
    }
};

} // namespace fencepost::retry
