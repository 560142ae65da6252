// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lab/books.h"
#include "app/lab/faults.h"
#include "core/delivery/event_consumer.h"
#include "core/retry/steady_clock.h"
#include "core/telemetry/metrics.h"

namespace fencepost::app {

// Tells somebody of each refund, as far as the lab needs one who does: of the events that come in, however often and
// from wherever, it writes one notice each, in the transaction in which the inbox marks the event. Used by one thread.
class Mailer {
public:
    struct Parts {
        store::Connection& connection;
        Faults& faults;
        telemetry::Metrics& metrics;
        delivery::ConsumerOptions consumer;
    };
    explicit Mailer(Parts parts);

    // None: nothing came in that time. `own`: the faults that a delivery asks for itself.
    Result<std::optional<delivery::Consumed>> handleNext(
        delivery::Source& source, Duration patience, const std::vector<FaultSpec>& own = {});

private:
    Parts m_parts;
    Books m_books;
    store::Inbox m_inbox;
    SystemClock m_clock;
    retry::SteadyClock m_steady;
    SystemRandom m_random;
};

} // namespace fencepost::app
