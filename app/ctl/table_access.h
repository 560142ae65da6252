// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ctl/context.h"

namespace fencepost::app {

struct OpenTable {
    Inspector* inspector = nullptr;
    Binding binding;
};

// The only table of the kind, or the one that --binding names; without a kind, that one of whatever kind it is.
[[nodiscard]] Result<OpenTable> openTable(
    Context& context, std::optional<Kind> kind, store::Access access = store::Access::ReadOnly);
[[nodiscard]] Error noSuchKey(const Binding& binding);
// Scope, operation and key as typed -> the primary key of the table. A table without scope or operation takes "" or "-"
// for them, or the key alone. NotFound and Conflict where not exactly one row has it.
[[nodiscard]] Result<std::vector<std::string>> identityOf(
    const OpenTable& table, const std::vector<std::string>& parts);

// The whole identity where a row has it, else as identityOf().
[[nodiscard]] Result<std::vector<std::string>> identityOrKey(
    const OpenTable& table, const std::vector<std::string>& parts);

// A connection to a database whose schema has inboxes and outboxes of this build.
[[nodiscard]] Result<std::unique_ptr<store::Connection>> messagesOf(Context& context, store::Access access);

} // namespace fencepost::app
