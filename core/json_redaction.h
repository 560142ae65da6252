// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/redaction.h"

namespace fencepost {

// Whether a text is read as JSON: it begins with an object or a list, or is one string or number.
[[nodiscard]] bool beginsJson(std::string_view text) noexcept;

// Redactor::json(): one pass over a text that need be no JSON, or not to its end. A string is read as what it says and
// spelled again where something in it is hidden: valid JSON stays valid.
[[nodiscard]] Redacted redactedJson(
    const Redactor& redactor, std::string_view text, const std::set<std::string>& revealed);

} // namespace fencepost
