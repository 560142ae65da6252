// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/difference.h"

namespace fencepost {

std::string_view wordOf(SnapshotChange change) noexcept
{
    switch (change) {
    case SnapshotChange::Added:
        return "added";
    case SnapshotChange::Removed:
        return "removed";
    case SnapshotChange::Changed:
        return "changed";
    }
    return "";
}

std::string statesOf(const SnapshotDifference& difference)
{
    if (difference.from.empty() || difference.to.empty() || difference.from == difference.to)
        return difference.to.empty() ? difference.from : difference.to;
    return difference.from + " → " + difference.to;
}

} // namespace fencepost
