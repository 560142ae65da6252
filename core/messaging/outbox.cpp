// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/outbox.h"

#include <algorithm>
#include <array>

#include "core/protocol/digest.h"

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 4> outboxWords{ "PENDING", "SENDING", "SENT", "DEAD" };

void endClaim(OutboxMessage& message)
{
    message.owner.reset();
    message.leaseExpiresAt.reset();
    message.nextAttemptAt.reset();
}

} // namespace

std::string_view wordOf(OutboxState state) noexcept
{
    return outboxWords[static_cast<std::size_t>(state)];
}

std::optional<OutboxState> outboxStateOf(std::string_view word) noexcept
{
    const auto found = std::find(outboxWords.begin(), outboxWords.end(), word);
    if (found == outboxWords.end())
        return {};
    return static_cast<OutboxState>(found - outboxWords.begin());
}

std::string derivedEventId(std::string_view consumer, std::string_view source, std::string_view eventId, int index)
{
    PartsDigest digest("fencepost derived event v1");
    digest.add(consumer);
    digest.add(source);
    digest.add(eventId);
    digest.add(std::to_string(index));
    auto octets = digest.finish().substr(0, 16);
    // RFC 9562 §5.8: version 8, variant 10.
    octets[6] = static_cast<char>((static_cast<unsigned char>(octets[6]) & 0x0FU) | 0x80U);
    octets[8] = static_cast<char>((static_cast<unsigned char>(octets[8]) & 0x3FU) | 0x80U);
    auto text = toHex(octets);
    for (const std::size_t dash : { 20U, 16U, 12U, 8U })
        text.insert(dash, 1, '-');
    return text;
}

std::optional<OutboxMessage> decideUndelivered(
    const OutboxMessage& message, const Owner& owner, const DeliveryFailure& failure, int maxAttempts, Time now)
{
    if (message.state != OutboxState::Sending || message.owner != owner)
        return {};
    auto after = message;
    addAttempt(after.attempts, { after.attempt, now, owner.uuid, failure.code, failure.error });
    endClaim(after);
    const bool again = failure.retryable && after.attempt < maxAttempts;
    after.state = again ? OutboxState::Pending : OutboxState::Dead;
    if (again)
        after.nextAttemptAt = now + failure.delay;
    return after;
}

std::optional<OutboxMessage> decideLapsed(const OutboxMessage& message, int maxAttempts, Time now)
{
    const bool lapsed = message.state == OutboxState::Sending && message.leaseExpiresAt.value_or(now) <= now;
    if (!lapsed || message.attempt < maxAttempts)
        return {};
    auto after = message;
    addAttempt(after.attempts,
        { after.attempt, message.leaseExpiresAt.value_or(now), message.owner ? message.owner->uuid : std::string(),
            "lease_expired", "its relay's lease ended without an answer: it may have been delivered" });
    endClaim(after);
    after.state = OutboxState::Dead;
    return after;
}

} // namespace fencepost
