// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/alert_teller.h"

#include "app/console/alert_post.h"

namespace fencepost::app {

AlertTeller::AlertTeller(Duration first, QObject* parent)
    : QObject(parent)
    , m_post(new AlertPost(first))
{
    m_post->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_post, &QObject::deleteLater);
    connect(m_post, &AlertPost::problemChanged, this, &AlertTeller::say);
    m_thread.setObjectName(QStringLiteral("alerts"));
    m_thread.start();
}

AlertTeller::~AlertTeller()
{
    m_thread.quit();
    m_thread.wait();
}

void AlertTeller::use(const Address& address)
{
    if (m_address == address)
        return;
    m_address = address;
    QMetaObject::invokeMethod(m_post, [post = m_post, address] { post->use(address); });
}

void AlertTeller::tell(const AlertChange& change)
{
    if (!m_address.url.isEmpty())
        QMetaObject::invokeMethod(m_post, [post = m_post, change] { post->tell(change); });
}

void AlertTeller::tellWhetherWatched(bool watched, Time at)
{
    if (!m_address.url.isEmpty())
        QMetaObject::invokeMethod(m_post, [post = m_post, watched, at] { post->tellWhetherWatched(watched, at); });
}

void AlertTeller::say(const QString& problem)
{
    if (m_problem == problem)
        return;
    m_problem = problem;
    Q_EMIT problemChanged();
}

} // namespace fencepost::app
