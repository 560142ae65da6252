// SPDX-License-Identifier: Apache-2.0
#include "core/store/journal.h"

#include <set>

#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr int tries = 20;

// The places of one kind among the slots of a key: neither kind can take the other's.
struct Slots {
    std::string_view kind;
    std::int64_t first;
    std::int64_t last;
    std::int64_t overflow;
    std::string_view overflowHash; // stands in for a hash, which has 32 octets, and is unique as one
};

constexpr Slots mismatches{ "mismatch", 1, 8, 0, "" };
constexpr Slots fencedOwners{ "fenced", 9, 15, 16, "fenced" };

Result<int> countAgain(Connection& connection, const Conflict& conflict)
{
    Parameters parameters;
    parameters.time("at", conflict.lastAt);
    addKey(parameters, conflict.id).octets("presented_hash", conflict.presentedHash);
    return connection.native().run(sql::count_conflict, parameters);
}

// One owner is refused many times, and what matters most is that he came with an outcome.
bool tellsTheOutcome(const JournalRow& entry)
{
    return entry.event == fencedOwners.kind && entry.reason.rfind("finalize:", 0) == 0;
}

// He was counted before, for a step that matters less: what he came with now is written once as well.
Status addFirstFinalize(Connection& connection, const JournalRow& entry)
{
    Parameters parameters;
    addKey(parameters, entry.id).text("owner", entry.owner).integer("fence", entry.fence.value);
    bool known = false;
    const auto read =
        connection.native().run(sql::refused_finalize, parameters, [&](const NativeRow&) { known = true; });
    if (!read)
        return read.error();
    return known ? Status() : addTransition(connection, entry);
}

Result<int> countOverflow(Connection& connection, const Conflict& conflict, const Slots& slots)
{
    Parameters parameters;
    parameters.time("at", conflict.lastAt);
    addKey(parameters, conflict.id).integer("slot", slots.overflow);
    return connection.native().run(sql::count_overflow, parameters);
}

// None: all of them are taken.
Result<std::optional<std::int64_t>> freeSlot(Connection& connection, const RecordId& id, const Slots& slots)
{
    Parameters key;
    addKey(key, id);
    std::set<std::int64_t> taken;
    const auto read =
        connection.native().run(sql::conflict_slots, key, [&](const NativeRow& row) { taken.insert(row.integer(0)); });
    if (!read)
        return read.error();
    for (auto slot = slots.first; slot <= slots.last; ++slot)
        if (taken.count(slot) == 0)
            return std::optional(slot);
    return std::optional<std::int64_t>();
}

// False: somebody else was first, with the hash or with the slot.
Result<bool> addToSlots(
    Connection& connection, const Conflict& conflict, const Slots& slots, const std::optional<std::int64_t>& own)
{
    Parameters parameters;
    addKey(parameters, conflict.id)
        .integer("slot", own.value_or(slots.overflow))
        .octets("presented_hash", own ? std::string_view(conflict.presentedHash) : slots.overflowHash)
        .text("kind", conflict.kind)
        .text("principal", conflict.principal)
        .time("at", conflict.lastAt);
    const auto added = connection.native().run(sql::add_conflict, parameters);
    return added ? Result<bool>(*added > 0) : Result<bool>(added.error());
}

// The first sight of a presented hash: it gets a slot of its own, or joins those that found none left. Nobody locks the
// record for it.
Status addConflict(Connection& connection, const Conflict& conflict, const JournalRow& entry)
{
    const auto& slots = conflict.kind == fencedOwners.kind ? fencedOwners : mismatches;
    const auto attempts = slots.last - slots.first + 2; // as often as somebody else can take a slot
    for (auto attempt = attempts; attempt > 0; --attempt) {
        const auto own = freeSlot(connection, conflict.id, slots);
        if (!own)
            return own.error();
        const auto counted = *own ? Result<int>(0) : countOverflow(connection, conflict, slots);
        if (!counted)
            return counted.error();
        if (*counted > 0)
            return {};
        const auto added = addToSlots(connection, conflict, slots, *own);
        if (!added)
            return added.error();
        if (*added)
            return addTransition(connection, entry);
        const auto again = countAgain(connection, conflict);
        if (!again)
            return again.error();
        if (*again > 0)
            return {};
    }
    return Error{ Failure::Unavailable, "Too many conflicts of one key are counted at once", {} };
}

// The count locks its row, so that two refusals of one owner look for his first finalize one after the other.
Status countOutcome(Connection& connection, const Conflict& conflict, const JournalRow& entry)
{
    const auto counted = countAgain(connection, conflict);
    if (!counted)
        return counted.error();
    return *counted > 0 ? addFirstFinalize(connection, entry) : addConflict(connection, conflict, entry);
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
    const bool outcome = tellsTheOutcome(entry);
    const auto note = [&] {
        return outcome ? countOutcome(connection, conflict, entry) : addConflict(connection, conflict, entry);
    };
    Status done;
    for (int attempt = 0; attempt < tries; ++attempt) {
        done = retrying(tries, [&]() -> Status {
            if (!outcome) {
                const auto counted = countAgain(connection, conflict);
                if (!counted)
                    return counted.error();
                if (*counted > 0)
                    return {};
            }
            if (joined)
                return note();
            auto transaction = Transaction::begin(connection, Begin::Immediate);
            if (!transaction)
                return transaction.error();
            const auto noted = note();
            if (!noted)
                return noted;
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

Status forgetConflicts(Connection& connection, const RecordId& id)
{
    Parameters key;
    addKey(key, id);
    const auto forgotten = connection.native().run(sql::forget_conflicts, key);
    return forgotten ? Status() : Status(forgotten.error());
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

Result<KeyLives> livesOf(Connection& connection, const RecordId& id)
{
    Parameters key;
    addKey(key, id);
    LivesOfJournal journal;
    const auto read =
        connection.native().run(sql::lives_of_key, key, [&](const NativeRow& row) { addToLives(row, 0, journal); });
    if (!read)
        return read.error();
    return std::move(journal).lives();
}

void addToLives(const NativeRow& row, int first, LivesOfJournal& journal)
{
    journal.add(row.octets(first), row.octets(first + 1), row.number(first + 2), Fence{ row.integer(first + 3) });
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
