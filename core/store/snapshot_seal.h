// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/snapshot/manifest.h"
#include "core/store/catalog.h"
#include "core/store/database.h"

namespace fencepost::store {

// What a snapshot's file says about itself. None: it is no snapshot. Corrupt: it claims to be one and cannot be read.
[[nodiscard]] Result<std::optional<SnapshotManifest>> manifestOf(Connection& connection);
// Whether the file is one, without reading more.
[[nodiscard]] Result<bool> isSnapshot(Connection& connection);
// Denied: it is one, and nothing is written to a snapshot.
[[nodiscard]] Status refuseSnapshot(Connection& connection);
// Reads every row of the file.
[[nodiscard]] Result<SealVerdict> verifySnapshot(Connection& connection);

// Columns of a table in the order of its primary key, those of a table without one in their own order.
[[nodiscard]] std::vector<const CatalogColumn*> sortingColumns(const CatalogTable& table);
// SHA-256 over names, types and values of a table in the order of its key, in hex, and how many rows there are.
struct TableContent {
    std::int64_t rows = 0;
    std::string sha256;
};
[[nodiscard]] Result<TableContent> contentOf(Connection& connection, const CatalogTable& table);

} // namespace fencepost::store
