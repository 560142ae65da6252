// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

inline constexpr std::string_view hiddenCredentials = "***";

// A text as it may be shown: of each URL in it that carries a user or a password before its host, "***" stands for
// them, and for the values of its query that are named like a secret (token, key, signature …). One that is no proper
// URL loses rather too much than too little.
[[nodiscard]] std::string withoutCredentials(std::string_view text);

} // namespace fencepost
