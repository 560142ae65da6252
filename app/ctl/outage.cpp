// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/outage.h"

#include <algorithm>

#include "app/ctl/table_access.h"

namespace fencepost::app {

bool passesByItself(const Error& error)
{
    switch (error.failure) {
    case Failure::Unavailable:
    case Failure::TimedOut:
    case Failure::Full:
    // Of what was being written then, the leases decide.
    case Failure::InDoubt:
        return true;
    case Failure::Invalid:
    case Failure::NotFound:
    case Failure::Conflict:
    case Failure::Denied:
    case Failure::Corrupt:
    case Failure::Unsupported:
    case Failure::Cancelled:
    case Failure::Internal:
        break;
    }
    return false;
}

Outage::Outage(Context& context, const Interrupt& interrupt)
    : m_context(context)
    , m_interrupt(interrupt)
{
}

void Outage::wait(const Error& error)
{
    constexpr Duration first = std::chrono::milliseconds(500);
    constexpr Duration longest = std::chrono::seconds(10);
    if (m_pause == Duration(0))
        m_context.out.note(sentence(error.message) + (error.detail.empty() ? "" : " (" + error.detail + ")")
            + " It is tried again until it works.");
    m_pause = m_pause == Duration(0) ? first : std::min(2 * m_pause, longest);
    m_interrupt.wait(m_pause);
}

Result<std::unique_ptr<store::Connection>> Outage::reconnected(Error error)
{
    while (true) {
        wait(error);
        if (m_interrupt.wasAsked() || m_context.out.isClosed())
            return std::unique_ptr<store::Connection>();
        auto connection = messagesOf(m_context, store::Access::ReadWrite);
        if (connection || !passesByItself(connection.error()))
            return connection;
        error = connection.error();
    }
}

void Outage::over()
{
    if (m_pause != Duration(0))
        m_context.out.note("It works again.");
    m_pause = Duration(0);
}

} // namespace fencepost::app
