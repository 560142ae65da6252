// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

// What a string of JSON says that is spelled so between its quotes. Of a text that need be no JSON: what is no escape
// stays as it is, half of a surrogate pair becomes U+FFFD.
[[nodiscard]] std::string unescaped(std::string_view text);

} // namespace fencepost
