// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/run_journal.h"
#include "core/store/database.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

// operation_runs and run_items. Every call is a transaction of its own, or joins the one that is open.
class Runs final : public RunJournal {
public:
    Runs(Connection& connection, StoreClock clock);

    Result<OperationRun> begin(const OperationRun& run) override;
    Result<std::vector<OperationRun>> list(int limit) override;
    Result<std::optional<OperationRun>> find(const std::string& requestId) override;
    Result<std::optional<RunStanding>> standing(const std::string& requestId) override;
    Result<bool> claim(const std::string& requestId, const std::string& runner) override;
    Status release(const std::string& requestId, const std::string& runner) override;
    Result<bool> enter(const std::string& requestId, RunPhase phase, const std::string& because) override;
    Result<bool> setSettings(const std::string& requestId, const std::string& settings) override;
    Status put(const std::string& requestId, const std::vector<RunItem>& items) override;
    Result<std::vector<RunItem>> items(const std::string& requestId) override;
    Result<std::vector<FateEvidence>> fates(const std::vector<std::string>& letters) override;
    // Forgets runs that were over longer ago than this, with their items. Answers how many.
    Result<int> purge(Duration retention, int batch);

private:
    Status checkSchema();
    Status catchUp(const std::string& requestId);
    Result<bool> changesOne(const NamedSql& sql, const Parameters& parameters);
    [[nodiscard]] std::optional<Time> now() const;

    Connection& m_connection;
    StoreClock m_clock;
    bool m_schemaIsKnown = false;
};

} // namespace fencepost::store
