// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

// An answer's Retry-After travels beside the number of the attempt, in hundredths of a second.
constexpr std::uint32_t attemptMask = 0xff;

retry::Signal signalOf(const What& what)
{
    retry::Signal signal;
    if (what.flags & answer_flag::NotSent) {
        signal.ending = retry::Ending::NotSent;
        return signal;
    }
    if (what.flags & answer_flag::Gone) {
        signal.ending = retry::Ending::Lost;
        return signal;
    }
    signal.status = what.code;
    signal.replayed = (what.flags & answer_flag::Replayed) != 0;
    if (what.flags & answer_flag::InProgress)
        signal.errorCode = "idempotency.in_progress";
    if (what.flags & answer_flag::Fenced)
        signal.errorCode = "idempotency.fenced";
    if (what.flags & answer_flag::OutcomeUnknown)
        signal.errorCode = "idempotency.outcome_unknown";
    if (const auto wait = what.extra >> attemptBits; wait > 0)
        signal.retryAfter = wait * retryAfterUnit;
    return signal;
}

// Of a second click or a return.
std::string nameOf(const CallState& call)
{
    const auto place = call.number & ((std::uint64_t(1) << callBits) - 1);
    return place > 1 ? " of call " + std::to_string(place) : std::string();
}

// What was never sent is told as it was recorded.
retry::Signal loggedAs(retry::Signal signal, const RecordedAttempt* recorded)
{
    if (!recorded || signal.ending != retry::Ending::NotSent)
        return signal;
    if (recorded->ending == RecordedEnding::BreakerOpen)
        signal.ending = retry::Ending::BreakerOpen;
    else if (recorded->ending == RecordedEnding::BudgetEmpty)
        signal.ending = retry::Ending::BudgetEmpty;
    else if (recorded->ending == RecordedEnding::Shed)
        signal.ending = retry::Ending::Shed;
    return signal;
}

std::string textOf(const retry::Signal& signal)
{
    if (signal.ending != retry::Ending::Answered)
        return std::string(retry::wordOf(signal.ending));
    auto text = std::to_string(signal.status);
    if (signal.errorCode)
        text += " " + *signal.errorCode;
    if (signal.replayed)
        text += " replayed";
    return text;
}

} // namespace

void World::start(CallState& call)
{
    ++m_outcome[Measure::Calls];
    const auto& request = m_requests[call.request];
    call.began = m_now;
    if (strikes(crashAt(21), call.number, 0, m_scenario.crash[21])) {
        ++m_outcome[Measure::Crashes];
        if (traces(request.number))
            trace(request.number, "client", "dies with a key that it did not write down (p21), and begins anew");
    }
    const auto& client = m_scenario.client;
    // Who has no key and tries again all the same takes the request for one that may be repeated.
    const retry::CallOptions options{ .policy = m_policy,
        .verb = client.key == KeyUse::None ? retry::Verb::Idempotent : retry::Verb::Unsafe,
        .hasKey = client.key != KeyUse::None,
        .inDoubt = call.inDoubt,
        .deadline = client.deadline > Duration(0) ? std::optional(m_now + client.deadline) : std::nullopt,
        .priority = request.priority,
        .background = request.background };
    call.call.emplace(options, dependencyOf(request.client), m_clock, call.random);
}

void World::step(std::uint32_t place)
{
    auto& call = m_calls[place];
    if (m_asRecorded)
        return stepAsRecorded(place);
    if (!call.call)
        start(call);
    const auto step = call.call->next();
    if (const auto* attempt = std::get_if<retry::Call::Send>(&step)) {
        send(place, *attempt);
    } else if (const auto* wait = std::get_if<retry::Call::Wait>(&step)) {
        m_queue.plan(wait->until, { .happening = Happening::Wake, .place = place, .number = lowOf(call.number) });
    } else {
        endCall(place, std::get<retry::Decision>(step));
    }
}

void World::send(std::uint32_t place, const retry::Call::Send& attempt)
{
    auto& call = m_calls[place];
    const auto& network = m_scenario.network;
    call.current = static_cast<std::uint32_t>(attempt.attempt);
    call.attempts = call.current;
    call.waitsUntil = m_now + attempt.timeout;
    call.subject = subjectFor(call.request, place);
    const auto& request = m_requests[call.request];
    const bool retry = call.current > 1;
    // What was waited for an attempt that was never sent is no delay.
    call.lastDelay = m_now - (retry ? call.settled : call.began);
    if (retry)
        m_outcome.delays.add(call.lastDelay);
    ++m_outcome[Measure::Attempts];
    m_outcome[Measure::Retries] += retry ? 1 : 0;
    auto& step = m_outcome.series.at(since());
    ++(retry ? step.retried : step.offered);
    if (m_activeCount > 0)
        ++(retry ? m_faultRetries : m_faultFirst);
    countArrival();
    if (traces(request.number))
        trace(request.number, "client " + std::to_string(request.client + 1),
            "sends attempt " + std::to_string(call.current) + nameOf(call)
                + (call.subject == nowhere ? " without a key" : " with the key " + m_subjects[call.subject].id.key));
    m_queue.planInOrder(call.waitsUntil,
        { .happening = Happening::Timeout, .place = place, .number = lowOf(call.number), .extra = call.current });
    if (const auto* recorded = recordedOf(call, call.current)) {
        sendRecorded(place, *recorded);
        return;
    }
    if (active(FaultKind::Partition, request.client) != nullptr
        || strikes(Throw::LostThere, call.number, call.current, network.loss)) {
        if (traces(request.number))
            trace(request.number, "network", "loses it");
        return;
    }
    const auto way = draw(network.latency, Throw::WayThere, call.number, call.current);
    deliverCopy(place, way);
    if (strikes(Throw::DuplicatedThere, call.number, call.current, network.duplicates))
        deliverCopy(place, way + draw(network.duplicateAfter, Throw::DuplicateAfter, call.number, call.current));
    if (strikes(crashAt(22), call.number, call.current, m_scenario.crash[22]))
        deliverCopy(place, 2 * way);
}

void World::deliverCopy(std::uint32_t place, Duration in)
{
    auto& call = m_calls[place];
    ++call.holds;
    // Its key is of the attempt: the call may have another one by the time that this one arrives.
    plan(in,
        { .happening = Happening::Deliver,
            .code = static_cast<std::uint16_t>(call.current),
            .place = place,
            .number = lowOf(call.number),
            .extra = call.subject });
}

void World::timeout(const What& what)
{
    const auto& call = m_calls[what.place];
    if (lowOf(call.number) != what.number || call.over || call.current != what.extra)
        return;
    ++m_outcome[Measure::Timeouts];
    retry::Signal signal;
    signal.ending = retry::Ending::TimedOut;
    settle(what.place, signal);
}

void World::answered(const What& what)
{
    const auto& call = m_calls[what.place];
    if (lowOf(call.number) == what.number && !call.over && call.current == (what.extra & attemptMask))
        settle(what.place, signalOf(what));
}

void World::settle(std::uint32_t place, const retry::Signal& signal)
{
    auto& call = m_calls[place];
    call.succeeded = signal.ending == retry::Ending::Answered && signal.status <= status::lastGood;
    call.settled = m_now;
    auto& step = m_outcome.series.at(since());
    ++(call.succeeded ? step.answered : step.failed);
    if (m_options.keepsLogs && m_outcome.retryLog.size() < keptLogRows) {
        const auto* recorded = recordedOf(call, call.current);
        m_outcome.retryLog.push_back(exchange::retryLogRow(static_cast<int>(call.current), call.lastDelay,
            loggedAs(signal, recorded), recorded ? recorded->note : std::string()));
        m_loggedCalls.push_back(call.number);
    }
    const auto& request = m_requests[call.request];
    if (traces(request.number))
        trace(request.number, "client " + std::to_string(request.client + 1), "gets " + textOf(signal));
    call.current = 0;
    if (!call.call)
        return settleAsRecorded(place, signal);
    call.call->settle(signal);
    this->step(place);
}

void World::endCall(std::uint32_t place, const retry::Decision& decision)
{
    auto& call = m_calls[place];
    auto& request = m_requests[call.request];
    call.over = true;
    call.current = 0;
    const bool done = decision.verdict == retry::Verdict::Done;
    if (done) {
        ++m_outcome[Measure::Succeeded];
        ++m_outcome.series.at(since()).done;
        m_outcome.latency.add(m_now - call.began);
        request.toldSuccess = request.toldSuccess || call.succeeded;
    } else {
        const bool unknown = decision.verdict == retry::Verdict::Unknown;
        ++m_outcome[unknown ? Measure::Unknown : Measure::Refused];
        if (const auto& refusal = call.call ? call.call->refusal() : std::nullopt) {
            m_outcome[Measure::BreakerRefusals] += refusal->ending == retry::Ending::BreakerOpen ? 1 : 0;
            m_outcome[Measure::BudgetRefusals] += refusal->ending == retry::Ending::BudgetEmpty ? 1 : 0;
            const bool isShed = refusal->ending == retry::Ending::Shed;
            m_outcome[Measure::ShedHere] += isShed ? 1 : 0;
            m_outcome[Measure::ShedCritical] += isShed && request.priority <= retry::Priority::Critical ? 1 : 0;
        }
        if (const auto in = returnsIn(request)) {
            beginCall(call.request, call.payload, *in, unknown);
        } else if (request.returnsLeft > 0) {
            --request.returnsLeft;
            beginCall(call.request, call.payload, m_scenario.client.returnsAfter, unknown);
        }
        completeLater(call.request, call.subject);
    }
    const auto attempts = static_cast<std::size_t>(call.attempts);
    if (m_outcome.attempts.size() <= attempts)
        m_outcome.attempts.resize(attempts + 1);
    ++m_outcome.attempts[attempts];
    if (traces(request.number))
        trace(request.number, "client " + std::to_string(request.client + 1),
            std::string(retry::wordOf(decision.verdict)) + ": " + std::string(decision.reason));
    // What it holds of its dependency is given back now, whatever is still on its way.
    call.call.reset();
    ++call.holds;
    letGo(place);
}

void World::letGo(std::uint32_t place)
{
    auto& call = m_calls[place];
    if (--call.holds > 0 || !call.over)
        return;
    const auto request = call.request;
    m_calls.remove(place);
    release(request);
}

} // namespace fencepost::simulation
