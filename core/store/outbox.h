// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/messaging/outbox.h"
#include "core/store/database.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

struct OutboxAdded {
    std::int64_t seq = 0;
    bool already = false; // the same event was on its way to this destination
};

struct DisabledDestination {
    std::string destination;
    Time at;
    std::string by;
    std::string because; // in words
};

// What a relay asks for. Several relays at once never get the same message.
struct OutboxClaim {
    Owner owner; // of the relay's run; a UUID
    Duration lease = std::chrono::seconds(30);
    int batch = 50;
    std::vector<std::string> schemes; // of the destinations that the relay has a target for
    int maxAttempts = 5;
    DeadHead deadHead = DeadHead::BlockKey;
};

// outbox_messages: what is to be sent, written with the change that it tells about, sent by relays at least once and
// under one id (protocol §3.4, §3.9). Messages of one destination and one ordering key are sent in the order in which
// they were added, each when the one before is sent; writers of one key serialise on what they change. What is given up
// becomes a dead letter in the same transaction. Used by one thread, beside the store on the same connection. Errors
// are the store's.
class Outbox {
public:
    Outbox(Connection& connection, StoreClock clock);

    // In the caller's transaction, the one of the change. Invalid: no target could send it, or its id stands for
    // another payload there.
    Result<OutboxAdded> add(const OutboxEvent& event);

    // Up to `batch` messages whose turn it is, in the order in which they were added. Claims whose relay is gone are
    // given back first, or are dead with their last attempt. One whose row cannot be read is dead at once, with its row
    // as it stands. `died` is told of both; in a transaction of the caller's they are not dead yet.
    using Died = std::function<void(const OutboxMessage&)>;
    Result<std::vector<OutboxMessage>> claim(const OutboxClaim& claim, const Died& died = {});
    Result<Bytes> payload(std::int64_t seq);
    // The target has them. Answers which of them; the others were another relay's by then.
    Result<std::vector<std::int64_t>> sent(const std::vector<std::int64_t>& seqs, const Owner& owner);
    // As it is now; none: it was another relay's by then.
    Result<std::optional<OutboxMessage>> undelivered(
        std::int64_t seq, const Owner& owner, const DeliveryFailure& failure, int maxAttempts);
    Result<std::vector<std::int64_t>> renew(const std::vector<std::int64_t>& seqs, const Owner& owner, Duration lease);
    // What was claimed and not begun: the next relay takes it, and it counts as no attempt.
    Result<std::vector<std::int64_t>> release(const std::vector<std::int64_t>& seqs, const Owner& owner);

    // The same for a destination that is known to be away: it is due again behind the delay.
    Result<std::vector<std::int64_t>> postpone(
        const std::vector<std::int64_t>& seqs, const Owner& owner, Duration delay);

    // A destination that wants nothing any more: nothing is claimed for it until it is enabled. False: it was so
    // before.
    Result<bool> disable(const std::string& destination, const std::string& by, const std::string& because);
    Result<bool> enable(const std::string& destination);
    Result<std::vector<DisabledDestination>> disabled();

    // What is due and has a destination of another scheme, so that no claim for these finds it.
    struct Unserved {
        std::int64_t messages = 0;
        std::string destination; // one of them
    };
    Result<Unserved> unserved(const std::vector<std::string>& schemes);
    // What waits for a destination that is disabled.
    Result<Unserved> owedToDisabled();

    Result<std::optional<OutboxMessage>> find(std::int64_t seq);
    Result<std::vector<OutboxMessage>> ofRecord(const RecordId& record); // what its request wrote, in its order
    // Forgets what was sent, or given up by somebody, longer ago than this. Answers how many; what is still to be sent
    // and what is dead stay.
    Result<int> purge(Duration retention, int batch);

private:
    Result<std::vector<OutboxMessage>> settleLapsed(const OutboxClaim& claim);
    Result<bool> owesTheDisabled();
    Result<Unserved> unservedBy(const NamedSql& sql, const Parameters& parameters);
    Result<std::vector<OutboxMessage>> take(const OutboxClaim& claim);
    Result<std::vector<OutboxMessage>> buryUnreadable(std::vector<OutboxMessage>& claimed);
    // The change of a message together with the dead letter that it may become.
    Status settled(const OutboxMessage& message, Time now);
    Result<std::vector<std::int64_t>> changeMine(
        const NamedSql& sql, const std::vector<std::int64_t>& seqs, const Owner& owner, std::optional<Duration> lease);
    [[nodiscard]] std::optional<Time> bound() const;

    Connection& m_connection;
    StoreClock m_clock;
    std::optional<bool> m_indexed; // by destination; none: not looked yet
};

} // namespace fencepost::store
