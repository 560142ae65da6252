// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "core/result.h"

namespace fencepost::operation {

// Text -> JSON without exceptions. Refuses duplicate members, which a reviewer and a program may read differently, and
// nesting that no plan has.
[[nodiscard]] Result<nlohmann::json> parseStrict(std::string_view text);

// Compact, members sorted, invalid UTF-8 replaced: the form that hashes are taken of.
[[nodiscard]] std::string canonical(const nlohmann::json& value);

} // namespace fencepost::operation
