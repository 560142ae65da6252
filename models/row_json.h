// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "core/query/row.h"

namespace fencepost::models {

// A row as the command line lists it and as it is exported; absent values are null.
[[nodiscard]] nlohmann::json rowJson(const Row& row);
// The same with the credentials of URLs hidden in all of the texts of a value.
[[nodiscard]] nlohmann::json withoutCredentialsInside(nlohmann::json value);

} // namespace fencepost::models
