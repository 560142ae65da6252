// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/store/database.h"

namespace fencepost::store {

struct Octets {
    std::string bytes;

    auto operator<=>(const Octets&) const = default;
};

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, Octets>; // monostate: NULL

// A statement of the compiler: named placeholders and their values, never a value in the text.
struct SqlText {
    std::string sql;
    std::vector<std::pair<std::string, SqlValue>> values; // "v0" for :v0, …

    // Adds a value and answers its placeholder.
    std::string bind(SqlValue value);
};

// The same of a value that may be no text at all.
[[nodiscard]] std::optional<Error> malformedText(const std::string& name, const SqlValue& value);

// "a, b, c".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts);

// Prepares it (once per text) and binds every value; the caller runs and walks it.
Result<Statement*> prepared(Connection& connection, const SqlText& text);

// The statement with its values beside it, for "SQL on demand". For the eye only: it is never run.
[[nodiscard]] std::string describe(const SqlText& text);

} // namespace fencepost::store
