// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/ctl/output.h"
#include "core/inspector.h"

namespace fencepost::app {

// The forms in which the command line shows what it read; absent values are null.
[[nodiscard]] json toJson(const Row& row);
[[nodiscard]] json toJson(const JournalEntry& entry);
[[nodiscard]] json toJson(const Conflict& conflict);
[[nodiscard]] json toJson(const Payload& payload);
[[nodiscard]] json toJson(const AuditEntry& entry);
[[nodiscard]] json toJson(const std::vector<ActionParameter>& parameters);
[[nodiscard]] json toJson(const Binding& binding);

// What may be wrong with all that was read of the table, where something may.
void addWarnings(json& object, const Binding& binding);
// Why it is stuck, in one sentence, from the row's own lease and the database's clock.
[[nodiscard]] std::string whyStuck(const Row& row, Time now);

} // namespace fencepost::app
