// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/store/bindings.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

// Whose clock decides: the statement's own (PostgreSQL), or a bound instant (SQLite always; PostgreSQL in tests and
// demo).
using DecidingClock = std::optional<Time>;

// What a guarded write compares with and fills in.
struct ActionRequest {
    std::vector<std::string> identity; // as Row::identity
    std::map<std::string, std::string> seen; // as Row::cas: column as the profile names it; an absent one was NULL
    std::map<std::string, std::string>
        parameters; // of the profile, by name; others take their standard or are generated
    DecidingClock now;
};

// One guarded statement. Any other number of affected rows than expected means that the row moved on: roll back.
struct CompiledStep {
    SqlText statement;
    int expect = 1;
};

// The guarded UPDATE or DELETE of a profile's action: primary key, the action's own condition, and every `unchanged`
// column as it was seen, NULL included. `verb` is an operation's id (fence, release, expire, resolve, fail).
// Unsupported says why the profile does not have it; Invalid names a wrong parameter.
[[nodiscard]] Result<std::vector<CompiledStep>> compileAction(
    const BoundProfile& bound, std::string_view verb, const ActionRequest& request, Random& random);

// A statement for the database to look at, of no row, and where in the profile it stands. An error: why it cannot be
// written.
struct SampledStep {
    std::string place;
    Result<SqlText> statement;
};
// What stands for a parameter that is asked for and was not said: a value of its type, or none.
enum class Asked { Sampled, Left };
// The statements of its steps, and of each constant that a step may choose for a column.
[[nodiscard]] std::vector<SampledStep> sampleOfAction(const BoundProfile& bound, const profile::Action& action,
    Asked asked, const std::map<std::string, std::string>& said = {});

// Columns of one row as text exactly as the database compares it; none: NULL. The form of Row::cas and of before- and
// after-images: octets as "\\x…" hex, a blob among SQLite's texts as "\\b…".
using RowImage = std::map<std::string, std::optional<std::string>>;

// The columns of one row in the catalog's spelling, without bodies that no action writes. No row: nothing. Of an action
// that deletes a row of another table, that one's too, as "alias.column".
[[nodiscard]] Result<std::optional<RowImage>> readImage(Connection& connection, const BoundProfile& bound,
    const std::vector<std::string>& identity, const profile::Action* action = nullptr);

// PostgreSQL: finds the row, and locks it, only where nobody else has locked it.
[[nodiscard]] Result<SqlText> compileLockProbe(const BoundProfile& bound, const std::vector<std::string>& identity);

// Writes `set` back where every column of `guard` is still as it is there: the inverse of an UPDATE.
[[nodiscard]] Result<CompiledStep> compileRestore(
    const BoundProfile& bound, const std::vector<std::string>& identity, const RowImage& set, const RowImage& guard);

// Of what was said, the profile's own parameters. Invalid names the first whose value is none of its type.
[[nodiscard]] Result<std::map<std::string, std::string>> parametersFor(
    const BoundProfile& bound, const std::map<std::string, std::string>& said);

// The profile's action for an operation's id: fail -> fail, else fail_final. Null: it has none.
[[nodiscard]] const profile::Action* actionOf(const profile::Profile& profile, std::string_view verb);

} // namespace fencepost::store
