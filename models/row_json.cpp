// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/row_json.h"

#include "core/time.h"
#include "core/without_credentials.h"

namespace fencepost::models {

namespace {

using nlohmann::json;

json valueOrNull(const std::optional<Time>& time)
{
    return time ? json(formatInstant(*time)) : json();
}

template <typename T> json valueOrNull(const std::optional<T>& value)
{
    return value ? json(*value) : json();
}

} // namespace

Row withoutSecrets(Row row, const Redactor& redactor)
{
    if (row.error)
        row.error = redactor.text(*row.error).text;
    for (auto& [name, value] : row.extra)
        value = redactor.hides(name) ? std::string(hiddenMark) : redactor.text(value).text;
    return row;
}

json withoutCredentialsInside(json value)
{
    if (value.is_string())
        return withoutCredentials(value.get_ref<const std::string&>());
    for (auto& each : value)
        if (each.is_structured() || each.is_string())
            each = withoutCredentialsInside(std::move(each));
    return value;
}

json rowJson(const Row& row)
{
    json out = { { "identity", row.identity }, { "scope", valueOrNull(row.scope) },
        { "operation", valueOrNull(row.operation) }, { "key", row.key }, { "state", row.state },
        { "status", row.rawState }, { "stuck", row.stuck }, { "hold", row.hold },
        { "hold_reason", valueOrNull(row.holdReason) }, { "owner", valueOrNull(row.owner) },
        { "fence", valueOrNull(row.fence) }, { "attempts", valueOrNull(row.attempts) },
        { "max_attempts", valueOrNull(row.maxAttempts) }, { "takeover", valueOrNull(row.takeover) },
        { "lease_expires_at", valueOrNull(row.leaseUntil) }, { "created_at", valueOrNull(row.createdAt) },
        { "started_at", valueOrNull(row.startedAt) }, { "updated_at", valueOrNull(row.updatedAt) },
        { "completed_at", valueOrNull(row.finishedAt) }, { "next_attempt_at", valueOrNull(row.nextAttemptAt) },
        { "expires_at", valueOrNull(row.expiresAt) }, { "response_code", valueOrNull(row.responseCode) },
        { "result_ref", valueOrNull(row.resultRef) }, { "error", withoutCredentialsInside(valueOrNull(row.error)) },
        { "request_hash", valueOrNull(row.requestHash) }, { "correlation_id", valueOrNull(row.correlationId) },
        { "conflict", row.conflict } };
    if (row.stuck)
        out["stuck_reason"] = row.stuckReason;
    if (row.queue)
        out["queue"] = withoutCredentials(*row.queue);
    if (!row.extra.empty())
        out["extra"] = withoutCredentialsInside(json(row.extra));
    return out;
}

} // namespace fencepost::models
