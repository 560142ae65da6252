// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fencepost {

// What the syntax of HTTP and URLs needs of text, whatever the locale is.
[[nodiscard]] std::string asciiLower(std::string_view text);
[[nodiscard]] std::string_view withoutBlanks(std::string_view text); // spaces and tabs at both ends
// Every octet of a token (RFC 9110 §5.6.2), and there is one.
[[nodiscard]] bool isTokenOctet(char c) noexcept;
[[nodiscard]] bool isToken(std::string_view text) noexcept;
// Nothing that ends a header line or is no text at all: tabs and everything from the space on (RFC 9110 §5.5).
[[nodiscard]] bool isFieldValue(std::string_view text) noexcept;
void appendPercent(std::string& out, char octet); // %XX in capitals
// The octet that %XX at this place stands for; none: there are no two digits.
[[nodiscard]] std::optional<char> percentAt(std::string_view text, std::size_t at);

} // namespace fencepost
