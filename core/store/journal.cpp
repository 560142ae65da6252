// SPDX-License-Identifier: Apache-2.0
#include "core/store/journal.h"

#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr std::int64_t ownSlots = 16;
constexpr int attempts = 20;

Result<int> countAgain(Connection& connection, const NamedSql& sql, const Conflict& conflict)
{
    Parameters parameters;
    parameters.time("at", conflict.lastAt);
    addKey(parameters, conflict.id);
    parameters.octets("presented_hash", conflict.presentedHash);
    return connection.native().run(sql, parameters);
}

// The first sight of a presented hash: it gets a slot of its own, or joins those that found none left.
Status addConflict(Connection& connection, const Conflict& conflict, const JournalRow& entry)
{
    Parameters key;
    addKey(key, conflict.id);
    std::int64_t slot = 0;
    const auto last =
        connection.native().run(sql::last_conflict_slot, key, [&](const NativeRow& row) { slot = row.integer(0) + 1; });
    if (!last)
        return last.error();
    const bool own = slot <= ownSlots;
    if (!own) {
        const auto counted = countAgain(connection, sql::count_overflow, conflict);
        if (!counted)
            return counted.error();
        if (*counted > 0)
            return {};
    }
    Parameters parameters;
    addKey(parameters, conflict.id)
        .integer("slot", own ? slot : 0)
        .octets("presented_hash", own ? std::string_view(conflict.presentedHash) : std::string_view())
        .text("kind", conflict.kind)
        .text("principal", conflict.principal)
        .time("at", conflict.lastAt);
    const auto added = connection.native().run(sql::add_conflict, parameters);
    if (!added)
        return added.error();
    return addTransition(connection, entry);
}

} // namespace

Status addTransition(Connection& connection, const JournalRow& entry)
{
    Parameters parameters;
    addKey(parameters, entry.id)
        .text("from_state", entry.fromState)
        .text("to_state", entry.toState)
        .text("event", entry.event)
        .integer("fence", entry.fence.value)
        .integer("attempt", entry.attempt)
        .text("owner", entry.owner)
        .text("actor", entry.actor)
        .text("reason", entry.reason)
        .time("at", entry.at);
    const auto added = connection.native().run(sql::add_transition, parameters);
    return added ? Status() : Status(added.error());
}

Status noteConflict(Connection& connection, const Conflict& conflict, const JournalRow& entry)
{
    // An abusive client repeats itself: one statement then.
    const bool joined = connection.inTransaction();
    Status done;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        done = retrying(attempts, [&]() -> Status {
            const auto counted = countAgain(connection, sql::count_conflict, conflict);
            if (!counted)
                return counted.error();
            if (*counted > 0)
                return {};
            if (joined)
                return addConflict(connection, conflict, entry);
            auto transaction = Transaction::begin(connection, Begin::Immediate);
            if (!transaction)
                return transaction.error();
            if (const auto added = addConflict(connection, conflict, entry); !added)
                return added;
            return transaction->commit();
        });
        // Two arrivals wanted the same slot: look again.
        const bool race = !done && !joined
            && (done.error().code == "23505" || done.error().code == "1555" || done.error().code == "2067");
        if (!race)
            break;
    }
    return done;
}

Result<std::vector<JournalEntry>> transitionsOf(Connection& connection, const RecordId& id)
{
    Parameters key;
    addKey(key, id);
    std::vector<JournalEntry> entries;
    const auto read = connection.native().run(
        sql::transitions_of, key, [&](const NativeRow& row) { entries.push_back(transitionFrom(row)); });
    if (!read)
        return read.error();
    return entries;
}

Result<std::vector<Conflict>> conflictsOf(Connection& connection, const RecordId& id)
{
    Parameters key;
    addKey(key, id);
    std::vector<Conflict> conflicts;
    const auto read = connection.native().run(
        sql::conflicts_of, key, [&](const NativeRow& row) { conflicts.push_back(conflictFrom(row)); });
    if (!read)
        return read.error();
    return conflicts;
}

} // namespace fencepost::store
