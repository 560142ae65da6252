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
// A value that can be an instant: a column, now, or what is made of them.
[[nodiscard]] ExpressionPtr readInstant(const Node& node, const ExpressionScope& scope);
// Whether the column is named with the alias of a table.
[[nodiscard]] bool isAliased(const std::string& column, const ExpressionScope& scope);
// Whether the column is one of a table beside the rows' own.
[[nodiscard]] bool isOfOther(const std::string& column, const ExpressionScope& scope);
// What is compared with now, or with what is made of it, is an instant too, unless it is told in which form now is
// meant.
void checkCompared(const Node& node, const Expression& comparison);
// What a column is set to: an instant throughout where a part of it is made of now.
[[nodiscard]] ExpressionPtr readAssigned(const Node& node, const ExpressionScope& scope);
[[nodiscard]] bool isIsoDuration(std::string_view text);
// A duration like "PT5M", or a parameter of that type.
[[nodiscard]] ExpressionPtr readDuration(const Node& node, const ExpressionScope& scope);

// tz, naive:<zone>, epoch_s, epoch_ms, epoch_us, iso, isoZ.
[[nodiscard]] bool isTimeEncoding(std::string_view text);
// Whether this computer knows the zone of an encoding of local times; other encodings, and computers without any
// zones, have nothing to know.
[[nodiscard]] bool hasKnownZone(std::string_view encoding);
inline constexpr const char* knownZone = "a time zone that this computer knows, as naive:Europe/Berlin";
inline constexpr const char* timeEncodings = "one of tz, naive:<IANA zone>, epoch_s, epoch_ms, epoch_us, iso, isoZ";

} // namespace fencepost::profile
