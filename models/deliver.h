// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <utility>

#include <QFuture>
#include <QFutureWatcher>
#include <QObject>

#include "models/store_thread.h"

namespace fencepost::models {

// Calls receive(answer) in the receiver's thread once there is one; not if the future is cancelled or the receiver has
// died. QFuture::then(context) is no substitute: on Qt 6.4 it aborts where the context has died.
template <typename Answer, typename Receive>
void deliver(const QFuture<Answer>& future, QObject* receiver, Receive receive)
{
    auto* watcher = new QFutureWatcher<Answer>(receiver);
    QObject::connect(watcher, &QFutureWatcherBase::finished, receiver, [watcher, receive = std::move(receive)] {
        watcher->deleteLater();
        if (!watcher->isCanceled() && watcher->future().resultCount() > 0)
            receive(watcher->result());
    });
    watcher->setFuture(future);
}

// The newest of several loads: starting another drops the answer of the one before and interrupts its statement. A
// member of the receiver.
template <typename Answer> class Latest {
public:
    using Receive = std::function<void(const Answer&)>;

    Latest()
    {
        QObject::connect(&m_watcher, &QFutureWatcherBase::finished, &m_watcher, [this] { finish(); });
    }
    Latest(const Latest&) = delete;
    Latest& operator=(const Latest&) = delete;

    template <typename Job> void start(StoreThread& thread, Job job, Receive receive)
    {
        drop(thread);
        m_receive = std::move(receive);
        m_pending = true;
        m_watcher.setFuture(thread.run(std::move(job)));
    }
    void drop(StoreThread& thread)
    {
        if (!m_pending)
            return;
        m_pending = false;
        m_watcher.future().cancel();
        m_watcher.setFuture(QFuture<Answer>());
        thread.dropCancelled();
    }
    [[nodiscard]] bool pending() const { return m_pending; }

private:
    void finish()
    {
        if (!m_pending)
            return;
        m_pending = false;
        if (m_watcher.isCanceled() || m_watcher.future().resultCount() == 0)
            return;
        const auto receive = std::move(m_receive);
        receive(m_watcher.result());
    }

    QFutureWatcher<Answer> m_watcher;
    Receive m_receive;
    bool m_pending = false;
};

} // namespace fencepost::models
