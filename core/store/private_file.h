// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/store/database.h"

namespace fencepost::store {

// A SQLite file of the program's own, made where it is missing. What it keeps is for nobody else to read: a file or a
// folder that is made here is its owner's alone; what was there keeps its rights. `what` is what errors call it.
[[nodiscard]] Result<std::unique_ptr<Connection>> openPrivateFile(const std::string& path, const std::string& what);

} // namespace fencepost::store
