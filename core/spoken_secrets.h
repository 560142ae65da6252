// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace fencepost {

// Where a secret was found, and whether it is what it looks like.
struct SecretPlace {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool confirmed = true;
};

// The next key at or behind `from` that tells by its beginning who issued it: whsec_…, sk_live_…, ghp_…, AKIA…
[[nodiscard]] std::optional<SecretPlace> nextIssuedKey(std::string_view text, std::size_t from);
// The next one that a sentence tells of: "the password is X", "--token X", "secret 'X'", "api key X was revoked".
[[nodiscard]] std::optional<SecretPlace> nextSpokenSecret(std::string_view text, std::size_t from);

} // namespace fencepost
