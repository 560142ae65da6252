// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/store/fence_counter.h"
#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/record_row.h"
#include "core/store/schema.h"
#include "core/store/sql_store.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

namespace {

const std::string reaper = "reaper";

Result<int> counted(Connection& connection, const NamedSql& sql, const Parameters& parameters, std::int64_t& highest)
{
    std::int64_t count = 0;
    const auto run = connection.native().run(sql, parameters, [&](const NativeRow& row) {
        count = row.integer(0);
        highest = std::max(highest, row.optionalInteger(1).value_or(0));
    });
    if (!run)
        return run.error();
    return static_cast<int>(count);
}

} // namespace

// One batch. Answers how many.
Result<std::int64_t> SqlStore::reapSettled(const Settling& settling, const Parameters& parameters)
{
    return inTransaction(m_connection, [&]() -> Result<std::int64_t> {
        std::int64_t highest = 0;
        const bool sqlite = isSqlite();
        const auto count = counted(m_connection, sqlite ? settling.journal : settling.change, parameters, highest);
        if (!count)
            return count.error();
        // A deleted record's fence must stay below every fence that is still to come.
        if (const auto reached = reachFence(m_connection, { highest }); !reached)
            return reached.error();
        if (!sqlite)
            return std::int64_t(*count);
        if (settling.conflicts != nullptr)
            if (const auto forgotten = m_connection.native().run(*settling.conflicts, parameters); !forgotten)
                return forgotten.error();
        const auto changed = m_connection.native().run(settling.change, parameters);
        if (!changed)
            return changed.error();
        return std::int64_t(*changed);
    });
}

// What was done for a request without an outcome is all that keeps whoever comes again from doing it again, and does
// not say whose it is: the fences of its attempts do.
Status SqlStore::keepEffects(const std::vector<RecordId>& orphans)
{
    auto fences = nlohmann::json::array();
    for (const auto& id : orphans) {
        Parameters key;
        addKey(key, id);
        std::vector<std::int64_t> life;
        const auto read = m_connection.native().run(sql::reservations_of, key, [&](const NativeRow& row) {
            if (row.integer(1) == 1)
                life.clear();
            life.push_back(row.integer(0));
        });
        if (!read)
            return read.error();
        for (const auto fence : life)
            fences.push_back(fence);
    }
    if (fences.empty())
        return {};
    return inTransaction(m_connection, [&]() -> Status {
        const auto kept = m_connection.native().run(sql::effects_endless, Parameters().text("fences", fences.dump()));
        return kept ? Status() : Status(kept.error());
    });
}

Status SqlStore::reapOrphans(const ReapRequest& request, Reaped& reaped)
{
    while (true) {
        std::vector<RecordId> ids;
        Parameters parameters;
        parameters.integer("grace", request.orphanGrace->count()).time("now", bound()).integer("batch", request.batch);
        const auto read = m_connection.native().run(sql::orphans, parameters, [&](const NativeRow& row) {
            ids.push_back({ row.text(0), row.text(1), row.text(2) });
        });
        if (!read)
            return read.error();
        if (const auto kept = keepEffects(ids); !kept)
            return kept;
        int done = 0;
        for (const auto& id : ids) {
            const Trigger trigger{
                .event = Event::ReapOrphan, .id = id, .actor = reaper, .grace = *request.orphanGrace
            };
            const auto judged =
                inTransaction(m_connection, [&] { return judge(m_connection, trigger, reaper, bound()); });
            if (!judged)
                return judged.error();
            if (!judged->decision.writes)
                continue;
            ++done;
            ++(judged->decision.record ? reaped.held : reaped.orphans);
        }
        if (done == 0 || static_cast<int>(ids.size()) < request.batch)
            return {};
    }
}

// Batch by batch, each a transaction of its own.
Status SqlStore::purge(const NamedSql& sql, int batch, std::int64_t& total)
{
    while (true) {
        const auto gone = inTransaction(m_connection,
            [&] { return m_connection.native().run(sql, Parameters().integer("batch", batch).time("now", bound())); });
        if (!gone)
            return gone.error();
        total += *gone;
        if (*gone < batch)
            return {};
    }
}

// Stretch by stretch in the order of the journal, which needs no index over its instants, up to the first stretch in
// which nothing is old enough.
Status SqlStore::reapJournal(const ReapRequest& request, std::int64_t& total)
{
    std::int64_t after = 0;
    std::int64_t kept = 0;
    while (true) {
        Parameters parameters;
        parameters.integer("after", after)
            .integer("retention", request.journalRetention->count())
            .integer("batch", request.batch)
            .time("now", bound());
        std::int64_t rows = 0;
        std::int64_t old = 0;
        std::int64_t last = after;
        const auto read = m_connection.native().run(sql::journal_window, parameters, [&](const NativeRow& row) {
            rows = row.integer(0);
            last = row.optionalInteger(1).value_or(after);
            old = row.integer(2);
        });
        if (!read)
            return read.error();
        if (old == 0)
            return {};
        parameters.integer("upto", last);
        const auto gone = inTransaction(m_connection, [&]() -> Result<int> {
            std::int64_t keep = 0;
            const auto found = m_connection.native().run(sql::journal_keep, parameters,
                [&](const NativeRow& row) { keep = row.optionalInteger(0).value_or(0); });
            if (!found)
                return found.error();
            auto purged = m_connection.native().run(
                sql::journal_purge, Parameters(parameters).integer("keep", keep).integer("kept", keep > 0 ? kept : 0));
            if (purged && keep > 0)
                kept = keep;
            return purged;
        });
        if (!gone)
            return gone.error();
        total += *gone;
        if (rows < request.batch)
            return {};
        after = last;
    }
}

Result<Reaped> SqlStore::reap(const ReapRequest& request)
{
    if (const auto checked = check(request); !checked)
        return checked.error();
    const auto schema = schemaStatus(m_connection);
    if (!schema)
        return schema.error();
    if (schema->version.value_or(0) < schemaOfRequestHeaders)
        return olderSchema(schema->version, schemaOfRequestHeaders);
    Reaped reaped;
    const auto settle = [&](const Settling& settling, std::int64_t& total) -> Status {
        while (true) {
            Parameters parameters;
            parameters.time("now", bound())
                .integer("grace", request.grace.count())
                .integer("batch", request.batch)
                .integer("tombstone", request.tombstone ? std::optional(request.tombstone->count()) : std::nullopt);
            const auto count = reapSettled(settling, parameters);
            if (!count)
                return count.error();
            total += *count;
            if (*count < request.batch)
                return {};
        }
    };
    if (request.tombstone)
        if (const auto done = settle({ sql::reap_tombstone_journal, sql::reap_tombstone, nullptr }, reaped.tombstoned);
            !done)
            return done.error();
    const Settling deletion{ sql::reap_delete_journal, sql::reap_delete, &sql::reap_delete_conflicts };
    if (const auto done = settle(deletion, reaped.deleted); !done)
        return done.error();
    if (request.orphanGrace)
        if (const auto done = reapOrphans(request, reaped); !done)
            return done.error();
    if (const auto done = purge(sql::call_purge, request.batch, reaped.calls); !done)
        return done.error();
    if (const auto done = purge(sql::effect_purge, request.batch, reaped.effects); !done)
        return done.error();
    if (request.journalRetention)
        if (const auto done = reapJournal(request, reaped.transitions); !done)
            return done.error();
    return reaped;
}

} // namespace fencepost::store
