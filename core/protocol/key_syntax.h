// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/protocol/keys.h"
#include "core/result.h"

namespace fencepost {

enum class KeyCharset {
    Ascii, // 0x21 to 0x7E
    Utf8, // also whatever UTF-8 says beyond ASCII, other than controls and spaces
};

// What a route takes for a key.
struct KeyRules {
    std::size_t longest = longestKey; // characters; at most 255
    KeyCharset charset = KeyCharset::Ascii;
};

// The key that the lines of an Idempotency-Key header name. A bare value is the key itself; one that begins with a
// quote is a structured-field string (RFC 8941 §3.3.3, parameters behind it are ignored), and both forms of a key are
// the same key. Only the quoted form may hold spaces. Invalid with the code missing_idempotency_key: no line; with
// VALIDATION.idempotency_key: more than one, malformed, or too long.
[[nodiscard]] Result<std::string> keyOfHeader(std::span<const std::string_view> lines, const KeyRules& rules = {});
[[nodiscard]] Result<std::string> keyOfField(std::string_view value, const KeyRules& rules = {});

// As a structured-field string, which every key of the charset Ascii has.
[[nodiscard]] std::string quotedKey(std::string_view key);

// The default scope: a route, then who is asking, so that neither can be taken for the other:
// POST_/v1/refunds@tenant_1. In both '%', '@', spaces, controls and invalid UTF-8 are written %XX. Invalid: one of them
// is empty.
[[nodiscard]] Result<std::string> scopeOf(std::string_view route, std::string_view principal);
// POST and /v1/refunds -> POST_/v1/refunds
[[nodiscard]] std::string routeOf(std::string_view method, std::string_view path);

} // namespace fencepost
