// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/outbox_claim.h"

#include <algorithm>
#include <limits>

namespace fencepost {

std::optional<OutboxMessage> decideClaimed(const OutboxMessage& message, const Owner& owner, Duration lease, Time now)
{
    if (message.state != OutboxState::Pending || !message.nextAttemptAt || *message.nextAttemptAt > now)
        return {};
    auto after = message;
    after.state = OutboxState::Sending;
    after.owner = owner;
    after.leaseExpiresAt = now + lease;
    after.nextAttemptAt.reset();
    // An attempt that no integer can follow would end them all.
    after.attempt = std::clamp(after.attempt, 0, std::numeric_limits<int>::max() - 1) + 1;
    return after;
}

std::optional<OutboxMessage> decideSent(const OutboxMessage& message, const Owner& owner, Time now)
{
    if (message.state != OutboxState::Sending || message.owner != owner)
        return {};
    auto after = message;
    after.state = OutboxState::Sent;
    after.owner.reset();
    after.leaseExpiresAt.reset();
    after.sentAt = now;
    return after;
}

} // namespace fencepost
