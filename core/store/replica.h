// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

namespace fencepost::store {

// The error of a statement that was refused because the session cannot write: on a replica arming it would not help,
// and the error says so. Others stay as they are.
[[nodiscard]] Status withReplicaNamed(Connection& connection, Status status);

} // namespace fencepost::store
