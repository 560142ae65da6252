// SPDX-License-Identifier: Apache-2.0
#include "core/store/reservation.h"

#include "core/store/record_row.h"
#include "core/store/statements.h"
#include "core/store/worker.h"

namespace fencepost::store {

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
        keepRequest(after, before, reservation);
    };
}

} // namespace fencepost::store
