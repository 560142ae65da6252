// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/inbox.h"

#include <array>

#include "core/ids.h"
#include "core/messaging/outbox.h"
#include "core/messaging/word_table.h"

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 5> inboxWords{ "RECEIVED", "PROCESSING", "PROCESSED", "FAILED", "DEAD" };
constexpr std::array<std::string_view, 6> receptionWords{ "process", "done", "dead", "overtaken", "busy", "conflict" };

bool isRunning(const InboxMessage& message, Time now)
{
    return message.state == InboxState::Processing && message.leaseExpiresAt && *message.leaseExpiresAt > now;
}

void endLease(InboxMessage& message)
{
    message.leaseExpiresAt.reset();
    message.nextAttemptAt.reset();
}

// A handler whose lease ended without a word.
void addLapse(InboxMessage& message, Time now)
{
    if (message.state != InboxState::Processing)
        return;
    addAttempt(message.attempts,
        { message.attempt, message.leaseExpiresAt.value_or(now), message.owner ? message.owner->uuid : std::string(),
            "lease_expired", "its handler's lease ended without an answer" });
}

InboxDecision answer(Reception reception, std::string reason, InboxMessage message)
{
    return { reception, std::move(reason), std::move(message), std::nullopt, {} };
}

InboxDecision later(std::string reason, InboxMessage message, Time until, Time now)
{
    return { Reception::Busy, std::move(reason), std::move(message), std::nullopt, until - now };
}

InboxDecision conflict()
{
    return { Reception::Conflict, "the same event was received with another payload", {}, {}, {} };
}

InboxMessage arrived(const Delivery& delivery, Time now)
{
    InboxMessage message;
    message.id = delivery.id;
    message.dedupeKey = delivery.dedupeKey;
    message.payloadHash = delivery.payloadHash;
    message.receivedAt = now;
    message.correlationId = delivery.correlationId;
    message.subject = historyOf(delivery);
    message.version = delivery.version;
    return message;
}

InboxMessage processed(InboxMessage message, std::string result, Time now)
{
    message.state = InboxState::Processed;
    message.processedAt = now;
    message.result = std::move(result);
    endLease(message);
    return message;
}

// Nothing is carried out for it, so that its effect is another event's or still to come.
InboxMessage passedOver(InboxMessage message, std::string result, Time now)
{
    message.holdsEffect = false;
    return processed(std::move(message), std::move(result), now);
}

bool isOvertaken(const std::optional<std::int64_t>& head, const InboxMessage& message)
{
    return head && message.subject && message.version && *head >= *message.version;
}

std::string overtakenBy(std::int64_t head)
{
    return "overtaken by version " + std::to_string(head);
}

} // namespace

std::optional<std::string> historyOf(const Delivery& delivery)
{
    if (!delivery.subject || !delivery.aggregateType)
        return delivery.subject;
    std::string history;
    for (const char c : *delivery.aggregateType)
        history += c == '/' ? std::string("%2F") : c == '%' ? std::string("%25") : std::string(1, c);
    history += '/' + *delivery.subject;
    return history.size() <= longestEventId ? history : toHex(sha256(history));
}

std::string_view wordOf(InboxState state) noexcept
{
    return inboxWords[static_cast<std::size_t>(state)];
}

std::optional<InboxState> inboxStateOf(std::string_view word) noexcept
{
    return valueOf<InboxState>(inboxWords, word);
}

std::string_view wordOf(Reception reception) noexcept
{
    return receptionWords[static_cast<std::size_t>(reception)];
}

bool isAcknowledged(Reception reception) noexcept
{
    return reception != Reception::Process && reception != Reception::Busy;
}

InboxDecision decideAccepted(const std::optional<InboxMessage>& message, const Delivery& delivery, Time now)
{
    if (!message)
        return later("received", arrived(delivery, now), now, now);
    if (message->payloadHash != delivery.payloadHash)
        return conflict();
    if (message->state == InboxState::Processed)
        return { Reception::Done, "processed before", {}, {}, {} };
    if (message->state == InboxState::Dead)
        return { Reception::Dead, "given up before", {}, {}, {} };
    return { Reception::Busy, "received before", {}, {}, {} };
}

InboxDecision decideArrival(const InboxView& view, const Delivery& delivery, const InboxArrival& arrival, Time now)
{
    if (view.message && view.message->payloadHash != delivery.payloadHash)
        return conflict();
    auto message = view.message.value_or(arrived(delivery, now));
    if (view.message)
        ++message.receiveCount;
    if (message.state == InboxState::Processed)
        return answer(Reception::Done, "processed before", std::move(message));
    if (message.state == InboxState::Dead)
        return answer(Reception::Dead, "given up before", std::move(message));
    if (isRunning(message, now)) {
        const auto until = *message.leaseExpiresAt;
        return later("somebody handles it", std::move(message), until, now);
    }
    if (message.state == InboxState::Failed && message.nextAttemptAt && *message.nextAttemptAt > now) {
        const auto until = *message.nextAttemptAt;
        return later("it waits for its next attempt", std::move(message), until, now);
    }
    if (view.sameEffect && view.sameEffect->state == InboxState::Processed)
        return answer(Reception::Done, "its effect was carried out for another event",
            passedOver(std::move(message), "same effect as " + view.sameEffect->id.eventId, now));
    if (view.sameEffect && isRunning(*view.sameEffect, now))
        return later("its effect is being carried out for another event", std::move(message),
            *view.sameEffect->leaseExpiresAt, now);
    if (isOvertaken(view.head, message))
        return answer(Reception::Overtaken, overtakenBy(*view.head),
            passedOver(std::move(message), overtakenBy(*view.head), now));

    InboxDecision decision;
    if (view.sameEffect && view.sameEffect->state == InboxState::Processing) {
        decision.lapsed = view.sameEffect;
        addLapse(*decision.lapsed, now);
        endLease(*decision.lapsed);
        decision.lapsed->state = InboxState::Failed;
        decision.lapsed->holdsEffect = false;
        decision.lapsed->nextAttemptAt = now;
    }
    addLapse(message, now);
    endLease(message);
    if (message.attempt >= arrival.maxAttempts) {
        message.state = InboxState::Dead;
        message.holdsEffect = false;
        decision.reception = Reception::Dead;
        decision.reason = "its handlers were lost " + std::to_string(message.attempt) + " times";
    } else {
        message.state = InboxState::Processing;
        message.holdsEffect = message.dedupeKey.has_value();
        message.owner = arrival.owner;
        message.leaseExpiresAt = now + arrival.lease;
        ++message.attempt;
        decision.reception = Reception::Process;
        decision.reason = message.attempt == 1 ? "first attempt" : "attempt " + std::to_string(message.attempt);
    }
    decision.message = std::move(message);
    return decision;
}

InboxSettled decideProcessed(const InboxView& view, const Owner& owner, const std::string& result, Time now)
{
    const auto& message = view.message;
    if (!message || message->state != InboxState::Processing || message->owner != owner)
        return {};
    if (isOvertaken(view.head, *message))
        return { InboxSettlement::Overtaken, passedOver(*message, overtakenBy(*view.head), now) };
    return { InboxSettlement::Applied, processed(*message, result, now) };
}

InboxSettled decideFailed(const std::optional<InboxMessage>& message, const Owner& owner,
    const HandlingFailure& failure, int maxAttempts, Time now)
{
    if (!message || message->state != InboxState::Processing || message->owner != owner)
        return {};
    auto after = *message;
    addAttempt(after.attempts, { after.attempt, now, owner.uuid, failure.code, failure.error });
    endLease(after);
    const bool again = failure.retryable && after.attempt < maxAttempts;
    after.state = again ? InboxState::Failed : InboxState::Dead;
    after.holdsEffect = false;
    if (again)
        after.nextAttemptAt = now + failure.delay;
    return { InboxSettlement::Applied, std::move(after) };
}

} // namespace fencepost
