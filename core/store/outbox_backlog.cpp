// SPDX-License-Identifier: Apache-2.0
#include "core/store/outbox_backlog.h"

#include "core/store/native.h"
#include "core/store/read_rows.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Result<OutboxBacklog> backlogFrom(const NativeRow& row)
{
    OutboxBacklog backlog;
    int column = 0;
    for (auto* count : { &backlog.pending, &backlog.due, &backlog.sending })
        *count = row.integer(column++);
    backlog.oldest = row.optionalTime(column++);
    backlog.dueSince = row.optionalTime(column++);
    backlog.disabledDestinations = row.integer(column);
    return backlog;
}

struct BlockedRow {
    BlockedKey key;
    std::int64_t allKeys = 0;
    std::int64_t allMessages = 0;
};

Result<BlockedRow> blockedFrom(const NativeRow& row)
{
    BlockedRow blocked;
    auto& key = blocked.key;
    int column = 0;
    key.destination = row.text(column++);
    key.orderingKey = row.text(column++);
    key.seq = row.integer(column++);
    key.eventId = row.text(column++);
    const auto state = outboxStateOf(row.octets(column++));
    const auto attempts = parseAttempts(row.octets(column++));
    if (!state)
        return Error{ Failure::Corrupt,
            "The message " + key.eventId + " of the outbox holds a value that none can have", {} };
    key.state = *state;
    key.error = !attempts ? "its attempts cannot be read" : attempts->empty() ? "" : attempts->back().error;
    key.attempt = row.number(column++);
    key.nextAttemptAt = row.optionalTime(column++);
    key.createdAt = row.time(column++);
    key.waiting = row.integer(column++);
    blocked.allKeys = row.integer(column++);
    blocked.allMessages = row.integer(column);
    return blocked;
}

} // namespace

Result<OutboxBacklog> unsentOf(Connection& connection, Time now)
{
    auto backlog = firstOf(readRows(connection, sql::outbox_backlog, Parameters().time("now", now), backlogFrom));
    if (!backlog)
        return backlog.error();
    (**backlog).now = now;
    return std::move(**backlog);
}

Result<OutboxBacklog> backlogOf(Connection& connection, Time now)
{
    auto backlog = unsentOf(connection, now);
    if (!backlog)
        return backlog;
    const auto blocked = readRows(connection, sql::outbox_blocked, Parameters().time("now", now), blockedFrom);
    if (!blocked)
        return blocked.error();
    for (const auto& row : *blocked) {
        backlog->blocked.push_back(row.key);
        backlog->blockedKeys = row.allKeys;
        backlog->blockedMessages = row.allMessages;
    }
    return backlog;
}

} // namespace fencepost::store
