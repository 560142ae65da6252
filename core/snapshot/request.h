// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/query/filter.h"
#include "core/snapshot/redaction_rules.h"

namespace fencepost {

struct SnapshotRequest {
    std::string path;
    bool replace = false; // an existing file
    std::string filterText; // as it was typed; empty: all
    FilterPtr filter;
    std::string binding; // the table that the filter is for; empty: every one that has its fields
    RedactionRules rules;
    std::string actor; // user@host
    std::string program; // "fencepostctl 1.0.0"
    std::function<bool()> stopped; // asked every some hundred rows
    // The table in hand and the rows read so far, of all of them; told every some hundred rows.
    std::function<void(const std::string& table, std::int64_t rows)> progress;
};

} // namespace fencepost
