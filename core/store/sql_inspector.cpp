// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_inspector.h"

#include <algorithm>
#include <array>

#include "core/operations/operation.h"
#include "core/store/action_needs.h"
#include "core/store/dead_letters.h"
#include "core/store/expression_sql.h"
#include "core/store/letter_verdicts.h"
#include "core/store/outbox_backlog.h"
#include "core/store/profile_compiler.h"
#include "core/store/read_transaction.h"
#include "core/store/record_row.h"
#include "core/store/snapshot_seal.h"
#include "core/store/statements.h"
#include "core/store/unreadable_part.h"

namespace fencepost::store {

namespace {

// Runs `ask` on the bound profile of a binding.
template <typename Ask>
auto onBound(Bindings& bindings, const Binding& binding, const Ask& ask) -> decltype(ask(std::declval<BoundProfile>()))
{
    const auto bound = bindings.find(binding);
    if (!bound)
        return bound.error();
    return ask(**bound);
}

// What the core's own operation would do with them and no profile's action does, unless it asks for them itself.
constexpr std::array ownParameters = { "no_hold", "tombstone", "response_code", "error_code", effectUndone };

// "SQL on demand" of a foreign table is for the eye: the key's columns stand for the values of a row.
Result<std::string> foreignSql(const BoundProfile& bound, const std::string& verb,
    const std::map<std::string, std::string>& parameters, const DecidingClock& now, Random& random)
{
    if (const auto* action = actionOf(*bound.profile, verb))
        if (const auto given = checkNeeds(*bound.profile, *action, parameters); !given)
            return given.error();
    ActionRequest request;
    for (const auto& column : bound.profile->identity)
        request.identity.push_back("(" + column + " of the row)");
    for (const auto& column : bound.comparedColumns())
        request.seen[column] = "(" + column + " as seen)";
    for (const auto& [name, value] : parameters) {
        if (bound.profile->params.count(name) > 0)
            request.parameters[name] = value;
        else if (std::find(ownParameters.begin(), ownParameters.end(), name) != ownParameters.end())
            return Error{ Failure::Invalid,
                "\"" + verb + "\" takes no " + name + " in the table " + bound.binding.name
                    + ": nothing would be done with it",
                {}, {} };
    }
    request.now = now;
    const auto steps = compileAction(bound, verb, request, random);
    if (!steps)
        return steps.error();
    std::string text;
    for (const auto& step : *steps)
        text += (text.empty() ? "" : "\n\n") + describe(step.statement) + "\n-- changes " + std::to_string(step.expect)
            + " row, or is rolled back";
    return text;
}

// The statements of the core's operation on one record, in their order.
Result<std::string> nativeSql(const BoundProfile& bound, const std::string& verb)
{
    for (const auto& capability : bound.binding.capabilities)
        if (capability.verb == verb && !capability.allowed)
            return Error{ Failure::Unsupported, "\"" + verb + "\" cannot be done here: " + capability.why, {}, {} };
    constexpr std::array<std::string_view, 5> ofRecords{ "find_locked", "next_fence", "write_record", "add_transition",
        "record_calls" };
    constexpr std::array<std::string_view, 6> ofLetters{ "inbox_find_locked", "outbox_find_event_locked",
        "dead_letter_find_locked", "inbox_put", "outbox_put", "dead_letter_settle" };
    const bool letters = bound.binding.kind == Kind::DeadLetter;
    const auto* operation = findOperation(verb);
    const std::span<const std::string_view> recordSteps = ofRecords;
    const auto steps = letters                            ? std::span<const std::string_view>(ofLetters)
        : operation != nullptr && operation->looksAtCalls ? recordSteps
                                                          : recordSteps.first(recordSteps.size() - 1);
    std::string text;
    for (const auto name : steps)
        for (const auto* statement : sql::all)
            if (statement->name == name && statement->of(bound.dialect) != nullptr)
                text += (text.empty() ? "" : "\n\n") + std::string(statement->of(bound.dialect));
    return text;
}

bool isDead(const Row& row)
{
    return row.state == wordOf(DeadLetterState::Dead);
}

bool hasVerdicts(const BoundProfile& bound)
{
    return bound.profile->native && bound.binding.kind == Kind::DeadLetter && bound.binding.reachable;
}

bool hasCalls(const BoundProfile& bound)
{
    return bound.profile->native && bound.binding.kind == Kind::Idempotency && bound.binding.reachable;
}

void addCalls(const std::vector<Row*>& rows, const Result<std::vector<RecordCalls>>& calls)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto& extra = rows[i]->extra;
        if (!calls) {
            extra[rowCallsUnread] = "what was sent to vendors cannot be read: " + calls.error().message;
            continue;
        }
        const auto& of = (*calls)[i];
        if (!of.done.empty())
            extra[rowCallsDone] = of.done;
        if (!of.open.empty())
            extra[rowCallsOpen] = of.open;
    }
}

bool isAtItsEnd(const Row& row)
{
    const auto status = stateOf(row.rawState);
    return status && isTerminal(*status);
}

} // namespace

SqlInspector::SqlInspector(Connection& connection, const Settings& settings)
    : m_connection(connection)
    , m_identity(settings.identity)
    , m_bindings(connection, settings.profiles, settings.only)
    , m_reader(connection, settings.clock != nullptr ? *settings.clock : m_systemClock, settings.bindClock)
    , m_finder(connection, m_bindings, m_reader)
    , m_runs(connection, { settings.clock, settings.bindClock })
    , m_forensics(connection, m_bindings, m_reader)
    , m_copier(connection, m_bindings, *this)
    , m_mapper(connection, m_bindings, m_reader)
{
}

Result<std::unique_ptr<SqlInspector>> SqlInspector::create(Connection& connection, const Settings& settings)
{
    const auto info = describeDatabase(connection);
    if (!info)
        return info.error();
    std::unique_ptr<SqlInspector> inspector(new SqlInspector(connection, settings));
    const auto& identity = settings.identity.empty() ? info->identity : settings.identity;
    inspector->m_writer = std::make_unique<ChangeWriter>(connection, inspector->m_bindings,
        ChangeSettings{ settings.clock, settings.bindClock, identity, settings.auditPath, settings.random });
    return inspector;
}

Result<DatabaseInfo> SqlInspector::info()
{
    auto info = describeDatabase(m_connection);
    if (!info)
        return info;
    const auto at = m_reader.now();
    if (!at)
        return at.error();
    info->now = *at;
    if (!m_identity.empty())
        info->identity = m_identity;
    return info;
}

Result<std::vector<Binding>> SqlInspector::bindings(bool refresh)
{
    const auto all = m_bindings.all(refresh);
    if (!all)
        return all.error();
    std::vector<Binding> result;
    for (const auto& bound : **all)
        result.push_back(bound.binding);
    return result;
}

Result<Page> SqlInspector::page(const Binding& binding, const PageRequest& request)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) -> Result<Page> {
        auto page = m_reader.page(bound, request);
        if (!page)
            return page;
        std::vector<Row*> rows;
        for (auto& row : page->rows)
            rows.push_back(&row);
        if (const auto told = tellMore(bound, rows, request.calls); !told)
            return told.error();
        return page;
    });
}

// What stands in other tables about rows of this one.
Status SqlInspector::tellMore(const BoundProfile& bound, std::vector<Row*> rows, bool calls)
{
    if (hasVerdicts(bound))
        return addVerdicts(rows);
    if (!calls || !hasCalls(bound))
        return {};
    std::erase_if(rows, [](const Row* row) { return isAtItsEnd(*row); });
    const auto found = callsFor(rows);
    if (!found && found.error().failure != Failure::Denied && found.error().failure != Failure::Unsupported)
        return found.error();
    addCalls(rows, found);
    return {};
}

Result<std::vector<RecordCalls>> SqlInspector::callsFor(const std::vector<Row*>& rows)
{
    std::vector<CallsSought> sought;
    sought.reserve(rows.size());
    for (const auto* row : rows) {
        // A key that only looks like octets in hexadecimal digits: nothing can be planned for it either.
        const auto id = recordIdOf(row->identity);
        const auto hash = fromHex(row->requestHash.value_or(""));
        const auto attempt = std::clamp<std::int64_t>(row->attempts.value_or(1), 0, INT32_MAX);
        sought.push_back({ id ? *id : RecordId(), hash && !hash->empty() ? std::optional(*hash) : std::nullopt,
            row->startedAt, static_cast<int>(attempt) });
    }
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    return callsOf(m_connection, sought, m_reader.deciding());
}

// Of a record that is gone, and of which no journal tells.
Result<std::optional<RowDetails>> SqlInspector::callsAlone(
    const BoundProfile& bound, const std::vector<std::string>& identity)
{
    const auto now = m_reader.now();
    if (!now)
        return now.error();
    RowDetails left;
    left.row = absentRecord(bound.binding, identity);
    left.now = *now;
    addCalls({ &left.row }, callsFor({ &left.row }));
    const auto& told = left.row.extra;
    return told.contains(rowCallsDone) || told.contains(rowCallsOpen) ? std::optional(std::move(left)) : std::nullopt;
}

// A role that may read the letters and not what became of them still sees them.
Status SqlInspector::addVerdicts(const std::vector<Row*>& rows)
{
    std::vector<std::string> ids;
    for (const auto* row : rows)
        if (isDead(*row))
            ids.push_back(storedText(row->identity.front()));
    if (ids.empty())
        return {};
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    const auto verdicts = judgeLetters(m_connection, ids, m_reader.deciding());
    if (!verdicts && verdicts.error().failure != Failure::Denied)
        return verdicts.error();
    // Behind a denial the transaction has ended.
    const auto overtaken = verdicts ? overtakenLetters(m_connection, ids)
                                    : Result<std::map<std::string, std::string>>(std::map<std::string, std::string>());
    if (!overtaken)
        return overtaken.error();
    for (auto* row : rows) {
        if (!isDead(*row))
            continue;
        const auto id = storedText(row->identity.front());
        JudgedReplay judged{ ReplayVerdict::Unknown, "the role may not read what became of it", {}, {}, {} };
        if (verdicts)
            if (const auto found = verdicts->find(id); found != verdicts->end())
                judged = found->second;
        row->extra[rowVerdict] = wordOf(judged.verdict);
        row->extra[rowVerdictReason] = judged.reason;
        if (!judged.unsendable.empty())
            row->extra[rowUnsendable] = judged.unsendable;
        if (!judged.behind.empty())
            row->extra[rowBehind] = judged.behind;
        if (const auto found = overtaken->find(id); found != overtaken->end())
            row->extra[rowOvertakenBy] = found->second;
        if (!judged.copyDoubles.empty())
            row->extra[rowCopyDoubles] = judged.copyDoubles;
    }
    return {};
}

Result<Counts> SqlInspector::counts(const Binding& binding, const FilterPtr& filter, Duration budget)
{
    return onBound(
        m_bindings, binding, [&](const BoundProfile& bound) { return m_reader.counts(bound, filter, budget); });
}

Result<std::vector<Unfit>> SqlInspector::unfit()
{
    const auto all = m_bindings.all();
    return all ? Result<std::vector<Unfit>>(m_bindings.unfit()) : Result<std::vector<Unfit>>(all.error());
}

Result<std::optional<Row>> SqlInspector::row(const Binding& binding, const std::vector<std::string>& identity)
{
    return readRow(binding, identity, {}, false);
}

Result<std::optional<Row>> SqlInspector::rowFor(const Binding& binding, const std::vector<std::string>& identity,
    const std::map<std::string, std::string>& parameters)
{
    return readRow(binding, identity, parameters, true);
}

Result<std::optional<Row>> SqlInspector::readRow(const Binding& binding, const std::vector<std::string>& identity,
    const std::map<std::string, std::string>& parameters, bool calls)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) -> Result<std::optional<Row>> {
        auto row = readAlone(bound, identity, parameters);
        if (row && *row)
            if (const auto told = tellMore(bound, { &**row }, calls); !told)
                return told.error();
        return row;
    });
}

Result<std::optional<Row>> SqlInspector::readAlone(const BoundProfile& bound, const std::vector<std::string>& identity,
    const std::map<std::string, std::string>& parameters)
{
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    return m_reader.row(bound, identity, parameters);
}

Result<std::optional<RowDetails>> SqlInspector::details(
    const Binding& binding, const std::vector<std::string>& identity, std::int64_t payloadLimit)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) -> Result<std::optional<RowDetails>> {
        auto details = m_reader.details(bound, identity, payloadLimit);
        if (details && !*details && hasCalls(bound) && !bound.binding.mayHideRows)
            return callsAlone(bound, identity);
        if (!details || !*details)
            return details;
        const std::vector<Row*> rows{ &(*details)->row };
        if (hasCalls(bound))
            addCalls(rows, callsFor(rows));
        else if (const auto told = tellMore(bound, rows, false); !told)
            return told.error();
        return details;
    });
}

Result<LetterGroups> SqlInspector::letterGroups(const Binding& binding)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) -> Result<LetterGroups> {
        if (!bound.profile->native || bound.binding.kind != Kind::DeadLetter || !bound.binding.reachable)
            return Error{ Failure::Unsupported,
                "The table " + binding.name + " has no groups: they are kept among Fencepost's own dead letters", {} };
        const auto now = m_reader.now();
        if (!now)
            return now.error();
        auto groups = groupsOf(m_connection, *now);
        if (!groups)
            return groups.error();
        return LetterGroups{ std::move(*groups), *now };
    });
}

Result<OutboxBacklog> SqlInspector::outboxBacklog(const Binding& binding)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) -> Result<OutboxBacklog> {
        if (!bound.profile->native || bound.binding.kind != Kind::Outbox || !bound.binding.reachable)
            return Error{ Failure::Unsupported,
                "The table " + binding.name + " has no backlog: it is counted of Fencepost's own outbox", {} };
        const auto now = m_reader.now();
        if (!now)
            return now.error();
        return backlogOf(m_connection, *now);
    });
}

Result<std::string> SqlInspector::explain(const Binding& binding, const PageRequest& request)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) { return m_reader.explain(bound, request); });
}

Result<std::string> SqlInspector::sqlOf(
    const Binding& binding, const std::string& verb, const std::map<std::string, std::string>& parameters)
{
    return onBound(m_bindings, binding, [&](const BoundProfile& bound) -> Result<std::string> {
        if (!bound.profile->native) {
            auto text = foreignSql(bound, verb, parameters, m_reader.deciding(), m_random);
            const auto checked = text ? checkSaid(m_connection, bound, verb, parameters) : Status();
            return checked ? std::move(text) : Result<std::string>(checked.error());
        }
        return nativeSql(bound, verb);
    });
}

Result<ItemOutcome> SqlInspector::apply(const Binding& binding, const Change& change)
{
    return m_writer->apply(binding, change);
}

Result<bool> SqlInspector::hasAudit()
{
    return m_writer->hasAudit();
}

Status SqlInspector::installAudit()
{
    return m_writer->installAudit();
}

Result<std::vector<AuditEntry>> SqlInspector::audit(const AuditRequest& request)
{
    return m_writer->audit(request);
}

Result<AuditVerdict> SqlInspector::verifyAudit()
{
    const auto snapshot = isSnapshot(m_connection);
    if (!snapshot)
        return snapshot.error();
    if (*snapshot)
        return Error{ Failure::Unsupported,
            "The audit of a snapshot may be redacted or a part of the whole, so its chain proves nothing here", {}, {},
            "Verify it in the database itself; fencepostctl snapshot verify says whether this file was changed" };
    return m_writer->verifyAudit();
}

RunJournal* SqlInspector::runs()
{
    return &m_runs;
}

Forensics* SqlInspector::forensics()
{
    return &m_forensics;
}

Copier* SqlInspector::copier()
{
    return &m_copier;
}

Result<AuditEntry> SqlInspector::record(const AuditEntry& entry)
{
    return m_writer->record(entry);
}

} // namespace fencepost::store
