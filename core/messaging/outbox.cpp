// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/outbox.h"

#include <array>

#include "core/in_quotes.h"
#include "core/messaging/webhook_signature.h"
#include "core/messaging/word_table.h"
#include "core/protocol/ascii.h"
#include "core/protocol/digest.h"

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 4> outboxWords{ "PENDING", "SENDING", "SENT", "DEAD" };

void endClaim(OutboxMessage& message, bool again, Time at)
{
    message.owner.reset();
    message.leaseExpiresAt.reset();
    message.state = again ? OutboxState::Pending : OutboxState::Dead;
    message.nextAttemptAt = again ? std::optional(at) : std::nullopt;
    // It is neither, whatever somebody else has written there.
    message.sentAt.reset();
    message.discardedAt.reset();
}

std::optional<std::string> whyNoId(std::string_view eventId)
{
    if (eventId.empty() || eventId.size() > longestEventId)
        return "An event's id has 1 to " + std::to_string(longestEventId) + " octets";
    if (!isUtf8(eventId) || !isFieldValue(eventId) || withoutBlanks(eventId) != eventId)
        return "An event's id is a text that a header can carry: no line ends, no control characters, no blanks around "
               "it";
    return {};
}

} // namespace

std::string_view wordOf(OutboxState state) noexcept
{
    return outboxWords[static_cast<std::size_t>(state)];
}

std::optional<OutboxState> outboxStateOf(std::string_view word) noexcept
{
    return valueOf<OutboxState>(outboxWords, word);
}

std::string schemeOf(std::string_view destination)
{
    const auto colon = destination.find(':');
    return colon == std::string_view::npos ? std::string() : asciiLower(destination.substr(0, colon));
}

std::optional<std::string> whyMalformed(const OutboxEvent& event)
{
    if (auto why = whyNoId(event.eventId))
        return why;
    if (schemeOf(event.destination).empty() || !isUtf8(event.destination) || !isFieldValue(event.destination))
        return "A destination is a URL with its scheme";
    const auto isText = [](const std::string& text) { return isUtf8(text) && text.find('\0') == std::string::npos; };
    for (const auto& text : { event.source, event.type, event.aggregateType, event.aggregateId,
             event.orderingKey.value_or(""), event.correlationId.value_or("") })
        if (!isText(text))
            return "What an event says about itself is text: " + inQuotes(text);
    for (const auto& [name, value] : event.headers)
        if (!isToken(name) || !isFieldValue(value))
            return "A header is a token and a value without line ends: " + inQuotes(name);
    return {};
}

std::optional<std::string> whyUnsendable(const OutboxEvent& event)
{
    auto why = whyMalformed(event);
    return why ? why : whyNoIdThere(event.eventId, event.destination);
}

std::optional<std::string> whyNoIdThere(std::string_view eventId, std::string_view destination)
{
    if (auto why = whyNoId(eventId); why && !destination.empty())
        return why;
    // Standard Webhooks signs "id.timestamp.body" and takes it apart at the dots (P-104).
    const auto scheme = schemeOf(destination);
    if ((scheme == "http" || scheme == "https") && !isWebhookId(eventId))
        return "The id of an event that goes out as a webhook has printable ASCII characters, none of them a space or "
               "a dot: it is signed";
    return {};
}

std::optional<std::string> whyUnreadable(const OutboxMessage& message)
{
    if (message.headersUnreadable)
        return "its headers are no JSON array of names and values: mend them in the outbox, or discard it";
    if (message.attemptsUnreadable)
        return "the list of its attempts is not what a relay writes: mend it in the outbox, or discard it";
    return {};
}

std::string derivedEventId(std::string_view consumer, std::string_view source, std::string_view eventId, int index)
{
    PartsDigest digest("fencepost derived event v1");
    digest.add(consumer);
    digest.add(source);
    digest.add(eventId);
    digest.add(std::to_string(index));
    return digest.finishAsUuid();
}

std::optional<OutboxMessage> decideUndelivered(
    const OutboxMessage& message, const Owner& owner, const DeliveryFailure& failure, int maxAttempts, Time now)
{
    if (message.state != OutboxState::Sending || message.owner != owner)
        return {};
    auto after = message;
    addAttempt(after.attempts, { after.attempt, now, owner.uuid, failure.code, failure.error });
    endClaim(after, failure.retryable && after.attempt < maxAttempts, now + failure.delay);
    return after;
}

std::optional<OutboxMessage> decideLapsed(const OutboxMessage& message, int maxAttempts, Time now)
{
    if (message.state != OutboxState::Sending || message.leaseExpiresAt.value_or(now) > now)
        return {};
    auto after = message;
    // Somebody else may have written an end that no calendar has.
    const auto end = message.leaseExpiresAt.value_or(now);
    addAttempt(after.attempts,
        { after.attempt, end < Time() ? now : end, message.owner ? message.owner->uuid : std::string(), "lease_expired",
            "its relay's lease ended without an answer: it may have been delivered" });
    endClaim(after, after.attempt < maxAttempts, now);
    return after;
}

OutboxMessage decideUnreadable(const OutboxMessage& message, Time now)
{
    auto after = message;
    addAttempt(after.attempts,
        { after.attempt, now, message.owner ? message.owner->uuid : std::string(), std::string(unreadableCode),
            whyUnreadable(message).value_or("") });
    endClaim(after, false, now);
    return after;
}

} // namespace fencepost
