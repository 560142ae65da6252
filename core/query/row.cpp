// SPDX-License-Identifier: Apache-2.0
#include "core/query/row.h"

#include <array>

namespace fencepost {

namespace {

constexpr std::array<std::string_view, 6> words = { "idempotency", "inbox", "outbox", "dlq", "job", "lock" };

} // namespace

std::string_view wordOf(Kind kind) noexcept
{
    return words[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kindOf(std::string_view word) noexcept
{
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == word)
            return static_cast<Kind>(i);
    return std::nullopt;
}

} // namespace fencepost
