// SPDX-License-Identifier: Apache-2.0
#include "core/store/in_transaction.h"
#include "core/store/journal.h"
#include "core/store/judge.h"
#include "core/store/record_row.h"
#include "core/store/sql_store.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

// None: the statement met nothing, and decide() must say why.
Result<std::optional<Applied>> SqlStore::changeHot(const Change& change, const Parameters& parameters)
{
    auto met = meet(change.sql, parameters);
    if (!met)
        return met.error();
    if (!met->won)
        return std::optional<Applied>();
    if (isSqlite() && change.journalled)
        if (const auto noted = journalWon(*met, change.event, change.reason); !noted)
            return noted.error();
    return std::optional(Applied{ Outcome::Applied, change.reason, std::move(met->record), met->now });
}

Result<Applied> SqlStore::change(const Change& change, Parameters parameters)
{
    if (const auto checked = check(change.claim); !checked)
        return checked.error();
    if (!isSqlite()) {
        auto applied = changeHot(change, parameters);
        if (!applied)
            return applied.error();
        if (*applied)
            return std::move(**applied);
    }
    std::optional<Record> before;
    auto applied = inTransaction(m_connection, [&]() -> Result<Applied> {
        if (isSqlite()) {
            parameters.setTime("now", m_clock.clock->now());
            auto hot = changeHot(change, parameters);
            if (!hot)
                return hot.error();
            if (*hot)
                return std::move(**hot);
        }
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
    const auto state = std::string(wordOf(shownState(before, applied.now)));
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
    auto parameters = parametersOf(claim, bound());
    parameters.integer("lease", lease.count());
    const auto trigger = [&] {
        auto renewing = triggerOf(Event::Renew, claim);
        renewing.lease = lease;
        return renewing;
    };
    return change({ sql::renew, Event::Renew, claim, trigger, "renewed", false }, std::move(parameters));
}

Result<Applied> SqlStore::advance(
    const Claim& claim, const std::string& recoveryPoint, const std::optional<std::string>& data)
{
    auto parameters = parametersOf(claim, bound());
    parameters.text("recovery_point", recoveryPoint).text("recovery_data", data);
    const auto trigger = [&] {
        auto advancing = triggerOf(Event::Advance, claim);
        advancing.recoveryPoint = recoveryPoint;
        advancing.recoveryData = data;
        return advancing;
    };
    return change(
        { sql::advance, Event::Advance, claim, trigger, "recovery point " + recoveryPoint }, std::move(parameters));
}

Result<Applied> SqlStore::finalize(const Claim& claim, const Completion& completion)
{
    const CompletionColumns columns(completion);
    auto parameters = parametersOf(claim, bound());
    columns.addTo(parameters, State::Succeeded, Event::Finalize, finalizedReason);
    const auto trigger = [&] { return triggerOf(Event::Finalize, claim, completion); };
    return change({ sql::complete, Event::Finalize, claim, trigger, finalizedReason }, std::move(parameters));
}

Result<Applied> SqlStore::fail(const Claim& claim, const Failing& failing)
{
    const CompletionColumns columns(failing.completion);
    auto parameters = parametersOf(claim, bound());
    const auto trigger = [&] {
        auto failed = triggerOf(Event::Fail, claim, failing.completion);
        failed.retryable = failing.retryable;
        failed.retryAfter = failing.retryAfter;
        return failed;
    };
    if (failing.retryable) {
        parameters.integer("retry_after", failing.retryAfter.count()).text("error_code", failing.completion.errorCode);
        return change({ sql::delay, Event::Fail, claim, trigger, "failed, may be retried" }, std::move(parameters));
    }
    columns.addTo(parameters, State::FailedFinal, Event::Fail, failedReason);
    return change({ sql::complete, Event::Fail, claim, trigger, failedReason }, std::move(parameters));
}

Result<Applied> SqlStore::hold(const Claim& claim, const std::string& reason)
{
    const auto words = reason.empty() ? std::string("outcome_unknown") : reason;
    auto parameters = parametersOf(claim, bound());
    parameters.text("reason", words).text("by", claim.owner.uuid);
    const auto trigger = [&] {
        auto holding = triggerOf(Event::Hold, claim);
        holding.reason = words;
        return holding;
    };
    return change({ sql::hold, Event::Hold, claim, trigger, words }, std::move(parameters));
}

} // namespace fencepost::store
