// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/result.h"

namespace fencepost::store {

// Runs `body`, which makes tables that other processes may be making at this moment: whoever loses such a race runs it
// again and finds them made. A name that a table of another layout has already is Failure::Unsupported. `body` must be
// safe to run twice. Blocks as long as the database does.
[[nodiscard]] Status creating(const std::function<Status()>& body);

} // namespace fencepost::store
