// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/alert_desk.h"

#include <QUrl>

#include "app/delivery/webhook_secrets.h"
#include "core/delivery/targets.h"
#include "models/deliver.h"
#include "models/session.h"

namespace fencepost::app {

namespace {

QString secretName(const QString& connection)
{
    return QStringLiteral("alerts:") + connection;
}

} // namespace

AlertDesk::AlertDesk(const Clock& clock, models::Notebook& notebook, models::SecretStore& secrets, QObject* parent)
    : QObject(parent)
    , m_clock(clock)
    , m_secrets(secrets)
    , m_board(clock, &notebook)
{
    connect(&m_board, &models::AlertBoard::setupChanged, this, [this] {
        m_setups[m_board.connection()] = toJson(m_board.setup());
        useWebhook();
        Q_EMIT setupsChanged();
    });
    connect(&m_board, &models::AlertBoard::happened, this, [this](const models::AlertEvent& event) {
        if (!event.silent)
            m_teller.tell(event.change);
    });
    connect(&m_board, &models::AlertBoard::changed, this, &AlertDesk::tellWhetherWatched);
}

QJsonObject AlertDesk::setups() const
{
    QJsonObject kept = m_setups;
    kept.remove(QString());
    return kept;
}

void AlertDesk::watch(models::Session& session, const QString& connection, const QString& source)
{
    m_source = source;
    m_board.watch(&session, connection, models::alertSetupOf(m_setups[connection].toObject()));
    useWebhook();
    if (m_board.setup().webhook.isEmpty() || connection.isEmpty() || m_known.contains(connection)
        || m_keychain == ui::Keychain::Missing)
        return;
    models::deliver(
        m_secrets.read(secretName(connection)), this, [this, connection](const Result<std::optional<QString>>& found) {
            if (!found || !*found || m_known.contains(connection))
                return;
            m_known.insert(connection, **found);
            useWebhook();
        });
}

void AlertDesk::tellWhetherWatched()
{
    using Watch = models::AlertBoard::Watch;
    const auto state = m_board.state();
    // An operator who goes, or who watches nothing any more, has lost nothing.
    if (state == Watch::Idle)
        m_lost = false;
    else if (state == (m_lost ? Watch::Watching : Watch::NotWatched)) {
        m_lost = !m_lost;
        m_teller.tellWhetherWatched(!m_lost, m_clock.now());
    }
}

void AlertDesk::leave()
{
    // What is in no list has its rules for as long as it is open: the next one that is in none is another database.
    m_setups.remove(QString());
    m_known.remove(QString());
    m_board.leave();
    m_teller.use({});
}

void AlertDesk::useWebhook()
{
    m_teller.use({ m_board.setup().webhook, m_known.value(m_board.connection()), m_source });
}

void AlertDesk::keepSecret(const QString& secret, ui::Workspace::Done done)
{
    const QString connection = m_board.connection();
    m_known.insert(connection, secret);
    useWebhook();
    if (connection.isEmpty() || m_keychain == ui::Keychain::Missing)
        return done({});
    const QString name = secretName(connection);
    models::deliver(secret.isEmpty() ? m_secrets.remove(name) : m_secrets.write(name, secret), this,
        [done = std::move(done)](const Status& written) { done(written); });
}

void AlertDesk::forget(const QString& connection)
{
    m_setups.remove(connection);
    m_known.remove(connection);
    if (m_keychain != ui::Keychain::Missing)
        models::deliver(m_secrets.remove(secretName(connection)), this, [](const Status&) {});
    Q_EMIT setupsChanged();
}

Status AlertDesk::check(const QString& url, const QString& secret)
{
    if (!url.isEmpty()) {
        const auto* kind = delivery::targetKindOf(QUrl(url).scheme().toStdString());
        if (kind == nullptr || !kind->signs)
            return Error{ Failure::Invalid, "A webhook is an address of http or https.", {}, {} };
        // The address stands in the settings, where no password may be.
        if (!QUrl(url).userInfo().isEmpty())
            return Error{ Failure::Invalid, "The address of a webhook may hold no name and password.", {}, {} };
        if (const auto checked = kind->check(url.toStdString()); !checked)
            return checked.error();
    }
    const auto secrets = webhookSecretsIn(secret.toStdString());
    return secrets ? Status() : Status(secrets.error());
}

} // namespace fencepost::app
