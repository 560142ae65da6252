// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/time.h"

namespace fencepost {

// Where "now" comes from; injected everywhere. PostgreSQL stores use the database's own clock instead.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Time now() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] Time now() const override
    {
        return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    }
};

// Stands still until it is moved: tests, the demo and the simulator. Not thread-safe.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Time now)
        : m_now(now)
    {
    }
    [[nodiscard]] Time now() const override { return m_now; }
    void set(Time now) { m_now = now; }
    void advance(Duration by) { m_now += by; }

private:
    Time m_now;
};

} // namespace fencepost
