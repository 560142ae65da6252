// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/messaging/dead_letter.h"
#include "core/operations/plan.h"
#include "core/operations/strict_json.h"

namespace fencepost {

namespace {

using nlohmann::json;

Error unsupported(std::string message)
{
    return { Failure::Unsupported, std::move(message), {} };
}

// The same request always has the same undo, so a second undo meets the audit of the first. RFC 9562 version 8.
std::string undoIdOf(const std::string& requestId)
{
    auto hex = toHex(sha256("undo:" + requestId)).substr(0, 32);
    hex[12] = '8';
    hex[16] = "89ab"[hex[16] % 4];
    return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' + hex.substr(16, 4) + '-'
        + hex.substr(20);
}

Result<std::vector<AuditEntry>> changesOf(Inspector& inspector, const std::string& requestId)
{
    std::vector<AuditEntry> changes;
    AuditRequest request;
    request.requestId = requestId;
    const auto read = forEachEntry(
        request, [&](const AuditRequest& page) { return inspector.audit(page); },
        [&](AuditEntry entry) {
            if (entry.outcome == wordOf(ItemResult::Changed))
                changes.push_back(std::move(entry));
        });
    if (!read)
        return read.error();
    std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.item < b.item; });
    return changes;
}

Result<const Operation*> undoneBy(const std::vector<AuditEntry>& changes, const std::string& requestId)
{
    if (changes.empty())
        return Error{ Failure::NotFound, "The audit knows no change of the request " + requestId + ".", {} };
    if (findInverse(changes.front().verb))
        return unsupported("The request " + requestId + " was an undo itself; make a new plan instead.");
    const auto* operation = findOperation(changes.front().verb);
    if (!operation)
        return unsupported("The request " + requestId + " was no operation that can be taken back.");
    if (!operation->hasInverse)
        return unsupported(std::string(operation->title) + " cannot be undone. " + operation->inverse);
    return operation;
}

Result<Binding> bindingOf(Inspector& inspector, const std::string& name)
{
    auto bindings = inspector.bindings();
    if (!bindings)
        return bindings.error();
    for (const auto& binding : *bindings)
        if (binding.name == name)
            return binding;
    return Error{ Failure::NotFound, "There is no table " + name + " here any more.", {} };
}

// What the change left behind: the undo is compared and swapped on it.
struct Images {
    std::vector<std::string> identity;
    json before;
    json after;
};

Result<Images> imagesOf(const AuditEntry& entry)
{
    auto identity = operation::parseStrict(entry.identity);
    auto before = operation::parseStrict(entry.before);
    auto after = operation::parseStrict(entry.after);
    if (!identity || !before || !after || !identity->is_array() || !before->is_object() || !after->is_object())
        return unsupported(
            "The audit entry " + std::to_string(entry.seq) + " has no images of the row, so it cannot be taken back.");
    Images images;
    for (const auto& part : *identity)
        if (part.is_string())
            images.identity.push_back(part.get<std::string>());
    images.before = std::move(*before);
    images.after = std::move(*after);
    return images;
}

std::int64_t integerOf(const json& image, const char* name)
{
    const auto found = image.find(name);
    return found != image.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

// Only what the change changed is put back, and only where the rest is still as the change left it. Values that were
// too large for an image stand there as objects; they take no part.
void restoreColumns(const Images& images, PlanItem& item)
{
    json put = json::object();
    json guard = json::object();
    for (const auto& [column, left] : images.after.items()) {
        if (left.is_object())
            continue;
        guard[column] = left;
        const auto was = images.before.find(column);
        if (was != images.before.end() && !was->is_object() && *was != left)
            put[column] = *was;
    }
    item.parameters["restore"] = operation::canonical(put);
    item.parameters["guard"] = operation::canonical(guard);
}

// Fencepost's own records carry numbers; a foreign row is put back column by column.
PlanItem itemOf(
    const Operation& operation, const Binding& binding, const AuditEntry& entry, const Images& images, const Row& row)
{
    PlanItem item;
    item.number = entry.item;
    item.identity = images.identity;
    item.key = row.key;
    item.state = row.state;
    if (!binding.native)
        restoreColumns(images, item);
    else if (binding.kind == Kind::DeadLetter)
        item.seen[seenDeaths] = std::to_string(integerOf(images.after, "deaths"));
    else
        item.fence = integerOf(images.after, "fence");
    if (binding.native && std::string_view(operation.inverseVerb) == "unexpire")
        item.parameters["expires_at"] = std::to_string(integerOf(images.before, "expires_at"));
    item.effect = std::string("takes back \"") + operation.title + "\": " + operation.inverse;
    return item;
}

std::string movedOn(const Binding& binding, const Images& images, const std::optional<Row>& row)
{
    if (!row)
        return "the row is gone";
    if (!binding.native)
        return {};
    if (binding.kind == Kind::DeadLetter)
        return row->state == wordOf(DeadLetterState::Discarded) ? std::string() : "it moved on: it is " + row->state;
    const auto left = integerOf(images.after, "fence");
    if (row->fence && *row->fence != left)
        return "it moved on: the change left fence " + std::to_string(left) + ", it is now "
            + std::to_string(*row->fence);
    return {};
}

} // namespace

Result<Plan> makeUndo(
    Inspector& inspector, const std::string& requestId, const std::string& reason, const std::string& actor, Random&)
{
    auto changes = changesOf(inspector, requestId);
    if (!changes)
        return changes.error();
    auto operation = undoneBy(*changes, requestId);
    if (!operation)
        return operation.error();
    auto binding = bindingOf(inspector, changes->front().binding);
    if (!binding)
        return binding.error();
    if (!canBeUndone(**operation, *binding))
        return unsupported(std::string((*operation)->title) + " cannot be undone. " + inverseOf(**operation, *binding));
    auto info = inspector.info();
    if (!info)
        return info.error();

    Plan plan;
    plan.requestId = undoIdOf(requestId);
    plan.undoOf = requestId;
    plan.verb = (*operation)->inverseVerb;
    plan.binding = binding->name;
    plan.profile = binding->profile;
    plan.database = info->identity;
    plan.parameters["undo_of"] = requestId;
    plan.reason = reason.empty() ? "undo of " + requestId : reason;
    plan.actor = actor;
    plan.createdAt = info->now;
    plan.inverse = "None: make a new plan.";
    plan.warnings = binding->warnings;
    auto done = changesOf(inspector, plan.requestId);
    if (!done)
        return done.error();

    for (const auto& entry : *changes) {
        auto images = imagesOf(entry);
        if (!images)
            return images.error();
        auto row = inspector.row(*binding, images->identity);
        if (!row)
            return row.error();
        // Rows that were put back already stay in the list and are answered "already done".
        const bool undone =
            std::any_of(done->begin(), done->end(), [&](const AuditEntry& other) { return other.item == entry.item; });
        if (auto why = movedOn(*binding, *images, *row); !undone && !why.empty()) {
            plan.leftOut.push_back({ images->identity, images->identity.back(), std::move(why), {} });
            continue;
        }
        plan.items.push_back(itemOf(**operation, *binding, entry, *images, *row ? **row : Row{}));
        ++plan.countsByState[plan.items.back().state];
    }
    plan.effect = "Undo \"" + std::string((*operation)->title) + "\" of " + std::to_string(plan.items.size()) + " of "
        + std::to_string(changes->size()) + " rows. " + (*operation)->inverse;
    return plan;
}

} // namespace fencepost
