// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/messaging/dead_letter.h"
#include "core/store/database.h"
#include "core/store/native.h"

namespace fencepost::store {

// Rows of inbox_messages, outbox_messages and dead_letters. All of it runs on the connection as it is, in whatever
// transaction is open. Corrupt: a row holds what no message can have.

Parameters& addInboxId(Parameters& parameters, const InboxId& id);

Result<std::optional<InboxMessage>> findInbox(Connection& connection, const InboxId& id, bool locked);
// Another event that has carried out, or is carrying out, this effect of the consumer; locked.
Result<std::optional<InboxMessage>> findSameEffect(
    Connection& connection, const InboxId& id, const std::string& effectKey);
// False: the event is there by now, or another one has its effect.
Result<bool> insertInbox(Connection& connection, const InboxMessage& message);
Status putInbox(Connection& connection, const InboxMessage& message);

// A message whose headers or attempts are garbage is no error: it says so, so that the others are not lost with it.
Result<std::vector<OutboxMessage>> readOutbox(
    Connection& connection, const NamedSql& sql, const Parameters& parameters, Planned planned = Planned::Once);
Status putOutbox(Connection& connection, const OutboxMessage& message);
// None: it is on its way to its destination already. `now` none: the database's clock.
Result<std::optional<std::int64_t>> insertOutbox(
    Connection& connection, const OutboxEvent& event, const std::optional<Time>& now);
// NotFound: there is no such row.
Result<Bytes> outboxPayload(Connection& connection, std::int64_t seq);

// Of a dead letter. What cannot be read is one attempt that proves nothing: nobody is told that it is safe to send
// again, and the other letters are not lost with it.
std::vector<DeliveryAttempt> attemptsOrDoubt(std::string_view text);
Result<std::optional<DeadLetter>> findDeadLetter(Connection& connection, const std::string& id, bool locked);
Status addDeadLetter(Connection& connection, const NewDeadLetter& made);
Status putDeadLetter(Connection& connection, const DeadLetter& letter);

} // namespace fencepost::store
