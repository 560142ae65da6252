// SPDX-License-Identifier: Apache-2.0
#include "core/store/audit_log.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/store/creation.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr int walkedAtOnce = 500;

// Every value with its length: no two entries have the same text.
void add(std::string& text, std::string_view name, std::string_view value)
{
    text.append(name).append("=").append(std::to_string(value.size())).append(":").append(value).append("\n");
}

AuditEntry entryFrom(Statement& row, std::string (Statement::*text)(int) const)
{
    AuditEntry entry;
    entry.seq = row.integer(0);
    entry.requestId = (row.*text)(1);
    entry.item = static_cast<int>(row.integer(2));
    entry.verb = (row.*text)(3);
    entry.database = (row.*text)(4);
    entry.binding = (row.*text)(5);
    entry.identity = (row.*text)(6);
    entry.outcome = (row.*text)(7);
    entry.detail = (row.*text)(8);
    entry.before = (row.*text)(9);
    entry.after = (row.*text)(10);
    entry.parameters = (row.*text)(11);
    entry.actor = (row.*text)(12);
    entry.reason = (row.*text)(13);
    entry.at = timeFromMicros(row.integer(14));
    entry.previous = (row.*text)(15);
    entry.hash = (row.*text)(16);
    return entry;
}

void bindEntry(Statement& statement, const AuditEntry& entry)
{
    statement.bindInt("seq", entry.seq)
        .bindText("request_id", entry.requestId)
        .bindInt("item", entry.item)
        .bindText("verb", entry.verb)
        .bindText("database", entry.database)
        .bindText("binding", entry.binding)
        .bindText("identity", entry.identity)
        .bindText("outcome", entry.outcome)
        .bindText("detail", entry.detail)
        .bindText("before_image", entry.before)
        .bindText("after_image", entry.after)
        .bindText("parameters", entry.parameters)
        .bindText("actor", entry.actor)
        .bindText("reason", entry.reason)
        .bindTime("at", entry.at)
        .bindText("previous", entry.previous)
        .bindText("hash", entry.hash);
}

Error missing()
{
    return { Failure::Unsupported, "This database has no audit table", "Install it with: fencepostctl audit install" };
}

AuditVerdict broken(AuditVerdict verdict, std::int64_t seq, std::string reason)
{
    verdict.intact = false;
    verdict.brokenAt = seq;
    verdict.reason = std::move(reason);
    return verdict;
}

} // namespace

std::string hashOf(const AuditEntry& entry)
{
    std::string text;
    add(text, "seq", std::to_string(entry.seq));
    add(text, "request_id", entry.requestId);
    add(text, "item", std::to_string(entry.item));
    add(text, "verb", entry.verb);
    add(text, "database", entry.database);
    add(text, "binding", entry.binding);
    add(text, "identity", entry.identity);
    add(text, "outcome", entry.outcome);
    add(text, "detail", entry.detail);
    add(text, "before", entry.before);
    add(text, "after", entry.after);
    add(text, "parameters", entry.parameters);
    add(text, "actor", entry.actor);
    add(text, "reason", entry.reason);
    add(text, "at", std::to_string(microsOf(entry.at)));
    add(text, "previous", entry.previous);
    return toHex(sha256(text));
}

std::string identityText(const std::vector<std::string>& identity)
{
    return nlohmann::json(identity).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

AuditLog::AuditLog(Connection& connection)
    : m_connection(connection)
{
}

Result<bool> AuditLog::exists()
{
    auto statement = m_connection.prepare(sql::audit_exists);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->run(); !status)
        return status.error();
    const bool there = (*statement)->next() && (*statement)->integer(0) != 0;
    (*statement)->finish();
    return there;
}

Status AuditLog::create()
{
    for (const auto* statement : { &sql::audit_create, &sql::audit_create_once, &sql::audit_create_by_request,
             &sql::audit_create_by_row, &sql::audit_create_chain })
        if (auto status = m_connection.execute(statement->of(m_connection.dialect())); !status)
            return status;
    return start();
}

// Where there are entries and no end, somebody took it away: a new one would hide what else is missing.
Status AuditLog::start()
{
    const auto there = readEnd(sql::audit_end);
    if (!there)
        return there.error();
    if (*there)
        return {};
    const auto entries = list({ .limit = 1 }, {});
    if (!entries)
        return entries.error();
    if (!entries->empty())
        return Error{ Failure::Corrupt, "The audit has lost the row that says where its chain ends", {}, {},
            "Restore idempotency_chain from a backup, or keep idempotency_audit under another name and begin anew" };
    auto end = m_connection.prepare(sql::audit_create_end);
    if (!end)
        return end.error();
    auto status = (*end)->bindText("hash", genesis).run();
    (*end)->finish();
    return status;
}

Status AuditLog::install()
{
    return creating([&]() -> Status {
        auto transaction = Transaction::begin(m_connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        if (auto created = create(); !created)
            return created;
        return transaction->commit();
    });
}

Result<std::optional<AuditLog::End>> AuditLog::readEnd(const NamedSql& text)
{
    auto statement = m_connection.prepare(text);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->run(); !status)
        return status.error();
    std::optional<End> end;
    if ((*statement)->next())
        end = End{ (*statement)->integer(0), (*statement)->text(1) };
    (*statement)->finish();
    return end;
}

Status AuditLog::lock()
{
    // Who does not see all of it cannot tell what was done already, nor what the next entry follows.
    if (!m_isWhole) {
        if (auto whole = checkWhole(); !whole)
            return whole;
        m_isWhole = true;
    }
    auto end = readEnd(sql::audit_lock);
    if (!end)
        return end.error();
    // Tables that were made from the printed DDL have no end yet.
    if (!*end) {
        if (auto status = start(); !status)
            return status;
        end = readEnd(sql::audit_lock);
        if (!end)
            return end.error();
    }
    m_end = **end;
    return {};
}

Result<std::optional<AuditEntry>> AuditLog::find(const std::string& requestId, int item)
{
    auto statement = m_connection.prepare(sql::audit_of_item);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->bindText("request_id", requestId).bindInt("item", item).run(); !status)
        return status.error();
    std::optional<AuditEntry> entry;
    if ((*statement)->next())
        entry = entryFrom(**statement, &Statement::text);
    (*statement)->finish();
    return entry;
}

Result<AuditEntry> AuditLog::append(AuditEntry entry)
{
    if (!m_end)
        return Error{ Failure::Internal, "The audit was written to without its lock", {} };
    entry.seq = m_end->entries + 1;
    entry.previous = m_end->hash;
    entry.hash = hashOf(entry);
    auto insert = m_connection.prepare(sql::audit_append);
    if (!insert)
        return insert.error();
    bindEntry(**insert, entry);
    auto status = (*insert)->run();
    (*insert)->finish();
    if (!status)
        return status.error();
    auto move = m_connection.prepare(sql::audit_move);
    if (!move)
        return move.error();
    status = (*move)->bindInt("entries", entry.seq).bindText("hash", entry.hash).run();
    (*move)->finish();
    if (!status)
        return status.error();
    m_end = End{ entry.seq, entry.hash };
    return entry;
}

Result<std::vector<AuditEntry>> AuditLog::list(const AuditRequest& request, const std::string& database)
{
    const auto& text = request.requestId ? sql::audit_page_of_request
        : !request.identity.empty()      ? sql::audit_page_of_row
                                         : sql::audit_page;
    // Of one row the table's binding warns.
    if (request.identity.empty())
        if (const auto whole = checkWhole(); !whole)
            return whole.error();
    auto prepared = m_connection.prepare(text);
    if (!prepared)
        return prepared.error();
    auto& statement = **prepared;
    statement.bindInt("before", request.beforeSeq.value_or(std::numeric_limits<std::int64_t>::max()))
        .bindText("database", database)
        .bindInt("limit", request.limit);
    if (request.requestId)
        statement.bindText("request_id", *request.requestId);
    else if (!request.identity.empty())
        statement.bindText("identity", identityText(request.identity)).bindText("binding", request.binding);
    if (auto status = statement.run(); !status)
        return status.error();
    std::vector<AuditEntry> entries;
    while (statement.next())
        entries.push_back(entryFrom(statement, &Statement::text));
    auto status = statement.error();
    statement.finish();
    if (!status)
        return status.error();
    return entries;
}

Result<bool> AuditLog::includes(std::int64_t seq, const std::string& hash)
{
    auto statement = m_connection.prepare(sql::audit_walk);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->bindInt("after", seq - 1).bindInt("limit", 1).run(); !status)
        return status.error();
    const bool same = (*statement)->next() && (*statement)->integer(0) == seq
        && entryFrom(**statement, &Statement::text).hash == hash;
    (*statement)->finish();
    return same;
}

// Where rows may be hidden, one that is not seen is no finding.
Status AuditLog::checkWhole()
{
    if (sql::audit_hidden.of(m_connection.dialect()) == nullptr)
        return {};
    auto statement = m_connection.prepare(sql::audit_hidden);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->run(); !status)
        return status;
    const bool hidden = (*statement)->next() && (*statement)->integer(0) != 0;
    (*statement)->finish();
    if (hidden)
        return Error{ Failure::Denied,
            "Row-level security is in force for this role on the audit: entries may be hidden, so it can be "
            "neither checked nor continued",
            {}, {}, "Connect with a role that sees all of it" };
    return {};
}

Result<AuditVerdict> AuditLog::verify()
{
    auto there = exists();
    if (!there)
        return there.error();
    if (!*there)
        return missing();
    if (const auto whole = checkWhole(); !whole)
        return whole.error();
    auto transaction = Transaction::begin(m_connection, Begin::Deferred);
    if (!transaction)
        return transaction.error();
    // Otherwise each statement would see entries that came after the one before it.
    if (m_connection.dialect() == Dialect::PostgreSql)
        if (auto status = m_connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"); !status)
            return status.error();
    auto verdict = walk();
    transaction->rollback();
    return verdict;
}

Result<AuditVerdict> AuditLog::walk()
{
    auto end = readEnd(sql::audit_end);
    if (!end)
        return end.error();
    AuditVerdict verdict;
    verdict.head = genesis;
    std::int64_t after = std::numeric_limits<std::int64_t>::min();
    for (int read = walkedAtOnce; read == walkedAtOnce;) {
        auto prepared = m_connection.prepare(sql::audit_walk);
        if (!prepared)
            return prepared.error();
        auto& statement = **prepared;
        if (auto status = statement.bindInt("after", after).bindInt("limit", walkedAtOnce).run(); !status)
            return status.error();
        for (read = 0; statement.next(); ++read) {
            const auto entry = entryFrom(statement, &Statement::bytes);
            after = entry.seq;
            const auto expected = verdict.entries + 1;
            if (entry.seq != expected)
                return broken(verdict, expected,
                    "entry " + std::to_string(expected) + " is missing; the next one is " + std::to_string(entry.seq));
            if (entry.hash != hashOf(entry))
                return broken(verdict, entry.seq,
                    "entry " + std::to_string(entry.seq) + " was changed: its hash does not fit its content");
            if (entry.previous != verdict.head)
                return broken(
                    verdict, entry.seq, "entry " + std::to_string(entry.seq) + " does not follow the one before it");
            verdict.head = entry.hash;
            verdict.entries = entry.seq;
        }
        auto status = statement.error();
        statement.finish();
        if (!status)
            return status.error();
    }
    if (!*end)
        return broken(verdict, verdict.entries, "the row that says where the chain ends is gone");
    if ((*end)->entries > verdict.entries)
        return broken(verdict, verdict.entries + 1,
            "the last entries are missing: there were " + std::to_string((*end)->entries) + ", there are "
                + std::to_string(verdict.entries));
    if ((*end)->entries < verdict.entries || (*end)->hash != verdict.head)
        return broken(verdict, verdict.entries, "the end of the chain is not the entry that was written last");
    return verdict;
}

} // namespace fencepost::store
