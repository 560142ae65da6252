// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace fencepost {

// RFC 4648 §4, with padding.
[[nodiscard]] std::string toBase64(std::string_view octets);
// None: it is none, or not in its one spelling.
[[nodiscard]] std::optional<Bytes> fromBase64(std::string_view text);

} // namespace fencepost
