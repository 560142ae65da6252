// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/query/filter.h"

namespace fencepost {

// Reads a value's text as the field's type; answers why it is none, and nothing where it is one.
[[nodiscard]] std::string settle(Field field, FilterValue& value);

} // namespace fencepost
