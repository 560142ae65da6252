// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/inspector.h"

namespace fencepost {
struct Operation;
}

namespace fencepost::ui {

// What the table's profile calls its action, or what Fencepost calls its own.
[[nodiscard]] QString titleOf(const Capability& capability);
// The same of an operation: a profile's action goes by its own name.
[[nodiscard]] QString titleIn(const Binding& binding, const Operation& operation);
// "Fence 3 owners", "Mark as failed: 3 rows".
[[nodiscard]] QString countedTitleIn(const Binding& binding, const Operation& operation, std::int64_t count);
// What an operation does in this table, in one sentence: a table of somebody else's does what its profile can do, not
// what Fencepost's own would.
[[nodiscard]] QString summaryIn(const Binding& binding, const Operation& operation);
// Why the request of an audit entry cannot be taken back; empty: it can. `binding` is null where the entry's table is
// not among those of this connection.
[[nodiscard]] QString whyNoUndo(const AuditEntry& entry, const Binding* binding);
// What taking it back does, or why it cannot be done.
[[nodiscard]] QString undoText(const AuditEntry& entry, const Binding* binding);

// A command's words as a shell takes them, each in quotes where it needs them.
[[nodiscard]] QString commandText(const std::vector<std::string>& words);

} // namespace fencepost::ui
