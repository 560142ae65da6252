// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/forensics/alert.h"

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

// Where the rows are that an alert is about.
struct AlertPlace {
    QString page;
    QString binding; // empty: no table has most of them
    QString filter;
};

[[nodiscard]] AlertPlace alertPlace(
    const AlertRule& rule, const std::optional<AlertReading>& reading, const models::Session& session);

} // namespace fencepost::ui
