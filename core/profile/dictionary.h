// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/synonyms.h"

namespace fencepost::profile {

// For which kinds of table a synonym counts.
namespace kinds {
inline constexpr unsigned idempotency = 1U << 0U;
inline constexpr unsigned inbox = 1U << 1U;
inline constexpr unsigned outbox = 1U << 2U;
inline constexpr unsigned letters = 1U << 3U;
inline constexpr unsigned job = 1U << 4U;
inline constexpr unsigned lock = 1U << 5U;
inline constexpr unsigned messages = inbox | outbox | letters;
inline constexpr unsigned any = messages | idempotency | job | lock;
} // namespace kinds

enum class Weight { Weak, Usual }; // of a synonym that means other things as well

struct Synonym {
    std::string_view word; // lower case, words parted by underscores
    Meaning meaning;
    unsigned kinds = kinds::any;
    Weight weight = Weight::Usual;
};

// Names of columns as they were met in hand-made tables.
[[nodiscard]] std::span<const Synonym> synonyms() noexcept;
[[nodiscard]] unsigned maskOf(Kind kind) noexcept;
// Which kind the names of a table and of its columns are of, and how much, from 0 to 100.
struct Likeness {
    Kind kind = Kind::Idempotency;
    int score = 0;
};
[[nodiscard]] Likeness likenessOf(const TableFacts& table);
[[nodiscard]] int likenessOf(const TableFacts& table, Kind kind);

// "ReceiveCount", "receive-count" and "RECEIVE_COUNT" are "receive_count".
[[nodiscard]] std::string snakeCase(std::string_view name);
// The same without underscores, for names whose case an unquoted identifier lost.
[[nodiscard]] std::string withoutUnderscores(std::string_view snake);

} // namespace fencepost::profile
