// SPDX-License-Identifier: Apache-2.0
#include "core/store_input.h"

#include <algorithm>
#include <array>

namespace fencepost {

namespace {

constexpr std::array operatorEvents = { Event::OperatorFence, Event::OperatorRelease, Event::OperatorResolve,
    Event::OperatorExpire, Event::OperatorFail, Event::Unexpire, Event::Reopen };

Error refused(std::string message, std::string detail = {})
{
    return { Failure::Invalid, std::move(message), std::move(detail) };
}

Status checkSpans(std::initializer_list<std::optional<Duration>> spans)
{
    for (const auto& span : spans)
        if (auto checked = checkSpan(span); !checked)
            return checked;
    return {};
}

} // namespace

Status check(const Reservation& reservation)
{
    constexpr std::size_t hashSize = 32;
    const auto isHash = [](const TaggedHash& other) { return other.hash.size() == hashSize; };
    if (reservation.requestHash.size() != hashSize
        || !std::all_of(reservation.otherHashes.begin(), reservation.otherHashes.end(), isHash))
        return refused("A request hash has 32 octets");
    if (!isUuid(reservation.owner.uuid))
        return refused("An owner is a UUID", reservation.owner.uuid);
    if (reservation.lease <= Duration(0))
        return refused("A lease must last longer than nothing");
    if (reservation.ttl <= Duration(0))
        return refused("A record must be kept longer than nothing");
    if (auto checked = checkSpans({ reservation.lease, reservation.ttl }); !checked)
        return checked;
    if (reservation.maxAttempts < 0)
        return refused("A limit of attempts is not negative; 0 is none");
    return {};
}

Status check(const Claim& claim)
{
    return isUuid(claim.owner.uuid) ? Status() : Status(refused("An owner is a UUID", claim.owner.uuid));
}

Status checkSpan(const std::optional<Duration>& span)
{
    constexpr Duration longest = std::chrono::hours(24) * 365'250;
    if (span && (*span > longest || *span < -longest))
        return refused("A length of time is at most a thousand years");
    return {};
}

Status check(const ReapRequest& request)
{
    if (request.batch < 1 || request.grace < Duration(0)
        || request.journalRetention.value_or(Duration(0)) < Duration(0))
        return refused("A reaper needs a batch of at least one row, and lengths of time that are not negative");
    return checkSpans({ request.grace, request.tombstone, request.orphanGrace, request.journalRetention });
}

Status check(const Intervention& intervention)
{
    const auto& trigger = intervention.trigger;
    if (std::find(operatorEvents.begin(), operatorEvents.end(), trigger.event) == operatorEvents.end())
        return refused("This is not an operator's event", std::string(wordOf(trigger.event)));
    if (!isUuid(trigger.owner.uuid))
        return refused("An owner is a UUID", trigger.owner.uuid);
    return checkSpans({ trigger.tombstone, trigger.ttl });
}

Trigger triggerOf(const Reservation& reservation)
{
    return { .event = Event::Reserve,
        .id = reservation.id,
        .owner = reservation.owner,
        .requestHash = reservation.requestHash,
        .fingerprintAlg = reservation.fingerprintAlg,
        .otherHashes = reservation.otherHashes,
        .payloadHash = reservation.payloadHash,
        .lease = reservation.lease,
        .ttl = reservation.ttl,
        .takeover = reservation.takeover,
        .maxAttempts = reservation.maxAttempts,
        .staleKey = reservation.staleKey,
        .keyTime = reservation.keyTime,
        .actor = reservation.principal.empty() ? reservation.owner.uuid : reservation.principal };
}

Trigger triggerOf(Event event, const Claim& claim, const Completion& completion)
{
    return { .event = event,
        .id = claim.id,
        .owner = claim.owner,
        .fence = claim.fence,
        .ttl = completion.ttl,
        .response = completion.response,
        .errorCode = completion.errorCode,
        .actor = claim.owner.uuid };
}

Trigger triggerOf(
    const RecordId& id, Fence seen, Evidence evidence, const Completion& completion, const std::string& actor)
{
    return { .event = Event::Reconcile,
        .id = id,
        .fence = seen,
        .ttl = completion.ttl,
        .evidence = evidence,
        .response = completion.response,
        .errorCode = completion.errorCode,
        .actor = actor };
}

void keepRequest(Record& after, const std::optional<Record>& before, const Reservation& reservation)
{
    if (after.status != State::InProgress || after.owner != reservation.owner)
        return;
    const bool anew = !before || isTerminal(before->status);
    const auto keep = [anew](auto& own, const auto& given) {
        if (anew || given)
            own = given;
    };
    keep(after.correlationId, reservation.correlationId);
    keep(after.requestMethod, reservation.requestMethod);
    keep(after.requestTarget, reservation.requestTarget);
    keep(after.requestBody, reservation.requestBody);
    if (anew)
        after.providerRequestId.reset();
}

} // namespace fencepost
