// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>

#include "core/forensics/alert.h"
#include "core/time.h"

namespace fencepost::app {

class AlertPost;

// Tells a webhook of alerts, on a thread of its own, so that neither a slow nor a failing one is felt in the window.
// What was not taken is sent again, later and later, and given up after some attempts. Meant for the GUI thread.
class AlertTeller : public QObject {
    Q_OBJECT
public:
    struct Address {
        QString url; // empty: nobody is told
        QString secret; // empty: nothing is signed
        QString source; // which console tells, without credentials

        bool operator==(const Address&) const = default;
    };
    // `first`: before the second attempt; each later one waits twice as long.
    explicit AlertTeller(Duration first = std::chrono::seconds(5), QObject* parent = nullptr);
    ~AlertTeller() override;

    void use(const Address& address);
    void tell(const AlertChange& change);
    void tellWhetherWatched(bool watched, Time at);
    // Why the last attempt was not taken and what is done about it, without credentials; empty: it was.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    static constexpr int attempts = 6;

Q_SIGNALS:
    void problemChanged();

private:
    void say(const QString& problem);

    Address m_address;
    QString m_problem;
    QThread m_thread;
    AlertPost* m_post; // lives in the thread, and goes with it
};

} // namespace fencepost::app
