// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

// An attribute of CloudEvents as the value of a header (HTTP binding §3.1.3.2, which the NATS binding follows): what is
// not printable ASCII, and space, quote and percent, as octets of UTF-8.
[[nodiscard]] std::string encodedAttribute(std::string_view value);
// The inverse. A coded NUL stays as it is written: it would end the text in some databases.
[[nodiscard]] std::string decodedAttribute(std::string_view value);

} // namespace fencepost
