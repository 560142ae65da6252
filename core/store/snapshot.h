// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/copier.h"
#include "core/random.h"
#include "core/snapshot/request.h"

namespace fencepost::store {

// Copies a world, or what a filter finds of it and what hangs on that, into one sealed file. Nothing is left behind
// where it fails.
[[nodiscard]] Result<SnapshotManifest> takeSnapshot(Copier& copier, const SnapshotRequest& request, Random& random);

} // namespace fencepost::store
