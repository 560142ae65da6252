// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "core/ids.h"
#include "core/operations/effects.h"
#include "core/operations/foresight.h"
#include "core/operations/operation.h"
#include "core/protocol/outbound_call.h"
#include "core/store/image_json.h"
#include "core/store/intervention.h"
#include "core/store/record_calls.h"
#include "core/store/record_row.h"
#include "core/store/row_change.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

namespace {

using nlohmann::json;

std::optional<std::string> parameter(const Change& change, const char* name)
{
    const auto found = change.parameters.find(name);
    return found == change.parameters.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<std::int64_t>> integer(const Change& change, const char* name)
{
    const auto text = parameter(change, name);
    if (!text)
        return std::optional<std::int64_t>();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (problem != std::errc() || end != text->data() + text->size())
        return invalid(std::string("The parameter ") + name + " is no integer: " + *text);
    return std::optional(value);
}

Status addResolution(const Change& change, Trigger& trigger)
{
    const auto as = parameter(change, "as").value_or("");
    const auto resolution = operation::resolutionOf(as);
    if (!resolution)
        return invalid("A hold is resolved as succeeded, failed, retryable or takeover, not \"" + as + "\"");
    trigger.resolution = *resolution;
    const auto evidence = parameter(change, "evidence");
    if (!evidence)
        return invalid("A hold is resolved with evidence");
    trigger.reason += "; evidence: " + *evidence;
    if (const auto reference = parameter(change, "reference")) {
        const auto colon = reference->find(':');
        if (colon == std::string::npos)
            return invalid("The reference has no form TYPE:ID");
        trigger.response.refType = reference->substr(0, colon);
        trigger.response.refId = reference->substr(colon + 1);
    }
    return {};
}

Status addExpiry(const Change& change, Trigger& trigger)
{
    if (trigger.event == Event::OperatorExpire) {
        const auto tombstone = parameter(change, "tombstone");
        if (!tombstone || *tombstone == "none")
            return {};
        const auto length = parseDuration(*tombstone);
        if (!length)
            return length.error();
        if (const auto checked = checkSpan(*length); !checked)
            return checked;
        trigger.tombstone = *length;
        return {};
    }
    const auto expiresAt = integer(change, "expires_at");
    if (!expiresAt)
        return expiresAt.error();
    if (!*expiresAt)
        return invalid("The audit does not say when the key would have expired");
    trigger.expiresAt = timeFromMicros(**expiresAt);
    return {};
}

Result<Trigger> triggerOf(const Change& change, Random& random)
{
    const auto event = operation::eventOfVerb(change.verb);
    if (!event)
        return Error{ Failure::Unsupported, "Records have no operation \"" + change.verb + "\"", {} };
    if (!change.seenFence)
        return invalid("The change does not say which fence was seen");
    auto id = recordIdOf(change.identity);
    if (!id)
        return id.error();
    Trigger trigger;
    trigger.event = *event;
    trigger.id = std::move(*id);
    trigger.owner = { uuid4(random) };
    trigger.fence = { *change.seenFence };
    trigger.reason = change.reason;
    trigger.actor = change.actor;
    const auto live = change.seen.find(seenLive);
    trigger.seenLive = live != change.seen.end() && live->second == "true";
    if (const auto noHold = parameter(change, "no_hold")) {
        trigger.noHold = true;
        trigger.reason += "; not held: " + *noHold;
    }
    if (const auto undone = parameter(change, effectUndone))
        trigger.reason += "; taken back: " + *undone;
    const auto code = integer(change, "response_code");
    if (!code)
        return code.error();
    if (*code)
        trigger.response.code = static_cast<int>(**code);
    trigger.errorCode = parameter(change, "error_code");
    Status status;
    if (*event == Event::OperatorResolve)
        status = addResolution(change, trigger);
    else if (*event == Event::OperatorExpire || *event == Event::Unexpire)
        status = addExpiry(change, trigger);
    if (!status)
        return status.error();
    return trigger;
}

json hex(const std::optional<Bytes>& bytes)
{
    return bytes ? json(toHex(*bytes)) : json();
}

json digest(const std::optional<Bytes>& bytes)
{
    return bytes ? json{ { "octets", bytes->size() }, { "sha256", toHex(sha256(*bytes)) } } : json();
}

// Empty: the record is the one that was seen. The fence is compared by decide().
std::string movedOn(const Change& change, const std::optional<Record>& before, Time now)
{
    const auto seen = [&](const char* name) {
        const auto found = change.seen.find(name);
        return found == change.seen.end() ? std::string() : found->second;
    };
    if (!before)
        return {};
    if (const auto created = seen(seenCreatedAt);
        !created.empty() && created != std::to_string(microsOf(before->createdAt)))
        return "it moved on: the key has another record now";
    if (change.seenFence && before->fence.value != *change.seenFence)
        return {};
    if (isLive(*before, now) && seen(seenLive) == "false")
        return "it moved on: its owner renewed the lease, which is live again";
    // The owner's own steps keep the fence: what it finished, gave up or held is no longer what the plan speaks of.
    if (const auto state = wordOf(shownState(*before, now)); !change.seenState.empty() && state != change.seenState)
        return "it moved on: it was " + change.seenState + ", it is " + std::string(state) + " now";
    const auto updated = seen(seenUpdatedAt);
    const bool heartbeats = seen(seenLive) == "true" && before->status == State::InProgress && !before->hold;
    if (!updated.empty() && !heartbeats && updated != std::to_string(microsOf(before->updatedAt)))
        return "it moved on: it was changed since the plan was made";
    return {};
}

Result<RecordCalls> callsOf(Connection& connection, const Record& record, Time now)
{
    auto calls =
        store::callsOf(connection, { { record.id, record.requestHash, record.startedAt, record.attempt } }, now);
    return calls ? Result<RecordCalls>(std::move(calls->front())) : calls.error();
}

// Whoever was fenced still tells what became of its call, without touching the record. Empty: nothing stands in the
// way.
Result<std::string> whyNotByCalls(
    Connection& connection, const Change& change, const Record& before, const Record& after, Time now)
{
    const auto* operation = findOperation(change.verb);
    const auto seen = change.seen.find(seenCalls);
    const bool takenBack = parameter(change, effectUndone).has_value();
    const bool closes = operation::closesKey(after, now);
    if (operation == nullptr || !operation->looksAtCalls || (seen == change.seen.end() && (takenBack || !closes)))
        return std::string();
    const auto calls = callsOf(connection, before, now);
    if (!calls)
        return calls.error();
    const auto& done = calls->done;
    const auto& open = calls->open;
    if (seen != change.seen.end() && seen->second != operation::seenCallsOf(done, open))
        return "it moved on: what is known of its vendor calls has changed"
            + (done.empty() ? std::string() : "; done: " + done)
            + (open.empty() ? std::string() : "; nobody knows what became of: " + open);
    return closes && !done.empty() && !takenBack ? operation::whyNotDone(done) : std::string();
}

// What was done, as far as the plan saw it, is said to have been taken back.
bool sawDone(const Change& change)
{
    const auto seen = change.seen.find(seenCalls);
    return seen != change.seen.end() && seen->second.rfind('\n', 0) != 0 && parameter(change, effectUndone);
}

// The key is closed: in its next life nobody is answered with what is no longer done.
Status takeBack(Connection& connection, const Record& record, Time now)
{
    const auto calls = callsOf(connection, record, now);
    if (!calls)
        return calls.error();
    for (const auto& [id, step] : calls->doneCalls) {
        const auto taken = connection.native().run(sql::call_take_back,
            Parameters()
                .text("vendor", id.vendor)
                .text("vendor_operation", id.operation)
                .octets("call_key", id.key)
                .text("error_code", takenBackCode)
                .time("now", now));
        if (!taken)
            return taken.error();
        const auto effects = connection.native().run(sql::effect_take_back,
            Parameters().octets("effect_id", effectKey(record.id, record.requestHash, step)).time("now", now));
        if (!effects)
            return effects.error();
    }
    return {};
}

} // namespace

std::string imageOf(const Record& record)
{
    const json image = { { "scope", record.id.scope }, { "operation_type", record.id.operation },
        { "idempotency_key", record.id.key }, { "request_hash", toHex(record.requestHash) },
        { "status", wordOf(record.status) }, { "owner_execution_id", record.owner.uuid },
        { "fence", record.fence.value }, { "attempt", record.attempt },
        { "lease_expires_at", micros(record.leaseExpiresAt) }, { "not_before", micros(record.notBefore) },
        { "hold", record.hold }, { "hold_reason", orNull(record.holdReason) }, { "hold_by", orNull(record.holdBy) },
        { "recovery_point", record.recoveryPoint }, { "response_code", orNull(record.response.code) },
        { "response_body", digest(record.response.body) }, { "response_body_digest", hex(record.response.bodyDigest) },
        { "response_ref_type", orNull(record.response.refType) }, { "response_ref_id", orNull(record.response.refId) },
        { "error_code", orNull(record.errorCode) }, { "created_at", microsOf(record.createdAt) },
        { "started_at", microsOf(record.startedAt) }, { "updated_at", microsOf(record.updatedAt) },
        { "completed_at", micros(record.completedAt) }, { "expires_at", microsOf(record.expiresAt) },
        { "takeover_policy", wordOf(record.takeover) }, { "max_attempts", record.maxAttempts },
        { "tombstone_until", micros(record.tombstoneUntil) } };
    return image.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<RowChange> changeRecord(Connection& connection, const Change& change, const DecidingClock& now, Random& random)
{
    auto trigger = triggerOf(change, random);
    if (!trigger)
        return trigger.error();
    auto met = interveneWithin(connection, *trigger, now);
    if (!met)
        return met.error();
    if (auto why = movedOn(change, met->before, met->applied.now); !why.empty())
        return RowChange{ ItemResult::Skipped, std::move(why), {}, {} };
    if (met->applied.outcome != Outcome::Applied)
        return RowChange{ ItemResult::Skipped, met->applied.reason, {}, {} };
    if (met->before && met->applied.record) {
        const auto why = whyNotByCalls(connection, change, *met->before, *met->applied.record, met->applied.now);
        if (!why)
            return why.error();
        if (!why->empty())
            return RowChange{ ItemResult::Skipped, *why, {}, {} };
        if (sawDone(change) && operation::closesKey(*met->applied.record, met->applied.now))
            if (const auto forgotten = takeBack(connection, *met->before, met->applied.now); !forgotten)
                return forgotten.error();
    }
    return RowChange{ ItemResult::Changed, {}, met->before ? imageOf(*met->before) : std::string(),
        met->applied.record ? imageOf(*met->applied.record) : std::string() };
}

} // namespace fencepost::store
