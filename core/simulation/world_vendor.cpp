// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/service/reconciler.h"
#include "core/simulation/world.h"

namespace fencepost::simulation {

namespace {

constexpr int turns = 4; // ask, renew and send, with one to spare
constexpr Duration safetyMargin = std::chrono::milliseconds(500);

} // namespace

void World::callVendor(std::uint32_t place)
{
    auto& execution = m_executions[place];
    if (!execution.asked && (restsAt(place, 5) || crashesAt(place, 5)))
        return;
    if (!execution.asked && strikesAt(execution, 18, 5))
        operatorFences(place);
    if (execution.subject == nowhere || m_scenario.service.contract == Contract::None || !m_scenario.vendor.ledger)
        return sendToVendor(place);
    useClockOf(execution.node);
    if (execution.asked && settleCall(execution).outcome != CallOutcome::Applied)
        return holdRecord(place);
    for (int turn = 0; turn < turns; ++turn) {
        const auto decision = ledger(execution, { .event = CallEvent::Send });
        switch (decision.outcome) {
        case CallOutcome::Send:
            return sendToVendor(place);
        case CallOutcome::AlreadyDone:
            execution.body = decision.call->result.ref.value_or("");
            return planStoreStep(place, Stage::Finalize);
        case CallOutcome::AskFirst:
            if (execution.asked || !m_scenario.vendor.lookUp)
                return holdRecord(place);
            return askLater(place);
        case CallOutcome::LeaseTooShort:
            if (m_store.renew(execution.claim, leaseForCall())->outcome != fencepost::Outcome::Applied)
                return fenced(place);
            break;
        case CallOutcome::LostOwnership:
            return fenced(place);
        case CallOutcome::Applied:
        case CallOutcome::TooEarly:
        case CallOutcome::Refused:
        case CallOutcome::NotFound:
        case CallOutcome::Elsewhere:
            return holdRecord(place);
        }
    }
    // No lease is ever long enough for the call.
    failOrDecline(place, true);
}

Duration World::leaseForCall() const
{
    return std::max(m_scenario.service.lease, 2 * m_vendor.timeout + safetyMargin);
}

void World::askLater(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const auto number = m_requests[execution.request].number;
    if (traces(number))
        trace(number, "node " + std::to_string(execution.node + 1), "asks the vendor whether it has the call");
    execution.asked = true;
    execution.stage = Stage::AskVendor;
    planStep(place, 2 * draw(m_scenario.vendor.latency, Throw::VendorThere, number, execution.turn));
}

void World::sendToVendor(std::uint32_t place)
{
    auto& execution = m_executions[place];
    auto& request = m_requests[execution.request];
    const bool knowsKeys = m_scenario.service.effect == EffectKind::ExternalIdempotent;
    execution.stage = Stage::Vendor;
    execution.refused = false;
    execution.sent = ++request.vendorSends;
    if (traces(request.number))
        trace(request.number, "node " + std::to_string(execution.node + 1),
            "calls the vendor, call " + std::to_string(execution.sent));
    postToVendor(place);
    // A transport that may not repeat a call by itself tells so instead; who does not care has not forbidden it.
    const bool mayRepeat = knowsKeys || !m_scenario.vendor.ledger;
    if (mayRepeat && strikes(crashAt(22), request.number, hiddenTurns + execution.sent, m_scenario.crash[22]))
        postToVendor(place);
    if (crashesAt(place, 6))
        return;
    const auto timeout = m_scenario.vendor.timeout;
    execution.stepsAt = m_now + timeout;
    beat(place);
    plan(timeout,
        { .happening = Happening::VendorTimeout,
            .place = place,
            .number = lowOf(execution.number),
            .extra = execution.sent });
}

void World::postToVendor(std::uint32_t place)
{
    const auto& execution = m_executions[place];
    auto& request = m_requests[execution.request];
    const auto& vendor = m_scenario.vendor;
    const auto number = request.number;
    const auto sent = execution.sent;
    if (strikes(Throw::VendorLost, number, std::uint64_t(sent) * 2, vendor.loss))
        return;
    ++request.live;
    const auto index = m_vendorMessages.add();
    m_vendorMessages[index] = { execution.request, execution.subject, place, lowOf(execution.number), sent };
    const auto way = draw(vendor.latency, Throw::VendorThere, number, sent);
    const auto takes = draw(vendor.time, Throw::VendorTime, number, sent);
    if (execution.subject != nowhere)
        m_subjects[execution.subject].comesToVendor(m_now, way, takes);
    plan(way + takes, { .happening = Happening::VendorArrive, .place = index });
}

void World::vendorArrive(const What& what)
{
    const auto message = m_vendorMessages[what.place];
    m_vendorMessages.remove(what.place);
    const auto& vendor = m_scenario.vendor;
    const auto number = m_requests[message.request].number;
    int code = status::created;
    if (active(FaultKind::VendorOutage, number) != nullptr
        || strikes(Throw::VendorError, number, message.send, vendor.errors)) {
        code = status::unavailable;
    } else {
        auto* subject = message.subject == nowhere ? nullptr : &m_subjects[message.subject];
        const bool known = subject && subject->vendorSeen && m_now < *subject->vendorSeen + m_vendor.remembers;
        if (!known) {
            if (subject) {
                subject->vendorSeen = m_now;
                subject->vendorRef = "po_" + std::to_string(++m_effectNumbers);
            }
            happened(message.request, message.subject, "the vendor carries it out");
        }
    }
    if (!strikes(Throw::VendorLost, number, std::uint64_t(message.send) * 2 + 1, vendor.loss))
        plan(draw(vendor.latency, Throw::VendorBack, number, message.send),
            { .happening = Happening::VendorAnswer,
                .code = static_cast<std::uint16_t>(code),
                .place = message.execution,
                .number = message.executionNumber,
                .extra = message.send });
    release(message.request);
}

void World::vendorAnswered(const What& what)
{
    auto& execution = m_executions[what.place];
    if (execution.number == 0 || lowOf(execution.number) != what.number || execution.stage != Stage::Vendor
        || execution.sent != what.extra)
        return;
    execution.refused = what.code == status::unavailable;
    if (!crashesAt(what.place, 7))
        planStoreStep(what.place, Stage::VendorDone);
}

void World::vendorDone(std::uint32_t place)
{
    auto& execution = m_executions[place];
    const bool keyed = execution.subject != nowhere && m_scenario.service.contract != Contract::None;
    if (keyed) {
        execution.body = m_subjects[execution.subject].vendorRef;
        if (m_scenario.vendor.ledger) {
            CallTrigger trigger{ .event = execution.refused ? CallEvent::Failed : CallEvent::Done };
            if (!execution.refused)
                trigger.result.ref = execution.body;
            const auto decision = ledger(execution, std::move(trigger));
            // Failed this time: whether an earlier one was carried out, nobody knows.
            if (execution.refused && decision.call && decision.call->state == OutboundState::Unknown)
                return vendorUnknown(place);
        }
    }
    if (execution.refused)
        return failOrDecline(place, true);
    if (!keyed)
        return answer(place, { .code = execution.code });
    execution.stage = Stage::Finalize;
    if (!crashesAt(place, 9) && !restsAt(place, 9))
        planStoreStep(place, Stage::Finalize);
}

void World::vendorTimedOut(const What& what)
{
    auto& execution = m_executions[what.place];
    if (execution.number == 0 || lowOf(execution.number) != what.number || execution.stage != Stage::Vendor
        || execution.sent != what.extra)
        return;
    const bool keyed = execution.subject != nowhere && m_scenario.service.contract != Contract::None;
    if (!keyed || !m_scenario.vendor.ledger)
        return failOrDecline(what.place, true);
    (void)ledger(execution, { .event = CallEvent::Unknown });
    vendorUnknown(what.place);
}

// A vendor that knows keys may be sent it again. What another one made of it may come to pass any time yet, so nobody
// asks: it is held until the reconciler may, or until somebody has looked.
void World::vendorUnknown(std::uint32_t place)
{
    if (m_scenario.service.effect == EffectKind::ExternalIdempotent)
        return failOrDecline(place, true);
    holdRecord(place);
}

CallDecision World::ledger(const Execution& execution, CallTrigger trigger)
{
    auto& subject = m_subjects[execution.subject];
    useClockOf(execution.node);
    const auto found = m_store.find(subject.id);
    trigger.id = subject.ledger ? subject.ledger->id
                                : CallId{ std::string(m_vendor.name), "pay",
                                      effectKey(subject.id, *found ? (*found)->requestHash : Bytes(), "pay") };
    trigger.record = subject.id;
    trigger.step = "pay";
    if (trigger.event != CallEvent::Reconcile) {
        trigger.owner = execution.claim.owner;
        trigger.fence = execution.claim.fence;
    }
    trigger.safetyMargin = safetyMargin;
    trigger.keep = m_scenario.service.ttl;
    auto decision = decideCall({ subject.ledger, {}, *found, subject.lives }, m_vendor, trigger, m_storeClock.now());
    if (decision.writes) {
        // In a later life of the key it is another call, also for a vendor that remembers the earlier one.
        if (subject.ledger && subject.ledger->id != decision.call->id)
            subject.vendorSeen.reset();
        subject.ledger = decision.call;
    }
    return decision;
}

CallDecision World::settleCall(const Execution& execution)
{
    const auto& subject = m_subjects[execution.subject];
    CallTrigger trigger{ .event = CallEvent::Reconcile };
    // A call that has reached the vendor is neither done nor not done while the vendor is at it.
    trigger.evidence = subject.vendorSeen ? Evidence::Applied
        : subject.isAtVendor(m_now)       ? Evidence::Unknown
                                          : Evidence::NotApplied;
    trigger.seenSends = subject.ledger ? subject.ledger->sends : 0;
    if (subject.vendorSeen)
        trigger.result.ref = subject.vendorRef;
    return ledger(execution, std::move(trigger));
}

void World::holdRecord(std::uint32_t place)
{
    const auto& execution = m_executions[place];
    useClockOf(execution.node);
    if (m_store.hold(execution.claim, "outcome_unknown")->outcome != fencepost::Outcome::Applied)
        return fenced(place);
    const auto number = m_requests[execution.request].number;
    if (traces(number))
        trace(number, "store", "holds it: nobody knows whether it happened", execution.subject);
    answer(place,
        { .code = status::conflict,
            .flags = answer_flag::OutcomeUnknown,
            .retryAfter = m_scenario.service.retryAfter });
}

bool World::reconciled(const Execution& execution, const Record& record)
{
    if (!m_scenario.vendor.lookUp || !m_scenario.vendor.ledger || record.holdReason != "outcome_unknown")
        return false;
    auto& subject = m_subjects[execution.subject];
    const bool sent = subject.ledger.has_value();
    const auto calls = sent ? std::vector{ *subject.ledger } : std::vector<OutboundCall>();
    if (reconcilableFrom(record, calls, m_vendor.timeout) > m_storeClock.now())
        return false;
    if (sent && (settleCall(execution).outcome != CallOutcome::Applied || isOpen(*subject.ledger)))
        return false;
    const bool done = sent && subject.ledger->state == OutboundState::Done;
    Completion completion;
    if (done) {
        completion.response.code = status::created;
        completion.response.body = completion.response.refId = subject.vendorRef;
    }
    completion.ttl = m_scenario.service.ttl;
    const auto applied = *m_store.reconcile(
        subject.id, record.fence, done ? Evidence::Applied : Evidence::NotApplied, completion, "reconciler");
    if (applied.outcome != fencepost::Outcome::Applied)
        return false;
    const auto& request = m_requests[execution.request];
    subject.lastFence = std::max(subject.lastFence, applied.record->fence);
    if (isTerminal(applied.record->status))
        adopt(subject, *applied.record, request.client);
    if (traces(request.number))
        trace(request.number, "reconciler", done ? "the vendor has it" : "the vendor does not have it",
            execution.subject);
    return true;
}

} // namespace fencepost::simulation
