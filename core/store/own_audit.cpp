// SPDX-License-Identifier: Apache-2.0
#include "core/store/own_audit.h"

#include <algorithm>
#include <iterator>

#include "core/store/private_file.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr auto inDoubt = "in_doubt";

AuditEntry entryFrom(Statement& row)
{
    AuditEntry entry;
    entry.requestId = row.text(0);
    entry.item = static_cast<int>(row.integer(1));
    entry.verb = row.text(2);
    entry.database = row.text(3);
    entry.binding = row.text(4);
    entry.identity = row.text(5);
    entry.outcome = inDoubt;
    entry.detail = "the write was sent and its outcome is not known; running the plan again looks it up";
    entry.before = row.text(6);
    entry.after = row.text(7);
    entry.parameters = row.text(8);
    entry.actor = row.text(9);
    entry.reason = row.text(10);
    entry.at = timeFromMicros(row.integer(11));
    return entry;
}

bool matches(const AuditEntry& entry, const AuditRequest& request)
{
    if (request.requestId)
        return entry.requestId == *request.requestId;
    return request.identity.empty()
        || (entry.identity == identityText(request.identity) && entry.binding == request.binding);
}

} // namespace

OwnAudit::OwnAudit(std::unique_ptr<Connection> connection, const std::string& path)
    : m_connection(std::move(connection))
    , m_log(*m_connection)
    , m_head(path + ".head")
{
}

Result<std::optional<std::string>> OwnAudit::whatIsMissing(const ChainHead::Mark& mark)
{
    const auto same = m_log.includes(mark.entries, mark.hash);
    if (!same)
        return same.error();
    if (*same || mark.entries == 0)
        return std::optional<std::string>();
    return std::optional("the file " + m_head.path() + " says that it had " + std::to_string(mark.entries)
        + " entries, and the last of them is not here");
}

// Before anything is written: entries of a new chain would hide that the old one is gone.
Status OwnAudit::checkHead()
{
    const auto mark = m_head.read();
    if (!mark)
        return mark.error();
    if (!*mark)
        return {};
    const auto missing = whatIsMissing(**mark);
    if (!missing)
        return missing.error();
    if (!*missing)
        return {};
    return Error{ Failure::Corrupt, "The console's own audit was emptied, taken away or put back", **missing, {},
        "Restore it from a backup, or keep both files under other names and begin anew" };
}

Result<std::unique_ptr<OwnAudit>> OwnAudit::open(const std::string& path)
{
    auto connection = openPrivateFile(path, "the console's own audit");
    if (!connection)
        return connection.error();
    std::unique_ptr<OwnAudit> audit(new OwnAudit(std::move(*connection), path));
    if (auto status = audit->m_log.install(); !status)
        return status.error();
    if (auto status = audit->m_connection->execute(sql::intent_create.sqlite); !status)
        return status.error();
    return audit;
}

Result<std::optional<AuditEntry>> OwnAudit::find(const std::string& requestId, int item)
{
    return m_log.find(requestId, item);
}

Result<std::optional<AuditEntry>> OwnAudit::intentOf(const std::string& requestId, int item)
{
    auto statement = m_connection->prepare(sql::intent_of_item);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->bindText("request_id", requestId).bindInt("item", item).run(); !status)
        return status.error();
    std::optional<AuditEntry> entry;
    if ((*statement)->next())
        entry = entryFrom(**statement);
    (*statement)->finish();
    return entry;
}

Result<std::vector<AuditEntry>> OwnAudit::intents(const std::string& database)
{
    auto statement = m_connection->prepare(sql::intent_list);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->bindText("database", database).run(); !status)
        return status.error();
    std::vector<AuditEntry> entries;
    while ((*statement)->next())
        entries.push_back(entryFrom(**statement));
    (*statement)->finish();
    return entries;
}

Status OwnAudit::intend(const AuditEntry& entry)
{
    if (auto whole = checkHead(); !whole)
        return whole;
    auto statement = m_connection->prepare(sql::intent_put);
    if (!statement)
        return statement.error();
    auto status = (*statement)
                      ->bindText("request_id", entry.requestId)
                      .bindInt("item", entry.item)
                      .bindText("verb", entry.verb)
                      .bindText("database", entry.database)
                      .bindText("binding", entry.binding)
                      .bindText("identity", entry.identity)
                      .bindText("before_image", entry.before)
                      .bindText("after_image", entry.after)
                      .bindText("parameters", entry.parameters)
                      .bindText("actor", entry.actor)
                      .bindText("reason", entry.reason)
                      .bindTime("at", entry.at)
                      .run();
    (*statement)->finish();
    return status;
}

Status OwnAudit::withdraw(const std::string& requestId, int item)
{
    auto statement = m_connection->prepare(sql::intent_delete);
    if (!statement)
        return statement.error();
    auto status = (*statement)->bindText("request_id", requestId).bindInt("item", item).run();
    (*statement)->finish();
    return status;
}

Result<AuditEntry> OwnAudit::conclude(const AuditEntry& entry)
{
    auto transaction = Transaction::begin(*m_connection, Begin::Immediate);
    if (!transaction)
        return transaction.error();
    if (auto status = m_log.lock(); !status)
        return status.error();
    if (auto whole = checkHead(); !whole)
        return whole.error();
    const auto earlier = m_log.find(entry.requestId, entry.item);
    if (!earlier)
        return earlier.error();
    if (*earlier && (*earlier)->outcome == wordOf(ItemResult::Changed) && (*earlier)->outcome == entry.outcome)
        return **earlier;
    auto appended = m_log.append(entry);
    if (!appended)
        return appended.error();
    if (auto status = withdraw(entry.requestId, entry.item); !status)
        return status.error();
    if (auto status = transaction->commit(); !status)
        return status.error();
    if (auto status = m_head.write({ appended->seq, appended->hash }); !status)
        return status.error();
    return appended;
}

Result<std::vector<AuditEntry>> OwnAudit::list(const AuditRequest& request, const std::string& database)
{
    std::vector<AuditEntry> entries;
    if (!request.beforeSeq) {
        auto open = intents(database);
        if (!open)
            return open.error();
        std::copy_if(open->begin(), open->end(), std::back_inserter(entries),
            [&](const AuditEntry& entry) { return matches(entry, request); });
    }
    auto concluded = m_log.list(request, database);
    if (!concluded)
        return concluded.error();
    entries.insert(entries.end(), concluded->begin(), concluded->end());
    return entries;
}

Result<AuditVerdict> OwnAudit::verify()
{
    auto verdict = m_log.verify();
    if (!verdict || !verdict->intact)
        return verdict;
    const auto mark = m_head.read();
    const auto broken = [&](const std::string& reason) {
        verdict->intact = false;
        verdict->brokenAt = verdict->entries + 1;
        verdict->reason = reason;
        return verdict;
    };
    if (!mark)
        return broken(mark.error().message + " (" + mark.error().detail + ')');
    if (!*mark)
        return verdict;
    const auto missing = whatIsMissing(**mark);
    if (!missing)
        return missing.error();
    return *missing ? broken("entries are missing: " + **missing) : verdict;
}

} // namespace fencepost::store
