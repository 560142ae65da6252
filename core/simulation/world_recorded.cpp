// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr std::int64_t perPercent = 10'000; // parts of a million

bool asksAgain(const retry::Signal& signal)
{
    if (signal.ending != retry::Ending::Answered)
        return true;
    return signal.status >= status::firstFailure || signal.status == status::tooManyRequests || signal.errorCode;
}

retry::Decision decisionOn(const retry::Signal& signal, bool succeeded)
{
    if (succeeded)
        return { .verdict = retry::Verdict::Done, .reason = "as it was recorded" };
    const bool inDoubt = signal.ending == retry::Ending::TimedOut || signal.ending == retry::Ending::Lost
        || signal.errorCode.has_value();
    return { .verdict = inDoubt ? retry::Verdict::Unknown : retry::Verdict::Stop,
        .reason = "nobody came again when it was recorded" };
}

} // namespace

const RecordedRequest* World::recordedOf(const Request& request) const
{
    return request.recorded == nowhere ? nullptr : &m_scenario.recording->requests[request.recorded];
}

// An attempt of a client: what a table tells are executions, which come in the order of the attempts only where they
// come as they did.
const RecordedAttempt* World::recordedOf(const CallState& call, std::uint32_t attempt) const
{
    const auto* recorded = recordedOf(m_requests[call.request]);
    if (!recorded || !call.first || (m_scenario.recording->by == RecordedBy::Table && !m_asRecorded))
        return nullptr;
    return attempt >= 1 && attempt <= recorded->attempts.size() ? &recorded->attempts[attempt - 1] : nullptr;
}

const RecordedAttempt* World::recordedOf(const Execution& execution) const
{
    if (!m_scenario.recording)
        return nullptr;
    if (m_scenario.recording->by != RecordedBy::Table || m_asRecorded)
        return execution.call == nowhere ? nullptr : recordedOf(m_calls[execution.call], execution.attempt);
    const auto* recorded = recordedOf(m_requests[execution.request]);
    if (!recorded || execution.acquisition == 0 || execution.acquisition > recorded->attempts.size())
        return nullptr;
    return &recorded->attempts[execution.acquisition - 1];
}

// How the service itself ended an attempt whose answer nobody got: as it was told in the end. Who was told of a failure
// or a refusal behind it knows that nothing had been done by then.
const RecordedAttempt& World::servedAs(const RecordedAttempt& attempt, const Execution& execution) const
{
    if (attempt.ending != RecordedEnding::TimedOut && attempt.ending != RecordedEnding::Reset)
        return attempt;
    const auto& attempts = recordedOf(m_requests[execution.request])->attempts;
    const auto told = std::find_if(
        attempts.begin() + (&attempt - attempts.data()) + 1, attempts.end(), [](const RecordedAttempt& later) {
            return later.ending == RecordedEnding::Answered || later.ending == RecordedEnding::Failed
                || later.ending == RecordedEnding::Declined;
        });
    return told == attempts.end() ? attempt : *told;
}

// As it was, but for the crashes that are chosen otherwise.
RecordedEnding World::endingOf(const RecordedAttempt& attempt, const Execution& execution) const
{
    const auto number = m_requests[execution.request].number;
    const auto happens = [&](std::int64_t perMillion) {
        return m_dice.happens(Throw::RecordedCrash, number, execution.turn, perMillion);
    };
    const auto crashes = m_scenario.replay.crashes;
    if (attempt.ending == RecordedEnding::Crashed)
        return happens(crashes * perPercent) ? RecordedEnding::Crashed : RecordedEnding::Answered;
    return execution.owns && happens(m_moreCrashes) ? RecordedEnding::Crashed : servedAs(attempt, execution).ending;
}

// Without a policy: an attempt comes when it did, for as long as it is needed.
void World::stepAsRecorded(std::uint32_t place)
{
    auto& call = m_calls[place];
    if (call.attempts == 0) {
        ++m_outcome[Measure::Calls];
        call.began = m_now;
    }
    const auto attempt = static_cast<int>(call.attempts) + 1;
    const auto* recorded = recordedOf(call, call.attempts + 1);
    const auto* next = recordedOf(call, call.attempts + 2);
    auto timeout = m_policy.attemptTimeout;
    // A client of a table's request waits for its answer until it came again.
    if (recorded && recorded->at)
        timeout = std::max(timeout + recorded->took, next && next->at ? *next->at - *recorded->at : Duration(0));
    send(place, { attempt, timeout });
}

void World::settleAsRecorded(std::uint32_t place, const retry::Signal& signal)
{
    auto& call = m_calls[place];
    const auto* recorded = recordedOf(call, call.attempts);
    // Who came again when he was answered like that comes again.
    const bool asItWas = recorded
        && (recorded->ending == RecordedEnding::Busy
            || recorded->ending == (call.succeeded ? RecordedEnding::Answered : RecordedEnding::Declined));
    const bool isContent = call.succeeded || !asksAgain(signal);
    if ((isContent && !asItWas) || !recordedOf(call, call.attempts + 1))
        return endCall(place, decisionOn(signal, call.succeeded));
    m_queue.plan(std::max(nextAsRecorded(call), m_now),
        { .happening = Happening::Wake, .place = place, .number = lowOf(call.number) });
}

// Who took over from one that crashed, shortly behind its lease, had waited for the end of it: where leases are
// shorter, he comes that much earlier. Who is told to wait by a longer one comes when he did, and is told so.
Time World::nextAsRecorded(const CallState& call) const
{
    const auto& next = *recordedOf(call, call.attempts + 1);
    if (!next.at)
        return m_now + next.delay.value_or(Duration(0));
    const auto came = call.began + *next.at;
    const auto* last = recordedOf(call, call.attempts);
    const auto lease = m_scenario.service.lease;
    if (!last || !last->at || last->ending != RecordedEnding::Crashed || last->lease == Duration(0)
        || lease == m_scenario.recording->lease || lease >= last->lease)
        return came;
    const auto waited = *next.at - *last->at;
    return waited < 2 * last->lease ? came - (last->lease - lease) : came;
}

// Whoever tries by a policy and has given up comes back when somebody did.
std::optional<Duration> World::returnsIn(const Request& request) const
{
    const auto* recorded = recordedOf(request);
    if (!recorded || m_asRecorded)
        return std::nullopt;
    for (const auto& attempt : recorded->attempts)
        if (const auto in = recorded->at + attempt.at.value_or(Duration(0)) - since(); attempt.at && in > Duration(0))
            return in;
    return std::nullopt;
}

// What never reached the server, or came back from somebody in between, is as it was.
void World::sendRecorded(std::uint32_t place, const RecordedAttempt& recorded)
{
    auto& call = m_calls[place];
    const auto way = [&] { return draw(m_scenario.network.latency, Throw::WayThere, call.number, call.current); };
    const auto answers = [&](Duration in, int code, AnswerFlag flag = {}) {
        const auto wait =
            static_cast<std::uint32_t>((recorded.retryAfter + retryAfterUnit - Duration(1)) / retryAfterUnit);
        plan(in,
            { .happening = Happening::Answer,
                .flags = flag,
                .code = static_cast<std::uint16_t>(recorded.code != 0 ? recorded.code : code),
                .place = place,
                .number = lowOf(call.number),
                .extra = wait << attemptBits | call.current });
    };
    const auto number = m_requests[call.request].number;
    switch (recorded.ending) {
    case RecordedEnding::Lost:
        return;
    case RecordedEnding::ProxyError:
        return answers(recorded.took, status::badGateway);
    case RecordedEnding::Throttled:
        return answers(recorded.took, status::tooManyRequests);
    case RecordedEnding::Busy: {
        // What looks like a success only says that somebody else is at it.
        const bool isInFlight = recorded.code <= status::lastRedirect || recorded.code == status::conflict;
        return answers(recorded.took, status::conflict, isInFlight ? answer_flag::InProgress : AnswerFlag{});
    }
    case RecordedEnding::NotSent:
    case RecordedEnding::BreakerOpen:
    case RecordedEnding::BudgetEmpty:
    case RecordedEnding::Shed:
        return answers(Duration(0), 0, answer_flag::NotSent);
    case RecordedEnding::Reset:
        if (m_dice.happens(Throw::RecordedReset, number, call.current, m_scenario.replay.resetsArrived))
            return deliverCopy(place, way());
        return answers(way(), 0, answer_flag::Gone);
    case RecordedEnding::Answered:
    case RecordedEnding::Failed:
    case RecordedEnding::Declined:
    case RecordedEnding::Crashed:
    case RecordedEnding::Held:
    case RecordedEnding::TimedOut:
        return deliverCopy(place, way());
    }
}

void World::planSteps(std::uint32_t place)
{
    auto& request = m_requests[place];
    const auto* recorded = recordedOf(request);
    if (!recorded)
        return;
    for (std::size_t i = 0; i < recorded->steps.size(); ++i) {
        ++request.live;
        plan(recorded->steps[i].at,
            { .happening = Happening::Intervene, .place = place, .extra = static_cast<std::uint32_t>(i) });
    }
}

void World::intervene(const What& what)
{
    auto& request = m_requests[what.place];
    const auto& recorded = *recordedOf(request);
    const auto place = recorded.key.empty() ? request.subject : pooledSubject(scopeOf(request), recorded.key);
    const auto* record = place == nowhere ? nullptr : m_store.look(m_subjects[place].id);
    if (record && recorded.steps[what.extra].act == RecordedAct::Come) {
        if (const auto node = freeNode())
            executeForNobody(*node, what.place, place);
    } else if (record) {
        auto& subject = m_subjects[place];
        Intervention asked;
        auto& trigger = asked.trigger;
        trigger.id = subject.id;
        trigger.fence = record->fence;
        trigger.owner = ownerOf(++m_executionNumbers);
        trigger.reason = "as it was recorded";
        trigger.actor = "operator";
        trigger.ttl = ttlOf(request);
        trigger.seenLive = isLive(*record, m_now);
        switch (recorded.steps[what.extra].act) {
        case RecordedAct::Fence:
            trigger.event = Event::OperatorFence;
            trigger.noHold = true;
            break;
        case RecordedAct::Hold:
            trigger.event = Event::OperatorFence;
            trigger.seenLive = true;
            break;
        case RecordedAct::Release:
            trigger.event = Event::OperatorRelease;
            break;
        case RecordedAct::Fail:
            trigger.event = record->hold ? Event::OperatorResolve : Event::OperatorFail;
            trigger.resolution = Resolution::FailedFinal;
            break;
        case RecordedAct::Succeed:
            trigger.event = Event::OperatorResolve;
            trigger.resolution = Resolution::Succeeded;
            trigger.response.code = status::created;
            break;
        case RecordedAct::Retry:
            trigger.event = Event::OperatorResolve;
            trigger.resolution = Resolution::FailedRetryable;
            break;
        case RecordedAct::Reopen:
            trigger.event = Event::Reopen;
            break;
        case RecordedAct::TakeOver:
            trigger.event = Event::OperatorResolve;
            trigger.resolution = Resolution::TakeOver;
            break;
        case RecordedAct::Expire:
            trigger.event = Event::OperatorExpire;
            break;
        case RecordedAct::Unexpire:
            trigger.event = Event::Unexpire;
            trigger.expiresAt = m_now + ttlOf(request);
            break;
        case RecordedAct::Come:
            break;
        }
        const auto applied = m_store.intervene(asked);
        if (applied && applied->outcome == fencepost::Outcome::Applied && applied->record) {
            subject.lastFence = std::max(subject.lastFence, applied->record->fence);
            if (isTerminal(applied->record->status))
                adopt(subject, *applied->record, request.client);
            else
                subject.terminal = false;
            if (traces(request.number))
                trace(request.number, "operator",
                    std::string(wordOf(recorded.steps[what.extra].act)) + ", as it was recorded", place);
        }
    }
    release(what.place);
}

// A record had rules of its own, which it keeps where nobody chose others.
void World::takeRules(Trigger& trigger, const Execution& execution) const
{
    const auto& request = m_requests[execution.request];
    const auto* recorded = recordedOf(request);
    if (!recorded)
        return;
    const auto& service = m_scenario.service;
    trigger.ttl = ttlOf(request);
    if (recorded->manual && service.takeover == TakeoverRule::ByEffect)
        trigger.takeover = Takeover::Manual;
    if (recorded->maxAttempts > 0 && service.maxAttempts == 0)
        trigger.maxAttempts = static_cast<int>(recorded->maxAttempts);
    const auto place = m_asRecorded && execution.call != nowhere ? execution.attempt : request.acquired + 1;
    if (service.lease == m_scenario.recording->lease && place >= 1 && place <= recorded->attempts.size()
        && recorded->attempts[place - 1].lease > Duration(0))
        trigger.lease = recorded->attempts[place - 1].lease;
}

Duration World::ttlOf(const Request& request) const
{
    const auto* recorded = recordedOf(request);
    const auto usual = m_scenario.service.ttl;
    return recorded && recorded->ttl > Duration(0) && usual == m_scenario.recording->ttl ? recorded->ttl : usual;
}

} // namespace fencepost::simulation
