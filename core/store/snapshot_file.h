// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/copier.h"
#include "core/snapshot/redaction_rules.h"
#include "core/store/database.h"

struct sqlite3_stmt;

namespace fencepost::store {

// The file of a snapshot while it is written: beside its name, as NAME.part, which nobody takes for a snapshot. It gets
// its name when it is whole, sealed and on the disk. What is not finished is removed.
class SnapshotFile {
public:
    using Added = std::function<Status(std::span<const CopiedValue> row)>;

    // Conflict: the file is there, or somebody else writes it now.
    static Result<std::unique_ptr<SnapshotFile>> create(const std::string& path, bool replace);
    ~SnapshotFile();
    SnapshotFile(const SnapshotFile&) = delete;
    SnapshotFile& operator=(const SnapshotFile&) = delete;

    // Fencepost's own tables by the schema's own statements, and which they are.
    Result<std::vector<CopiedTable>> makeOwnTables(Time at);
    // Somebody else's.
    Status makeTable(const CopiedTable& table);
    // The rows that follow go there; those before are flushed.
    Status into(const CopiedTable& table, const SnapshotRedaction& redaction);
    // The same, where a row whose key is there already is left alone. `added` is told of each that was not, as it was
    // read.
    Status intoOnce(const CopiedTable& table, const SnapshotRedaction& redaction, Added added);
    // It is redacted beside and written with one of the next ones: what is wrong with it may be said of those. Until
    // flush() the redaction is in use.
    Status add(std::span<const CopiedValue> row);
    // All that was added is in the file.
    Status flush();
    // Completes the manifest with what is in the file, seals it and gives the file its name.
    // Cancelled where `stopped` says so before it has it.
    Result<SnapshotManifest> finish(
        SnapshotManifest manifest, const std::vector<CopiedTable>& tables, const std::function<bool()>& stopped);

    // For what is remembered while it is written; temporary tables are no part of the file.
    [[nodiscard]] Connection& connection() { return *m_connection; }

private:
    struct Lock;
    struct Target;

    SnapshotFile(std::string path, std::unique_ptr<Lock> lock);
    Status prepareWriting();
    Status aim(const CopiedTable& table, const SnapshotRedaction& redaction, const std::string& onConflict);
    Status put(std::span<const CopiedValue> read, std::span<const CopiedValue> written);
    Status seal(SnapshotManifest& manifest, const std::vector<CopiedTable>& tables);
    Status publish();
    [[nodiscard]] Error error() const;

    std::string m_path;
    std::unique_ptr<Lock> m_lock;
    std::unique_ptr<Connection> m_connection;
    std::vector<std::string> m_indexes; // statements that make them when the rows are there
    std::unique_ptr<Target> m_target;
    bool m_finished = false;
};

} // namespace fencepost::store
