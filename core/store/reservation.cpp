// SPDX-License-Identifier: Apache-2.0
#include "core/store/reservation.h"

#include <algorithm>

#include "core/store/record_row.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

Status check(const Reservation& reservation)
{
    constexpr std::size_t hashSize = 32;
    const auto isHash = [](const TaggedHash& other) { return other.hash.size() == hashSize; };
    if (reservation.requestHash.size() != hashSize
        || !std::all_of(reservation.otherHashes.begin(), reservation.otherHashes.end(), isHash))
        return Error{ Failure::Invalid, "A request hash has 32 octets", {} };
    if (!isUuid(reservation.owner.uuid))
        return Error{ Failure::Invalid, "An owner is a UUID", reservation.owner.uuid };
    if (reservation.lease <= Duration(0))
        return Error{ Failure::Invalid, "A lease must last longer than nothing", {} };
    if (reservation.ttl <= Duration(0))
        return Error{ Failure::Invalid, "A record must be kept longer than nothing", {} };
    for (const auto& span : { reservation.lease, reservation.ttl })
        if (const auto checked = checkSpan(span); !checked)
            return checked;
    if (reservation.maxAttempts < 0)
        return Error{ Failure::Invalid, "A limit of attempts is not negative; 0 is none", {} };
    return {};
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

bool mayBeStale(const Reservation& reservation)
{
    return reservation.staleKey == StaleKey::Reject && reservation.keyTime.has_value();
}

Parameters parametersOf(const Reservation& reservation, const std::optional<Time>& now)
{
    Parameters parameters;
    addKey(parameters, reservation.id)
        .octets("request_hash", reservation.requestHash)
        .text("fingerprint_alg", reservation.fingerprintAlg)
        .octets("payload_hash", reservation.payloadHash)
        .text("owner", reservation.owner.uuid)
        .time("now", now)
        .integer("lease", reservation.lease.count())
        .text("correlation_id", reservation.correlationId)
        .text("request_method", reservation.requestMethod)
        .text("request_target", reservation.requestTarget)
        .octets("request_body", reservation.requestBody)
        .integer("ttl", reservation.ttl.count())
        .text("takeover", wordOf(reservation.takeover))
        .integer("max_attempts", reservation.maxAttempts)
        .time(
            "stale_at", mayBeStale(reservation) ? std::optional(*reservation.keyTime + reservation.ttl) : std::nullopt);
    return parameters;
}

std::optional<std::string> requestHeadersText(const Reservation& reservation)
{
    return reservation.requestHeaders.empty() ? std::nullopt : std::optional(headersText(reservation.requestHeaders));
}

Status keepRequestHeaders(Connection& connection, const Reservation& reservation, const Record& record)
{
    const auto headers = requestHeadersText(reservation);
    if (!headers)
        return {};
    Parameters parameters;
    addKey(parameters, record.id).text("request_headers", headers).integer("fence", record.fence.value);
    const auto kept = connection.native().run(sql::keep_request_headers, parameters);
    return kept ? Status() : Status(kept.error());
}

Completing requestOf(const Reservation& reservation)
{
    return [&reservation](Record& after, const std::optional<Record>& before) {
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
    };
}

} // namespace fencepost::store
