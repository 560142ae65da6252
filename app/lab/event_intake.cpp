// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/event_intake.h"

#include <future>

#include "app/lab/own_connection.h"

namespace fencepost::app {

namespace {

constexpr auto patience = std::chrono::milliseconds(500); // with a silent stream, and so the longest way to a stop

// The intake as its thread has it.
class Taking {
public:
    Taking(EventIntakeParts parts, const std::atomic<bool>& stopping)
        : m_parts(std::move(parts))
        , m_stopping(stopping)
        , m_connection(m_parts.target, m_parts.openOptions)
    {
    }

    Status open()
    {
        const auto connection = m_connection.get();
        if (!connection)
            return connection.error();
        if (!m_mailer)
            m_mailer.emplace(Mailer::Parts{ **connection, m_parts.faults, m_parts.metrics, m_parts.consumer });
        if (m_source)
            return {};
        auto source = delivery::openNatsSource(m_parts.source);
        if (!source)
            return source.error();
        m_source = std::move(*source);
        return {};
    }

    // A server or a database that is away is nothing that an intake can mend: both are asked again.
    void run()
    {
        while (!m_stopping)
            if (const auto taken = take(); !taken) {
                m_mailer.reset();
                m_parts.faults.pause(restFor);
            }
    }

private:
    Status take()
    {
        if (const auto opened = open(); !opened)
            return opened;
        const auto taken = m_mailer->handleNext(*m_source, patience);
        if (taken)
            return {};
        // It connects again by itself. Whatever else it complains about is asked for anew: its consumer may be gone.
        if (taken.error().code != "connection")
            m_source.reset();
        return taken.error();
    }

    EventIntakeParts m_parts;
    const std::atomic<bool>& m_stopping;
    OwnConnection m_connection;
    std::optional<Mailer> m_mailer;
    std::unique_ptr<delivery::Source> m_source;
};

} // namespace

Result<std::unique_ptr<EventIntake>> EventIntake::start(EventIntakeParts parts)
{
    std::unique_ptr<EventIntake> intake(new EventIntake);
    std::promise<Status> started;
    auto answer = started.get_future();
    intake->m_thread = std::thread([&stopping = intake->m_stopping, parts = std::move(parts), &started]() mutable {
        Taking taking(std::move(parts), stopping);
        const auto opened = taking.open();
        started.set_value(opened);
        if (opened)
            taking.run();
    });
    if (const auto status = answer.get(); !status)
        return status.error();
    return intake;
}

EventIntake::~EventIntake()
{
    m_stopping = true;
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace fencepost::app
