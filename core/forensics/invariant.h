// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/inspector.h"

namespace fencepost {

// What must hold of the rows of a table. Stateless constants: the scanner, the page and the command line are made from
// the list.
struct Invariant {
    const char* id; // "lapsed_lease"
    Kind kind; // of the tables that it is about
    const char* title; // what is broken, of one row: "in progress past its lease"
    const char* why; // what it leads to
    // The view that shows what it finds, in the filter language; empty: the found rows themselves.
    const char* filter;
    const char* verb; // the operation that mends it; empty: there is none
    const char* advice; // what to do, in words
    std::optional<Kind> mendedIn = {}; // of the table that the operation is about, where it is another one's
    bool viewed = true; // false: what it finds is left of a row that is gone, so that no view of the table shows it
};

[[nodiscard]] std::span<const Invariant> invariants() noexcept;
// Of the audit, which is one for all tables and no table of its own.
[[nodiscard]] const Invariant& auditInvariant() noexcept;
[[nodiscard]] const Invariant* findInvariant(std::string_view id) noexcept;

struct BrokenRow {
    std::string key;
    // Of what is left of a row that is gone: the row's own, as far as something tells it, and behind it what is left.
    std::vector<std::string> identity;
    std::optional<Time> at; // of what stands there
    std::string detail; // what stands there
    // The identity of the row that the operation is about, which may be another table's; empty: it cannot be mended so.
    std::vector<std::string> mendedBy;
};

struct Violation {
    const Invariant* invariant = nullptr;
    std::vector<BrokenRow> rows; // the first ones
    std::int64_t count = 0;
    bool more = false; // at least so many
    std::string filter; // of the view that shows them; empty: none does
    std::int64_t shown = 0; // how many of them the view shows
};

inline constexpr std::size_t shownBroken = 100;
inline constexpr std::size_t countedBroken = 1'000;

// What a plan that mends it is about: the rows of `in` that the filter names.
struct Mending {
    const char* verb = "";
    Binding in;
    std::string filter;
    std::int64_t rows = 0; // how many of the violation's it is about
};
// None: no operation mends it, or the table that it is mended in is not there.
[[nodiscard]] std::optional<Mending> mendingOf(
    const Violation& violation, const Binding& broken, const std::vector<Binding>& all);

// The id that leads to all that is known of a row that is gone; empty: the row is there, or nothing tells which it was.
[[nodiscard]] std::string trailOf(const Invariant& invariant, const BrokenRow& row);

// The filter of a violation's view: the invariant's own, else its rows; empty: no view shows it.
[[nodiscard]] std::string filterOf(const Invariant& invariant, const std::vector<BrokenRow>& rows);

} // namespace fencepost
