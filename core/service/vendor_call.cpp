// SPDX-License-Identifier: Apache-2.0
#include "core/service/vendor_call.h"

#include <algorithm>

#include "core/retry/deadline.h"

namespace fencepost {

namespace {

constexpr int turns = 4; // ask, renew and send, with one to spare

CallTrigger triggerOf(const Execution& execution, const VendorCall& call, CallEvent event)
{
    const auto& claim = execution.claim();
    return { .event = event,
        .id = { std::string(call.vendor.name), call.operation, execution.effectKey(call.step) },
        .record = claim.id,
        .step = call.step,
        .owner = claim.owner,
        .fence = claim.fence,
        .safetyMargin = execution.terms().safetyMargin,
        .keep = call.keep };
}

VendorOutcome lost(std::string reason)
{
    return { Sent::NotSent, {}, true, std::move(reason) };
}

CallEvent eventOf(Sent sent)
{
    switch (sent) {
    case Sent::Done:
        return CallEvent::Done;
    case Sent::Refused:
    case Sent::NotSent:
        return CallEvent::Failed;
    case Sent::Unknown:
        break;
    }
    return CallEvent::Unknown;
}

// What the vendor answered is true whether or not the ledger could keep it: where it could not, the call is found
// SENDING and asked about.
VendorOutcome sendOnce(
    Execution& execution, OutboundLedger& ledger, const VendorCall& call, const CallId& id, const SendCall& send)
{
    auto trigger = triggerOf(execution, call, CallEvent::Unknown);
    trigger.id = id;
    VendorAnswer answer;
    try {
        answer = send(identityOf(call.vendor, trigger.id.key, call.domain), call.vendor.timeout);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        answer.result.errorCode = "INTERNAL.uncaught";
    }
    trigger.event = eventOf(answer.sent);
    trigger.result = answer.result;
    constexpr int attempts = 3; // whatever the ledger's trouble is: nobody else knows the answer
    for (int attempt = 0; attempt < attempts; ++attempt)
        if (ledger.apply(call.vendor, trigger))
            break;
    return { answer.sent, std::move(answer.result), false, {} };
}

// Nobody waits for an answer any more: nothing is sent, but what an earlier attempt has sent counts.
VendorOutcome outOfTime(Execution& execution, OutboundLedger& ledger, const VendorCall& call)
{
    VendorOutcome outcome{ Sent::NotSent, { .errorCode = "DEPENDENCY.timeout" }, false,
        "no time is left for the call" };
    const auto known = execution.calls(ledger);
    if (!known) {
        outcome.sent = Sent::Unknown;
        return outcome;
    }
    for (const auto& earlier : *known) {
        if (earlier.step != call.step)
            continue;
        if (earlier.state == OutboundState::Done)
            return { Sent::Done, earlier.result, false, "done before" };
        if (!isOpen(earlier))
            continue;
        outcome.sent = Sent::Unknown;
        const bool here = earlier.id.vendor == call.vendor.name && earlier.id.operation == call.operation;
        outcome.elsewhere = outcome.elsewhere || !here;
    }
    return outcome;
}

// True: look at the ledger again.
bool askVendor(OutboundLedger& ledger, const VendorCall& call, const OutboundCall& known)
{
    if (!call.ask)
        return false;
    auto knowledge = call.ask(known);
    const auto evidence = knowledge.evidence;
    const auto applied = writeKnowledge(ledger, call.vendor, known, std::move(knowledge));
    return applied && applied->outcome == CallOutcome::Applied && evidence != Evidence::Unknown;
}

VendorOutcome called(Execution& execution, OutboundLedger& ledger, const VendorCall& wished, const SendCall& send)
{
    auto call = wished;
    std::string reason = "the ledger could not be read";
    for (int turn = 0; turn < turns; ++turn) {
        if (execution.isLost())
            return lost("the lease could not be kept");
        const auto left = retry::forwardedBudget(execution.left(), Duration(0));
        if (!left)
            return outOfTime(execution, ledger, call);
        call.vendor.timeout = std::min(wished.vendor.timeout, *left);
        const auto decided = ledger.apply(call.vendor, triggerOf(execution, call, CallEvent::Send));
        // Nothing has left now; what an attempt before this one did, only the ledger knows.
        if (!decided)
            return { execution.attempt() > 1 ? Sent::Unknown : Sent::NotSent, { .errorCode = "DEPENDENCY.unavailable" },
                false, decided.error().message };
        reason = decided->reason;
        switch (decided->outcome) {
        case CallOutcome::Send:
            return sendOnce(execution, ledger, call, decided->call->id, send);
        case CallOutcome::AlreadyDone:
            return { Sent::Done, decided->call->result, false, reason };
        case CallOutcome::LeaseTooShort:
            if (!execution.renew(
                    std::max(execution.terms().lease, call.vendor.timeout * 2 + execution.terms().safetyMargin)))
                return lost("the lease could not be renewed");
            continue;
        case CallOutcome::AskFirst:
            if (!askVendor(ledger, call, *decided->call))
                return { Sent::Unknown, {}, false, reason };
            continue;
        case CallOutcome::Elsewhere:
            return { Sent::Unknown, {}, false, reason, true };
        case CallOutcome::LostOwnership:
            return lost(std::move(reason));
        case CallOutcome::Applied:
        case CallOutcome::TooEarly:
        case CallOutcome::Refused:
        case CallOutcome::NotFound:
            return { Sent::Unknown, {}, false, reason };
        }
    }
    return { Sent::Unknown, {}, false, reason };
}

} // namespace

Result<CallDecision> writeKnowledge(
    OutboundLedger& ledger, const Vendor& vendor, const OutboundCall& asked, VendorKnowledge knowledge)
{
    return ledger.apply(vendor,
        { .event = CallEvent::Reconcile,
            .id = asked.id,
            .evidence = knowledge.evidence,
            .seenSends = asked.sends,
            .result = std::move(knowledge.result) });
}

Settlement settlementOf(const VendorOutcome& outcome)
{
    switch (outcome.sent) {
    case Sent::Done:
        return Settlement::Done;
    case Sent::Refused:
        return Settlement::Terminal;
    case Sent::NotSent:
        return Settlement::Transient;
    case Sent::Unknown:
        break;
    }
    return Settlement::Unknown;
}

VendorOutcome callVendor(Execution& execution, OutboundLedger& ledger, const VendorCall& wished, const SendCall& send)
{
    auto outcome = called(execution, ledger, wished, send);
    if (outcome.sent == Sent::Done || outcome.sent == Sent::Unknown)
        execution.noteCalled();
    return outcome;
}
} // namespace fencepost
