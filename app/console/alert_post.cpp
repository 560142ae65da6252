// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/alert_post.h"

#include "app/delivery/own_roots.h"
#include "app/delivery/webhook_secrets.h"

namespace fencepost::app {

namespace {

constexpr auto lookAfter = std::chrono::milliseconds(100);

}

AlertPost::AlertPost(Duration first)
    : m_first(first)
    , m_looks(new QTimer(this))
    , m_again(new QTimer(this))
{
    m_looks->setInterval(lookAfter);
    m_again->setSingleShot(true);
    connect(m_looks, &QTimer::timeout, this, &AlertPost::look);
    connect(m_again, &QTimer::timeout, this, [this] {
        if (!m_webhook)
            return;
        m_webhook->tend();
        m_looks->start();
    });
}

AlertPost::~AlertPost() = default;

void AlertPost::use(const AlertTeller::Address& address)
{
    m_address = address;
    make();
    say({});
}

// What waited is let go.
void AlertPost::make()
{
    m_looks->stop();
    m_again->stop();
    m_failed = 0;
    m_webhook.reset();
    if (m_address.url.isEmpty())
        return;
    delivery::TargetOptions options;
    if (auto secrets = webhookSecretsIn(m_address.secret.toStdString()))
        options.secrets = std::move(*secrets);
    if (auto roots = ownRoots())
        options.tls = std::move(*roots);
    m_webhook = std::make_unique<delivery::AlertWebhook>(delivery::TargetParts{ m_steady, m_wall, m_random }, options,
        m_address.url.toStdString(), m_address.source.toStdString());
}

void AlertPost::tell(const AlertChange& change)
{
    if (!m_webhook)
        return;
    m_webhook->tell(change);
    begin();
}

void AlertPost::tellWhetherWatched(bool watched, Time at)
{
    if (!m_webhook)
        return;
    m_webhook->tellWhetherWatched(watched, at);
    begin();
}

void AlertPost::begin()
{
    m_again->stop();
    m_looks->start();
}

void AlertPost::look()
{
    if (m_webhook->isSending())
        return;
    m_looks->stop();
    if (!m_webhook->problem()) {
        m_failed = 0;
        return say({});
    }
    const QString why = QString::fromStdString(*m_webhook->problem());
    if (m_webhook->waiting() == 0)
        return say(tr("The webhook took no alert: %1. It is not sent again.").arg(why));
    if (++m_failed >= AlertTeller::attempts) {
        const auto lost = m_webhook->waiting();
        make();
        return say(tr("The webhook took no alert in %1 attempts: %2. %3 given up; the next one is sent.")
                       .arg(AlertTeller::attempts)
                       .arg(why)
                       .arg(lost));
    }
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(m_first * (1 << (m_failed - 1)));
    m_again->start(wait);
    say(tr("The webhook took no alert: %1. It is sent again in %2.")
            .arg(why, QString::fromStdString(formatDuration(wait))));
}

void AlertPost::say(const QString& problem)
{
    if (m_problem == problem)
        return;
    m_problem = problem;
    Q_EMIT problemChanged(problem);
}

} // namespace fencepost::app
