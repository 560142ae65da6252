// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

// In quotes, for a message: cut after 80 characters; a control, and an octet that is no UTF-8, is written \xHH.
[[nodiscard]] std::string inQuotes(std::string_view text);

} // namespace fencepost
