// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QJsonObject>

#include "app/console/alert_teller.h"
#include "models/alert_board.h"
#include "models/secret_store.h"
#include "ui/workspace.h"

namespace fencepost::app {

// The rules of all connections, and the board and the webhook of the one that is open.
class AlertDesk : public QObject {
    Q_OBJECT
public:
    AlertDesk(const Clock& clock, models::Notebook& notebook, models::SecretStore& secrets, QObject* parent = nullptr);

    [[nodiscard]] models::AlertBoard& board() { return m_board; }
    [[nodiscard]] const AlertTeller& teller() const { return m_teller; }
    // connection -> setup, as the settings keep it. Those of connections in no list are left out.
    [[nodiscard]] QJsonObject setups() const;
    void setSetups(const QJsonObject& setups) { m_setups = setups; }
    // `source`: what the webhook is told of where alerts come from, without credentials.
    void watch(models::Session& session, const QString& connection, const QString& source);
    void leave();
    void setKeychain(ui::Keychain keychain) { m_keychain = keychain; }
    void keepSecret(const QString& secret, ui::Workspace::Done done);
    // Its rules and its secret.
    void forget(const QString& connection);
    [[nodiscard]] static Status check(const QString& url, const QString& secret);

Q_SIGNALS:
    void setupsChanged();

private:
    void useWebhook();
    void tellWhetherWatched();

    const Clock& m_clock;
    models::SecretStore& m_secrets;
    ui::Keychain m_keychain = ui::Keychain::Unknown;
    QJsonObject m_setups;
    models::AlertBoard m_board;
    AlertTeller m_teller;
    QString m_source;
    bool m_lost = false; // of what the webhook was told last
    QHash<QString, QString> m_known; // of this run: connection -> secret
};

} // namespace fencepost::app
