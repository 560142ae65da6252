// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/protocol/record.h"
#include "core/store/database.h"

namespace fencepost::store {

// A page of the records that are in progress or may be tried again, oldest first, behind `after`.
[[nodiscard]] Result<std::vector<Record>> unfinishedRecords(
    Connection& connection, const std::optional<Record>& after, int batch);

} // namespace fencepost::store
