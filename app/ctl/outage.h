// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "app/ctl/context.h"
#include "app/ctl/interrupt.h"

namespace fencepost::app {

// Whether a run that goes on and on outlasts it: the store is restarted, locked or full, and is itself again by and by.
[[nodiscard]] bool passesByItself(const Error& error);

// What keeps such a run from its work for a while. It is said once, and waited out with longer and longer pauses, which
// end at once when the run is told to stop.
class Outage {
public:
    // Both outlive it.
    Outage(Context& context, const Interrupt& interrupt);

    void wait(const Error& error);
    // A connection to the tables of messages as soon as there is one again; null: the run was told to stop. An error is
    // one that does not pass by itself.
    Result<std::unique_ptr<store::Connection>> reconnected(Error error);
    // The run has done some of its work again.
    void over();

private:
    Context& m_context;
    const Interrupt& m_interrupt;
    Duration m_pause{}; // the last one; zero: there is no outage
};

} // namespace fencepost::app
