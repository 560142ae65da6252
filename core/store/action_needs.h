// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/inspector.h"
#include "core/profile/profile.h"

namespace fencepost::store {

// The member "needs" of a profile's action (profiles.md §7): "stuck", only such rows; "confirm_effect_checked", only
// where somebody says how the effect was looked for; "export", only rows of which somebody says where they were
// exported to.
[[nodiscard]] bool needsStuck(const profile::Action& action);
// The condition names a parameter of the profile that has no default and of which nothing is said.
[[nodiscard]] bool namesAsked(const profile::Profile& profile, const profile::Expression& condition,
    const std::map<std::string, std::string>& said);
// What nobody here can give, as the reason why the action is not offered; empty: nothing.
[[nodiscard]] std::string whyNotNeeded(const profile::Profile& profile, const profile::Action& action);
// What the action asks for: the profile's parameters that its statements name, and what its needs ask to be said.
[[nodiscard]] std::vector<ActionParameter> parametersOf(const profile::Profile& profile, const profile::Action& action);
// Invalid: something was to be said and was not.
[[nodiscard]] Status checkNeeds(const profile::Profile& profile, const profile::Action& action,
    const std::map<std::string, std::string>& parameters);

} // namespace fencepost::store
