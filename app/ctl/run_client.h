// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/http/client.h"
#include "core/http/timer_alarm.h"
#include "core/retry/steady_clock.h"

namespace fencepost::app {

// The HTTP client of one run, on the machine's clocks and with the run's credential. Used by the main thread.
class RunClient {
public:
    RunClient(Random& random, const std::string& authorization, http::ClientOptions options = {});

    [[nodiscard]] http::Client& client() { return m_client; }
    // Runs the event loop until the call has ended. An error: nothing was sent.
    [[nodiscard]] Result<http::ClientOutcome> send(const http::ClientRequest& request);

private:
    retry::SteadyClock m_steady;
    SystemClock m_wall;
    KeySource m_keys;
    http::TimerAlarm m_alarm;
    http::Client m_client;
};

} // namespace fencepost::app
