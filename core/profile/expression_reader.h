// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/profile/document.h"
#include "core/profile/profile.h"

namespace fencepost::profile {

// What an expression may refer to besides columns.
struct ExpressionScope {
    const std::map<std::string, Parameter>* params = nullptr;
    bool old = false; // ["old", column]: only in a step's `set`
};

[[nodiscard]] ExpressionPtr readPredicate(const Node& node, const ExpressionScope& scope);
[[nodiscard]] ExpressionPtr readValue(const Node& node, const ExpressionScope& scope);

// tz, naive:<zone>, epoch_s, epoch_ms, epoch_us, iso, isoZ.
[[nodiscard]] bool isTimeEncoding(std::string_view text);
inline constexpr const char* timeEncodings = "one of tz, naive:<IANA zone>, epoch_s, epoch_ms, epoch_us, iso, isoZ";

} // namespace fencepost::profile
