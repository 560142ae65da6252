// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/sql_store.h"
#include "core/store/worker.h"

namespace fencepost::store {

namespace {

constexpr std::array operatorEvents = { Event::OperatorFence, Event::OperatorRelease, Event::OperatorResolve,
    Event::OperatorExpire, Event::OperatorFail, Event::Unexpire, Event::Reopen };

} // namespace

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
    return judgeAlone({ .event = Event::Reconcile,
        .id = id,
        .fence = seen,
        .ttl = completion.ttl,
        .evidence = evidence,
        .response = completion.response,
        .errorCode = completion.errorCode,
        .actor = actor });
}

Result<Applied> SqlStore::intervene(const Intervention& intervention)
{
    const auto& trigger = intervention.trigger;
    if (std::find(operatorEvents.begin(), operatorEvents.end(), trigger.event) == operatorEvents.end())
        return Error{ Failure::Invalid, "This is not an operator's event", std::string(wordOf(trigger.event)) };
    if (!isUuid(trigger.owner.uuid))
        return Error{ Failure::Invalid, "An owner is a UUID", trigger.owner.uuid };
    for (const auto& span : { trigger.tombstone, trigger.ttl })
        if (const auto checked = checkSpan(span); !checked)
            return checked.error();
    return judgeAlone(trigger);
}

} // namespace fencepost::store
