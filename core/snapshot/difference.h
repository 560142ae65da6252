// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/snapshot/manifest.h"

namespace fencepost {

enum class SnapshotChange { Added, Removed, Changed };
[[nodiscard]] std::string_view wordOf(SnapshotChange change) noexcept; // "added", "removed", "changed"

// One row that is not the same in both.
struct SnapshotDifference {
    SnapshotChange change = SnapshotChange::Changed;
    std::string table;
    std::string binding; // by which a snapshot's rows of that table are read; empty: by none
    std::vector<std::string> identity; // of the row in that binding
    std::vector<std::pair<std::string, std::string>> key; // column and value for the eye
    std::string from; // the state that is shown in the first one; empty: it has none, or is not there
    std::string to;
    std::vector<std::string> columns; // changed ones
};

// "IN_PROGRESS → SUCCEEDED"; the one state where the other is none or the same.
[[nodiscard]] std::string statesOf(const SnapshotDifference& difference);

struct SnapshotPair {
    SnapshotManifest first;
    SnapshotManifest second;
    std::vector<std::string> warnings; // why differences may not be what they look like
};

} // namespace fencepost
