// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/messaging/outbox_backlog.h"
#include "core/store/database.h"

namespace fencepost::store {

// Of outbox_messages, at that instant of the database's clock. Reads the unsent ones from their indexes, however many
// were sent.
[[nodiscard]] Result<OutboxBacklog> backlogOf(Connection& connection, Time now);
// The same without the keys that are blocked, for who asks often.
[[nodiscard]] Result<OutboxBacklog> unsentOf(Connection& connection, Time now);

} // namespace fencepost::store
