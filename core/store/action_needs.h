// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/profile/profile.h"

namespace fencepost::store {

// The member "needs" of a profile's action (profiles.md §7): "stuck", only such rows; "confirm_effect_checked", only
// where somebody says how the effect was looked for; "export", only rows that were exported.
[[nodiscard]] bool needsStuck(const profile::Action& action);
// What nobody here can give, as the reason why the action is not offered; empty: nothing.
[[nodiscard]] std::string whyNotNeeded(
    const profile::Profile& profile, std::string_view verb, const profile::Action& action);
// Invalid: something was to be said and was not.
[[nodiscard]] Status checkNeeds(const profile::Action& action, const std::map<std::string, std::string>& parameters);

} // namespace fencepost::store
