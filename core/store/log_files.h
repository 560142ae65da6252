// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evidence/import_request.h"
#include "core/random.h"

namespace fencepost::store {

// Reads all files of the request into one, piece by piece. Cancelled: it was stopped, and no file is left.
[[nodiscard]] ImportOutcome importLogs(const ImportRequest& request, Random& random);

} // namespace fencepost::store
