// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"

namespace fencepost::store {

class Connection;

// SQLite goes on with a file that was removed or replaced under it: what it reads there is history, and what it writes
// is gone with it. Unavailable says so, and whoever connects again reaches the file that is there now.
[[nodiscard]] Status checkFileInPlace(const Connection& connection);

} // namespace fencepost::store
