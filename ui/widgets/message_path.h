// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/inspector.h"
#include "core/messaging/delivery_attempt.h"
#include "ui/widgets/state_path.h"

namespace fencepost::ui {

// What a row of an inbox, an outbox or dead letters tells of its past. None of them has a journal.
struct MessageHistory {
    Kind kind = Kind::Outbox;
    Row row;
    std::optional<std::vector<DeliveryAttempt>> failures; // of all its lives; none: not kept, or unreadable
    std::vector<AuditEntry> audit; // what operators did to it, the newest first
    bool native = true; // false: another's table, of which the row is all that is known
};

// The path that is told by the row's own instants, its failed attempts and, of a dead letter, what operators did. What
// is not recorded is a step without its time, or a remark.
[[nodiscard]] StatePath pathOf(const MessageHistory& history);

} // namespace fencepost::ui
