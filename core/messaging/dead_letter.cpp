// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/dead_letter.h"

#include <algorithm>
#include <array>

#include "core/messaging/event_attribute.h"
#include "core/messaging/structured_event.h"
#include "core/messaging/word_table.h"
#include "core/protocol/ascii.h"
#include "core/protocol/digest.h"
#include "core/protocol/fingerprint.h"
#include "core/protocol/http_message.h"

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 3> letterKindWords{ "inbox", "outbox", "conflict" };
constexpr std::array<std::string_view, 3> letterStateWords{ "DEAD", "REDRIVEN", "DISCARDED" };
constexpr std::array<std::string_view, 7> letterOutcomeWords{ "changed", "not_found", "moved_on", "processed",
    "conflicts", "unchanged", "unreachable" };

constexpr std::string_view subjectHeader = "ce-subject";
constexpr std::string_view aggregateTypeHeader = "ce-aggregatetype";
constexpr std::string_view timeHeader = "ce-time";
constexpr std::string_view editedAs = "edited as "; // begins why an edited letter was settled
constexpr std::string_view conflictCode = "inbox.payload_conflict";
// Of the first passage: traces (W3C, B3, and those of vendors), and what brokers add when they copy from one to another
// or give up.
constexpr std::array<std::string_view, 24> firstPassage{ "sw8", "x-trace-id", "trace-id", "replicated-from",
    "kafka-replicated-from", "traceparent", "tracestate", "baggage", "b3", "nats-msg-id", "webhook-timestamp",
    "webhook-signature", runHeader, "distributedtracing", "uber-trace-id", "x-amzn-trace-id", "x-cloud-trace-context",
    "grpc-trace-bin", "sentry-trace", "elastic-apm-traceparent", "newrelic", "x-death", "x-replicated-from",
    "x-kafka-replicated" };
constexpr std::array<std::string_view, 19> firstPassagePrefixes{ "x-b3-", "x-datadog-", "uberctx-", "ot-tracer-",
    "x-ot-span-", "sw8-", "nats-stream", "nats-subject", "nats-sequence", "nats-last-sequence", "nats-time-stamp",
    "nats-num-pending", "kafka_", "x-kafka-", "mm2-", "__connect.", "x-replication-", "x-first-death-",
    "x-last-death-" };

std::string idOf(const DeadLetter& letter)
{
    PartsDigest digest("fencepost dead letter v1");
    digest.add(wordOf(letter.kind));
    digest.add(letter.consumer);
    digest.add(letter.source);
    digest.add(letter.eventId);
    // An inbox is one place however the event came there; conflicting payloads are letters of their own.
    if (letter.kind == DeadLetterKind::Outbox)
        digest.add(letter.destination);
    if (letter.kind == DeadLetterKind::Conflict)
        digest.add(letter.payloadHash);
    return digest.finishAsUuid();
}

void nameFailure(DeadLetter& letter, std::string code, std::string reason, Time now)
{
    letter.code = std::move(code);
    letter.reason = std::move(reason);
    letter.group = groupOf(letter.code, letter.reason);
    letter.firstAt = letter.attempts.empty() ? now : letter.attempts.front().at;
    letter.deadAt = now;
    letter.id = idOf(letter);
}

void nameLastAttempt(DeadLetter& letter, Time now)
{
    const bool tried = !letter.attempts.empty();
    nameFailure(letter, tried ? letter.attempts.back().code : "unknown",
        tried ? letter.attempts.back().error : "no attempt is known", now);
}

NewDeadLetter letterOf(const Delivery& delivery)
{
    NewDeadLetter made;
    auto& letter = made.letter;
    letter.consumer = delivery.id.consumer;
    letter.source = delivery.id.source;
    letter.eventId = delivery.id.eventId;
    letter.destination = delivery.destination;
    letter.type = delivery.type;
    letter.orderingKey = delivery.orderingKey;
    letter.headers = delivery.headers;
    letter.correlationId = delivery.correlationId;
    letter.payloadHash = delivery.payloadHash;
    if (delivery.payload)
        letter.payloadOctets = static_cast<std::int64_t>(delivery.payload->size());
    made.payload = delivery.payload;
    return made;
}

bool belongsToFirstPassage(std::string_view name)
{
    auto lower = asciiLower(name);
    // CloudEvents has the trace as attributes too.
    if (lower.starts_with("ce-"))
        lower.erase(0, 3);
    return std::find(firstPassage.begin(), firstPassage.end(), lower) != firstPassage.end()
        || std::any_of(firstPassagePrefixes.begin(), firstPassagePrefixes.end(),
            [&](std::string_view prefix) { return lower.substr(0, prefix.size()) == prefix; });
}

LetterDecision refused(LetterOutcome outcome, std::string reason)
{
    LetterDecision decision;
    decision.outcome = outcome;
    decision.reason = std::move(reason);
    return decision;
}

// What every decision about a letter begins with: it is the one that was seen.
LetterDecision begun(const LetterView& view, DeadLetterState expected, const LetterDemand& demand)
{
    if (!view.letter)
        return refused(LetterOutcome::NotFound, "there is no such dead letter");
    if (view.letter->state != expected)
        return refused(LetterOutcome::MovedOn, "it is " + std::string(wordOf(view.letter->state)) + " by now");
    if (view.letter->deaths != demand.seenDeaths)
        return refused(LetterOutcome::MovedOn, "it died again since it was seen");
    LetterDecision decision;
    decision.outcome = LetterOutcome::Changed;
    decision.letter = view.letter;
    return decision;
}

void settleLetter(DeadLetter& letter, DeadLetterState state, const LetterDemand& demand, Time now)
{
    letter.state = state;
    letter.settledAt = now;
    letter.settledBy = demand.by;
    letter.settledBecause = demand.because;
}

OutboxEvent eventOf(const DeadLetter& letter, Headers headers)
{
    OutboxEvent event;
    event.eventId = letter.eventId;
    event.destination = letter.destination;
    event.source = letter.source;
    event.type = letter.type;
    event.orderingKey = letter.orderingKey;
    event.headers = std::move(headers);
    event.record = letter.record;
    event.correlationId = letter.correlationId;
    // What it is about: its consumer tells by it which versions of that thing it has applied.
    const auto take = [&](std::string_view name, std::string& into) {
        if (auto told = decodedAttribute(lineOf(letter.headers, name).value_or("")); isUtf8(told))
            into = std::move(told);
    };
    take(subjectHeader, event.aggregateId);
    take(aggregateTypeHeader, event.aggregateType);
    return event;
}

// A structured message says itself what it is, and whoever gets it looks at the headers first.
void takeWhatItSays(OutboxEvent& event)
{
    const auto said = structuredAttributes(lineOf(event.headers, "content-type").value_or(""), event.payload);
    if (!said)
        return;
    const auto take = [&](std::string_view name, auto&& put) {
        const auto found = said->find(name);
        if (found != said->end() && !found->second.empty() && isUtf8(found->second))
            put(found->second);
    };
    take("source", [&](const std::string& text) { event.source = text; });
    take("type", [&](const std::string& text) { event.type = text; });
    take("subject", [&](const std::string& text) { event.aggregateId = text; });
    take("aggregatetype", [&](const std::string& text) { event.aggregateType = text; });
    take("time", [&](const std::string& text) {
        std::erase_if(event.headers, [](const auto& header) { return asciiLower(header.first) == timeHeader; });
        event.headers.emplace_back(timeHeader, encodedAttribute(text));
    });
}

// The row of the outbox may be gone by the time that it is sent again.
void keepWhatItIs(Headers& headers, const OutboxMessage& message)
{
    const auto keep = [&](std::string_view name, const std::string& value) {
        if (!value.empty() && !lineOf(headers, name))
            headers.emplace_back(name, encodedAttribute(value));
    };
    keep(subjectHeader, message.event.aggregateId);
    keep(aggregateTypeHeader, message.event.aggregateType);
    keep(timeHeader, formatInstant(message.createdAt));
}

// An id that no header carries, in hexadecimal digits.
std::string asFieldValue(const std::string& id)
{
    const bool fits = !id.empty() && isUtf8(id) && isFieldValue(id) && withoutBlanks(id) == id;
    return fits ? id : "hex:" + toHex(id);
}

} // namespace

std::string_view wordOf(DeadLetterKind kind) noexcept
{
    return letterKindWords[static_cast<std::size_t>(kind)];
}

std::optional<DeadLetterKind> deadLetterKindOf(std::string_view word) noexcept
{
    return valueOf<DeadLetterKind>(letterKindWords, word);
}

std::string_view wordOf(DeadLetterState state) noexcept
{
    return letterStateWords[static_cast<std::size_t>(state)];
}

std::optional<DeadLetterState> deadLetterStateOf(std::string_view word) noexcept
{
    return valueOf<DeadLetterState>(letterStateWords, word);
}

std::string_view wordOf(LetterOutcome outcome) noexcept
{
    return letterOutcomeWords[static_cast<std::size_t>(outcome)];
}

NewDeadLetter deadLetterOf(const InboxMessage& message, const Delivery& delivery, Time now)
{
    auto made = letterOf(delivery);
    made.letter.kind = DeadLetterKind::Inbox;
    made.letter.attempts = message.attempts;
    if (!made.letter.correlationId)
        made.letter.correlationId = message.correlationId;
    nameLastAttempt(made.letter, now);
    return made;
}

NewDeadLetter deadLetterOf(const OutboxMessage& message, Bytes payload, Time now)
{
    NewDeadLetter made;
    auto& letter = made.letter;
    letter.kind = DeadLetterKind::Outbox;
    letter.source = message.event.source;
    letter.eventId = message.event.eventId;
    letter.destination = message.event.destination;
    letter.type = message.event.type;
    letter.orderingKey = message.event.orderingKey;
    letter.headers = message.event.headers;
    keepWhatItIs(letter.headers, message);
    letter.record = message.event.record;
    letter.correlationId = message.event.correlationId;
    letter.attempts = message.attempts;
    letter.payloadHash = payloadDigest(payload);
    letter.payloadOctets = static_cast<std::int64_t>(payload.size());
    nameLastAttempt(letter, now);
    made.payload = std::move(payload);
    return made;
}

NewDeadLetter conflictLetterOf(const InboxMessage& first, const Delivery& delivery, Time now)
{
    auto made = letterOf(delivery);
    made.letter.kind = DeadLetterKind::Conflict;
    nameFailure(made.letter, std::string(conflictCode),
        "the event was received before with a payload whose digest is " + toHex(first.payloadHash), now);
    // The other payload's hash is no detail of the failure: all conflicts are one group.
    made.letter.group = groupOf(conflictCode, "the event was received before with another payload");
    return made;
}

LetterDecision decideRedrive(const LetterView& view, const LetterDemand& demand, Time now)
{
    auto decision = begun(view, DeadLetterState::Dead, demand);
    if (decision.outcome != LetterOutcome::Changed)
        return decision;
    const auto& letter = *view.letter;
    if (letter.kind == DeadLetterKind::Conflict)
        return refused(LetterOutcome::Conflicts, "its consumer knows another payload under this id");
    if (view.inbox && view.inbox->state == InboxState::Processed)
        return refused(LetterOutcome::Processed, "its consumer has processed it meanwhile");
    if (letter.destination.empty())
        return refused(LetterOutcome::Unreachable, "where it came from is not known");
    if (view.takenByAnother)
        return refused(
            LetterOutcome::Conflicts, "the outbox has an event of another source under its id and destination");
    if (!view.outbox && !letter.payloadOctets)
        return refused(LetterOutcome::Unreachable, "its payload was not kept");
    if (view.outbox)
        if (auto why = whyUnreadable(*view.outbox))
            return refused(LetterOutcome::Unreachable, std::move(*why));

    // It may have been refused as dead a moment ago by the inbox that is to forget that.
    if (view.outbox && view.outbox->state == OutboxState::Sending && view.outbox->leaseExpiresAt
        && *view.outbox->leaseExpiresAt > now)
        return refused(LetterOutcome::MovedOn, "a relay is sending it right now");

    settleLetter(*decision.letter, DeadLetterState::Redriven, demand, now);
    decision.letter->runId = demand.runId;
    decision.reason = "put back to be sent again";
    if (view.inbox && view.inbox->state == InboxState::Dead) {
        decision.inbox = view.inbox;
        decision.inbox->state = InboxState::Received;
        decision.inbox->owner.reset();
        decision.inbox->attempt = 0;
    }
    // Of one that could not be read, the letter has none: they were mended in the row.
    const bool mended = view.outbox && letter.code == unreadableCode;
    auto headers = headersOfReplay(mended ? view.outbox->event.headers : letter.headers, demand.runId);
    if (!view.outbox) {
        decision.event = eventOf(letter, std::move(headers));
        return decision;
    }
    // One that is still on its way is left there: it arrives without our help.
    if (view.outbox->state == OutboxState::Dead || view.outbox->state == OutboxState::Sent) {
        decision.outbox = view.outbox;
        decision.outbox->event.headers = std::move(headers);
        decision.outbox->state = OutboxState::Pending;
        decision.outbox->attempt = 0;
        decision.outbox->nextAttemptAt = now;
        decision.outbox->sentAt.reset();
        decision.outbox->discardedAt.reset();
    }
    return decision;
}

LetterDecision decideDiscard(const LetterView& view, const LetterDemand& demand, Time now)
{
    auto decision = begun(view, DeadLetterState::Dead, demand);
    if (decision.outcome != LetterOutcome::Changed)
        return decision;
    auto because = demand;
    // An edit is known by these words, and an operator's own are no edit.
    if (because.because.starts_with(editedAs))
        because.because = "because: " + because.because;
    settleLetter(*decision.letter, DeadLetterState::Discarded, because, now);
    decision.reason = "given up for good";
    if (view.letter->kind == DeadLetterKind::Outbox && view.outbox && view.outbox->state == OutboxState::Dead) {
        decision.outbox = view.outbox;
        decision.outbox->discardedAt = now;
    }
    return decision;
}

LetterDecision decideEdit(const LetterView& view, const LetterDemand& demand, const LetterEdit& edit, Time now)
{
    auto decision = begun(view, DeadLetterState::Dead, demand);
    if (decision.outcome != LetterOutcome::Changed)
        return decision;
    const auto& letter = *view.letter;
    if (letter.destination.empty())
        return refused(LetterOutcome::Unreachable, "where it came from is not known");
    if (edit.eventId == letter.eventId)
        return refused(LetterOutcome::Conflicts, "another payload needs an id of its own");
    // Of a conflict the id is what was wrong, as where its destination can be given no such id.
    const bool idIsWrong = letter.kind == DeadLetterKind::Conflict || whyNoIdThere(letter.eventId, letter.destination);
    if (!idIsWrong && payloadDigest(edit.payload) == letter.payloadHash)
        return refused(LetterOutcome::Unchanged, "its payload is the same: replay it under its own id");
    if (view.inbox && view.inbox->state == InboxState::Processed)
        return refused(LetterOutcome::Processed, "its consumer has processed it meanwhile");
    if (view.outbox && view.outbox->state == OutboxState::Sending && view.outbox->leaseExpiresAt
        && *view.outbox->leaseExpiresAt > now)
        return refused(LetterOutcome::MovedOn, "a relay is sending it right now");
    auto headers = headersOfReplay(letter.headers, demand.runId);
    headers.emplace_back(editedHeader, asFieldValue(letter.eventId));
    auto copy = eventOf(letter, std::move(headers));
    copy.eventId = edit.eventId;
    copy.payload = edit.payload;
    if (view.outbox) {
        copy.aggregateType = view.outbox->event.aggregateType;
        copy.aggregateId = view.outbox->event.aggregateId;
    }
    takeWhatItSays(copy);
    if (auto why = whyUnsendable(copy))
        return refused(LetterOutcome::Unreachable, std::move(*why));
    decision.event = std::move(copy);
    decision.ownPayload = true;
    auto because = demand;
    because.because = std::string(editedAs) + edit.eventId + ": " + demand.because;
    settleLetter(*decision.letter, DeadLetterState::Discarded, because, now);
    decision.reason = "sent as " + edit.eventId + ", with another payload";
    if (letter.kind == DeadLetterKind::Outbox && view.outbox && view.outbox->state == OutboxState::Dead) {
        decision.outbox = view.outbox;
        decision.outbox->discardedAt = now;
    }
    return decision;
}

LetterDecision decideRestore(const LetterView& view, const LetterDemand& demand)
{
    auto decision = begun(view, DeadLetterState::Discarded, demand);
    if (decision.outcome != LetterOutcome::Changed)
        return decision;
    decision.letter->state = DeadLetterState::Dead;
    decision.letter->settledAt.reset();
    decision.letter->settledBy.reset();
    decision.letter->settledBecause.reset();
    decision.reason = "dead as before";
    if (view.outbox && view.outbox->discardedAt) {
        decision.outbox = view.outbox;
        decision.outbox->discardedAt.reset();
    }
    return decision;
}

Headers headersOfReplay(const Headers& headers, const std::string& runId)
{
    Headers kept;
    for (const auto& header : headers)
        if (!belongsToFirstPassage(header.first))
            kept.push_back(header);
    if (!runId.empty())
        kept.emplace_back(runHeader, runId);
    return kept;
}

} // namespace fencepost
