// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QString>
#include <QStringList>
#include <QTimeZone>

#include "core/result.h"
#include "core/time.h"

namespace fencepost::models {

enum class Precision { Seconds, Milliseconds, Microseconds };

// How instants are shown: UTC, this computer's zone or any zone of the IANA database. Grid, clipboard and export all
// format through this one class, and always with the offset.
class Zone {
public:
    [[nodiscard]] static Zone utc();
    [[nodiscard]] static Zone local();
    // "UTC", "local" or an IANA name such as Europe/Berlin.
    [[nodiscard]] static Result<Zone> named(const QString& name);
    [[nodiscard]] static QStringList available();

    [[nodiscard]] QString name() const; // round-trips through named()
    [[nodiscard]] QString label(Time at) const; // "UTC", "Europe/Berlin +01:00", "local +01:00"
    [[nodiscard]] std::chrono::seconds offsetAt(Time at) const;
    // 2026-11-21T00:45:47.123+01:00; Z where the zone is UTC.
    [[nodiscard]] QString format(Time time, Precision precision = Precision::Milliseconds) const;
    [[nodiscard]] QString format(const std::optional<Time>& time, Precision precision = Precision::Milliseconds) const;

    bool operator==(const Zone& other) const { return m_kind == other.m_kind && m_zone == other.m_zone; }

private:
    enum class Kind { Utc, Local, Named };
    Zone(Kind kind, QTimeZone zone);

    Kind m_kind;
    QTimeZone m_zone;
};

// "7m 12s"; the age of an instant, or what is left until it, with "in" or "ago".
[[nodiscard]] QString durationText(Duration duration);
[[nodiscard]] QString relativeText(Time time, Time now);

} // namespace fencepost::models
