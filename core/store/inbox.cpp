// SPDX-License-Identifier: Apache-2.0
#include "core/store/inbox.h"

#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Result<bool> changed(Statement& statement)
{
    if (const auto done = statement.run(); !done)
        return done.error();
    const bool any = statement.affected() > 0;
    statement.finish();
    return any;
}

} // namespace

Inbox::Inbox(Connection& connection, const Clock* clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

Result<Statement*> Inbox::prepare(const NamedSql& sql, const Delivery& delivery)
{
    auto prepared = m_connection.prepare(sql);
    if (!prepared)
        return prepared;
    (*prepared)
        ->bindText("consumer", delivery.consumer)
        .bindText("source", delivery.source)
        .bindText("event_id", delivery.eventId)
        .bindTime("now", m_clock ? std::optional(m_clock->now()) : std::nullopt);
    return prepared;
}

Status Inbox::accept(const Delivery& delivery)
{
    auto statement = prepare(sql::inbox_accept, delivery);
    if (!statement)
        return statement.error();
    (*statement)
        ->bindBytes("payload_hash", delivery.payloadHash)
        .bindText("dedupe_key", delivery.dedupeKey)
        .bindText("correlation_id", delivery.correlationId);
    const auto done = (*statement)->run();
    (*statement)->finish();
    return done;
}

Result<Reception> Inbox::receive(const Delivery& delivery, const Owner& owner, Duration lease, int maxAttempts)
{
    auto statement = prepare(sql::inbox_receive, delivery);
    if (!statement)
        return statement.error();
    (*statement)
        ->bindBytes("payload_hash", delivery.payloadHash)
        .bindText("dedupe_key", delivery.dedupeKey)
        .bindText("correlation_id", delivery.correlationId)
        .bindText("owner", owner.uuid)
        .bindInt("lease", lease.count())
        .bindInt("max_attempts", maxAttempts);
    const auto won = changed(**statement);
    if (!won)
        return won.error();
    if (*won)
        return Reception::Process;

    auto repeated = m_connection.prepare(sql::inbox_repeat);
    if (!repeated)
        return repeated.error();
    (*repeated)
        ->bindText("consumer", delivery.consumer)
        .bindText("source", delivery.source)
        .bindText("event_id", delivery.eventId)
        .bindBytes("payload_hash", delivery.payloadHash);
    if (const auto done = (*repeated)->run(); !done)
        return done.error();
    const bool same = (*repeated)->next();
    const auto status = same ? (*repeated)->text(0) : std::string();
    (*repeated)->finish();
    if (!same)
        return Reception::Conflict;
    return status == "PROCESSED" || status == "DEAD" ? Reception::Done : Reception::Busy;
}

Result<bool> Inbox::settle(const Delivery& delivery, const Owner& owner, const std::string& result)
{
    auto statement = prepare(sql::inbox_settle, delivery);
    if (!statement)
        return statement.error();
    (*statement)->bindText("owner", owner.uuid).bindText("result", result);
    return changed(**statement);
}

Result<bool> Inbox::fail(const Delivery& delivery, const Owner& owner, Duration delay, int maxAttempts)
{
    auto statement = prepare(sql::inbox_fail, delivery);
    if (!statement)
        return statement.error();
    (*statement)->bindText("owner", owner.uuid).bindInt("delay", delay.count()).bindInt("max_attempts", maxAttempts);
    return changed(**statement);
}

} // namespace fencepost::store
