// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/snapshot/redaction_rules.h"
#include "core/store/snapshot_file.h"

namespace fencepost::store {

// Makes the journal, the conflicts and the records of the lines in temp.imported, the inbox and the dead letters of
// those in temp.imported_deliveries. Cancelled where `stopped` says so.
[[nodiscard]] Status writeImportedRows(SnapshotFile& file, const std::vector<CopiedTable>& tables,
    const SnapshotRedaction& redaction, const std::function<bool()>& stopped);

} // namespace fencepost::store
