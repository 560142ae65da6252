// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <string>

#include "core/run_journal.h"

namespace fencepost::models {

// How fast a run goes that somebody else carries out, by what was read of it in the last seconds.
class RunPace {
public:
    // Another run, or one that stands still, begins anew.
    void add(const OperationRun& run);
    // Rows a second; none: not known yet, or nobody carries it out.
    [[nodiscard]] std::optional<double> perSecond() const;
    [[nodiscard]] std::optional<Duration> timeLeft() const;

private:
    struct Standing {
        Time at; // by the database's clock
        std::int64_t done = 0;
    };

    std::string m_run;
    std::int64_t m_total = 0;
    std::deque<Standing> m_seen; // oldest first
};

} // namespace fencepost::models
