// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/snapshot/manifest.h"
#include "core/snapshot/redaction_rules.h"
#include "core/time.h"

namespace fencepost {

// Of all files, as far as they are read.
struct ImportProgress {
    std::string file; // in hand; empty: all are read, and what they tell is sorted and sealed
    std::int64_t lines = 0;
    std::int64_t octets = 0;
};

// Which logs are made into one file that is read like a snapshot, and where that is.
struct ImportRequest {
    std::vector<std::string> files; // "-": standard input
    std::optional<Time> at; // of lines that tell no time; none: when their file was last changed
    std::string path;
    bool replace = false; // an existing file
    RedactionRules rules;
    std::string actor; // user@host
    std::string program; // "fencepostctl 1.0.0"
    Time now;
    std::function<bool()> stopped; // asked every some hundred lines
    std::function<void(const ImportProgress& progress)> progress; // told after each piece
};

// A line that was left out.
struct LeftOutLine {
    std::string file;
    std::int64_t line = 0;
    std::string reason; // with nothing of the line in it
};

struct ImportOutcome {
    std::vector<LeftOutLine> leftOut; // the first ten, and the first of each file
    Result<SnapshotManifest> manifest; // an error: no file is left
};

} // namespace fencepost
