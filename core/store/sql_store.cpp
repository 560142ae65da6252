// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_store.h"

#include "core/store/in_transaction.h"
#include "core/store/journal.h"
#include "core/store/judge.h"
#include "core/store/record_row.h"
#include "core/store/reservation.h"
#include "core/store/schema.h"
#include "core/store/statements.h"
#include "core/store_input.h"

namespace fencepost::store {

SqlStore::SqlStore(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

std::optional<Time> boundTime(const Connection& connection, const StoreClock& clock)
{
    if (connection.dialect() == Dialect::Sqlite || clock.bind)
        return clock.now();
    return std::nullopt;
}

std::optional<Time> SqlStore::bound() const
{
    return boundTime(m_connection, m_clock);
}

Status SqlStore::readMet(const NativeRow& row, Met& met)
{
    constexpr int first = 2;
    met.won = row.integer(0) != 0;
    met.now = row.time(1);
    auto record = recordFrom(row, first);
    if (!record)
        return record.error();
    met.record = std::move(*record);
    return {};
}

Result<SqlStore::Met> SqlStore::meet(const NamedSql& sql, const Parameters& parameters)
{
    struct Reading {
        Met met;
        Status status;
    } reading;
    // One captured address: this is the hot path, and a larger function object would be allocated.
    const RowReader read = [&reading](const NativeRow& row) { reading.status = readMet(row, reading.met); };
    auto run = m_connection.native().run(sql, parameters, read);
    if (!run && isTransient(run.error())) {
        const auto again = retrying(transactionAttempts, [&]() -> Status {
            run = m_connection.native().run(sql, parameters, read);
            return run ? Status() : Status(run.error());
        });
        if (!again)
            return again.error();
    }
    if (!run)
        return run.error();
    if (!reading.status)
        return reading.status.error();
    return std::move(reading.met);
}

// A database of an older version cannot keep a request's headers, and says so in the words of a missing column.
Error SqlStore::explained(const Error& error, const Reservation& reservation)
{
    if (reservation.requestHeaders.empty() || m_connection.inTransaction() || !m_connection.isOpen())
        return error;
    const auto status = schemaStatus(m_connection);
    const bool old = status && status->version.value_or(0) < schemaOfRequestHeaders;
    return old ? olderSchema(status->version, schemaOfRequestHeaders) : error;
}

Result<Reserved> SqlStore::reserve(const Reservation& reservation)
{
    if (const auto checked = check(reservation); !checked)
        return checked.error();
    constexpr int reruns = 3;
    for (int run = 0; run <= reruns; ++run) {
        auto reserved = reserveOnce(reservation);
        if (!reserved)
            return explained(reserved.error(), reservation);
        if (*reserved)
            return std::move(**reserved);
    }
    // Whoever keeps inserting and committing this key between our snapshots is executing it.
    const auto instant = now();
    if (!instant)
        return instant.error();
    return Reserved{ Outcome::InFlight, std::nullopt, *instant };
}

Result<std::optional<Reserved>> SqlStore::replay(const Reservation& reservation)
{
    if (const auto checked = check(reservation); !checked)
        return checked.error();
    Parameters parameters;
    addKey(parameters, reservation.id).time("now", bound());
    std::optional<Result<Record>> found;
    Time instant;
    const auto read = m_connection.native().run(sql::look, parameters, [&](const NativeRow& row) {
        instant = row.time(0);
        found = recordFrom(row, 1);
    });
    if (!read)
        return read.error();
    if (!found)
        return std::optional<Reserved>();
    if (!*found)
        return found->error();
    auto decision = decide(**found, triggerOf(reservation), instant);
    if (decision.outcome != Outcome::Replay || decision.writes)
        return std::optional<Reserved>();
    return std::optional(Reserved{ Outcome::Replay, std::move(decision.record), instant });
}

Result<std::optional<Reserved>> SqlStore::reserveOnce(const Reservation& reservation)
{
    if (isSqlite()) {
        if (!m_connection.inTransaction()) {
            auto reserved = reserveWithoutLock(reservation);
            if (!reserved || *reserved)
                return reserved;
        }
        return reserveJudged(reservation);
    }
    auto parameters = parametersOf(reservation, bound());
    const auto headers = requestHeadersText(reservation);
    if (headers)
        parameters.text("request_headers", headers);
    auto met = meet(headers ? sql::reserve_keeping : sql::reserve, parameters);
    if (!met)
        return met.error();
    return reservedFrom(reservation, std::move(*met));
}

// SQLite: a duplicate needs no lock to be answered from what is committed.
Result<std::optional<Reserved>> SqlStore::reserveWithoutLock(const Reservation& reservation)
{
    const auto found = findRecord(m_connection, reservation.id, false);
    if (!found)
        return found.error();
    if (!*found)
        return std::optional<Reserved>();
    const auto instant = m_clock.now();
    auto decision = decide(*found, triggerOf(reservation), instant);
    if (decision.writes)
        return std::optional<Reserved>();
    auto answer = answerOf(reservation, std::move(decision), instant);
    if (!answer)
        return answer.error();
    return std::optional(std::move(*answer));
}

Result<std::optional<Reserved>> SqlStore::reservedFrom(const Reservation& reservation, Met met)
{
    if (met.won)
        return std::optional(Reserved{ Outcome::Execute, std::move(met.record), met.now });
    if (!met.record)
        return mayBeStale(reservation) ? reserveJudged(reservation) : std::optional<Reserved>();
    auto decision = decide(met.record, triggerOf(reservation), met.now);
    if (decision.writes)
        return reserveJudged(reservation);
    auto answer = answerOf(reservation, std::move(decision), met.now);
    if (!answer)
        return answer.error();
    return std::optional(std::move(*answer));
}

// SQLite always; PostgreSQL where the snapshot shows a record that the statement did not win although it could be won
// or must be changed: rows 5, 7, 15 and 17, or the record moved on between the snapshot and the lock.
Result<std::optional<Reserved>> SqlStore::reserveJudged(const Reservation& reservation)
{
    auto judged = inTransaction(m_connection, [&]() -> Result<Judged> {
        auto found =
            judge(m_connection, triggerOf(reservation), reservation.owner.uuid, bound(), requestOf(reservation));
        if (!found || found->decision.outcome != Outcome::Execute || (!isSqlite() && !found->before))
            return found;
        const auto kept = keepRequestHeaders(m_connection, reservation, *found->decision.record);
        return kept ? std::move(found) : Result<Judged>(kept.error());
    });
    if (!judged)
        return judged.error();
    if (!isSqlite() && !judged->before && judged->decision.outcome == Outcome::Execute)
        return std::optional<Reserved>();
    auto answer = answerOf(reservation, std::move(judged->decision), judged->now);
    if (!answer)
        return answer.error();
    return std::optional(std::move(*answer));
}

Result<Reserved> SqlStore::answerOf(const Reservation& reservation, Decision decision, Time instant)
{
    if (decision.outcome == Outcome::Mismatch) {
        const auto& record = *decision.record;
        const auto state = wordOf(decision.from);
        const auto noted = noteConflict(m_connection,
            { .id = reservation.id,
                .presentedHash = reservation.requestHash,
                .kind = "mismatch",
                .principal = reservation.principal,
                .lastAt = instant },
            { .id = reservation.id,
                .fromState = state,
                .toState = state,
                .event = "mismatch",
                .fence = record.fence,
                .attempt = record.attempt,
                .owner = record.owner.uuid,
                .actor = reservation.principal.empty() ? reservation.owner.uuid : reservation.principal,
                .reason = decision.reason,
                .at = instant });
        if (!noted)
            return noted.error();
    }
    return Reserved{ decision.outcome, std::move(decision.record), instant };
}

Result<std::optional<Record>> SqlStore::find(const RecordId& id)
{
    return findRecord(m_connection, id, false);
}

Result<std::vector<JournalEntry>> SqlStore::journal(const RecordId& id)
{
    return transitionsOf(m_connection, id);
}

Result<std::vector<Conflict>> SqlStore::conflicts(const RecordId& id)
{
    return conflictsOf(m_connection, id);
}

Result<KeyLives> SqlStore::livesOf(const RecordId& id)
{
    return store::livesOf(m_connection, id);
}

Result<Time> SqlStore::now()
{
    return instantOf(m_connection, bound());
}

Status SqlStore::together(const std::function<Status()>& body)
{
    return inTransaction(m_connection, body);
}

} // namespace fencepost::store
