// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/profile/profile.h"

namespace fencepost::profile {

// Whether two profiles find, read and change the same tables in the same way, and only tell their rows apart by other
// columns. Words for the operator may differ.
[[nodiscard]] bool differInIdentityOnly(const Profile& a, const Profile& b);

} // namespace fencepost::profile
