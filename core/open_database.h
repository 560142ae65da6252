// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"

namespace fencepost {

// Invalid: SQLite keeps files beside it, so that some program has it open as a database. Reading it as anything else
// would cost this process the locks that it has on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
[[nodiscard]] Status checkNoOpenDatabase(const std::string& path);

} // namespace fencepost
