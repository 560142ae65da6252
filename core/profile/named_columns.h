// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "core/profile/profile.h"

namespace fencepost::profile {

// Every column that a profile speaks of, as "alias.column".
[[nodiscard]] std::set<std::string> namedColumns(const Profile& profile);

// "alias.column" of a name that may leave the alias of the rows' own table out.
[[nodiscard]] std::string withAlias(const Profile& profile, const std::string& column);

} // namespace fencepost::profile
