// SPDX-License-Identifier: Apache-2.0
#include "core/store/in_transaction.h"
#include "core/store/journal.h"
#include "core/store/judge.h"
#include "core/store/record_row.h"
#include "core/store/sql_store.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

Result<Applied> SqlStore::change(const Change& change)
{
    if (const auto checked = check(change.claim); !checked)
        return checked.error();
    if (!isSqlite()) {
        auto met = change.hot();
        if (!met)
            return met.error();
        if (met->won)
            return Applied{ Outcome::Applied, change.reason, std::move(met->record), met->now };
    }
    std::optional<Record> before;
    auto applied = inTransaction(m_connection, [&]() -> Result<Applied> {
        auto judged = judge(m_connection, change.trigger(), change.claim.owner.uuid, bound());
        if (!judged)
            return judged.error();
        before = std::move(judged->before);
        auto& decision = judged->decision;
        return Applied{ decision.outcome, std::move(decision.reason), std::move(decision.record), judged->now };
    });
    if (!applied || applied->outcome != Outcome::LostOwnership || !before)
        return applied;
    return noteFenced(change, *before, std::move(*applied));
}

Result<Applied> SqlStore::noteFenced(const Change& change, const Record& before, Applied applied)
{
    const auto& claim = change.claim;
    const auto state = wordOf(shownState(before, applied.now));
    const auto noted = noteConflict(m_connection,
        { .id = claim.id,
            .presentedHash = sha256(claim.owner.uuid + ":" + std::to_string(claim.fence.value)),
            .kind = "fenced",
            .principal = claim.owner.uuid,
            .lastAt = applied.now },
        { .id = claim.id,
            .fromState = state,
            .toState = state,
            .event = "fenced",
            .fence = claim.fence,
            .attempt = before.attempt,
            .owner = claim.owner.uuid,
            .actor = claim.owner.uuid,
            .reason = std::string(wordOf(change.event)) + ": " + applied.reason,
            .at = applied.now });
    if (!noted)
        return noted.error();
    return applied;
}

Result<Applied> SqlStore::renew(const Claim& claim, Duration lease)
{
    if (lease <= Duration(0))
        return Error{ Failure::Invalid, "A lease must last longer than nothing", {} };
    if (const auto checked = checkSpan(lease); !checked)
        return checked.error();
    const auto trigger = [&] {
        auto renewing = triggerOf(Event::Renew, claim);
        renewing.lease = lease;
        return renewing;
    };
    const auto hot = [&] { return meet(sql::renew, parametersOf(claim, bound()).integer("lease", lease.count())); };
    return change({ Event::Renew, claim, trigger, hot, "renewed" });
}

Result<Applied> SqlStore::advance(
    const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data)
{
    if (isBlank(recoveryPoint))
        return Error{ Failure::Invalid, "A recovery point needs a name", {} };
    const auto trigger = [&] {
        auto advancing = triggerOf(Event::Advance, claim);
        advancing.recoveryPoint = recoveryPoint;
        advancing.recoveryData = data;
        return advancing;
    };
    const auto hot = [&] {
        return meet(sql::advance,
            parametersOf(claim, bound()).text("recovery_point", recoveryPoint).text("recovery_data", data));
    };
    return change({ Event::Advance, claim, trigger, hot, "recovery point " + recoveryPoint });
}

Result<SqlStore::Met> SqlStore::meetCompletion(
    const Claim& claim, const Completion& completion, Event event, State state, const char* reason)
{
    const CompletionColumns columns(completion);
    auto parameters = parametersOf(claim, bound());
    columns.addTo(parameters, state, event, reason);
    return meet(sql::complete, parameters);
}

Result<Applied> SqlStore::finalize(const Claim& claim, const Completion& completion)
{
    if (const auto checked = checkSpan(completion.ttl); !checked)
        return checked.error();
    const auto trigger = [&] { return triggerOf(Event::Finalize, claim, completion); };
    const auto hot = [&] {
        return meetCompletion(claim, completion, Event::Finalize, State::Succeeded, finalizedReason);
    };
    return change({ Event::Finalize, claim, trigger, hot, finalizedReason });
}

Result<Applied> SqlStore::fail(const Claim& claim, const Failing& failing)
{
    for (const auto& span : { failing.completion.ttl, std::optional(failing.retryAfter) })
        if (const auto checked = checkSpan(span); !checked)
            return checked.error();
    const auto trigger = [&] {
        auto failed = triggerOf(Event::Fail, claim, failing.completion);
        failed.retryable = failing.retryable;
        failed.retryAfter = failing.retryAfter;
        return failed;
    };
    const auto hot = [&] {
        if (!failing.retryable)
            return meetCompletion(claim, failing.completion, Event::Fail, State::FailedFinal, failedReason);
        return meet(sql::delay,
            parametersOf(claim, bound())
                .integer("retry_after", failing.retryAfter.count())
                .text("error_code", failing.completion.errorCode));
    };
    return change({ Event::Fail, claim, trigger, hot, failing.retryable ? "failed, may be retried" : failedReason });
}

Result<Applied> SqlStore::hold(const Claim& claim, const std::string& reason)
{
    const auto words = reason.empty() ? std::string("outcome_unknown") : reason;
    const auto trigger = [&] {
        auto holding = triggerOf(Event::Hold, claim);
        holding.reason = words;
        return holding;
    };
    const auto hot = [&] {
        return meet(sql::hold, parametersOf(claim, bound()).text("reason", words).text("by", claim.owner.uuid));
    };
    return change({ Event::Hold, claim, trigger, hot, words });
}

} // namespace fencepost::store
