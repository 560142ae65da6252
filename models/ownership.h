// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/inspector.h"
#include "models/rows_model.h"

namespace fencepost::models {

// Who looks after a record and what is known about it, from the notes about it: what a newer note says holds, each
// word by itself.
struct Ownership {
    QString ticket;
    QString assignee;
    QStringList tags;
    std::optional<Time> quietUntil; // a known issue until then
    QString why; // the note that made it one
    QString by;

    [[nodiscard]] bool quiet(Time now) const { return quietUntil && *quietUntil > now; }
    bool operator==(const Ownership&) const = default;
};

// Of entries about one row, newest first.
[[nodiscard]] Ownership ownershipOf(const std::vector<AuditEntry>& entries);
// The rows of one table that are known issues at that time. Entries newest first.
[[nodiscard]] std::map<Identity, Ownership> knownIssues(
    const std::vector<AuditEntry>& entries, const std::string& binding, Time now);

} // namespace fencepost::models
