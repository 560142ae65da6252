// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QTimer>

#include "app/console/alert_teller.h"
#include "core/clock.h"
#include "core/delivery/alert_webhook.h"
#include "core/random.h"
#include "core/retry/steady_clock.h"

namespace fencepost::app {

// The part of a teller that sends. Used by its thread only, and made before that runs.
class AlertPost : public QObject {
    Q_OBJECT
public:
    explicit AlertPost(Duration first);
    ~AlertPost() override;

    void use(const AlertTeller::Address& address);
    void tell(const AlertChange& change);
    void tellWhetherWatched(bool watched, Time at);

Q_SIGNALS:
    void problemChanged(const QString& problem);

private:
    void make();
    void begin();
    void look();
    void say(const QString& problem);

    const Duration m_first;
    const retry::SteadyClock m_steady;
    const SystemClock m_wall;
    SystemRandom m_random;
    AlertTeller::Address m_address;
    std::unique_ptr<delivery::AlertWebhook> m_webhook;
    QTimer* m_looks; // while something is on its way
    QTimer* m_again; // until the next attempt
    int m_failed = 0; // attempts in a row
    QString m_problem;
};

} // namespace fencepost::app
