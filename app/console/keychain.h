// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "core/time.h"
#include "models/secret_store.h"

namespace fencepost::app {

// The system's secret service. A service that does not answer in time counts as missing: without one, or with a locked
// one, a job may take half a minute or say that an entry is not there.
class SystemKeychain final : public QObject, public models::SecretStore {
    Q_OBJECT
public:
    enum class Health { Unknown, Usable, Missing };

    explicit SystemKeychain(Duration limit = std::chrono::seconds(4), QObject* parent = nullptr);

    // Writes, reads and deletes a sentinel: nothing less tells a locked keyring from an empty one.
    void probe();
    [[nodiscard]] Health health() const { return m_health; }

    QFuture<Result<std::optional<QString>>> read(const QString& name) override;
    QFuture<Status> write(const QString& name, const QString& secret) override;
    QFuture<Status> remove(const QString& name) override;

Q_SIGNALS:
    void healthChanged();

private:
    void settle(Health health);

    const Duration m_limit;
    Health m_health = Health::Unknown;
};

} // namespace fencepost::app
