// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rows.h"

#include <algorithm>
#include <utility>

#include "core/forensics/conflict.h"
#include "models/row_json.h"

namespace fencepost::app {

namespace {

// JSON of the audit as JSON again; text that is none stays text.
json embedded(const std::string& text)
{
    if (text.empty())
        return nullptr;
    auto parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
    return parsed.is_discarded() ? json(text) : parsed;
}

// By which of a row's instants its profile judges is the profile's: all of them are said.
std::string stuckByProfile(const Row& row, Time now)
{
    auto reason = row.stuckReason;
    std::replace(reason.begin(), reason.end(), '_', ' ');
    auto text = "its profile calls it stuck" + (reason.empty() ? std::string() : " (" + reason + ")");
    const std::pair<const std::optional<Time>&, const char*> instants[] = { { row.startedAt, "started " },
        { row.updatedAt, "last changed " }, { row.createdAt, "came " } };
    std::string ages;
    for (const auto& [at, word] : instants)
        if (at)
            ages += (ages.empty() ? ": it " : ", ") + (word + formatDuration(now - *at)) + " ago";
    return text + ages;
}

} // namespace

json toJson(const Row& row)
{
    return models::rowJson(row);
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
    return { { "kind", conflict.kind }, { "presented_hash", shownHash(conflict.presentedHash) },
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
        { "outcome", entry.outcome }, { "detail", entry.detail },
        { "before", models::withoutCredentialsInside(embedded(entry.before)) },
        { "after", models::withoutCredentialsInside(embedded(entry.after)) },
        { "parameters", models::withoutCredentialsInside(embedded(entry.parameters)) }, { "actor", entry.actor },
        { "reason", entry.reason }, { "at", formatInstant(entry.at) }, { "previous", entry.previous },
        { "hash", entry.hash } };
}

json toJson(const std::vector<ActionParameter>& parameters)
{
    auto out = json::array();
    for (const auto& parameter : parameters)
        out.push_back({ { "name", parameter.name }, { "type", parameter.type }, { "default", parameter.standard },
            { "label", parameter.label }, { "required", parameter.required } });
    return out;
}

json toJson(const Binding& binding)
{
    auto capabilities = json::array();
    for (const auto& capability : binding.capabilities)
        capabilities.push_back({ { "verb", capability.verb }, { "allowed", capability.allowed },
            { "why", capability.why }, { "native", capability.native }, { "title", capability.title },
            { "risk", capability.risk }, { "effect", capability.effect }, { "reference", capability.reference },
            { "external", capability.external }, { "parameters", toJson(capability.parameters) } });
    return { { "binding", binding.name }, { "profile", binding.profile }, { "title", binding.title },
        { "kind", wordOf(binding.kind) }, { "schema", binding.schema }, { "table", binding.table },
        { "fencing", binding.fencing }, { "native", binding.native }, { "can_read", binding.canRead },
        { "fields", binding.fields }, { "orders", binding.orders }, { "capabilities", capabilities },
        { "notes", binding.notes }, { "warnings", binding.warnings }, { "reasons", binding.reasons },
        { "choices", binding.choices }, { "members", binding.members }, { "absent", binding.absent } };
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
    if (row.stuckReason == "dead_owner")
        return "its owner" + (row.owner ? ' ' + *row.owner : std::string()) + " gives no sign of life any more";
    if (row.stuckReason == "blocked_by_head") {
        const auto head = row.extra.find(rowBehind);
        return "it waits for " + (head == row.extra.end() ? std::string("another row") : head->second)
            + ", which goes before it";
    }
    if (row.stuckReason == "orphan")
        return "what it belongs to is gone: nobody will send it";
    if (row.leaseUntil && *row.leaseUntil <= now) {
        auto text = "its lease ended " + formatDuration(now - *row.leaseUntil) + " ago and nobody took it over";
        if (row.takeover == "manual")
            text += " (takeover is manual: the outcome must be found out first)";
        return text;
    }
    return stuckByProfile(row, now);
}

} // namespace fencepost::app
