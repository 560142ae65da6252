// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <QString>

#include "core/query/filter.h"

namespace fencepost::models {

// The rows whose field is exactly this value.
[[nodiscard]] FilterPtr equalTo(Field field, const std::string& value);
// The same as the filter field would have it: queue = "https://hooks.example/a b".
[[nodiscard]] QString equalTerm(Field field, const std::string& value);

} // namespace fencepost::models
