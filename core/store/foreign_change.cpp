// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/operations/operation.h"
#include "core/store/action_needs.h"
#include "core/store/row_change.h"

namespace fencepost::store {

namespace {

using nlohmann::json;

constexpr std::size_t largestValue = 4096;
constexpr auto lockedNow = "a worker has locked the row and works on it right now";
constexpr auto lockedOrForbidden = "a worker has locked the row and works on it right now, or a policy of row-level "
                                   "security forbids this role to change it";
constexpr auto changedSince = "the row changed since it was read, or the action's own condition no longer holds";

Result<RowImage> imageFrom(const Change& change, const char* name)
{
    const auto found = change.parameters.find(name);
    const auto parsed =
        found == change.parameters.end() ? json() : json::parse(found->second, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object())
        return Error{ Failure::Invalid, "The change does not carry the image of the row", name };
    RowImage image;
    for (const auto& [column, value] : parsed.items()) {
        if (!value.is_string() && !value.is_null())
            return Error{ Failure::Invalid, "The image of the row holds something that is no text", column };
        image[column] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    }
    return image;
}

Result<std::vector<CompiledStep>> restoreSteps(const BoundProfile& bound, const Change& change)
{
    const auto* undone = findInverse(change.verb);
    const auto* action = undone != nullptr ? actionOf(*bound.profile, undone->id) : nullptr;
    if (action != nullptr && std::any_of(action->steps.begin(), action->steps.end(), [](const auto& step) {
            return !step.other.empty();
        }))
        return Error{ Failure::Unsupported, "The action also wrote to another table, which is not put back", {} };
    const auto restore = imageFrom(change, "restore");
    if (!restore)
        return restore.error();
    const auto guard = imageFrom(change, "guard");
    if (!guard)
        return guard.error();
    if (restore->empty())
        return Error{ Failure::Unsupported, "The audit has no value to put back", {} };
    auto step = compileRestore(bound, change.identity, *restore, *guard);
    if (!step)
        return step.error();
    return std::vector{ std::move(*step) };
}

Result<std::vector<CompiledStep>> stepsOf(
    const BoundProfile& bound, const Change& change, const DecidingClock& now, Random& random)
{
    if (change.parameters.contains("undo_of"))
        return restoreSteps(bound, change);
    if (const auto* action = actionOf(*bound.profile, change.verb))
        if (const auto given = checkNeeds(*bound.profile, *action, change.parameters); !given)
            return given.error();
    ActionRequest request{ change.identity, change.seen, {}, now };
    for (const auto& [name, value] : change.parameters)
        if (bound.profile->params.contains(name))
            request.parameters[name] = value;
    return compileAction(bound, change.verb, request, random);
}

Result<bool> run(Connection& connection, const CompiledStep& step)
{
    auto statement = prepared(connection, step.statement);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->run(); !status)
        return status.error();
    const bool expected = (*statement)->affected() == step.expect;
    (*statement)->finish();
    return expected;
}

// Types that do not go together are the mistake of who wrote the profile.
Error asOfProfile(Error error, const BoundProfile& bound, const std::string& verb)
{
    constexpr std::array<std::string_view, 3> aboutTypes = { "42804", "42846", "42883" };
    if (std::find(aboutTypes.begin(), aboutTypes.end(), error.code) == aboutTypes.end())
        return error;
    error.failure = Failure::Unsupported;
    error.message = "The action \"" + verb + "\" of the profile " + bound.profile->name
        + " does not go with the types of the table's columns";
    error.next = "Correct the profile";
    return error;
}

// Of a framework that locks a row while a worker is at it: a lock that is there now. Our own transaction keeps the
// share lock until its end, so nobody takes the row between this and the write.
Result<bool> isLockedByAnother(Connection& connection, const BoundProfile& bound, const Change& change)
{
    const auto* action = change.parameters.contains("undo_of") ? nullptr : actionOf(*bound.profile, change.verb);
    if (action == nullptr || action->probe.empty() || connection.dialect() == Dialect::Sqlite)
        return false;
    auto probe = compileLockProbe(bound, change.identity);
    if (!probe)
        return probe.error();
    auto statement = prepared(connection, *probe);
    if (!statement)
        return statement.error();
    if (auto status = (*statement)->run(); !status)
        return status.error();
    const bool free = (*statement)->next();
    (*statement)->finish();
    return !free;
}

} // namespace

std::string imageOf(const RowImage& image)
{
    json out = json::object();
    for (const auto& [column, value] : image) {
        if (!value)
            out[column] = nullptr;
        else if (value->size() > largestValue)
            out[column] = { { "octets", value->size() }, { "sha256", toHex(sha256(*value)) } };
        else
            out[column] = *value;
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<RowChange> changeForeignRow(
    Connection& connection, const BoundProfile& bound, const Change& change, const DecidingClock& now, Random& random)
{
    auto steps = stepsOf(bound, change, now, random);
    if (!steps)
        return steps.error();
    const auto* action = actionOf(*bound.profile, change.verb);
    const auto before = readImage(connection, bound, change.identity, action);
    if (!before)
        return before.error();
    if (!*before)
        return RowChange{ ItemResult::Skipped, "there is no such row", {}, {} };
    const auto locked = isLockedByAnother(connection, bound, change);
    if (!locked)
        return locked.error();
    if (*locked)
        return RowChange{ ItemResult::Skipped, bound.table.rowSecurity ? lockedOrForbidden : lockedNow, {}, {} };
    for (const auto& step : *steps) {
        const auto expected = run(connection, step);
        if (!expected)
            return asOfProfile(expected.error(), bound, change.verb);
        if (!*expected)
            return RowChange{ ItemResult::Skipped, changedSince, {}, {} };
    }
    const auto after = readImage(connection, bound, change.identity, action);
    if (!after)
        return after.error();
    return RowChange{ ItemResult::Changed, {}, imageOf(**before), *after ? imageOf(**after) : std::string() };
}

} // namespace fencepost::store
