// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <queue>

#include "core/clock.h"

namespace fencepost::app {

// What happens when, on a clock that jumps from one event to the next. Events of one instant keep their order, so that
// the same agenda gives the same history.
class Agenda {
public:
    explicit Agenda(ManualClock& clock)
        : m_clock(clock)
    {
    }

    [[nodiscard]] Time now() const { return m_clock.now(); }
    void at(Time time, std::function<Status()> event) { m_events.push({ time, m_next++, std::move(event) }); }
    void in(Duration delay, std::function<Status()> event) { at(now() + delay, std::move(event)); }

    // Stops at the first error; events after the end never happen.
    Status runUntil(Time end)
    {
        while (!m_events.empty() && m_events.top().at <= end) {
            auto event = m_events.top();
            m_events.pop();
            if (event.at > now())
                m_clock.set(event.at);
            if (auto status = event.run(); !status)
                return status;
        }
        m_clock.set(end);
        return {};
    }

    // For who waits in the middle of an event: runs what comes next, or passes at least that time.
    Status wait(Duration least)
    {
        const auto enough = now() + least;
        return runUntil(m_events.empty() ? enough : std::max(enough, m_events.top().at));
    }

private:
    struct Event {
        Time at;
        std::uint64_t order = 0;
        std::function<Status()> run;

        // Ordered so that the queue's top is the earliest.
        bool operator<(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
    };

    ManualClock& m_clock;
    std::priority_queue<Event> m_events;
    std::uint64_t m_next = 0;
};

} // namespace fencepost::app
