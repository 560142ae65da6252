// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost {

// name=value, name: value or <name>value</name>, as forms, headers and XML have them.
struct NamedText {
    std::string_view name;
    std::size_t value = 0; // where it begins
    std::size_t end = 0;
};

using NameTells = std::function<bool(std::string_view name)>;

// The next one at or behind `from` whose name tells something. What is said of a name that does not may hold one that
// does: "exit_65: token=…".
[[nodiscard]] std::optional<NamedText> nextPair(std::string_view text, std::size_t from, const NameTells& tells);
// The end of its value; behind "Bearer" and "Basic", of what they protect.
[[nodiscard]] std::size_t behindCredentials(std::string_view text, const NamedText& pair);

// What is looked for besides names.
struct SecretKinds {
    bool urls = true; // credentials in addresses
    bool patterns = true; // card numbers, IBANs, e-mail addresses, tokens, private keys, credentials
};

// False: the text has neither a pair nor a secret of any kind, which one look at each octet tells.
[[nodiscard]] bool mayTell(std::string_view text) noexcept;

// The text with secrets replaced by `mark`, wherever they stand; what they were is added to `hidden`.
[[nodiscard]] std::string hideSecrets(
    std::string_view text, std::string_view mark, SecretKinds kinds, std::vector<std::string>& hidden);

} // namespace fencepost
