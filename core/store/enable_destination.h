// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/inspector.h"
#include "core/store/database.h"

namespace fencepost::store {

// Outbox::enable by an operator: in one transaction with its entry in the audit, which says since when and why the
// destination was disabled. Of the entry, requestId, actor and reason are the caller's. False: it was not disabled, and
// nothing was written.
Result<bool> enableDestination(Connection& connection, const std::string& destination, AuditEntry entry);

} // namespace fencepost::store
