// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/inspector.h"
#include "core/store/database.h"

namespace fencepost::store {

// What an empty chain ends with.
inline constexpr std::string_view genesis = "0000000000000000000000000000000000000000000000000000000000000000";

// The append-only, hash-chained record of what operators did: in the target beside the rows, or in the console's own
// file. Every entry carries the hash of the one before it, and one more row says how many there are and how the last
// one ends, so an entry can neither be changed nor taken away unnoticed.
class AuditLog {
public:
    explicit AuditLog(Connection& connection);

    [[nodiscard]] Result<bool> exists();
    // Creates the tables inside the caller's transaction; harmless where they are.
    Status create();
    // The same in a transaction of its own; safe from two processes at once.
    Status install();

    // All of these run inside the caller's transaction. lock() comes first in it: whoever appends waits there for the
    // others, and nobody can fork the chain.
    Status lock();
    // The entry of a plan's item: the change if there is one, else the latest.
    [[nodiscard]] Result<std::optional<AuditEntry>> find(const std::string& requestId, int item);
    // Fills seq, previous and hash.
    Result<AuditEntry> append(AuditEntry entry);

    // Newest first. `database` not empty: only its entries.
    [[nodiscard]] Result<std::vector<AuditEntry>> list(const AuditRequest& request, const std::string& database);
    // Whether an entry of that number has that hash. Of a chain that is intact, all before it are the same then too.
    [[nodiscard]] Result<bool> includes(std::int64_t seq, const std::string& hash);
    // Walks the whole chain in one snapshot, at constant memory.
    [[nodiscard]] Result<AuditVerdict> verify();

private:
    struct End {
        std::int64_t entries = 0;
        std::string hash;
    };
    Status start();
    Result<std::optional<End>> readEnd(const NamedSql& statement);
    Status checkWhole();
    Result<AuditVerdict> walk();

    Connection& m_connection;
    std::optional<End> m_end; // of the open transaction
    bool m_isWhole = false; // to this role
};

// Over every column and the hash before it.
[[nodiscard]] std::string hashOf(const AuditEntry& entry);
// JSON array of text.
[[nodiscard]] std::string identityText(const std::vector<std::string>& identity);

} // namespace fencepost::store
