// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <thread>

#include "app/lab/faults.h"
#include "core/delivery/relay.h"
#include "core/store/database.h"

namespace fencepost::app {

struct EventRelayParts {
    store::Target target;
    store::OpenOptions openOptions;
    delivery::RelayOptions relay;
    Faults& faults;
    telemetry::Metrics& metrics; // outlive it
};

// The core's relay over the lab's outbox, in a thread and on a connection of its own, with the faults of the lab
// between it and its targets.
class EventRelay {
public:
    static Result<std::unique_ptr<EventRelay>> start(EventRelayParts parts);
    // What is on its way has a second to end; what is not sent, the next one sends.
    ~EventRelay();
    EventRelay(const EventRelay&) = delete;
    EventRelay& operator=(const EventRelay&) = delete;

private:
    EventRelay() = default;

    std::atomic<bool> m_stopping = false;
    std::thread m_thread;
};

} // namespace fencepost::app
