// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/outbound_call.h"

#include <algorithm>
#include <array>

#include "core/protocol/digest.h"

namespace fencepost {

namespace {

constexpr std::size_t octetsOfEffect = 24; // of a call's key; the rest tells its life
constexpr auto anyCall = std::nullopt;
constexpr auto asItIs = std::nullopt;

// clang-format off
constexpr std::array callTable = {
    CallTransition{ anyCall,                CallEvent::Intend, CallGuard::NotOwner, asItIs,              CallOutcome::LostOwnership, "the record is somebody else's" },
    CallTransition{ OutboundState::Absent,  CallEvent::Intend, CallGuard::None,     OutboundState::Intent, CallOutcome::Applied,       "intended" },
    CallTransition{ anyCall,                CallEvent::Intend, CallGuard::None,     asItIs,              CallOutcome::Applied,       "intended before" },

    CallTransition{ anyCall,                CallEvent::Send, CallGuard::NotOwner,      asItIs,               CallOutcome::LostOwnership, "the record is somebody else's" },
    CallTransition{ OutboundState::Done,    CallEvent::Send, CallGuard::DoneEarlier,   OutboundState::Done,    CallOutcome::AlreadyDone,   "done before, in an earlier life of the key" },
    CallTransition{ OutboundState::Done,    CallEvent::Send, CallGuard::None,          asItIs,               CallOutcome::AlreadyDone,   "done before" },
    CallTransition{ anyCall,                CallEvent::Send, CallGuard::DoneElsewhereEarlier, OutboundState::Done, CallOutcome::AlreadyDone, "done before, by another call in an earlier life of the key" },
    CallTransition{ anyCall,                CallEvent::Send, CallGuard::DoneElsewhere, asItIs,               CallOutcome::AlreadyDone,   "done before, by another call" },
    CallTransition{ anyCall,                CallEvent::Send, CallGuard::OpenElsewhere, asItIs,               CallOutcome::Elsewhere,     "another call of the same effect may have done it" },
    CallTransition{ anyCall,                CallEvent::Send, CallGuard::LeaseTooShort, asItIs,               CallOutcome::LeaseTooShort, "the lease ends before the answer would be there" },
    CallTransition{ OutboundState::Absent,  CallEvent::Send, CallGuard::None,          OutboundState::Sending, CallOutcome::Send,          "sent" },
    CallTransition{ OutboundState::Intent,  CallEvent::Send, CallGuard::None,          OutboundState::Sending, CallOutcome::Send,          "sent" },
    CallTransition{ OutboundState::Failed,  CallEvent::Send, CallGuard::None,          OutboundState::Sending, CallOutcome::Send,          "sent again: nothing was done before" },
    CallTransition{ OutboundState::Sending, CallEvent::Send, CallGuard::Remembered,    OutboundState::Sending, CallOutcome::Send,          "sent again: the vendor knows the key" },
    CallTransition{ OutboundState::Unknown, CallEvent::Send, CallGuard::Remembered,    OutboundState::Sending, CallOutcome::Send,          "sent again: the vendor knows the key" },
    CallTransition{ OutboundState::Sending, CallEvent::Send, CallGuard::None,          OutboundState::Unknown, CallOutcome::AskFirst,      "it may have been sent before" },
    CallTransition{ OutboundState::Unknown, CallEvent::Send, CallGuard::None,          asItIs,               CallOutcome::AskFirst,      "its outcome is unknown" },

    CallTransition{ OutboundState::Absent,  CallEvent::Done,    CallGuard::None,   asItIs,               CallOutcome::NotFound,      "there is no such call" },
    CallTransition{ OutboundState::Sending, CallEvent::Done,    CallGuard::Sender, OutboundState::Done,    CallOutcome::Applied,       "done" },
    CallTransition{ OutboundState::Unknown, CallEvent::Done,    CallGuard::Sender, OutboundState::Done,    CallOutcome::Applied,       "done, as was learned late" },
    CallTransition{ OutboundState::Done,    CallEvent::Done,    CallGuard::Sender, asItIs,               CallOutcome::Applied,       "done before" },
    CallTransition{ anyCall,                CallEvent::Done,    CallGuard::None,   asItIs,               CallOutcome::LostOwnership, "the call is somebody else's" },
    CallTransition{ OutboundState::Absent,  CallEvent::Failed,  CallGuard::None,   asItIs,               CallOutcome::NotFound,      "there is no such call" },
    CallTransition{ OutboundState::Sending, CallEvent::Failed,  CallGuard::SenderInDoubt, OutboundState::Unknown, CallOutcome::Applied, "failed this time; nobody knows of the time before" },
    CallTransition{ OutboundState::Unknown, CallEvent::Failed,  CallGuard::SenderInDoubt, asItIs, CallOutcome::Applied,       "failed this time; nobody knows of the time before" },
    CallTransition{ OutboundState::Sending, CallEvent::Failed,  CallGuard::Sender, OutboundState::Failed,  CallOutcome::Applied,       "failed" },
    CallTransition{ OutboundState::Unknown, CallEvent::Failed,  CallGuard::Sender, OutboundState::Failed,  CallOutcome::Applied,       "failed, as was learned late" },
    CallTransition{ OutboundState::Failed,  CallEvent::Failed,  CallGuard::Sender, asItIs,               CallOutcome::Applied,       "failed before" },
    CallTransition{ anyCall,                CallEvent::Failed,  CallGuard::None,   asItIs,               CallOutcome::LostOwnership, "the call is somebody else's" },
    CallTransition{ OutboundState::Absent,  CallEvent::Unknown, CallGuard::None,   asItIs,               CallOutcome::NotFound,      "there is no such call" },
    CallTransition{ OutboundState::Sending, CallEvent::Unknown, CallGuard::Sender, OutboundState::Unknown, CallOutcome::Applied,       "nobody knows" },
    CallTransition{ OutboundState::Unknown, CallEvent::Unknown, CallGuard::Sender, asItIs,               CallOutcome::Applied,       "nobody knows" },
    CallTransition{ anyCall,                CallEvent::Unknown, CallGuard::None,   asItIs,               CallOutcome::LostOwnership, "the call is somebody else's" },

    CallTransition{ OutboundState::Absent,  CallEvent::Reconcile, CallGuard::None,           asItIs,               CallOutcome::NotFound, "there is no such call" },
    CallTransition{ OutboundState::Done,    CallEvent::Reconcile, CallGuard::SaysApplied,    asItIs,               CallOutcome::Applied,  "done before" },
    CallTransition{ OutboundState::Done,    CallEvent::Reconcile, CallGuard::None,           asItIs,               CallOutcome::Refused,  "it is done, whatever the vendor says now" },
    CallTransition{ anyCall,                CallEvent::Reconcile, CallGuard::SaysApplied,    OutboundState::Done,    CallOutcome::Applied,  "the vendor has it" },
    CallTransition{ anyCall,                CallEvent::Reconcile, CallGuard::SentSince,      asItIs,               CallOutcome::Refused,  "it was sent again since the vendor was asked" },
    CallTransition{ anyCall,                CallEvent::Reconcile, CallGuard::UnderWay,       asItIs,               CallOutcome::TooEarly, "its answer may still come" },
    CallTransition{ OutboundState::Sending, CallEvent::Reconcile, CallGuard::SaysNotApplied, OutboundState::Intent,  CallOutcome::Applied,  "the vendor does not have it" },
    CallTransition{ OutboundState::Unknown, CallEvent::Reconcile, CallGuard::SaysNotApplied, OutboundState::Intent,  CallOutcome::Applied,  "the vendor does not have it" },
    CallTransition{ OutboundState::Sending, CallEvent::Reconcile, CallGuard::None,           OutboundState::Unknown, CallOutcome::Applied,  "the vendor does not know either" },
    CallTransition{ anyCall,                CallEvent::Reconcile, CallGuard::None,           asItIs,               CallOutcome::Applied,  "nothing to settle" },
};
// clang-format on

struct CallWord {
    OutboundState state;
    std::string_view word;
};

constexpr std::array callWords = {
    CallWord{ OutboundState::Absent, "ABSENT" },
    CallWord{ OutboundState::Intent, "INTENT" },
    CallWord{ OutboundState::Sending, "SENDING" },
    CallWord{ OutboundState::Done, "DONE" },
    CallWord{ OutboundState::Failed, "FAILED" },
    CallWord{ OutboundState::Unknown, "UNKNOWN" },
};

constexpr std::array<std::string_view, 10> callOutcomeWords = { "send", "already_done", "ask_first", "lease_too_short",
    "applied", "fenced", "too_early", "refused", "not_found", "elsewhere" };

bool owns(const std::optional<Record>& record, const CallTrigger& trigger)
{
    return record && record->status == State::InProgress && !record->hold && record->owner == trigger.owner
        && record->fence == trigger.fence;
}

bool isForgotten(const OutboundCall& call, Time now)
{
    return (call.state == OutboundState::Done || call.state == OutboundState::Failed) && call.expiresAt <= now;
}

// What the rules look at, without what is of a past life.
struct Known {
    CallId id; // of the call that there is or will be
    std::optional<OutboundCall> call;
    const OutboundCall* doneElsewhere = nullptr;
    bool openElsewhere = false;
    bool doneEarlier = false; // the call, in an earlier life
    bool doneElsewhereEarlier = false;
};

// What is done settles more than what nobody knows, and that more than what was not sent; all of it less than what this
// life has sent itself.
int weightOf(const OutboundCall& call, const KeyLives& lives)
{
    constexpr int own = 4;
    return (!lives.empty() && !isOfEarlierLife(call.fence, lives) ? own : 0)
        + (call.state == OutboundState::Done ? 2
                : isOpen(call)               ? 1
                                             : 0);
}

Known begunBy(const CallLedgerView& view, const CallTrigger& trigger, Time now)
{
    Known known{ trigger.id };
    bool later = view.lives.size() > 1;
    const auto look = [&](const OutboundCall& call) {
        const bool here = call.id.vendor == trigger.id.vendor && call.id.operation == trigger.id.operation;
        if (isOfPastLife(call, now, view.lives)) {
            later = later || here;
        } else if (here) {
            if (!known.call || weightOf(call, view.lives) > weightOf(*known.call, view.lives))
                known.call = call;
        } else {
            known.openElsewhere = known.openElsewhere || isOpen(call);
            if (call.state == OutboundState::Done)
                known.doneElsewhere = &call;
        }
    };
    if (view.found)
        look(*view.found);
    for (const auto& other : view.others)
        look(other);
    known.doneEarlier = known.call && isOfEarlierLife(known.call->fence, view.lives);
    known.doneElsewhereEarlier = known.doneElsewhere && isOfEarlierLife(known.doneElsewhere->fence, view.lives);
    if (known.call)
        known.id = known.call->id;
    else if (later)
        known.id.key = effectKeyOfLife(trigger.id.key, view.lives.back().began);
    return known;
}

Known knownOf(const CallLedgerView& view, const CallTrigger& trigger, Time now)
{
    const bool begins = trigger.event == CallEvent::Intend || trigger.event == CallEvent::Send;
    return begins ? begunBy(view, trigger, now) : Known{ trigger.id, view.found };
}

bool holds(CallGuard guard, const Known& known, const std::optional<Record>& record, const Vendor& vendor,
    const CallTrigger& trigger, Time now)
{
    const auto& call = known.call;
    switch (guard) {
    case CallGuard::None:
        return true;
    case CallGuard::NotOwner:
        return !owns(record, trigger);
    case CallGuard::LeaseTooShort:
        return record->leaseExpiresAt.value_or(now) <= now + vendor.timeout + trigger.safetyMargin;
    case CallGuard::Remembered:
        return call->firstSentAt && now + vendor.timeout < *call->firstSentAt + vendor.remembers;
    case CallGuard::Sender:
        return call->owner == trigger.owner && call->fence == trigger.fence;
    case CallGuard::SenderInDoubt:
        return call->owner == trigger.owner && call->fence == trigger.fence && call->openSends > 1;
    case CallGuard::SentSince:
        return call->sends != trigger.seenSends;
    case CallGuard::SaysApplied:
        return trigger.evidence == Evidence::Applied;
    case CallGuard::UnderWay:
        return (call->state == OutboundState::Sending || call->state == OutboundState::Unknown)
            && call->answerBy.value_or(now) > now;
    case CallGuard::SaysNotApplied:
        return trigger.evidence == Evidence::NotApplied;
    case CallGuard::DoneEarlier:
        return known.doneEarlier;
    case CallGuard::DoneElsewhere:
        return known.doneElsewhere != nullptr;
    case CallGuard::DoneElsewhereEarlier:
        return known.doneElsewhereEarlier;
    case CallGuard::OpenElsewhere:
        return known.openElsewhere;
    }
    return false;
}

OutboundCall written(const Known& known, OutboundState to, const Vendor& vendor, const CallTrigger& trigger, Time now)
{
    const bool answers = trigger.event == CallEvent::Send && to == OutboundState::Done;
    const auto& before = answers && known.doneElsewhere != nullptr ? std::optional(*known.doneElsewhere) : known.call;
    auto call = before.value_or(
        OutboundCall{ .id = known.id, .record = trigger.record, .step = trigger.step, .createdAt = now });
    call.state = to;
    call.updatedAt = now;
    if (trigger.event == CallEvent::Intend || trigger.event == CallEvent::Send) {
        call.owner = trigger.owner;
        call.fence = trigger.fence;
        call.expiresAt = std::max(call.expiresAt, now + trigger.keep);
    }
    if (to == OutboundState::Sending) {
        const bool inDoubt =
            before && (before->state == OutboundState::Sending || before->state == OutboundState::Unknown);
        ++call.sends;
        call.openSends = inDoubt ? call.openSends + 1 : 1;
        call.firstSentAt = inDoubt ? call.firstSentAt : now;
        call.answerBy = now + vendor.timeout;
        call.result = {};
    }
    if (!answers && (to == OutboundState::Done || to == OutboundState::Failed))
        call.result = trigger.result;
    if (to == OutboundState::Done || to == OutboundState::Failed || to == OutboundState::Intent)
        call.openSends = 0;
    return call;
}

} // namespace

bool isOpen(const OutboundCall& call) noexcept
{
    return call.state == OutboundState::Sending || call.state == OutboundState::Unknown;
}

bool isOfPastLife(const OutboundCall& call, Time now, const KeyLives& lives)
{
    if (!isOfEarlierLife(call.fence, lives) || call.expiresAt > now)
        return false;
    return isOfPastLife(call.fence, lives)
        || (call.state == OutboundState::Done && call.result.errorCode == takenBackCode);
}

bool isCallOf(const OutboundCall& call, const Record& record, Time now, const KeyLives& lives)
{
    if (call.createdAt >= record.startedAt || (!lives.empty() && !isOfEarlierLife(call.fence, lives)))
        return true;
    // Only a first attempt began when its life did.
    const bool first = record.attempt == 1;
    if (isOfPastLife(call, now, lives) || (first && isForgotten(call, now)))
        return false;
    return isSameEffect(call.id.key, effectKey(record.id, record.requestHash, call.step)) || (lives.empty() && !first);
}

Bytes effectKey(const RecordId& record, const Bytes& requestHash, std::string_view step)
{
    PartsDigest digest("fencepost-effect-v1");
    for (const std::string_view part : { std::string_view(record.scope), std::string_view(record.operation),
             std::string_view(record.key), std::string_view(requestHash), step })
        digest.add(part);
    return digest.finish();
}

Bytes effectKeyOfLife(const Bytes& effectKey, Fence lifeBegan)
{
    auto key = effectKey.substr(0, octetsOfEffect);
    for (int shift = 56; shift >= 0; shift -= 8)
        key += static_cast<char>(static_cast<std::uint64_t>(lifeBegan.value) >> static_cast<unsigned>(shift));
    return key;
}

bool isSameEffect(const Bytes& key, const Bytes& other)
{
    return std::string_view(key).substr(0, octetsOfEffect) == std::string_view(other).substr(0, octetsOfEffect);
}

std::string_view wordOf(OutboundState state) noexcept
{
    const auto* found =
        std::find_if(callWords.begin(), callWords.end(), [&](const CallWord& entry) { return entry.state == state; });
    return found->word;
}

std::optional<OutboundState> outboundStateOf(std::string_view word) noexcept
{
    const auto* found =
        std::find_if(callWords.begin(), callWords.end(), [&](const CallWord& entry) { return entry.word == word; });
    return found == callWords.end() ? std::nullopt : std::optional(found->state);
}

std::string_view wordOf(CallOutcome outcome) noexcept
{
    return callOutcomeWords.at(static_cast<std::size_t>(outcome));
}

std::span<const CallTransition> callTransitions() noexcept
{
    return callTable;
}

CallDecision decideCall(const CallLedgerView& view, const Vendor& vendor, const CallTrigger& trigger, Time now)
{
    const auto known = knownOf(view, trigger, now);
    const auto from = known.call ? known.call->state : OutboundState::Absent;
    for (const auto& row : callTable) {
        const bool applies = row.event == trigger.event && (!row.from || *row.from == from)
            && holds(row.guard, known, view.record, vendor, trigger, now);
        if (!applies)
            continue;
        CallDecision decision{ row.outcome, row.to.has_value(), known.call, std::string(row.reason), now };
        if (row.guard == CallGuard::DoneElsewhere)
            decision.call = *known.doneElsewhere;
        if (row.to)
            decision.call = written(known, *row.to, vendor, trigger, now);
        return decision;
    }
    return { CallOutcome::Refused, false, known.call, "no rule allows it", now };
}

} // namespace fencepost
