// SPDX-License-Identifier: Apache-2.0
#include "core/store/message_row.h"

#include <algorithm>
#include <limits>

#include "core/store/read_rows.h"
#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Error impossible(const char* what, std::string detail)
{
    return { Failure::Corrupt, std::string(what) + " holds a value that none can have", std::move(detail) };
}

std::optional<RecordId> recordFrom(const NativeRow& row, int scope, int operation, int key)
{
    if (row.isNull(key))
        return {};
    return RecordId{ row.text(scope), row.text(operation), row.text(key) };
}

Parameters& addRecord(Parameters& parameters, const std::optional<RecordId>& record)
{
    const auto part = [&](std::string RecordId::*member) {
        return record ? std::optional<std::string_view>((*record).*member) : std::nullopt;
    };
    const auto add = [&](const char* name, std::optional<std::string_view> value) {
        if (value)
            parameters.text(name, *value);
        else
            parameters.text(name, std::optional<std::string>());
    };
    add("scope", part(&RecordId::scope));
    add("operation", part(&RecordId::operation));
    add("key", part(&RecordId::key));
    return parameters;
}

std::optional<Owner> ownerFrom(const NativeRow& row, int column)
{
    return row.isNull(column) ? std::nullopt : std::optional(Owner(row.text(column)));
}

std::optional<std::string> uuidOf(const std::optional<Owner>& owner)
{
    return owner ? std::optional(owner->uuid) : std::nullopt;
}

Result<InboxMessage> inboxFrom(const NativeRow& row)
{
    InboxMessage message;
    int column = 0;
    message.id.consumer = row.text(column++);
    message.id.source = row.text(column++);
    message.id.eventId = row.text(column++);
    message.dedupeKey = row.optionalText(column++);
    message.payloadHash = row.text(column++);
    const auto state = inboxStateOf(row.octets(column++));
    if (!state)
        return impossible("A message of the inbox", row.text(column - 1));
    message.state = *state;
    message.owner = ownerFrom(row, column++);
    message.leaseExpiresAt = row.optionalTime(column++);
    message.receiveCount = row.number(column++);
    message.attempt = row.number(column++);
    message.nextAttemptAt = row.optionalTime(column++);
    message.receivedAt = row.time(column++);
    message.processedAt = row.optionalTime(column++);
    message.result = row.optionalText(column++);
    message.correlationId = row.optionalText(column++);
    message.subject = row.optionalText(column++);
    message.version = row.optionalInteger(column++);
    auto attempts = parseAttempts(row.isNull(column) ? std::string_view() : row.octets(column));
    if (!attempts)
        return attempts.error();
    message.attempts = std::move(*attempts);
    message.holdsEffect = row.integer(++column) != 0;
    return message;
}

// The column may hold what is no count.
int countFrom(const NativeRow& row, int column)
{
    return std::max(row.number(column), 0);
}

Result<OutboxMessage> outboxFrom(const NativeRow& row)
{
    OutboxMessage message;
    auto& event = message.event;
    int column = 0;
    message.seq = row.integer(column++);
    event.eventId = row.text(column++);
    event.destination = row.text(column++);
    event.source = row.text(column++);
    event.aggregateType = row.text(column++);
    event.aggregateId = row.text(column++);
    event.type = row.text(column++);
    event.orderingKey = row.optionalText(column++);
    auto headers = headersFrom(row.octets(column++), "headers");
    message.headersUnreadable = !headers;
    if (headers)
        event.headers = std::move(*headers);
    message.payloadOctets = row.integer(column++);
    const auto state = outboxStateOf(row.octets(column++));
    if (!state)
        return impossible("A message of the outbox", row.text(column - 1));
    message.state = *state;
    message.owner = ownerFrom(row, column++);
    message.leaseExpiresAt = row.optionalTime(column++);
    message.attempt = countFrom(row, column++);
    message.nextAttemptAt = row.optionalTime(column++);
    auto attempts = parseAttempts(row.octets(column++));
    message.attemptsUnreadable = !attempts;
    if (attempts)
        message.attempts = std::move(*attempts);
    event.record = recordFrom(row, column, column + 1, column + 2);
    column += 3;
    event.correlationId = row.optionalText(column++);
    message.createdAt = row.time(column++);
    message.sentAt = row.optionalTime(column++);
    message.discardedAt = row.optionalTime(column++);
    return message;
}

Result<DeadLetter> deadLetterFrom(const NativeRow& row)
{
    DeadLetter letter;
    int column = 0;
    letter.id = row.text(column++);
    const auto kind = deadLetterKindOf(row.octets(column++));
    letter.consumer = row.text(column++);
    letter.source = row.text(column++);
    letter.eventId = row.text(column++);
    letter.destination = row.text(column++);
    letter.type = row.text(column++);
    letter.orderingKey = row.optionalText(column++);
    const auto state = deadLetterStateOf(row.octets(column++));
    if (!kind || !state)
        return impossible("A dead letter", letter.id);
    letter.kind = *kind;
    letter.state = *state;
    letter.deaths = row.number(column++);
    letter.code = row.text(column++);
    letter.reason = row.text(column++);
    letter.group.fingerprint = row.text(column++);
    letter.group.pattern = row.text(column++);
    letter.attempts = attemptsOrDoubt(row.octets(column++));
    auto headers = headersFrom(row.octets(column++), "headers");
    if (!headers)
        return headers.error();
    letter.headers = std::move(*headers);
    letter.payloadOctets = row.optionalInteger(column++);
    letter.payloadHash = row.text(column++);
    letter.record = recordFrom(row, column, column + 1, column + 2);
    column += 3;
    letter.correlationId = row.optionalText(column++);
    letter.firstAt = row.time(column++);
    letter.deadAt = row.time(column++);
    letter.settledAt = row.optionalTime(column++);
    letter.settledBy = row.optionalText(column++);
    letter.settledBecause = row.optionalText(column++);
    letter.runId = row.optionalText(column++);
    return letter;
}

// What a row of the inbox changes in its life.
class InboxColumns {
public:
    explicit InboxColumns(const InboxMessage& message)
        : m_message(message)
        , m_owner(uuidOf(message.owner))
        , m_attempts(formatAttempts(message.attempts))
    {
    }
    void addTo(Parameters& parameters) const
    {
        addInboxId(parameters, m_message.id)
            .text("status", wordOf(m_message.state))
            .text("owner", m_owner)
            .time("lease_expires_at", m_message.leaseExpiresAt)
            .integer("receive_count", m_message.receiveCount)
            .integer("attempt", m_message.attempt)
            .time("next_attempt_at", m_message.nextAttemptAt)
            .time("processed_at", m_message.processedAt)
            .text("result", m_message.result)
            .text("attempts", m_attempts)
            .text("effect_key", m_message.holdsEffect ? m_message.dedupeKey : m_none);
    }

private:
    const InboxMessage& m_message;
    std::optional<std::string> m_none;
    std::optional<std::string> m_owner;
    std::string m_attempts;
};

Status ran(Connection& connection, const NamedSql& sql, const Parameters& parameters)
{
    const auto done = connection.native().run(sql, parameters);
    return done ? Status() : Status(done.error());
}

} // namespace

Parameters& addInboxId(Parameters& parameters, const InboxId& id)
{
    return parameters.text("consumer", id.consumer).text("source", id.source).text("event_id", id.eventId);
}

Result<std::optional<InboxMessage>> findInbox(Connection& connection, const InboxId& id, bool locked)
{
    Parameters parameters;
    addInboxId(parameters, id);
    return firstOf(readRows(connection, locked ? sql::inbox_find_locked : sql::inbox_find, parameters, inboxFrom));
}

Result<std::optional<InboxMessage>> findSameEffect(
    Connection& connection, const InboxId& id, const std::string& effectKey)
{
    Parameters parameters;
    addInboxId(parameters, id).text("effect_key", effectKey);
    return firstOf(readRows(connection, sql::inbox_same_effect, parameters, inboxFrom));
}

Result<bool> insertInbox(Connection& connection, const InboxMessage& message)
{
    Parameters parameters;
    const InboxColumns columns(message);
    columns.addTo(parameters);
    parameters.text("dedupe_key", message.dedupeKey)
        .octets("payload_hash", message.payloadHash)
        .time("received_at", message.receivedAt)
        .text("correlation_id", message.correlationId)
        .text("subject", message.subject)
        .integer("version", message.version);
    const auto done = connection.native().run(sql::inbox_insert, parameters);
    if (!done)
        return done.error();
    return *done > 0;
}

Status putInbox(Connection& connection, const InboxMessage& message)
{
    Parameters parameters;
    const InboxColumns columns(message);
    columns.addTo(parameters);
    return ran(connection, sql::inbox_put, parameters);
}

Result<std::vector<OutboxMessage>> readOutbox(
    Connection& connection, const NamedSql& sql, const Parameters& parameters, Planned planned)
{
    return readRows(connection, sql, parameters, outboxFrom, planned);
}

Status putOutbox(Connection& connection, const OutboxMessage& message)
{
    const auto owner = uuidOf(message.owner);
    const auto attempts = message.attemptsUnreadable ? std::nullopt : std::optional(formatAttempts(message.attempts));
    const auto headers = message.headersUnreadable ? std::nullopt : std::optional(headersText(message.event.headers));
    return ran(connection, sql::outbox_put,
        Parameters()
            .integer("seq", message.seq)
            .text("status", wordOf(message.state))
            .text("owner", owner)
            .time("lease_expires_at", message.leaseExpiresAt)
            .integer("attempt", message.attempt)
            .time("next_attempt_at", message.nextAttemptAt)
            .text("attempts", attempts)
            .text("headers", headers)
            .time("sent_at", message.sentAt)
            .time("discarded_at", message.discardedAt));
}

Result<std::optional<std::int64_t>> insertOutbox(
    Connection& connection, const OutboxEvent& event, const std::optional<Time>& now)
{
    const auto headers = headersText(event.headers);
    Parameters parameters;
    parameters.text("event_id", event.eventId)
        .text("destination", event.destination)
        .text("source", event.source)
        .text("aggregatetype", event.aggregateType)
        .text("aggregateid", event.aggregateId)
        .text("type", event.type)
        .text("ordering_key", event.orderingKey)
        .octets("payload", event.payload)
        .text("headers", headers)
        .text("correlation_id", event.correlationId)
        .time("now", now);
    addRecord(parameters, event.record);
    std::optional<std::int64_t> seq;
    const auto done =
        connection.native().run(sql::outbox_add, parameters, [&](const NativeRow& row) { seq = row.integer(0); });
    if (!done)
        return done.error();
    return seq;
}

Result<Bytes> outboxPayload(Connection& connection, std::int64_t seq)
{
    std::optional<Bytes> payload;
    const auto done = connection.native().run(
        sql::outbox_payload, Parameters().integer("seq", seq), [&](const NativeRow& row) { payload = row.text(0); });
    if (!done)
        return done.error();
    if (!payload)
        return Error{ Failure::NotFound, "There is no such message in the outbox", std::to_string(seq) };
    return std::move(*payload);
}

std::vector<DeliveryAttempt> attemptsOrDoubt(std::string_view text)
{
    auto attempts = parseAttempts(text);
    if (attempts)
        return std::move(*attempts);
    return { { 0, {}, {}, "unreadable", "What was tried before cannot be read" } };
}

Result<std::optional<DeadLetter>> findDeadLetter(Connection& connection, const std::string& id, bool locked)
{
    return firstOf(readRows(connection, locked ? sql::dead_letter_find_locked : sql::dead_letter_find,
        Parameters().text("id", id), deadLetterFrom));
}

namespace {

// A row that was purged and put back has begun anew; what its letter knows of before is what its verdict rests on.
Result<std::vector<DeliveryAttempt>> withEarlier(Connection& connection, const DeadLetter& letter)
{
    const auto known = findDeadLetter(connection, letter.id, true);
    if (!known)
        return known.error();
    if (!*known || (*known)->attempts.empty()
        || std::find(letter.attempts.begin(), letter.attempts.end(), (*known)->attempts.back())
            != letter.attempts.end())
        return letter.attempts;
    auto all = (*known)->attempts;
    for (const auto& attempt : letter.attempts)
        addAttempt(all, attempt);
    return all;
}

} // namespace

Status addDeadLetter(Connection& connection, const NewDeadLetter& made)
{
    const auto& letter = made.letter;
    const auto whole = withEarlier(connection, letter);
    if (!whole)
        return whole.error();
    const auto attempts = formatAttempts(*whole);
    const auto headers = headersText(letter.headers);
    Parameters parameters;
    parameters.text("id", letter.id)
        .text("kind", wordOf(letter.kind))
        .text("consumer", letter.consumer)
        .text("source", letter.source)
        .text("event_id", letter.eventId)
        .text("destination", letter.destination)
        .text("type", letter.type)
        .text("ordering_key", letter.orderingKey)
        .text("code", letter.code)
        .text("reason", letter.reason)
        .text("fingerprint", letter.group.fingerprint)
        .text("pattern", letter.group.pattern)
        .text("attempts", attempts)
        .text("headers", headers)
        .octets("payload", made.payload)
        .octets("payload_hash", letter.payloadHash)
        .text("correlation_id", letter.correlationId)
        .time("first_at", letter.firstAt)
        .time("dead_at", letter.deadAt);
    addRecord(parameters, letter.record);
    return ran(connection, sql::dead_letter_add, parameters);
}

Status putDeadLetter(Connection& connection, const DeadLetter& letter)
{
    return ran(connection, sql::dead_letter_settle,
        Parameters()
            .text("id", letter.id)
            .text("state", wordOf(letter.state))
            .time("settled_at", letter.settledAt)
            .text("settled_by", letter.settledBy)
            .text("settled_because", letter.settledBecause)
            .text("run_id", letter.runId));
}

} // namespace fencepost::store
