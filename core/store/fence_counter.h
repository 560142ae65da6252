// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ids.h"
#include "core/store/database.h"

namespace fencepost::store {

// The store-wide counter, inside the caller's transaction and behind the lock of the record that it is drawn for.

// Above every fence that was drawn before, and above the record's own.
Result<Fence> drawFence(Connection& connection, Fence above);
// The counter must not be behind a fence that was given out, or a record that is deleted and reserved again would get
// an older one.
Status reachFence(Connection& connection, Fence fence);
// SQLite: what the transaction drew and its commit is about to make durable.
Status writeDrawnFence(Connection& connection);

} // namespace fencepost::store
