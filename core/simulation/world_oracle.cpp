// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/world.h"

namespace fencepost::simulation {

Bytes hashOf(std::uint64_t payload)
{
    constexpr std::size_t hashSize = 32;
    Bytes hash(hashSize, '\0');
    for (std::size_t i = 0; payload != 0; payload >>= 8U)
        hash[i++] = static_cast<char>(payload & 0xffU);
    return hash;
}

Owner ownerOf(std::uint64_t number)
{
    Owner owner;
    owner.uuid = "00000000-0000-4000-8000-000000000000";
    constexpr std::string_view digits = "0123456789abcdef";
    for (auto at = owner.uuid.size(); number > 0; number >>= 4U)
        owner.uuid[--at] = digits[number & 0xfU];
    return owner;
}

namespace {

std::uint32_t countDone(Subject& subject, std::uint64_t payload)
{
    const auto known = std::find_if(
        subject.done.begin(), subject.done.end(), [&](const auto& entry) { return entry.first == payload; });
    return known == subject.done.end() ? subject.done.emplace_back(payload, 1).second : ++known->second;
}

} // namespace

Takeover World::takeover() const
{
    const auto& service = m_scenario.service;
    switch (TakeoverRule(service.takeover)) {
    case TakeoverRule::ByEffect:
        return service.effect == EffectKind::External ? Takeover::Manual : Takeover::Auto;
    case TakeoverRule::Auto:
        return Takeover::Auto;
    case TakeoverRule::Manual:
        return Takeover::Manual;
    }
    return Takeover::Manual;
}

Trigger World::reservationOf(Execution& execution, const Subject& subject) const
{
    const auto& service = m_scenario.service;
    Trigger trigger;
    trigger.event = Event::Reserve;
    trigger.id = subject.id;
    trigger.requestHash = hashOf(execution.payload);
    trigger.owner = ownerOf(execution.number);
    trigger.lease = service.lease;
    trigger.ttl = service.ttl;
    trigger.takeover = takeover();
    trigger.maxAttempts = static_cast<int>(service.maxAttempts);
    if (m_scenario.recording)
        takeRules(trigger, execution);
    execution.lease = trigger.lease;
    return trigger;
}

void World::acquired(Execution& execution, Subject& subject, const Record& record)
{
    auto& request = m_requests[execution.request];
    const auto number = request.number;
    execution.claim.id = record.id;
    execution.claim.owner = record.owner;
    execution.claim.fence = record.fence;
    execution.acquisition = ++request.acquired;
    execution.recordAttempt = record.attempt;
    if (record.attempt == 1)
        subject.begins(record.fence);
    if (request.recorded != nowhere && request.acquired > 1)
        m_outcome.betweenExecutions.add(m_now - request.acquiredAt);
    request.acquiredAt = m_now;
    if (record.attempt > 1)
        ++m_outcome[Measure::Takeovers];
    if (record.fence <= subject.lastFence)
        violate("I2", number,
            "fence " + std::to_string(record.fence.value) + " behind fence " + std::to_string(subject.lastFence.value));
    subject.lastFence = std::max(subject.lastFence, record.fence);
    if (!subject.terminal)
        return;
    if (m_storeClock.now() < subject.answersUntil)
        violate("I5", number, "its handler runs although its answer was stored, and is not over");
    else
        ++m_outcome[Measure::Expired];
    subject.terminal = false;
}

void World::adopt(Subject& subject, const Record& record, std::uint32_t client)
{
    subject.terminal = true;
    subject.lastFence = std::max(subject.lastFence, record.fence);
    subject.finalizedFence = record.fence;
    subject.answersUntil = record.expiresAt;
    subject.body = record.response.body.value_or("");
    subject.answersClient = client;
}

void World::ended(const Execution& execution, Subject& subject, const Record& record)
{
    const auto& request = m_requests[execution.request];
    const auto& fence = execution.claim.fence;
    if (record.fence == subject.finalizedFence)
        violate("I1", request.number, "fence " + std::to_string(record.fence.value) + " is finalized a second time");
    if (subject.terminal) {
        violate("I3", request.number,
            "the owner of fence " + std::to_string(fence.value) + " changes a record that is at its end");
        if (record.response.body.value_or("") != subject.body)
            violate("I4", request.number, subject.body + " was stored, now it is " + execution.body);
    }
    adopt(subject, record, request.client);
    if (traces(request.number))
        trace(request.number, "store", "keeps the outcome", execution.subject);
}

void World::replayed(const Execution& execution, Subject& subject, const Record& record)
{
    ++m_outcome[Measure::Replays];
    const auto& request = m_requests[execution.request];
    // Its attempts were spent: the store itself has written the outcome.
    if (!subject.terminal)
        adopt(subject, record, request.client);
    if (record.response.body.value_or("") != subject.body)
        violate("I4", request.number, subject.body + " was stored, " + record.response.body.value_or("") + " is given");
    if (subject.answersClient != request.client) {
        ++m_outcome[Measure::ForeignAnswers];
        violate("I4", request.number,
            "client " + std::to_string(request.client + 1) + " is given what belongs to client "
                + std::to_string(subject.answersClient + 1));
    }
    if (m_options.keepsLogs)
        logReplay(execution, record, telemetry::KeyOutcome::Replayed);
}

void World::mismatched(const Execution& execution, const Subject& subject, const Record& record)
{
    if (record.fence > subject.lastFence || (subject.terminal && !isTerminal(record.status)))
        violate("I8", m_requests[execution.request].number, "a mismatch has changed the record");
    if (m_options.keepsLogs)
        logReplay(execution, record, telemetry::KeyOutcome::Conflict);
}

void World::happened(std::uint32_t place, std::uint32_t subject, std::string_view how)
{
    auto& request = m_requests[place];
    ++request.effects;
    const bool recordedKey = request.recorded != nowhere && subject != nowhere && m_subjects[subject].kept;
    const auto times = recordedKey ? countDone(m_subjects[subject], request.payload) : request.effects;
    if (traces(request.number))
        trace(request.number, "effect", "happens: " + std::string(how));
    if (times > 1) {
        ++m_outcome[Measure::DuplicateEffects];
        violate("I7", request.number, "its effect happens for the time " + std::to_string(times));
    }
}

MemoryStore::Judgement World::overwrite(const Trigger& trigger)
{
    const auto* found = m_store.look(trigger.id);
    if (!found)
        return { fencepost::Outcome::NotFound, nullptr };
    auto record = *found;
    record.status = State::Succeeded;
    record.hold = false;
    record.response = trigger.response;
    record.completedAt = m_storeClock.now();
    record.expiresAt = std::max(record.expiresAt, m_storeClock.now() + m_scenario.service.ttl);
    m_store.put(trigger.id, std::move(record));
    return { fencepost::Outcome::Applied, m_store.look(trigger.id) };
}

// Nobody asks for the key any more: what is left behind is looked at, and then forgotten.
void World::dropSubject(std::uint32_t place, std::uint64_t request)
{
    leaveBehind(m_subjects[place], request);
    m_store.put(m_subjects[place].id, std::nullopt);
    m_subjects.remove(place);
}

void World::leaveBehind(const Subject& subject, std::uint64_t request)
{
    if (!subject.terminal && subject.lastFence.value > 0) {
        m_storeClock.setSkew(Duration(0));
        const auto* record = m_store.look(subject.id);
        if (record && record->hold)
            ++m_outcome[Measure::Held];
        if (record && record->status == State::InProgress && !record->hold) {
            ++m_outcome[Measure::Stuck];
            // Whoever comes long afterwards must find a way on, or a hold that somebody sees.
            Trigger later{ .event = Event::Reserve,
                .id = subject.id,
                .owner = ownerOf(m_executionNumbers + 1),
                .nextFence = { record->fence.value + 1 },
                .requestHash = record->requestHash,
                .lease = m_scenario.service.lease,
                .ttl = m_scenario.service.ttl };
            const auto decision =
                decide(*record, later, record->leaseExpiresAt.value_or(m_now) + std::chrono::hours(24));
            if (decision.outcome == fencepost::Outcome::InFlight || decision.outcome == fencepost::Outcome::Refused)
                violate("I6", request, "everybody who asks for it is refused: " + decision.reason);
        }
    }
}

std::string World::stateOf(std::uint32_t subject)
{
    if (subject == nowhere)
        return {};
    const auto* record = m_store.look(m_subjects[subject].id);
    return std::string(wordOf(record ? shownState(*record, m_storeClock.now()) : State::Absent));
}

void World::logReplay(const Execution& execution, const Record& record, telemetry::KeyOutcome outcome)
{
    if (m_outcome.replays.size() >= keptLogRows)
        return;
    const auto recorded = m_requests[execution.request].recorded;
    auto payload = recorded == nowhere ? std::string() : m_scenario.recording->requests[recorded].payload;
    if (payload.empty())
        payload = toHex(hashOf(execution.payload).substr(0, sizeof(std::uint64_t)));
    m_outcome.replays.push_back(exchange::replayRow(record, payload, outcome));
}

} // namespace fencepost::simulation
