// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace fencepost {

// A path with one spelling (RFC 3986 §6.2.2): unreserved octets as they are, all others that a path may not hold as %XX
// in capitals, no dot segments. Doubled slashes stay. An empty path is "/". Invalid: it does not begin with '/', has a
// '?', a
// '#' or a '%' without two digits.
[[nodiscard]] Result<std::string> canonicalPath(std::string_view path);

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The pairs of a query or a form (application/x-www-form-urlencoded as the URL standard parses it): decoded, in their
// order, '+' is a space, a name without '=' has an empty value, a '%' without two digits is itself.
[[nodiscard]] Pairs decodedPairs(std::string_view text);
// Sorted by name, then by value, octet by octet, duplicates kept; name=value joined by '&', every octet but the
// unreserved ones as %XX.
[[nodiscard]] std::string canonicalPairs(Pairs pairs);

} // namespace fencepost
