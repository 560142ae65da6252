// SPDX-License-Identifier: Apache-2.0
#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/sql_store.h"
#include "core/store/worker.h"

namespace fencepost::store {

Result<Applied> SqlStore::judgeAlone(const Trigger& trigger)
{
    auto met = inTransaction(m_connection, [&] { return interveneWithin(m_connection, trigger, bound()); });
    if (!met)
        return met.error();
    return std::move(met->applied);
}

Result<Applied> SqlStore::reconcile(
    const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor)
{
    return judgeAlone(triggerOf(id, seen, evidence, completion, actor));
}

Result<Applied> SqlStore::intervene(const Intervention& intervention)
{
    if (const auto checked = check(intervention); !checked)
        return checked.error();
    return judgeAlone(intervention.trigger);
}

} // namespace fencepost::store
