// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/store.h"
#include "core/store/database.h"

namespace fencepost::store {

// An operator's event on one record and what it met: the images for the audit.
struct Intervened {
    Applied applied;
    std::optional<Record> before; // as it was when it was locked; none: there was no such record
};

// Store::intervene inside the caller's open transaction, with its journal row: locks the record, lets decide() judge the
// event, compares and swaps, draws the fence. Neither begins nor commits, so that an audit row can share the transaction.
// `now` none: the database's own clock (PostgreSQL); SQLite always gets it.
Result<Intervened> interveneWithin(Connection& connection, const Trigger& trigger, const std::optional<Time>& now);

} // namespace fencepost::store
