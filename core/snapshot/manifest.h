// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace fencepost {

inline constexpr int snapshotFormat = 1;

// One table of a snapshot.
struct SnapshotTable {
    std::string name;
    std::string source; // "schema.table" of the source
    std::string binding; // how it was called there; empty: no profile recognises it by itself
    std::int64_t rows = 0;
    std::string sha256; // of the canonical content, in hex

    bool operator==(const SnapshotTable&) const = default;
};

// One log that was read into a file which is no copy of a database.
struct ImportedFile {
    std::string name; // "-": standard input
    std::string format; // "JSON lines", "inbox" …; empty: JSON lines, of a version that knew no other
    std::optional<Time> linesAt; // where its lines stand, which tell no time
    std::int64_t size = 0; // in octets
    std::string sha256; // of all of them, in hex
    std::int64_t lines = 0; // that were read
    std::int64_t leftOut = 0; // of these: not understood
    std::int64_t repeated = 0; // of these: told before, octet by octet

    bool operator==(const ImportedFile&) const = default;
};

// What a snapshot says about itself.
struct SnapshotManifest {
    int format = snapshotFormat;
    std::string location; // of the source, without credentials
    std::string product;
    std::string version;
    std::string identity;
    std::optional<int> schemaVersion; // of Fencepost's own tables there
    Time takenAt; // by the source's clock
    std::string takenBy; // user@host
    std::string program;
    std::string filter; // empty: all rows
    std::string filterTable; // the binding that the filter was for; empty: every table that has its fields
    std::string rules; // their name
    std::string rulesDigest; // SHA-256 of their file in hex; empty: the standard ones
    std::vector<std::string> rulesInWords;
    bool saltKept = false; // the salt was the rules' own, so hashes of two snapshots can be compared
    std::vector<SnapshotTable> tables;
    std::vector<std::string> warnings;
    std::vector<ImportedFile> imported; // none: it was taken of a database

    bool operator==(const SnapshotManifest&) const = default;
};

// What opening a snapshot finds.
struct SealVerdict {
    bool sealed = false;
    std::string table; // where it was changed; empty: the manifest itself
    std::string reason;
};

// As JSON, members in one order: the form that the seal is made of.
[[nodiscard]] std::string textOf(const SnapshotManifest& manifest);
// Corrupt: it is no manifest. Unsupported: a newer format.
[[nodiscard]] Result<SnapshotManifest> parseManifest(std::string_view text);
// SHA-256 over the manifest's text, in hex.
[[nodiscard]] std::string sealOf(std::string_view manifestText);

} // namespace fencepost
