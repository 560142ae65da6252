// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/messaging/outbox.h"

namespace fencepost {

// An ordering key whose first unsent message does not get through, so that the others wait behind it.
struct BlockedKey {
    std::string destination;
    std::string orderingKey;
    std::int64_t seq = 0; // of the head
    std::string eventId; // of the head
    OutboxState state = OutboxState::Pending; // of the head; dead: a relay that keeps the order waits for a decision
    int attempt = 0;
    std::string error; // of its last attempt, in words
    std::optional<Time> nextAttemptAt;
    Time createdAt;
    std::int64_t waiting = 0; // messages behind it
};

// How far the relays are behind.
struct OutboxBacklog {
    std::int64_t pending = 0;
    std::int64_t due = 0; // of them: a relay could send them now, but for their order
    std::int64_t sending = 0;
    std::optional<Time> oldest; // when the oldest of those was written
    std::optional<Time> dueSince; // of the one that is due for the longest: the lag
    std::int64_t disabledDestinations = 0; // what is theirs is not due
    std::int64_t blockedKeys = 0;
    std::int64_t blockedMessages = 0; // behind their heads
    std::vector<BlockedKey> blocked; // those that most wait behind; at most 200
    Time now; // the database's clock

    [[nodiscard]] Duration lag() const { return dueSince && *dueSince < now ? now - *dueSince : Duration::zero(); }
};

} // namespace fencepost
