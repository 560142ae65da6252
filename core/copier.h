// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/copied_value.h"
#include "core/inspector.h"
#include "core/snapshot/manifest.h"

namespace fencepost {

// What a column is for, which decides how it is redacted.
enum class ColumnUse {
    Key, // rows are told apart or found together by it; hashes count as such
    Field, // the console shows it by the name of a field
    Other,
};

struct CopiedColumn {
    std::string name;
    std::string type; // as it is declared in the copy
    bool notNull = false;
    int keyPosition = 0; // from 1 within the primary key; 0: no part of it
    ColumnUse use = ColumnUse::Other;
};

struct CopiedIndex {
    std::vector<std::string> columns;
    bool unique = false;
};

// One table of the source and what becomes of it in the copy.
struct CopiedTable {
    std::string name; // in the copy
    std::string schema; // in the source; empty in SQLite
    std::string source; // in the source
    std::string binding; // the recognised table's; empty: it is none
    bool own = false; // Fencepost's
    std::vector<CopiedColumn> columns;
    std::vector<CopiedIndex> indexes;
};

struct CopySource {
    DatabaseInfo info; // its clock says when the copy was taken
    std::vector<CopiedTable> tables; // somebody else's, which a profile recognises
    std::vector<std::string> warnings; // what is there and cannot be copied
};

// False: no more rows are wanted.
using CopyVisitor = std::function<bool(std::span<const CopiedValue> row)>;

// What a backend offers for a snapshot: its tables as they are, in the values that the same profiles read in SQLite.
// Used by the thread of its backend; between begin() and end() everything is of one instant.
class Copier {
public:
    virtual ~Copier() = default;

    virtual Result<CopySource> begin() = 0;
    // One of Fencepost's own tables with those of `columns` that it has. None: it is not there.
    virtual Result<std::optional<CopiedTable>> ownTable(
        const std::string& name, const std::vector<CopiedColumn>& columns) = 0;
    // Whether the filter's fields are all fields of the table.
    virtual bool takes(const CopiedTable& table, const Filter& filter) = 0;
    // In the order of the primary key. Without a filter all of them.
    virtual Status rows(const CopiedTable& table, const FilterPtr& filter, const CopyVisitor& visit) = 0;
    // Those that have one of the keys in `columns`, in any order.
    virtual Status rowsOf(const CopiedTable& table, const std::vector<std::string>& columns,
        const std::vector<std::vector<std::string>>& keys, const CopyVisitor& visit) = 0;
    virtual void end() = 0;
    // The last fence that was drawn by now; none: nobody may know. Only of Fencepost's own tables, after end(): of all
    // rows that were copied it is none too low.
    virtual Result<std::optional<Fence>> lastFence() = 0;
    // Whether what is copied is in the file of that name, or partly so.
    [[nodiscard]] virtual bool isIn(const std::string& path) const = 0;

    // What the open database is a snapshot of. None: it is no snapshot.
    virtual Result<std::optional<SnapshotManifest>> manifest() = 0;
    // Reads the whole snapshot; takes as long as that takes.
    virtual Result<SealVerdict> verifySeal() = 0;
};

} // namespace fencepost
