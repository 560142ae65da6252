// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <memory>

#include "core/store/database.h"

namespace fencepost::app {

// Before a database, or a server, that did not answer is asked again.
inline constexpr auto restFor = std::chrono::seconds(1);

// A connection of one thread's own, which outlives what it is connected to: it is opened when it is first asked for,
// and again once it was lost. One thread.
class OwnConnection {
public:
    OwnConnection(store::Target target, store::OpenOptions options)
        : m_target(std::move(target))
        , m_options(options)
    {
    }

    Result<store::Connection*> get()
    {
        if (m_connection && m_connection->isOpen())
            return m_connection.get();
        m_connection.reset();
        auto opened = store::Connection::open(m_target, m_options);
        if (!opened)
            return opened.error();
        m_connection = std::move(*opened);
        return m_connection.get();
    }

private:
    store::Target m_target;
    store::OpenOptions m_options;
    std::unique_ptr<store::Connection> m_connection;
};

} // namespace fencepost::app
