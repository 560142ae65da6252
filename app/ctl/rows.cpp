// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rows.h"

#include "core/ids.h"
#include "core/without_credentials.h"

namespace fencepost::app {

namespace {

// In all of its texts.
json masked(json value)
{
    if (value.is_string())
        return withoutCredentials(value.get_ref<const std::string&>());
    for (auto& each : value)
        if (each.is_structured() || each.is_string())
            each = masked(std::move(each));
    return value;
}

// JSON of the audit as JSON again; text that is none stays text.
json embedded(const std::string& text)
{
    if (text.empty())
        return nullptr;
    auto parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
    return parsed.is_discarded() ? json(text) : parsed;
}

} // namespace

json toJson(const Row& row)
{
    json out = { { "identity", row.identity }, { "scope", orNull(row.scope) }, { "operation", orNull(row.operation) },
        { "key", row.key }, { "state", row.state }, { "status", row.rawState }, { "stuck", row.stuck },
        { "hold", row.hold }, { "hold_reason", orNull(row.holdReason) }, { "owner", orNull(row.owner) },
        { "fence", orNull(row.fence) }, { "attempts", orNull(row.attempts) },
        { "max_attempts", orNull(row.maxAttempts) }, { "takeover", orNull(row.takeover) },
        { "lease_expires_at", orNull(row.leaseUntil) }, { "created_at", orNull(row.createdAt) },
        { "started_at", orNull(row.startedAt) }, { "updated_at", orNull(row.updatedAt) },
        { "completed_at", orNull(row.finishedAt) }, { "next_attempt_at", orNull(row.nextAttemptAt) },
        { "expires_at", orNull(row.expiresAt) }, { "response_code", orNull(row.responseCode) },
        { "result_ref", orNull(row.resultRef) }, { "error", masked(orNull(row.error)) },
        { "request_hash", orNull(row.requestHash) }, { "correlation_id", orNull(row.correlationId) },
        { "conflict", row.conflict } };
    if (row.stuck)
        out["stuck_reason"] = row.stuckReason;
    if (row.queue)
        out["queue"] = withoutCredentials(*row.queue);
    if (!row.extra.empty())
        out["extra"] = masked(json(row.extra));
    return out;
}

json toJson(const JournalEntry& entry)
{
    return { { "seq", entry.seq }, { "from_state", entry.fromState }, { "to_state", entry.toState },
        { "event", entry.event }, { "fence", entry.fence.value }, { "attempt", entry.attempt },
        { "owner", entry.owner }, { "actor", entry.actor }, { "reason", entry.reason },
        { "at", formatInstant(entry.at) } };
}

json toJson(const Conflict& conflict)
{
    return { { "kind", conflict.kind }, { "presented_hash", toHex(conflict.presentedHash) },
        { "principal", conflict.principal }, { "count", conflict.count },
        { "first_at", formatInstant(conflict.firstAt) }, { "last_at", formatInstant(conflict.lastAt) } };
}

json toJson(const Payload& payload)
{
    json out = { { "name", payload.name }, { "size", payload.size }, { "content_type", payload.contentType },
        { "truncated", payload.size > static_cast<std::int64_t>(payload.bytes.size()) } };
    addBytes(out, "content", payload.bytes);
    return out;
}

json toJson(const AuditEntry& entry)
{
    return { { "seq", entry.seq }, { "request_id", entry.requestId }, { "item", entry.item }, { "verb", entry.verb },
        { "database", entry.database }, { "binding", entry.binding }, { "identity", embedded(entry.identity) },
        { "outcome", entry.outcome }, { "detail", entry.detail }, { "before", masked(embedded(entry.before)) },
        { "after", masked(embedded(entry.after)) }, { "parameters", masked(embedded(entry.parameters)) },
        { "actor", entry.actor }, { "reason", entry.reason }, { "at", formatInstant(entry.at) },
        { "previous", entry.previous }, { "hash", entry.hash } };
}

json toJson(const Binding& binding)
{
    auto capabilities = json::array();
    for (const auto& capability : binding.capabilities)
        capabilities.push_back({ { "verb", capability.verb }, { "allowed", capability.allowed },
            { "why", capability.why }, { "native", capability.native } });
    return { { "binding", binding.name }, { "profile", binding.profile }, { "title", binding.title },
        { "kind", wordOf(binding.kind) }, { "schema", binding.schema }, { "table", binding.table },
        { "fencing", binding.fencing }, { "native", binding.native }, { "can_read", binding.canRead },
        { "fields", binding.fields }, { "orders", binding.orders }, { "capabilities", capabilities },
        { "notes", binding.notes }, { "warnings", binding.warnings } };
}

void addWarnings(json& object, const Binding& binding)
{
    if (!binding.warnings.empty())
        object["warnings"] = binding.warnings;
}

std::string whyStuck(const Row& row, Time now)
{
    if (row.stuckReason == "free" && row.leaseUntil)
        return "it was taken from its worker " + formatDuration(now - *row.leaseUntil)
            + " ago and is free: the next same request takes it over";
    if (row.leaseUntil && *row.leaseUntil <= now) {
        auto text = "its lease ended " + formatDuration(now - *row.leaseUntil) + " ago and nobody took it over";
        if (row.takeover == "manual")
            text += " (takeover is manual: the outcome must be found out first)";
        return text;
    }
    const auto since = row.startedAt ? row.startedAt : row.updatedAt ? row.updatedAt : row.createdAt;
    if (since)
        return "it has been in progress for " + formatDuration(now - *since) + ", longer than the profile expects";
    return row.stuckReason;
}

} // namespace fencepost::app
