// SPDX-License-Identifier: Apache-2.0
#include "core/store/client_journal_file.h"

#include "core/store/private_file.h"
#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr int patience = 5; // tries, where another process writes

Error corrupt(const std::string& what)
{
    return { Failure::Corrupt, "The client's journal cannot be read", what };
}

Result<CallEntry> entryFrom(Statement& row)
{
    CallEntry entry;
    entry.operation = row.text(0);
    entry.key = row.text(1);
    entry.method = row.text(2);
    entry.url = row.text(3);
    auto headers = headersFrom(row.text(4), "headers");
    if (!headers)
        return corrupt(headers.error().message);
    entry.headers = std::move(*headers);
    entry.body = row.optionalBytes(5);
    entry.bodyDigest = row.bytes(6);
    entry.preset = row.text(7);
    const auto state = callStateOf(row.text(8));
    if (!state)
        return corrupt("\"" + row.text(8) + "\" is no state of a call");
    entry.state = *state;
    entry.attempts = static_cast<int>(row.integer(9));
    if (const auto status = row.optionalInteger(10))
        entry.status = static_cast<int>(*status);
    entry.reason = row.text(11);
    entry.createdAt = timeFromMicros(row.integer(12));
    entry.updatedAt = timeFromMicros(row.integer(13));
    return entry;
}

Result<int> changed(Statement& statement)
{
    if (auto status = statement.run(); !status) {
        statement.finish();
        return status.error();
    }
    const int affected = statement.affected();
    statement.finish();
    return affected;
}

Statement& bound(Statement& statement, const CallEntry& entry)
{
    return statement.bindText("operation", entry.operation)
        .bindText("key", entry.key)
        .bindText("method", entry.method)
        .bindText("url", entry.url)
        .bindText("headers", headersText(entry.headers))
        .bindBytes("body", entry.body)
        .bindBytes("body_digest", entry.bodyDigest)
        .bindText("preset", entry.preset)
        .bindTime("at", entry.createdAt);
}

} // namespace

ClientJournalFile::ClientJournalFile(std::unique_ptr<Connection> connection)
    : m_connection(std::move(connection))
{
}

Result<std::unique_ptr<ClientJournalFile>> ClientJournalFile::open(const std::string& path)
{
    auto connection = openPrivateFile(path, "the client's journal");
    if (!connection)
        return connection.error();
    std::unique_ptr<ClientJournalFile> journal(new ClientJournalFile(std::move(*connection)));
    if (auto status = journal->install(); !status)
        return status.error();
    return journal;
}

Status ClientJournalFile::install()
{
    return retrying(patience, [this]() -> Status {
        if (auto wal = m_connection->execute("PRAGMA journal_mode=WAL"); !wal)
            return wal;
        auto transaction = Transaction::begin(*m_connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        for (const auto* text : { sql::client_call_create.sqlite, sql::client_call_create_unsettled.sqlite })
            if (auto status = m_connection->execute(text); !status)
                return status;
        return transaction->commit();
    });
}

Status ClientJournalFile::setDurability(Durability durability)
{
    if (m_durability == durability)
        return {};
    auto status =
        m_connection->execute(durability == Durability::Now ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
    if (status)
        m_durability = durability;
    return status;
}

Result<bool> ClientJournalFile::put(const CallEntry& entry)
{
    auto statement = m_connection->prepare(sql::client_call_put);
    if (!statement)
        return statement.error();
    return changed(bound(**statement, entry)).transform([](int rows) { return rows == 1; });
}

Result<CallEntry> ClientJournalFile::reopen(const CallEntry& entry)
{
    auto before = find(entry.operation, entry.key);
    if (!before)
        return before.error();
    if (!*before)
        return Error{ Failure::Internal, "The client's journal lost an entry while it was written", entry.operation };
    auto statement = m_connection->prepare(sql::client_call_reopen);
    if (!statement)
        return statement.error();
    const auto rows = changed(bound(**statement, entry));
    if (!rows)
        return rows.error();
    if (*rows == 1)
        return **before;
    return Error{ Failure::Conflict, "This key was sent with another request before", entry.operation,
        "CONFLICT.idempotency.payload_mismatch", "Send the request as it was, or this one under a key of its own" };
}

Result<std::optional<CallEntry>> ClientJournalFile::open(const CallEntry& entry)
{
    if (auto durable = setDurability(Durability::Now); !durable)
        return durable.error();
    std::optional<CallEntry> before;
    auto status = retrying(patience, [&]() -> Status {
        auto transaction = Transaction::begin(*m_connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        const auto fresh = put(entry);
        if (!fresh)
            return fresh.error();
        if (!*fresh) {
            auto known = reopen(entry);
            if (!known)
                return known.error();
            before = std::move(*known);
        }
        return transaction->commit();
    });
    if (!status)
        return status.error();
    return before;
}

Status ClientJournalFile::update(const CallProgress& progress)
{
    if (auto soon = setDurability(Durability::Soon); !soon)
        return soon;
    return retrying(patience, [&]() -> Status {
        auto statement = m_connection->prepare(sql::client_call_update);
        if (!statement)
            return statement.error();
        (*statement)
            ->bindText("operation", progress.operation)
            .bindText("key", progress.key)
            .bindText("state", wordOf(progress.state))
            .bindInt("attempts", progress.attempts)
            .bindInt("status", progress.status)
            .bindText("reason", progress.reason)
            .bindTime("at", progress.at);
        const auto rows = changed(**statement);
        if (!rows)
            return rows.error();
        if (*rows == 0)
            return Error{ Failure::NotFound, "The client's journal has no such entry", progress.operation };
        return {};
    });
}

Result<std::optional<CallEntry>> ClientJournalFile::find(const std::string& operation, const std::string& key)
{
    auto statement = m_connection->prepare(sql::client_call_find);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->bindText("operation", operation).bindText("key", key).run(); !status)
        return status.error();
    std::optional<Result<CallEntry>> entry;
    if ((*statement)->next())
        entry = entryFrom(**statement);
    const auto read = (*statement)->error();
    (*statement)->finish();
    if (!read)
        return read.error();
    if (!entry)
        return std::optional<CallEntry>();
    return entry->transform([](const CallEntry& found) { return std::optional(found); });
}

Result<std::vector<CallEntry>> ClientJournalFile::unsettled()
{
    auto statement = m_connection->prepare(sql::client_call_unsettled);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->run(); !status)
        return status.error();
    std::vector<CallEntry> entries;
    Status read;
    while (read && (*statement)->next()) {
        auto entry = entryFrom(**statement);
        if (entry)
            entries.push_back(std::move(*entry));
        else
            read = entry.error();
    }
    if (read)
        read = (*statement)->error();
    (*statement)->finish();
    if (!read)
        return read.error();
    return entries;
}

Result<std::int64_t> ClientJournalFile::forgetConfirmed(Time before)
{
    auto statement = m_connection->prepare(sql::client_call_forget);
    if (!statement)
        return statement.error();
    (*statement)->bindTime("before", before);
    return changed(**statement).transform([](int rows) { return std::int64_t{ rows }; });
}

} // namespace fencepost::store
