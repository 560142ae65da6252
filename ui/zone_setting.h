// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "models/zone.h"

namespace fencepost::ui {

// The one time zone of the window, chosen in the status bar. Everything that shows an instant follows changed().
class ZoneSetting : public QObject {
    Q_OBJECT
public:
    explicit ZoneSetting(models::Zone zone, QObject* parent = nullptr)
        : QObject(parent)
        , m_zone(std::move(zone))
    {
    }

    [[nodiscard]] const models::Zone& value() const { return m_zone; }
    void set(const models::Zone& zone)
    {
        if (m_zone == zone)
            return;
        m_zone = zone;
        Q_EMIT changed();
    }

Q_SIGNALS:
    void changed();

private:
    models::Zone m_zone;
};

} // namespace fencepost::ui
