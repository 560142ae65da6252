// SPDX-License-Identifier: Apache-2.0
#include "core/store/judge.h"

#include <tuple>

#include "core/store/fence_counter.h"
#include "core/store/journal.h"
#include "core/store/record_row.h"
#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Error movedOn()
{
    // Cannot happen under the row's lock, unless somebody writes around it.
    return { Failure::Conflict, "The record was changed by somebody else", {} };
}

// Compare and swap: on what was judged.
Status swapped(Connection& connection, const NamedSql& sql, Parameters& parameters, const Record& before)
{
    addKey(parameters, before.id).integer("seen_fence", before.fence.value).text("seen_status", wordOf(before.status));
    const auto written = connection.native().run(sql, parameters);
    if (!written)
        return written.error();
    return *written == 1 ? Status() : Status(movedOn());
}

// SQLite, whose one write lock keeps every other insert out. False: there is a record of this id.
Result<bool> insertRecord(Connection& connection, const Record& record)
{
    Parameters parameters;
    addKey(parameters, record.id)
        .octets("request_hash", record.requestHash)
        .text("fingerprint_alg", record.fingerprintAlg)
        .octets("payload_hash", record.payloadHash)
        .text("status", wordOf(record.status))
        .text("owner", record.owner.uuid)
        .integer("fence", record.fence.value)
        .integer("attempt", record.attempt)
        .time("lease_expires_at", record.leaseExpiresAt)
        .text("recovery_point", record.recoveryPoint)
        .text("correlation_id", record.correlationId)
        .text("request_method", record.requestMethod)
        .text("request_target", record.requestTarget)
        .octets("request_body", record.requestBody)
        .time("created_at", record.createdAt)
        .time("started_at", record.startedAt)
        .time("updated_at", record.updatedAt)
        .time("expires_at", record.expiresAt)
        .text("takeover", wordOf(record.takeover))
        .integer("max_attempts", record.maxAttempts);
    const auto inserted = connection.native().run(sql::insert_record, parameters);
    return inserted ? Result<bool>(*inserted == 1) : Result<bool>(inserted.error());
}

// Of a record in work whose owner came to its end: most columns stay, and a statement that names them all takes twice
// as long.
bool onlyCompletes(const Record& before, const Record& after)
{
    const auto rest = [](const Record& record) {
        return std::tie(record.requestHash, record.fingerprintAlg, record.payloadHash, record.owner, record.fence,
            record.attempt, record.leaseExpiresAt, record.notBefore, record.hold, record.holdReason, record.holdBy,
            record.recoveryPoint, record.recoveryData, record.providerRequestId, record.correlationId,
            record.requestMethod, record.requestTarget, record.requestBody, record.startedAt, record.takeover,
            record.maxAttempts, record.tombstoneUntil);
    };
    return rest(before) == rest(after);
}

Status completeRecord(Connection& connection, const Record& before, const Record& after, Time now)
{
    const ResponseColumns response(after.response);
    Parameters parameters;
    parameters.text("status", wordOf(after.status)).text("previous_status", wordOf(shownState(before, now)));
    response.addTo(parameters);
    parameters.text("error_code", after.errorCode)
        .time("updated_at", after.updatedAt)
        .time("completed_at", after.completedAt)
        .time("expires_at", after.expiresAt);
    return swapped(connection, sql::complete_record, parameters, before);
}

Status updateRecord(Connection& connection, const Record& before, const Record& after, Time now)
{
    const ResponseColumns response(after.response);
    Parameters parameters;
    parameters.octets("request_hash", after.requestHash)
        .text("fingerprint_alg", after.fingerprintAlg)
        .octets("payload_hash", after.payloadHash)
        .text("status", wordOf(after.status))
        .text("previous_status", wordOf(shownState(before, now)))
        .text("owner", after.owner.uuid)
        .integer("fence", after.fence.value)
        .integer("attempt", after.attempt)
        .time("lease_expires_at", after.leaseExpiresAt)
        .time("not_before", after.notBefore)
        .boolean("hold", after.hold)
        .text("hold_reason", after.holdReason)
        .text("hold_by", after.holdBy)
        .text("recovery_point", after.recoveryPoint)
        .text("recovery_data", after.recoveryData);
    response.addTo(parameters);
    parameters.text("error_code", after.errorCode)
        .text("provider_request_id", after.providerRequestId)
        .text("correlation_id", after.correlationId)
        .text("request_method", after.requestMethod)
        .text("request_target", after.requestTarget)
        .octets("request_body", after.requestBody)
        .time("started_at", after.startedAt)
        .time("updated_at", after.updatedAt)
        .time("completed_at", after.completedAt)
        .time("expires_at", after.expiresAt)
        .text("takeover", wordOf(after.takeover))
        .integer("max_attempts", after.maxAttempts)
        .time("tombstone_until", after.tombstoneUntil);
    return swapped(connection, sql::write_record, parameters, before);
}

Status deleteRecord(Connection& connection, const Record& before)
{
    Parameters parameters;
    if (const auto deleted = swapped(connection, sql::delete_record, parameters, before); !deleted)
        return deleted;
    if (const auto forgotten = forgetConflicts(connection, before.id); !forgotten)
        return forgotten.error();
    return reachFence(connection, before.fence);
}

// Row 17.
bool beginsAnew(const Judged& judged)
{
    return judged.before && isTerminal(judged.before->status) && judged.decision.outcome == Outcome::Execute;
}

// The headers that were kept of a request end with its body. The tables of older versions have none.
Status forgetRequestHeaders(Connection& connection, const Judged& judged)
{
    const auto& after = judged.decision.record;
    const bool dropped =
        judged.before && judged.before->requestBody && after && (beginsAnew(judged) || !after->requestBody);
    if (!dropped)
        return {};
    const auto status = schemaStatus(connection);
    if (!status)
        return status.error();
    if (status->version.value_or(0) < schemaOfRequestHeaders)
        return {};
    Parameters parameters;
    addKey(parameters, after->id)
        .text("request_headers", std::optional<std::string>())
        .integer("fence", after->fence.value);
    const auto forgotten = connection.native().run(sql::keep_request_headers, parameters);
    return forgotten ? Status() : Status(forgotten.error());
}

Status writeRecord(Connection& connection, const Judged& judged)
{
    const auto& after = judged.decision.record;
    if (!judged.before) {
        const auto inserted = insertRecord(connection, *after);
        if (!inserted)
            return inserted.error();
        return *inserted ? Status() : Status(movedOn());
    }
    if (beginsAnew(judged))
        if (const auto forgotten = forgetConflicts(connection, judged.before->id); !forgotten)
            return forgotten.error();
    if (!after)
        return deleteRecord(connection, *judged.before);
    const auto& write = onlyCompletes(*judged.before, *after) ? completeRecord : updateRecord;
    if (const auto written = write(connection, *judged.before, *after, judged.now); !written)
        return written;
    return forgetRequestHeaders(connection, judged);
}

bool takesFence(const Judged& judged)
{
    const auto& after = judged.decision.record;
    return after && (!judged.before || after->fence != judged.before->fence);
}

Status journal(Connection& connection, const Judged& judged, Event event, const std::string& actor)
{
    const auto& decision = judged.decision;
    if (!decision.journalled)
        return {};
    const auto& last = decision.record ? *decision.record : *judged.before;
    return addTransition(connection,
        { .id = last.id,
            .fromState = wordOf(decision.from),
            .toState = wordOf(decision.to),
            .event = wordOf(event),
            .fence = last.fence,
            .attempt = last.attempt,
            .owner = last.owner.uuid,
            .actor = actor,
            .reason = decision.reason,
            .at = judged.now });
}

// Most keys that are reserved are new, and whoever inserts one need not look for it first. None: there is a record, or
// the key is refused without one.
Result<std::optional<Judged>> insertNew(
    Connection& connection, Trigger& trigger, const std::string& actor, Time now, const Completing& complete)
{
    auto* const counter = connection.drawnFence();
    const auto drawnBefore = counter == nullptr ? std::optional<Fence>() : *counter;
    const auto drawn = drawFence(connection, Fence{});
    if (!drawn)
        return drawn.error();
    trigger.nextFence = *drawn;
    std::optional<Judged> judged(Judged{ decide(std::nullopt, trigger, now), std::nullopt, now });
    if (judged->decision.writes && complete)
        complete(*judged->decision.record, judged->before);
    const auto inserted = judged->decision.writes ? insertRecord(connection, *judged->decision.record) : Result(false);
    if (!inserted)
        return inserted.error();
    if (!*inserted) {
        // Nobody got it: a transaction that only answers duplicates has nothing to write.
        if (counter != nullptr)
            *counter = drawnBefore;
        return std::optional<Judged>();
    }
    if (const auto noted = journal(connection, *judged, trigger.event, actor); !noted)
        return noted.error();
    return judged;
}

} // namespace

Result<Time> instantOf(Connection& connection, const std::optional<Time>& bound)
{
    if (bound)
        return *bound;
    Time now;
    const auto read = connection.native().run(
        sql::instant, Parameters().time("now", std::nullopt), [&](const NativeRow& row) { now = row.time(0); });
    if (!read)
        return read.error();
    return now;
}

Result<std::optional<Record>> findRecord(Connection& connection, const RecordId& id, bool locked)
{
    Parameters key;
    addKey(key, id);
    std::optional<Result<Record>> found;
    const auto read = connection.native().run(
        locked ? sql::find_locked : sql::find, key, [&](const NativeRow& row) { found = recordFrom(row, 0); });
    if (!read)
        return read.error();
    if (!found)
        return std::optional<Record>();
    if (!*found)
        return found->error();
    return std::optional<Record>(std::move(**found));
}

Result<Judged> judge(Connection& connection, Trigger trigger, const std::string& actor, const std::optional<Time>& now,
    const Completing& complete)
{
    const bool insertable = connection.dialect() == Dialect::Sqlite;
    if (insertable && trigger.event == Event::Reserve && now) {
        auto fresh = insertNew(connection, trigger, actor, *now, complete);
        if (!fresh)
            return fresh.error();
        if (*fresh)
            return std::move(**fresh);
    }
    auto before = findRecord(connection, trigger.id, true);
    if (!before)
        return before.error();
    // The clock is read behind the lock: a lease that was renewed while we waited must not look past.
    const auto instant = instantOf(connection, now);
    if (!instant)
        return instant.error();
    Judged judged{ decide(*before, trigger, *instant), std::move(*before), *instant };
    if (!judged.decision.writes || (!judged.before && !insertable))
        return judged;
    if (takesFence(judged)) {
        // Behind the lock as well: no later draw may stand in the record already.
        const auto drawn = drawFence(connection, judged.before ? judged.before->fence : Fence{});
        if (!drawn)
            return drawn.error();
        trigger.nextFence = *drawn;
        judged.decision = decide(judged.before, trigger, *instant);
    }
    if (complete && judged.decision.record)
        complete(*judged.decision.record, judged.before);
    if (const auto written = writeRecord(connection, judged); !written)
        return written.error();
    if (const auto noted = journal(connection, judged, trigger.event, actor); !noted)
        return noted.error();
    return judged;
}

Result<Intervened> interveneWithin(Connection& connection, const Trigger& trigger, const std::optional<Time>& now)
{
    auto judged = judge(connection, trigger, trigger.actor, now);
    if (!judged)
        return judged.error();
    auto& decision = judged->decision;
    return Intervened{ { decision.outcome, std::move(decision.reason), std::move(decision.record), judged->now },
        std::move(judged->before) };
}

} // namespace fencepost::store
