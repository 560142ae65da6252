// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/event_world.h"
#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr Duration pollWhileWaiting = std::chrono::milliseconds(50);

// The same in every attempt at the same request.
std::string effectIdOf(const Execution& execution)
{
    return std::to_string(execution.payload);
}

} // namespace

void World::reserve(std::uint32_t place)
{
    if (crashesAt(place, 2))
        return;
    auto& execution = m_executions[place];
    auto& subject = m_subjects[execution.subject];
    const auto number = m_requests[execution.request].number;
    if (active(FaultKind::StoreOutage, number) != nullptr || strikesAt(execution, 20, 2)) {
        if (traces(number))
            trace(number, "store", "cannot keep the reservation");
        return answer(place, { .code = status::unavailable, .retryAfter = m_scenario.service.retryAfter });
    }
    useClockOf(execution.node);
    if (strikes(crashAt(17), number, execution.turn, m_scenario.crash[17]))
        (void)m_store.reap({ .grace = Duration(0) });
    if (m_scenario.service.contract == Contract::SingleTransaction)
        execution.before = *m_store.find(subject.id);
    // Whoever comes waits for the lock, whatever became of the lease.
    if (subject.locked)
        return reserved(place, { fencepost::Outcome::InFlight, execution.before ? &*execution.before : nullptr });
    reserved(place, m_store.judge(reservationOf(execution, subject)));
}

void World::reserved(std::uint32_t place, const MemoryStore::Judgement& judged)
{
    auto& execution = m_executions[place];
    auto& subject = m_subjects[execution.subject];
    const auto& service = m_scenario.service;
    const auto& request = m_requests[execution.request];
    if (traces(request.number))
        trace(request.number, "store", std::string(wordOf(judged.outcome)), execution.subject);
    const auto now = m_storeClock.now();
    switch (judged.outcome) {
    case fencepost::Outcome::Execute:
        acquired(execution, subject, *judged.record);
        execution.owns = true;
        execution.uncommitted = subject.locked = service.contract == Contract::SingleTransaction;
        execution.beatsAt = m_now + execution.lease / beatsInLease;
        if (crashesAt(place, 3))
            return;
        if (!execution.uncommitted && (m_scenario.crash[4] > 0 || service.effect != EffectKind::LocalTransaction)) {
            (void)m_store.advance(execution.claim, "handling", std::nullopt);
            if (crashesAt(place, 4))
                return;
        }
        startHandler(place);
        return;
    case fencepost::Outcome::Replay:
        replayed(execution, subject, *judged.record);
        return answer(place,
            { .code = judged.record->response.code.value_or(status::unavailable), .flags = answer_flag::Replayed });
    case fencepost::Outcome::InFlight:
        if (!execution.waited) {
            ++m_outcome[Measure::InFlightAnswers];
            if (m_options.keepsLogs && judged.record)
                logReplay(execution, *judged.record, telemetry::KeyOutcome::InProgress);
        }
        if (service.inFlight == InFlight::Wait && execution.call != nowhere
            && m_calls[execution.call].waitsUntil > m_now + pollWhileWaiting) {
            execution.stage = Stage::Waiting;
            execution.waited = true;
            return planStep(place, pollWhileWaiting);
        }
        return answer(
            place, { .code = status::conflict, .flags = answer_flag::InProgress, .retryAfter = service.retryAfter });
    case fencepost::Outcome::Mismatch:
        ++m_outcome[Measure::Conflicts];
        mismatched(execution, subject, *judged.record);
        return answer(place, { .code = status::conflict });
    case fencepost::Outcome::RetryLater:
        return answer(
            place, { .code = status::unavailable, .retryAfter = judged.record->notBefore.value_or(now) - now });
    case fencepost::Outcome::Held:
        if (judged.record && reconciled(execution, *judged.record))
            return planStoreStep(place, Stage::Reserve);
        return answer(place,
            { .code = status::conflict, .flags = answer_flag::OutcomeUnknown, .retryAfter = service.retryAfter });
    case fencepost::Outcome::KeyExpired:
    case fencepost::Outcome::Applied:
    case fencepost::Outcome::LostOwnership:
    case fencepost::Outcome::Refused:
    case fencepost::Outcome::NotFound:
        return answer(place, { .code = status::conflict });
    }
}

// The handler has done its own part; what is left is its effect.
void World::handled(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const auto& request = m_requests[execution.request];
    const auto& service = m_scenario.service;
    if (const auto* recorded = recordedOf(execution)) {
        if (const int code = servedAs(*recorded, execution).code; code != 0)
            execution.code = code;
        const auto ending = endingOf(*recorded, execution);
        if (ending == RecordedEnding::Crashed) {
            if (traces(request.number))
                trace(request.number, "node " + std::to_string(execution.node + 1), "is gone, as it was recorded");
            ++m_outcome[Measure::Crashes];
            if (execution.call != nowhere)
                replyTo(execution.call, execution.attempt, { .flags = answer_flag::Gone });
            return endExecution(place);
        }
        if (ending == RecordedEnding::Held && execution.owns)
            return holdRecord(place);
        if (ending == RecordedEnding::Failed || ending == RecordedEnding::Declined)
            return failOrDecline(place, ending == RecordedEnding::Failed);
    } else if (!execution.rested) {
        if (strikes(Throw::ServiceError, request.number, execution.turn, service.errors))
            return failOrDecline(place, true);
        if (strikes(Throw::ServiceDeclined, request.number, 0, service.declines))
            return failOrDecline(place, false);
    }
    if (service.effect != EffectKind::LocalTransaction) {
        execution.stage = Stage::AskVendor;
        return callVendor(place);
    }
    if (!restsAt(place, 8) && !crashesAt(place, 8))
        planStoreStep(place, Stage::Commit);
}

// Whether the transaction may commit: nobody has done it, and nobody else is at it.
bool World::commitGuarded(std::uint32_t place)
{
    auto& execution = m_executions[place];
    auto& subject = m_subjects[execution.subject];
    const auto& request = m_requests[execution.request];
    const auto& service = m_scenario.service;
    useClockOf(execution.node);
    MemoryEffectGuard guard(m_store, subject.effects, m_now);
    if (service.fencing && !*guard.owns(execution.claim))
        return false;
    const auto id = effectIdOf(execution);
    const auto verdict = guard.begin(id, execution.claim.fence, subject.lives, ttlOf(request));
    if (!verdict || verdict->turn == EffectTurn::NewerOwner)
        return false;
    execution.repeats = verdict->turn == EffectTurn::AlreadyDone;
    if (!execution.repeats)
        return *guard.done(id, execution.claim.fence, execution.body);
    execution.body = verdict->ref.value_or("");
    return true;
}

void World::commitLocal(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const auto& service = m_scenario.service;
    const auto& request = m_requests[execution.request];
    const bool full = execution.uncommitted && strikesAt(execution, 20, 9);
    if (full || active(FaultKind::StoreOutage, request.number) != nullptr) {
        rollBack(execution);
        return answer(place, { .code = status::unavailable, .retryAfter = service.retryAfter });
    }
    const bool keyed = execution.subject != nowhere && service.contract != Contract::None;
    execution.body = "rf_" + std::to_string(++m_effectNumbers);
    if (request.recorded != nowhere && !m_scenario.recording->requests[request.recorded].result.empty())
        execution.body = m_scenario.recording->requests[request.recorded].result;
    if (keyed && service.effectGuard && !commitGuarded(place))
        return fenced(place);
    if (keyed && !service.effectGuard) {
        auto& rows = m_subjects[execution.subject].effects;
        auto id = effectIdOf(execution);
        if (std::any_of(rows.begin(), rows.end(), [&](const EffectRow& row) { return row.id == id; }))
            violate("I9", request.number, "the row of its effect stands there twice");
        rows.push_back({ std::move(id), execution.claim.fence, true, execution.body, m_now + ttlOf(request) });
    }
    if (!execution.repeats) {
        happened(execution.request, execution.subject, "its transaction commits");
        if (m_scenario.events.on)
            m_events->write(request);
    }
    execution.repeats = false;
    if (!keyed)
        return answer(place, { .code = execution.code });
    if (execution.uncommitted)
        return finalize(place);
    execution.stage = Stage::Finalize;
    if (!crashesAt(place, 9) && !restsAt(place, 9))
        planStoreStep(place, Stage::Finalize);
}

void World::finalize(std::uint32_t place)
{
    auto& execution = m_executions[place];
    auto& subject = m_subjects[execution.subject];
    const auto& request = m_requests[execution.request];
    execution.rested = execution.silent = false;
    if (!execution.uncommitted) {
        if (strikesAt(execution, 18, 9))
            operatorFences(place);
        if (active(FaultKind::StoreOutage, request.number) != nullptr || strikesAt(execution, 20, 9)) {
            if (traces(request.number))
                trace(request.number, "store", "cannot keep the outcome");
            return answer(place, { .code = status::unavailable, .retryAfter = m_scenario.service.retryAfter });
        }
    }
    useClockOf(execution.node);
    Trigger trigger;
    trigger.event = Event::Finalize;
    trigger.id = subject.id;
    trigger.owner = execution.claim.owner;
    trigger.fence = execution.claim.fence;
    trigger.response.code = execution.code;
    trigger.response.body = execution.body;
    trigger.response.refId = execution.body;
    trigger.ttl = ttlOf(request);
    const auto applied = m_scenario.service.fencing ? m_store.judge(std::move(trigger)) : overwrite(trigger);
    if (applied.outcome != fencepost::Outcome::Applied)
        return fenced(place);
    execution.uncommitted = subject.locked = false;
    ended(execution, subject, *applied.record);
    if (m_options.keepsLogs)
        logReplay(execution, *applied.record, telemetry::KeyOutcome::Created);
    if (strikesAt(execution, 20, 10)) {
        if (traces(request.number))
            trace(request.number, "store", "keeps the outcome, and its word of it is lost", execution.subject);
        return answer(place, { .code = status::unavailable, .retryAfter = m_scenario.service.retryAfter });
    }
    if (!crashesAt(place, 10))
        answer(place, { .code = execution.code });
}

void World::failOrDecline(std::uint32_t place, bool retryable)
{
    auto& execution = m_executions[place];
    const auto& service = m_scenario.service;
    const auto* recorded = recordedOf(execution);
    const int usual = retryable ? status::unavailable : status::declined;
    const int said = recorded ? servedAs(*recorded, execution).code : 0;
    const int code = said != 0 ? said : usual;
    if (execution.subject == nowhere || service.contract == Contract::None)
        return answer(place, { .code = code, .retryAfter = retryable ? service.retryAfter : Duration(0) });
    useClockOf(execution.node);
    if (execution.uncommitted && retryable) {
        rollBack(execution);
        return answer(place, { .code = code, .retryAfter = service.retryAfter });
    }
    Trigger trigger;
    trigger.event = Event::Fail;
    trigger.id = execution.claim.id;
    trigger.owner = execution.claim.owner;
    trigger.fence = execution.claim.fence;
    trigger.retryable = retryable;
    trigger.retryAfter = service.retryAfter;
    trigger.response.code = code;
    trigger.ttl = ttlOf(m_requests[execution.request]);
    const auto applied = m_store.judge(std::move(trigger));
    if (applied.outcome != fencepost::Outcome::Applied)
        return fenced(place);
    execution.uncommitted = m_subjects[execution.subject].locked = false;
    if (isTerminal(applied.record->status))
        ended(execution, m_subjects[execution.subject], *applied.record);
    answer(place, { .code = code, .retryAfter = retryable ? service.retryAfter : Duration(0) });
}

// Somebody else is the owner by now: his answer counts, where there is one.
void World::fenced(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const auto& request = m_requests[execution.request];
    ++m_outcome[Measure::Fenced];
    const auto* record = m_store.look(m_subjects[execution.subject].id);
    if (traces(request.number))
        trace(request.number, "store", "fenced: it is somebody else's", execution.subject);
    if (record && isTerminal(record->status))
        return answer(
            place, { .code = record->response.code.value_or(status::unavailable), .flags = answer_flag::Replayed });
    answer(
        place, { .code = status::conflict, .flags = answer_flag::Fenced, .retryAfter = m_scenario.service.retryAfter });
}

void World::operatorFences(std::uint32_t place)
{
    const auto& execution = m_executions[place];
    const auto& id = m_subjects[execution.subject].id;
    const auto* record = m_store.look(id);
    if (!record)
        return;
    Intervention intervention;
    intervention.trigger.event = Event::OperatorFence;
    intervention.trigger.id = id;
    intervention.trigger.fence = record->fence;
    intervention.trigger.owner = Owner("00000000-0000-4000-8000-00000000000f");
    intervention.trigger.reason = "the operator stops it";
    intervention.trigger.actor = "operator";
    const auto applied = *m_store.intervene(intervention);
    if (applied.outcome != fencepost::Outcome::Applied)
        return;
    auto& subject = m_subjects[execution.subject];
    subject.lastFence = applied.record->fence;
    const auto number = m_requests[execution.request].number;
    if (traces(number))
        trace(number, "operator", "fences its owner (p18)", execution.subject);
}

} // namespace fencepost::simulation
