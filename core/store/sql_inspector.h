// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/clock.h"
#include "core/inspector.h"
#include "core/store/bindings.h"
#include "core/store/change_writer.h"
#include "core/store/profile_reader.h"
#include "core/store/record_calls.h"
#include "core/store/runs.h"
#include "core/store/sql_copier.h"
#include "core/store/sql_finder.h"
#include "core/store/sql_forensics.h"
#include "core/store/sql_table_mapper.h"

namespace fencepost::store {

// What the console and the command line see of one connection. Reads go through the profiles, every write through the
// change writer.
class SqlInspector final : public Inspector {
public:
    struct Settings {
        const Clock* clock = nullptr; // none: the system's
        bool bindClock = false; // PostgreSQL: decide by the clock above
        const profile::Library* profiles = nullptr; // not owned
        std::string auditPath; // the console's own audit file
        std::string identity; // empty: as it is found
        Random* random = nullptr; // none: the system's
        std::string only; // the one table that is asked for: views beside it are not run
    };

    // Answers an error where the database does not say who it is.
    static Result<std::unique_ptr<SqlInspector>> create(Connection& connection, const Settings& settings);

    Result<DatabaseInfo> info() override;
    Result<std::vector<Binding>> bindings(bool refresh) override;
    Result<std::vector<Unfit>> unfit() override;
    Result<Page> page(const Binding& binding, const PageRequest& request) override;
    Result<Counts> counts(const Binding& binding, const FilterPtr& filter, Duration budget) override;
    Result<std::optional<Row>> row(const Binding& binding, const std::vector<std::string>& identity) override;
    Result<std::optional<Row>> rowFor(const Binding& binding, const std::vector<std::string>& identity,
        const std::map<std::string, std::string>& parameters) override;
    Result<std::optional<RowDetails>> details(
        const Binding& binding, const std::vector<std::string>& identity, std::int64_t payloadLimit) override;
    Result<LetterGroups> letterGroups(const Binding& binding) override;
    Result<OutboxBacklog> outboxBacklog(const Binding& binding) override;
    Result<std::string> explain(const Binding& binding, const PageRequest& request) override;
    Result<std::string> sqlOf(
        const Binding& binding, const std::string& verb, const std::map<std::string, std::string>& parameters) override;
    Result<ItemOutcome> apply(const Binding& binding, const Change& change) override;
    Result<bool> hasAudit() override;
    Status installAudit() override;
    Result<std::vector<AuditEntry>> audit(const AuditRequest& request) override;
    Result<AuditVerdict> verifyAudit() override;
    Result<AuditEntry> record(const AuditEntry& entry) override;
    RunJournal* runs() override;
    Forensics* forensics() override;
    Finder& finder() { return m_finder; }
    TableMapper& mapper() { return m_mapper; }
    Copier* copier() override;

private:
    SqlInspector(Connection& connection, const Settings& settings);
    Status tellMore(const BoundProfile& bound, std::vector<Row*> rows, bool calls);
    Status addVerdicts(const std::vector<Row*>& rows);
    Result<std::optional<RowDetails>> callsAlone(const BoundProfile& bound, const std::vector<std::string>& identity);
    Result<std::vector<RecordCalls>> callsFor(const std::vector<Row*>& rows);
    Result<std::optional<Row>> readRow(const Binding& binding, const std::vector<std::string>& identity,
        const std::map<std::string, std::string>& parameters, bool calls);
    Result<std::optional<Row>> readAlone(const BoundProfile& bound, const std::vector<std::string>& identity,
        const std::map<std::string, std::string>& parameters);

    Connection& m_connection;
    SystemClock m_systemClock;
    std::string m_identity;
    SystemRandom m_random;
    Bindings m_bindings;
    ProfileReader m_reader;
    SqlFinder m_finder;
    std::unique_ptr<ChangeWriter> m_writer;
    Runs m_runs;
    SqlForensics m_forensics;
    SqlCopier m_copier;
    SqlTableMapper m_mapper;
};

// Everything of DatabaseInfo but the clock.
[[nodiscard]] Result<DatabaseInfo> describeDatabase(Connection& connection);

} // namespace fencepost::store
