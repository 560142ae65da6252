// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "core/profile/profile.h"
#include "core/snapshot/difference.h"

namespace fencepost::store {

// What two snapshots are of. Unsupported: one of the files is none.
[[nodiscard]] Result<SnapshotPair> compareManifests(const std::string& first, const std::string& second);

// Table by table in the order of their names, rows in the order of their keys, in constant memory. `visit` answers
// whether it wants the next one. States are those that the profiles show, each by the clock of its own snapshot.
[[nodiscard]] Status diffSnapshots(const std::string& first, const std::string& second,
    const profile::Library& profiles, const std::function<bool(const SnapshotDifference&)>& visit);

} // namespace fencepost::store
