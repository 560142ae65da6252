// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/document.h"
#include "core/profile/profile.h"

namespace fencepost::profile {

// What an expression may refer to besides columns of the rows' own table.
struct ExpressionScope {
    const Profile* profile = nullptr; // its params, tables, owners and lane, as far as they were read
    bool old = false; // ["old", column]: only in a step's `set`
    bool asked = false; // a parameter may be one that is asked for: only in an action
    std::vector<std::string> inside; // the aliases of ["exists", alias, …] and ["from", alias, …] around it
};

[[nodiscard]] ExpressionPtr readPredicate(const Node& node, const ExpressionScope& scope);
[[nodiscard]] ExpressionPtr readValue(const Node& node, const ExpressionScope& scope);
// A duration like "PT5M", or a parameter of that type.
[[nodiscard]] ExpressionPtr readDuration(const Node& node, const ExpressionScope& scope);

// tz, naive:<zone>, epoch_s, epoch_ms, epoch_us, iso, isoZ.
[[nodiscard]] bool isTimeEncoding(std::string_view text);
inline constexpr const char* timeEncodings = "one of tz, naive:<IANA zone>, epoch_s, epoch_ms, epoch_us, iso, isoZ";

} // namespace fencepost::profile
