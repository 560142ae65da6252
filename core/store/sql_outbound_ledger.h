// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"
#include "core/outbound_ledger.h"
#include "core/store/database.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

// The ledger beside the store on the same connection. Thread rule of OutboundLedger.
class SqlOutboundLedger final : public OutboundLedger {
public:
    SqlOutboundLedger(Connection& connection, StoreClock clock);

    Result<CallDecision> apply(const Vendor& vendor, const CallTrigger& trigger) override;
    Result<std::optional<OutboundCall>> find(const CallId& id) override;
    Result<std::vector<OutboundCall>> callsOf(const RecordId& record) override;
    Result<KeyLives> livesOf(const RecordId& record) override;
    Result<int> purge(int batch) override;
    // Whose outcome nobody knows, oldest first.
    Result<std::vector<OutboundCall>> openCalls(int batch);

private:
    Status addOfEffect(CallLedgerView& view, const CallTrigger& trigger);
    Result<CallDecision> judged(const Vendor& vendor, const CallTrigger& trigger);

    Connection& m_connection;
    StoreClock m_clock;
};

} // namespace fencepost::store
