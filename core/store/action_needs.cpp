// SPDX-License-Identifier: Apache-2.0
#include "core/store/action_needs.h"

#include <algorithm>

#include "core/operations/operation.h"

namespace fencepost::store {

namespace {

constexpr auto effectCheckedNeed = "confirm_effect_checked";
constexpr auto effectChecked = "effect_checked"; // the operation's parameter that says it

bool has(const profile::Action& action, std::string_view need)
{
    return std::find(action.needs.begin(), action.needs.end(), need) != action.needs.end();
}

} // namespace

bool needsStuck(const profile::Action& action)
{
    return has(action, "stuck");
}

std::string whyNotNeeded(const profile::Profile& profile, std::string_view verb, const profile::Action& action)
{
    if (has(action, "export"))
        return "its profile asks for an export of the row first, which Fencepost does not make";
    if (needsStuck(action) && !profile.stuck)
        return "its profile allows it for stuck rows only and does not say which rows are stuck";
    const auto* operation = findOperation(verb);
    const auto asks = [](const Parameter& parameter) { return std::string_view(parameter.id) == effectChecked; };
    if (has(action, effectCheckedNeed) && operation != nullptr
        && std::none_of(operation->parameters.begin(), operation->parameters.end(), asks))
        return "its profile asks to confirm that the effect was checked, which this operation cannot ask";
    return {};
}

Status checkNeeds(const profile::Action& action, const std::map<std::string, std::string>& parameters)
{
    if (has(action, effectCheckedNeed) && !parameters.contains(effectChecked))
        return Error{ Failure::Invalid,
            "The profile of this table allows it only where somebody has checked that the effect did not happen", {},
            {}, "Say how it was checked (--effect-checked)" };
    return {};
}

} // namespace fencepost::store
