// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <thread>

#include "app/lab/mailer.h"
#include "core/delivery/nats_source.h"

namespace fencepost::app {

struct EventIntakeParts {
    store::Target target;
    store::OpenOptions openOptions;
    delivery::NatsSourceOptions source;
    delivery::ConsumerOptions consumer;
    Faults& faults;
    telemetry::Metrics& metrics;
};

// Takes a stream's events to a mailer, in a thread and on a connection of its own.
class EventIntake {
public:
    // Its consumer is there when this returns.
    static Result<std::unique_ptr<EventIntake>> start(EventIntakeParts parts);
    // Between two events.
    ~EventIntake();
    EventIntake(const EventIntake&) = delete;
    EventIntake& operator=(const EventIntake&) = delete;

private:
    EventIntake() = default;

    std::atomic<bool> m_stopping = false;
    std::thread m_thread;
};

} // namespace fencepost::app
