// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/event_relay.h"

#include <future>

#include <QEventLoop>

#include "app/lab/faulty_target.h"
#include "app/lab/own_connection.h"
#include "core/retry/steady_clock.h"

namespace fencepost::app {

namespace {

constexpr auto relayLooksEvery = std::chrono::milliseconds(100);

// The relay as its thread has it.
class Relaying {
public:
    Relaying(EventRelayParts parts, const std::atomic<bool>& stopping)
        : m_parts(std::move(parts))
        , m_stopping(stopping)
        , m_connection(m_parts.target, m_parts.openOptions)
    {
        m_parts.relay.around = [this](std::unique_ptr<delivery::Target> target) {
            return std::make_unique<FaultyTarget>(std::move(target), m_parts.faults, m_steady);
        };
    }

    Status open()
    {
        const auto opened = m_connection.get();
        if (!opened)
            return opened.error();
        if (!m_relay)
            m_relay.emplace(**opened, store::StoreClock{},
                delivery::TargetParts{ m_steady, m_wall, m_random, &m_parts.metrics }, m_parts.relay);
        return {};
    }

    // A database that is away is nothing that a relay can mend: it is asked again. What was on its way then is due
    // again when its lease has ended, under a relay that knows nothing of it.
    void run()
    {
        QEventLoop loop;
        while (!m_stopping) {
            const bool passed = open() && pass();
            if (!passed)
                m_relay.reset();
            QTimer::singleShot(passed ? relayLooksEvery : restFor, &loop, &QEventLoop::quit);
            loop.exec();
        }
    }

private:
    bool pass()
    {
        return m_relay->pass([](const delivery::Relayed&) {}, [this] { return m_stopping.load(); }).has_value();
    }

    EventRelayParts m_parts;
    const std::atomic<bool>& m_stopping;
    retry::SteadyClock m_steady;
    SystemClock m_wall;
    SystemRandom m_random;
    OwnConnection m_connection;
    std::optional<delivery::Relay> m_relay;
};

} // namespace

Result<std::unique_ptr<EventRelay>> EventRelay::start(EventRelayParts parts)
{
    std::unique_ptr<EventRelay> relay(new EventRelay);
    std::promise<Status> started;
    auto answer = started.get_future();
    relay->m_thread = std::thread([&stopping = relay->m_stopping, parts = std::move(parts), &started]() mutable {
        const QEventLoop first; // a thread of the standard library has no timers without one
        Relaying relaying(std::move(parts), stopping);
        const auto opened = relaying.open();
        started.set_value(opened);
        if (opened)
            relaying.run();
    });
    if (const auto status = answer.get(); !status)
        return status.error();
    return relay;
}

EventRelay::~EventRelay()
{
    m_stopping = true;
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace fencepost::app
