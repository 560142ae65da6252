// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/audit_log.h"
#include "core/store/chain_head.h"

namespace fencepost::store {

// The console's own audit file, an SQLite database: intent, write, outcome. What happened between an intent and a crash
// is found out by comparing the row with the intent's images. A file beside it says how far it had come: one that was
// emptied, taken away or put back from a backup is not written to, and is told from one that is whole.
class OwnAudit {
public:
    static Result<std::unique_ptr<OwnAudit>> open(const std::string& path);

    [[nodiscard]] Result<std::optional<AuditEntry>> find(const std::string& requestId, int item);
    [[nodiscard]] Result<std::optional<AuditEntry>> intentOf(const std::string& requestId, int item);
    // All of one database whose outcome is not known, newest first.
    [[nodiscard]] Result<std::vector<AuditEntry>> intents(const std::string& database);
    // On disk before the write is committed.
    Status intend(const AuditEntry& entry);
    // The outcome takes the intent's place. Of a change that somebody else has found done meanwhile: that entry.
    Result<AuditEntry> conclude(const AuditEntry& entry);
    // The write did not happen.
    Status withdraw(const std::string& requestId, int item);

    // Entries of one database, newest first; intents without an outcome lead as "in_doubt".
    [[nodiscard]] Result<std::vector<AuditEntry>> list(const AuditRequest& request, const std::string& database);
    [[nodiscard]] Result<AuditVerdict> verify();

private:
    OwnAudit(std::unique_ptr<Connection> connection, const std::string& path);

    Result<std::optional<std::string>> whatIsMissing(const ChainHead::Mark& mark);
    Status checkHead();

    std::unique_ptr<Connection> m_connection;
    AuditLog m_log;
    ChainHead m_head;
};

} // namespace fencepost::store
