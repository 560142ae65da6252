// SPDX-License-Identifier: Apache-2.0
#include "core/store/runs.h"

#include <nlohmann/json.hpp>

#include "core/store/in_transaction.h"
#include "core/store/native.h"
#include "core/store/read_rows.h"
#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Error impossible(const std::string& what)
{
    return { Failure::Corrupt, what + " holds a value that none can have", {} };
}

Result<RunPhase> phaseFrom(const NativeRow& row, int column)
{
    const auto phase = runPhaseOf(row.octets(column));
    return phase ? Result<RunPhase>(*phase) : Result<RunPhase>(impossible("The state of the run"));
}

Result<RunStanding> standingFrom(const NativeRow& row)
{
    const auto phase = phaseFrom(row, 0);
    if (!phase)
        return phase.error();
    return RunStanding{ *phase, row.text(1), row.text(2), row.text(3) };
}

Result<OperationRun> runFrom(const NativeRow& row)
{
    OperationRun run;
    int column = 0;
    for (auto* text : { &run.requestId, &run.verb, &run.binding, &run.plan, &run.settings, &run.actor, &run.reason })
        *text = row.text(column++);
    run.total = row.integer(column++);
    const auto phase = phaseFrom(row, column++);
    if (!phase)
        return phase.error();
    run.phase = *phase;
    run.because = row.text(column++);
    run.runner = row.optionalText(column++).value_or("");
    run.startedAt = row.time(column++);
    run.finishedAt = row.optionalTime(column++);
    run.beatAt = row.optionalTime(column++);
    for (auto* count : { &run.changed, &run.skipped, &run.failed })
        *count = row.integer(column++);
    run.now = row.time(column);
    return run;
}

Result<RunItem> itemFrom(const NativeRow& row)
{
    return RunItem{ row.number(0), row.text(1), row.text(2), row.text(3) };
}

Result<FateEvidence> fateFrom(const NativeRow& row)
{
    FateEvidence evidence;
    int column = 0;
    evidence.id = row.text(column++);
    const auto kind = deadLetterKindOf(row.octets(column++));
    const auto state = deadLetterStateOf(row.octets(column++));
    if (!kind || !state)
        return impossible("The dead letter " + evidence.id);
    evidence.kind = *kind;
    evidence.state = *state;
    evidence.deaths = row.number(column++);
    evidence.runId = row.optionalText(column++).value_or("");
    if (!row.isNull(column)) {
        evidence.outbox = outboxStateOf(row.octets(column));
        if (!evidence.outbox)
            return impossible("The message of the dead letter " + evidence.id);
    }
    ++column;
    evidence.tried = row.integer(column++) != 0;
    evidence.code = row.optionalText(column++).value_or("");
    for (auto* count : { &evidence.inboxes, &evidence.processed, &evidence.dead, &evidence.failed })
        *count = row.number(column++);
    // Of an event that goes to several destinations, an inbox tells of whichever copy came: this one's was sent or not.
    if (row.integer(column) != 0)
        evidence.inboxes = evidence.processed = evidence.dead = evidence.failed = 0;
    return evidence;
}

// While rows of a run are written that is there. For each of them SQLite would look for the run, and read all of it:
// its plan has megabytes.
class KnownRun {
public:
    explicit KnownRun(Connection& connection)
        : m_connection(connection)
    {
        if (m_connection.dialect() == Dialect::Sqlite)
            (void)m_connection.execute("PRAGMA foreign_keys=OFF");
    }
    ~KnownRun()
    {
        if (m_connection.dialect() == Dialect::Sqlite)
            (void)m_connection.execute("PRAGMA foreign_keys=ON");
    }
    KnownRun(const KnownRun&) = delete;
    KnownRun& operator=(const KnownRun&) = delete;

private:
    Connection& m_connection;
};

} // namespace

Runs::Runs(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

std::optional<Time> Runs::now() const
{
    return boundTime(m_connection, m_clock);
}

Status Runs::checkSchema()
{
    if (m_schemaIsKnown)
        return {};
    const auto status = schemaStatus(m_connection);
    if (!status)
        return status.error();
    if (status->version.value_or(0) < schemaOfRuns)
        return olderSchema(status->version, schemaOfRuns);
    m_schemaIsKnown = true;
    return {};
}

Result<OperationRun> Runs::begin(const OperationRun& run)
{
    if (const auto known = checkSchema(); !known)
        return known.error();
    const auto put = inTransaction(m_connection, [&] {
        return m_connection.native().run(sql::run_begin,
            Parameters()
                .text("request_id", run.requestId)
                .text("verb", run.verb)
                .text("binding", run.binding)
                .text("plan", run.plan)
                .text("actor", run.actor)
                .text("reason", run.reason)
                .text("settings", run.settings)
                .integer("total", run.total)
                .time("now", now()));
    });
    if (!put)
        return put.error();
    auto there = find(run.requestId);
    if (!there)
        return there.error();
    if (!*there)
        return Error{ Failure::Internal, "The run is not in its journal", {} };
    return std::move(**there);
}

Result<std::vector<OperationRun>> Runs::list(int limit)
{
    if (const auto known = checkSchema(); !known)
        return known.error();
    return readRows(m_connection, sql::run_list, Parameters().integer("limit", limit).time("now", now()), runFrom);
}

Result<std::optional<OperationRun>> Runs::find(const std::string& requestId)
{
    if (const auto known = checkSchema(); !known)
        return known.error();
    return firstOf(
        readRows(m_connection, sql::run_find, Parameters().text("request_id", requestId).time("now", now()), runFrom));
}

Result<std::optional<RunStanding>> Runs::standing(const std::string& requestId)
{
    if (const auto known = checkSchema(); !known)
        return known.error();
    return firstOf(readRows(m_connection, sql::run_standing, Parameters().text("request_id", requestId), standingFrom));
}

Result<bool> Runs::changesOne(const NamedSql& sql, const Parameters& parameters)
{
    if (const auto known = checkSchema(); !known)
        return known.error();
    return inTransaction(m_connection, [&]() -> Result<bool> {
        bool changed = false;
        const auto done = m_connection.native().run(sql, parameters, [&](const NativeRow&) { changed = true; });
        if (!done)
            return done.error();
        return changed;
    });
}

Result<bool> Runs::claim(const std::string& requestId, const std::string& runner)
{
    return changesOne(sql::run_claim,
        Parameters()
            .text("request_id", requestId)
            .text("runner", runner)
            .integer("lease", runnerIsGoneAfter.count())
            .time("now", now()));
}

Status Runs::release(const std::string& requestId, const std::string& runner)
{
    const auto done = inTransaction(m_connection, [&] {
        return m_connection.native().run(
            sql::run_release, Parameters().text("request_id", requestId).text("runner", runner));
    });
    return done ? Status() : Status(done.error());
}

Result<bool> Runs::enter(const std::string& requestId, RunPhase phase, const std::string& because)
{
    const auto entered = changesOne(sql::run_enter,
        Parameters()
            .text("request_id", requestId)
            .text("state", wordOf(phase))
            .text("because", because)
            .boolean("over", phase == RunPhase::Done || phase == RunPhase::Stopped)
            .time("now", now()));
    // An order is obeyed whatever the journal of its rows is worth: a role may give it that is not shown the audit.
    if (entered && *entered && phase != RunPhase::Running)
        (void)catchUp(requestId);
    return entered;
}

// Whoever carried it out may have been killed before it wrote down what it had done.
Status Runs::catchUp(const std::string& requestId)
{
    bool audited = false;
    const auto asked =
        m_connection.native().run(sql::audit_exists, {}, [&](const NativeRow& row) { audited = row.integer(0) != 0; });
    if (!asked || !audited)
        return asked ? Status() : Status(asked.error());
    return inTransaction(m_connection, [&]() -> Status {
        const auto done = m_connection.native().run(
            sql::run_items_catch_up, Parameters().text("request_id", requestId).time("now", now()));
        return done ? Status() : Status(done.error());
    });
}

Result<bool> Runs::setSettings(const std::string& requestId, const std::string& settings)
{
    return changesOne(sql::run_settings, Parameters().text("request_id", requestId).text("settings", settings));
}

Status Runs::put(const std::string& requestId, const std::vector<RunItem>& items)
{
    const KnownRun known(m_connection);
    return inTransaction(m_connection, [&]() -> Status {
        for (const auto& item : items)
            if (const auto done = m_connection.native().run(sql::run_item_put,
                    Parameters()
                        .text("request_id", requestId)
                        .integer("item", item.item)
                        .text("identity", item.identity)
                        .text("outcome", item.outcome)
                        .text("detail", item.detail)
                        .time("now", now()));
                !done)
                return done.error();
        return {};
    });
}

Result<std::vector<RunItem>> Runs::items(const std::string& requestId)
{
    if (const auto known = checkSchema(); !known)
        return known.error();
    return readRows(m_connection, sql::run_items_of, Parameters().text("request_id", requestId), itemFrom);
}

Result<std::vector<FateEvidence>> Runs::fates(const std::vector<std::string>& letters)
{
    if (letters.empty())
        return std::vector<FateEvidence>();
    const auto list = nlohmann::json(letters).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return readRows(m_connection, sql::letters_fates, Parameters().text("ids", list), fateFrom);
}

Result<int> Runs::purge(Duration retention, int batch)
{
    return inTransaction(m_connection, [&]() -> Result<int> {
        const auto parameters =
            Parameters().integer("retention", retention.count()).integer("batch", batch).time("now", now());
        if (const auto items = m_connection.native().run(sql::run_items_purge, parameters); !items)
            return items.error();
        return m_connection.native().run(sql::runs_purge, parameters);
    });
}

} // namespace fencepost::store
