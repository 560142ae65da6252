// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/profile/profile.h"

namespace fencepost::profile {

// The values one of which it is: of a case what stands behind its conditions and what is left, of coalesce and greatest
// all of them, of a value of another row that value. Empty: it chooses among none.
[[nodiscard]] std::vector<ExpressionPtr> chosenValues(const Expression& expression);

} // namespace fencepost::profile
