// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "core/forensics.h"
#include "core/result.h"

namespace fencepost::ui {

// fencepost://CONNECTION/PAGE[/BINDING]?filter=…&id=…&id=…&from=…&until=… — a place in the console. Names a connection,
// never how to reach it, and contains no secret.
struct Link {
    QString connection;
    QString page;
    QString binding;
    QString filter;
    std::vector<std::string> identity; // of one record: its dossier is opened
    std::optional<TimeRange> range = {}; // the time that is looked back on: it is frozen

    bool operator==(const Link&) const = default;
};

[[nodiscard]] bool isDeepLink(const QString& text); // by its scheme, in whatever case
[[nodiscard]] QString formatLink(const Link& link);
[[nodiscard]] Result<Link> parseLink(const QString& text);

} // namespace fencepost::ui
