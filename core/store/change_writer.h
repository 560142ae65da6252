// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/random.h"
#include "core/store/audit_log.h"
#include "core/store/bindings.h"
#include "core/store/own_audit.h"
#include "core/store/profile_compiler.h"
#include "core/store/row_change.h"

namespace fencepost::store {

struct ChangeSettings {
    const Clock* clock = nullptr; // none: the system's
    bool bindClock = false; // PostgreSQL: decide by the clock above instead of the database's own
    std::string database; // DatabaseInfo::identity
    std::string auditPath; // the console's own audit file; empty: there is none
    Random* random = nullptr; // draws an operator's owner ids; none: the system's
};

// Every write of an operator: one transaction per row with its audit entry, which is unique for a plan's item. Where
// the target keeps no audit, the console's own file takes intent and outcome. Also the one door to either audit. Used
// by the connection's thread.
class ChangeWriter {
public:
    ChangeWriter(Connection& connection, Bindings& bindings, ChangeSettings settings);

    Result<ItemOutcome> apply(const Binding& binding, const Change& change);

    Result<bool> hasAudit();
    Status installAudit();
    Result<std::vector<AuditEntry>> audit(const AuditRequest& request);
    Result<AuditVerdict> verifyAudit();
    Result<AuditEntry> record(AuditEntry entry);

    // Fencepost's own tables without the audit that they were made with.
    static Error auditIsLost();

private:
    Result<ItemOutcome> applyBeside(const BoundProfile& bound, const Change& change);
    Result<ItemOutcome> applyOnce(const BoundProfile& bound, const Change& change);
    Result<ItemOutcome> applyWithIntent(const BoundProfile& bound, const Change& change);
    Result<std::optional<ItemOutcome>> settleIntent(const BoundProfile& bound, const Change& change);
    Status settleIntents();
    void letOthersIn();
    Result<ItemOutcome> concludeIntent(const AuditEntry& entry, const RowChange& done);
    Result<RowChange> change(const BoundProfile& bound, const Change& change);
    Result<RowChange> note(const BoundProfile& bound, const Change& change);
    void auditRefusal(const BoundProfile& bound, const Change& change, const ItemOutcome& outcome);

    static Result<ItemOutcome> repeated(const BoundProfile& bound, const Change& change, const AuditEntry& earlier);
    Result<bool> lostAudit();
    Status checkAudit();
    Status checkVersion();
    Result<AuditEntry> append(const AuditEntry& entry);
    Result<AuditEntry> entryOf(const BoundProfile& bound, const Change& change, const RowChange& done);
    Result<OwnAudit*> ownAudit();
    Status takeOver(OwnAudit& own);
    [[nodiscard]] DecidingClock deciding() const;
    Result<Time> now();

    Connection& m_connection;
    Bindings& m_bindings;
    ChangeSettings m_settings;
    SystemClock m_systemClock;
    SystemRandom m_systemRandom;
    AuditLog m_log;
    std::optional<bool> m_hasAudit;
    bool m_versionIsKnown = false;
    std::chrono::steady_clock::time_point m_othersWereIn{};
    bool m_intentsAreSettled = false;
    std::unique_ptr<OwnAudit> m_own;
};

} // namespace fencepost::store
