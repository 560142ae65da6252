// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/event.h"

#include <array>

#include "core/protocol/digest.h"

namespace fencepost::telemetry {

namespace {

constexpr std::array<std::string_view, 4> levelWords = { "debug", "info", "warning", "error" };

constexpr std::array allOutcomes = { KeyOutcome::Created, KeyOutcome::Replayed, KeyOutcome::Conflict,
    KeyOutcome::InProgress, KeyOutcome::Fenced, KeyOutcome::TakenOver, KeyOutcome::Expired, KeyOutcome::Held };
constexpr std::array<std::string_view, allOutcomes.size()> outcomeWords = { "created", "replayed", "conflict",
    "in_progress", "fenced", "taken_over", "expired", "held" };

// What an answer without a record's own error is called on the wire.
struct Refusal {
    Outcome outcome;
    KeyOutcome word;
    std::string_view errorCode;
};
constexpr std::array refusals = {
    Refusal{ Outcome::InFlight, KeyOutcome::InProgress, "idempotency.in_progress" },
    Refusal{ Outcome::Mismatch, KeyOutcome::Conflict, "CONFLICT.idempotency.payload_mismatch" },
    Refusal{ Outcome::Held, KeyOutcome::Held, "idempotency.outcome_unknown" },
    Refusal{ Outcome::KeyExpired, KeyOutcome::Expired, "idempotency.key_expired" },
    Refusal{ Outcome::LostOwnership, KeyOutcome::Fenced, "idempotency.fenced" },
};

const Refusal* refusalOf(Outcome outcome)
{
    for (const auto& refusal : refusals)
        if (refusal.outcome == outcome)
            return &refusal;
    return nullptr;
}

std::optional<KeyOutcome> nameOf(Event event, Outcome outcome, std::optional<State> from, State to)
{
    if (const auto* refusal = refusalOf(outcome))
        return refusal->word;
    if (outcome == Outcome::Replay)
        return KeyOutcome::Replayed;
    if (outcome == Outcome::Execute)
        return from == State::InProgress ? std::optional(KeyOutcome::TakenOver) : std::nullopt;
    if (outcome != Outcome::Applied)
        return std::nullopt;
    if (event == Event::OperatorFence)
        return KeyOutcome::Fenced;
    if (event == Event::OperatorExpire)
        return KeyOutcome::Expired;
    if ((event == Event::Finalize || event == Event::Fail) && isTerminal(to))
        return KeyOutcome::Created;
    return to == State::Held && from != State::Held && event != Event::Renew ? std::optional(KeyOutcome::Held)
                                                                             : std::nullopt;
}

Level levelOf(const KeyEvent& event, Outcome outcome)
{
    // From here on nobody executes it without a person.
    if (event.to == State::Held && event.from != State::Held)
        return Level::Error;
    // A heartbeat in time; there are many.
    if (event.event == Event::Renew && outcome == Outcome::Applied)
        return Level::Debug;
    if (outcome == Outcome::Refused || outcome == Outcome::NotFound)
        return Level::Warning;
    if (!event.outcome)
        return Level::Info;
    switch (*event.outcome) {
    case KeyOutcome::Created:
    case KeyOutcome::Replayed:
    case KeyOutcome::InProgress:
        return Level::Info;
    case KeyOutcome::Conflict:
    case KeyOutcome::Fenced:
    case KeyOutcome::TakenOver:
    case KeyOutcome::Expired:
    case KeyOutcome::Held:
        return Level::Warning;
    }
    return Level::Info;
}

void describe(KeyEvent& event, const std::optional<Record>& record, Time now)
{
    if (!record)
        return;
    event.status = record->status;
    event.to = shownState(*record, now);
    event.attempt = record->attempt;
    event.fence = record->fence;
    event.owner = record->owner.uuid;
    event.errorCode = record->errorCode;
    if (!event.payloadHash)
        event.payloadHash = record->payloadHash;
    if (!event.correlationId)
        event.correlationId = record->correlationId;
}

void conclude(KeyEvent& event, Outcome outcome)
{
    if (const auto* refusal = refusalOf(outcome))
        event.errorCode = std::string(refusal->errorCode);
    event.outcome = nameOf(event.event, outcome, event.from, event.to);
    event.level = levelOf(event, outcome);
}

// The state before, where the answer alone says it. What changed nothing was in the state that it is in.
std::optional<State> stateBefore(const Reserved& reserved)
{
    const auto& record = reserved.record;
    // Somebody who works on it holds the record where nobody else sees it yet.
    if (!record)
        return reserved.outcome == Outcome::InFlight ? State::InProgress : State::Absent;
    const auto state = shownState(*record, reserved.now);
    switch (reserved.outcome) {
    case Outcome::Execute:
        if (record->attempt > 1)
            return std::nullopt;
        return record->createdAt == record->startedAt ? State::Absent : State::Expired;
    case Outcome::Replay:
    case Outcome::Held:
        // Whoever finds the last attempt used up, or a lease past, changes the record while it asks.
        return record->updatedAt == reserved.now ? std::nullopt : std::optional(state);
    case Outcome::InFlight:
    case Outcome::Mismatch:
    case Outcome::RetryLater:
    case Outcome::KeyExpired:
    case Outcome::Applied:
    case Outcome::LostOwnership:
    case Outcome::Refused:
    case Outcome::NotFound:
        return state;
    }
    return std::nullopt;
}

bool endsTheWork(Event event)
{
    return event == Event::Finalize || event == Event::Fail || event == Event::Hold || event == Event::Reconcile;
}

} // namespace

std::string_view wordOf(Level level) noexcept
{
    return levelWords[static_cast<std::size_t>(level)];
}

std::string_view wordOf(KeyOutcome outcome) noexcept
{
    return outcomeWords[static_cast<std::size_t>(outcome)];
}

std::span<const KeyOutcome> allKeyOutcomes() noexcept
{
    return allOutcomes;
}

KeyEvent eventOf(const Reservation& reservation, const Reserved& reserved, std::optional<State> from)
{
    KeyEvent event{ .at = reserved.now, .event = Event::Reserve, .id = reservation.id };
    event.payloadHash = reservation.payloadHash;
    event.correlationId = reservation.correlationId;
    describe(event, reserved.record, reserved.now);
    event.from = from ? from : stateBefore(reserved);
    if (!reserved.record && event.from)
        event.to = *event.from;
    conclude(event, reserved.outcome);
    if (reserved.outcome == Outcome::Replay && reserved.record)
        event.originalCorrelationId = reserved.record->correlationId;
    return event;
}

KeyEvent eventOf(Event event, const RecordId& id, const Applied& applied, std::optional<State> from)
{
    KeyEvent told{ .at = applied.now, .event = event, .id = id };
    describe(told, applied.record, applied.now);
    if (from)
        told.from = from;
    else if (applied.outcome != Outcome::Applied || event == Event::Renew || event == Event::Advance)
        told.from = told.to;
    else if (endsTheWork(event))
        told.from = State::InProgress; // or held, while its owner was still at work
    conclude(told, applied.outcome);
    return told;
}

KeyEvent eventOf(const Trigger& trigger, const Decision& decision, Time now)
{
    KeyEvent event{ .at = now, .event = trigger.event, .id = trigger.id };
    event.payloadHash = trigger.payloadHash;
    describe(event, decision.record, now);
    event.from = decision.from;
    event.to = decision.to;
    conclude(event, decision.outcome);
    return event;
}

std::string keyHash(std::string_view key, std::string_view salt)
{
    Sha256 digest;
    digest.add(salt);
    digest.add(key);
    return toHex(digest.finish());
}

} // namespace fencepost::telemetry
