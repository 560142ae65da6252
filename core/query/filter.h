// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace fencepost {

// The filter language, text to tree; the compiler in core/store turns the tree into parameterised SQL.
//   expr  := or;  or := and ("or" and)*;  and := not ("and" not)*;  not := "not" not | "(" expr ")" | test | flag | had
//   test  := field op value | field "in" "(" value ("," value)* ")"
//   op    := = != < <= > >= ~           (~: contains, case-sensitive)
//   field := state scope operation key owner age attempts created expires lease fence code hash queue order_key
//            correlation error group
//   flag  := stuck held conflict
//   had   := "had" "(" moment ("and" moment)* ")": there was one moment in the row's life of which all of this holds
//   moment := event | from | to | attempt | at | delay | took, each with op value: what happened, the states before and
//            after it, the attempt, when, how long after the failure before it, how long after the life's first attempt
//   row   := "row" "(" value ("," value)* ")": this very row, by the values of its identity in their order
//   value := bare | "quoted" (\" and \\ inside) | duration 5m | instant ISO-8601
enum class Field {
    State,
    Scope,
    Operation,
    Key,
    Owner,
    Age,
    Attempts,
    Created,
    Expires,
    Lease,
    Fence,
    Code,
    Hash,
    Queue, // where a message goes to or comes from
    OrderKey,
    Correlation,
    Error,
    Group, // of failures that are alike
    Schema, // of a view over one table of each
    Event, // from here on: of a moment
    From,
    To,
    Attempt,
    At,
    Delay,
    Took,
};
enum class Flag { Stuck, Held, Conflict };
enum class Comparison { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Contains, In };

// What a field's values are. Age is a duration since created_at.
enum class ValueType { Text, State, Integer, Instant, Timespan, Hex };

[[nodiscard]] std::string_view wordOf(Field field) noexcept;
[[nodiscard]] std::optional<Field> fieldOf(std::string_view word) noexcept;
[[nodiscard]] std::string_view wordOf(Flag flag) noexcept;
[[nodiscard]] std::string_view wordOf(Comparison comparison) noexcept;
[[nodiscard]] ValueType typeOf(Field field) noexcept;
[[nodiscard]] constexpr bool isOfMoment(Field field) noexcept // else of the row
{
    return field >= Field::Event;
}

// Created, Expires and Lease also take a duration: `expires < 5m` is "within the next five minutes", `created > 2h` is
// refused in favour of age.
struct FilterValue {
    std::string text; // as written, without quotes
    std::variant<std::monostate, std::int64_t, Time, Duration> typed; // none: text
};

struct Filter;
using FilterPtr = std::shared_ptr<const Filter>; // immutable trees are shared by threads

struct Filter {
    enum class Op { Test, Flagged, And, Or, Not, Had, Row };
    Op op = Op::And;
    Field field = Field::Key; // Test
    Comparison comparison = Comparison::Equal; // Test
    std::vector<FilterValue> values; // Test: one, or several for In; Row: texts, the identity
    Flag flag = Flag::Stuck; // Flagged
    std::vector<FilterPtr> children; // And, Or, Not; Had: tests of one moment
};

// Empty text is no filter: a null pointer. Errors are Invalid and name the column of the text ("at 7: …"). Depth is
// bounded.
[[nodiscard]] Result<FilterPtr> parseFilter(std::string_view text);
// Canonical text; parseFilter(formatFilter(f)) is the same tree.
[[nodiscard]] std::string formatFilter(const FilterPtr& filter);
// The filter that lets these rows through and no other, also where other rows have the same key; empty: there are none.
[[nodiscard]] std::string filterOfRows(const std::vector<std::vector<std::string>>& identities);

} // namespace fencepost
