// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "core/backend.h"
#include "core/evidence/import_request.h"
#include "core/snapshot/difference.h"
#include "core/snapshot/request.h"

namespace fencepost::models {

// How snapshots are taken, made of logs, and compared. Made by the program, which alone knows stores; any thread may
// call it, one that may wait should.
class Snapshots {
public:
    virtual ~Snapshots() = default;

    // On the thread of the backend. Nothing is left behind where it fails or is stopped.
    [[nodiscard]] virtual Result<SnapshotManifest> take(Backend& backend, const SnapshotRequest& request) const = 0;
    // The same of logs.
    [[nodiscard]] virtual ImportOutcome import(const ImportRequest& request) const = 0;
    [[nodiscard]] virtual Result<SnapshotPair> compare(const std::string& first, const std::string& second) const = 0;
    // `visit` answers whether it wants the next one.
    [[nodiscard]] virtual Status differences(const std::string& first, const std::string& second,
        const std::function<bool(const SnapshotDifference&)>& visit) const = 0;
};

} // namespace fencepost::models
