// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/inspector.h"
#include "models/trail.h"

namespace fencepost::models {

// What happened to one row, from its journal or else its own instants, its failed attempts and its conflicts.
[[nodiscard]] std::vector<Happening> happeningsOf(const TrailRow& row, const RowDetails& details);
[[nodiscard]] Happening happeningOf(std::size_t source, const AuditEntry& entry);

} // namespace fencepost::models
