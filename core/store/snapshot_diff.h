// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "core/snapshot/manifest.h"

namespace fencepost::store {

enum class SnapshotChange { Added, Removed, Changed };
[[nodiscard]] std::string_view wordOf(SnapshotChange change) noexcept; // "added", "removed", "changed"

// One row that is not the same in both.
struct SnapshotDifference {
    SnapshotChange change = SnapshotChange::Changed;
    std::string table;
    std::vector<std::pair<std::string, std::string>> key; // column and value for the eye
    std::string from; // the state that is shown in the first one; empty: it has none, or is not there
    std::string to;
    std::vector<std::string> columns; // changed ones
};

struct SnapshotPair {
    SnapshotManifest first;
    SnapshotManifest second;
    std::vector<std::string> warnings; // why differences may not be what they look like
};

// What two snapshots are of. Unsupported: one of the files is none.
[[nodiscard]] Result<SnapshotPair> compareManifests(const std::string& first, const std::string& second);

// Table by table in the order of their names, rows in the order of their keys, in constant memory. `visit` answers
// whether it wants the next one. States are those that the profiles show, each by the clock of its own snapshot.
[[nodiscard]] Status diffSnapshots(const std::string& first, const std::string& second,
    const profile::Library& profiles, const std::function<bool(const SnapshotDifference&)>& visit);

} // namespace fencepost::store
