// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_outbound_ledger.h"

#include <algorithm>

#include "core/store/in_transaction.h"
#include "core/store/journal.h"
#include "core/store/judge.h"
#include "core/store/read_rows.h"
#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr std::size_t callKeySize = 32;

Status check(const Vendor& vendor, const CallTrigger& trigger)
{
    if (trigger.id.key.size() != callKeySize)
        return invalid("A call key has 32 octets", toHex(trigger.id.key));
    if (trigger.id.vendor != vendor.name || trigger.id.operation.empty())
        return invalid("A call names its vendor and the vendor's operation", trigger.id.vendor);
    if (vendor.timeout <= Duration(0))
        return invalid("A vendor's call ends some time", std::string(vendor.name));
    if (trigger.event == CallEvent::Reconcile)
        return {};
    if (!isUuid(trigger.owner.uuid))
        return invalid("An owner is a UUID", trigger.owner.uuid);
    const bool begins = trigger.event == CallEvent::Intend || trigger.event == CallEvent::Send;
    return begins && trigger.keep <= Duration(0) ? invalid("A call is remembered longer than nothing") : Status();
}

Parameters& addCall(Parameters& parameters, const CallId& id)
{
    return parameters.text("vendor", id.vendor).text("vendor_operation", id.operation).octets("call_key", id.key);
}

Result<OutboundCall> callFrom(const NativeRow& row)
{
    int column = 0;
    OutboundCall call;
    call.id.vendor = row.text(column++);
    call.id.operation = row.text(column++);
    call.id.key = row.text(column++);
    call.record = { row.text(column), row.text(column + 1), row.text(column + 2) };
    column += 3;
    call.step = row.text(column++);
    const auto state = outboundStateOf(row.octets(column++));
    if (!state || *state == OutboundState::Absent)
        return Error{ Failure::Corrupt, "A call holds a state that no call can have", row.text(column - 1) };
    call.state = *state;
    call.owner = { row.text(column++) };
    call.fence = { row.integer(column++) };
    call.sends = row.number(column++);
    call.openSends = row.number(column++);
    call.result.ref = row.optionalText(column++);
    call.result.reply = row.optionalText(column++);
    call.result.errorCode = row.optionalText(column++);
    call.createdAt = row.time(column++);
    call.updatedAt = row.time(column++);
    call.firstSentAt = row.optionalTime(column++);
    call.answerBy = row.optionalTime(column++);
    call.expiresAt = row.time(column++);
    return call;
}

Result<std::optional<OutboundCall>> findCall(Connection& connection, const NamedSql& sql, const CallId& id)
{
    Parameters parameters;
    addCall(parameters, id);
    return firstOf(readRows(connection, sql, parameters, callFrom));
}

Status putCall(Connection& connection, const OutboundCall& call)
{
    Parameters parameters;
    addKey(addCall(parameters, call.id), call.record)
        .text("step", call.step)
        .text("state", wordOf(call.state))
        .text("owner", call.owner.uuid)
        .integer("fence", call.fence.value)
        .integer("sends", call.sends)
        .integer("open_sends", call.openSends)
        .text("ref", call.result.ref)
        .octets("reply", call.result.reply)
        .text("error_code", call.result.errorCode)
        .time("created_at", call.createdAt)
        .time("updated_at", call.updatedAt)
        .time("first_sent_at", call.firstSentAt)
        .time("answer_by", call.answerBy)
        .time("expires_at", call.expiresAt);
    const auto put = connection.native().run(sql::call_put, parameters);
    return put ? Status() : Status(put.error());
}

} // namespace

SqlOutboundLedger::SqlOutboundLedger(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

Result<CallDecision> SqlOutboundLedger::apply(const Vendor& vendor, const CallTrigger& trigger)
{
    if (const auto checked = check(vendor, trigger); !checked)
        return checked.error();
    return inTransaction(m_connection, [&] { return judged(vendor, trigger); });
}

Result<CallDecision> SqlOutboundLedger::judged(const Vendor& vendor, const CallTrigger& trigger)
{
    // The record's lock comes first: who may send is the record's owner, and two of them meet there even where the call
    // has no row yet.
    CallLedgerView view;
    if (trigger.event == CallEvent::Intend || trigger.event == CallEvent::Send) {
        auto found = findRecord(m_connection, trigger.record, true);
        if (!found)
            return found.error();
        view.record = std::move(*found);
    }
    auto call = findCall(m_connection, sql::call_find_locked, trigger.id);
    if (!call)
        return call.error();
    view.found = std::move(*call);
    if (view.record)
        if (const auto added = addOfEffect(view, trigger); !added)
            return added.error();
    // Behind the locks, as for a record.
    const auto now = instantOf(m_connection, boundTime(m_connection, m_clock));
    if (!now)
        return now.error();
    auto decision = decideCall(view, vendor, trigger, *now);
    if (decision.writes)
        if (const auto put = putCall(m_connection, *decision.call); !put)
            return put.error();
    return decision;
}

// The lives of the record's key, and what was sent for the same effect in other ones, or to other vendors.
Status SqlOutboundLedger::addOfEffect(CallLedgerView& view, const CallTrigger& trigger)
{
    const auto calls = callsOf(trigger.record);
    if (!calls)
        return calls.error();
    for (const auto& other : *calls) {
        if (other.id == trigger.id || !isSameEffect(other.id.key, trigger.id.key))
            continue;
        auto locked = findCall(m_connection, sql::call_find_locked, other.id);
        if (!locked)
            return locked.error();
        if (*locked)
            view.others.push_back(std::move(**locked));
    }
    auto lives = livesOf(trigger.record);
    if (!lives)
        return lives.error();
    view.lives = std::move(*lives);
    return {};
}

Result<KeyLives> SqlOutboundLedger::livesOf(const RecordId& record)
{
    return store::livesOf(m_connection, record);
}

Result<std::optional<OutboundCall>> SqlOutboundLedger::find(const CallId& id)
{
    return findCall(m_connection, sql::call_find, id);
}

Result<std::vector<OutboundCall>> SqlOutboundLedger::callsOf(const RecordId& record)
{
    Parameters parameters;
    addKey(parameters, record);
    return readRows(m_connection, sql::calls_of, parameters, callFrom);
}

Result<std::vector<OutboundCall>> SqlOutboundLedger::openCalls(int batch)
{
    return readRows(m_connection, sql::calls_open, Parameters().integer("batch", batch), callFrom);
}

Result<int> SqlOutboundLedger::purge(int batch)
{
    return inTransaction(m_connection, [&] {
        return m_connection.native().run(
            sql::call_purge, Parameters().integer("batch", batch).time("now", boundTime(m_connection, m_clock)));
    });
}

} // namespace fencepost::store
