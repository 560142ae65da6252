// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/query/row.h"
#include "core/result.h"

namespace fencepost::profile {

// A typed tree of profiles.md §7. A JSON scalar is always a bound value; a column is only ["col", "alias.name"].
struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>; // monostate: null

struct Expression {
    enum class Op {
        Literal,
        Column,
        Param,
        Old,
        Now,
        And,
        Or,
        Not,
        Eq,
        Ne,
        Lt,
        Le,
        Gt,
        Ge,
        In,
        IsNull,
        NotNull,
        IsTrue,
        True,
        OlderThan,
        Past,
        Future,
        Exists,
        From,
        Text,
        Hex,
        Concat,
        Coalesce,
        Add,
        Sub,
        Greatest,
        Case,
        Json,
        AddSeconds,
        AddInterval,
    };
    Op op = Op::Literal;
    Scalar literal;
    std::string name; // Column: alias.name; Param; Old: column; Json: path; Exists, From: the other table's alias
    std::vector<ExpressionPtr> arguments; // Case: when, then, when, then, …, else; From: condition, value
};

// Whether it is made of now, in one of its cases at least: the others are instants, too.
[[nodiscard]] bool isOfInstants(const Expression& value);

struct Parameter {
    std::string type; // duration, uuid, text, integer
    Scalar standard;
    std::string label;
    std::string generate; // uuid4
};

struct StateCase {
    ExpressionPtr when;
    std::string is; // canonical word
};

struct Step {
    enum class Kind { Set, Delete, Insert };
    Kind kind = Kind::Set;
    std::vector<std::pair<std::string, ExpressionPtr>> set; // Insert: the columns of the new row, out of this one
    std::string other; // Insert: the other table's alias; Delete: that of another table, empty: the row itself
    ExpressionPtr which; // Delete from another table: the row of it
    ExpressionPtr when;
    std::vector<std::string> unchanged; // columns compared with what was seen
    int expect = 1;
};

struct Action {
    std::string verb;
    std::string title;
    std::string risk = "medium";
    std::string effect;
    std::string ref;
    std::string probe; // row_lock: refused while somebody else has locked the row
    std::vector<std::string> needs;
    std::vector<Step> steps;
};

// Who holds rows, and the table in which they say that they live.
struct Owners {
    ExpressionPtr owner; // NULL, or one of the values that mean nobody: no owner
    ExpressionPtr held; // somebody is named
    ExpressionPtr dead; // somebody is named of whom there is no living row
};

// Rows of one group are worked off in order: what waits behind another one that waits cannot go on.
struct Lane {
    std::vector<std::string> group;
    std::vector<std::string> order;
    ExpressionPtr behind; // it waits itself, and [exists headAlias: the same group, earlier, waiting]
    ExpressionPtr key; // of the earlier row
};
inline constexpr auto headAlias = "head";
inline constexpr auto mainAlias = "t"; // of the rows' own table, where a profile speaks of several

struct Detect {
    std::map<std::string, std::vector<std::string>> require; // alias -> columns
    std::vector<std::string> forbid;
    std::vector<std::string> optional;
    std::map<std::string, std::vector<std::string>> values; // column -> expected values
};

struct Profile {
    std::string name; // "seed.atlas.idempotency_records"
    std::string title;
    Kind kind = Kind::Idempotency;
    std::vector<std::string> dialects; // postgresql, sqlite
    Detect detect;
    std::map<std::string, std::string> tables; // alias -> table name
    std::set<std::string> patterns; // aliases whose name has one * for any text, the same in each of them
    std::string main; // the alias of the rows' own table
    ExpressionPtr where;
    std::vector<std::string> identity;
    std::map<std::string, Parameter> params;
    std::map<std::string, std::map<std::string, std::string>> time; // "alias.col" or "*" -> dialect or "*" -> encoding
    std::map<std::string, ExpressionPtr> fields;
    std::map<std::string, ExpressionPtr> payload;
    std::vector<StateCase> states;
    ExpressionPtr stuck;
    std::string fencing = "none";
    std::map<std::string, Action> actions;
    std::map<std::string, std::string> forbidden; // verb -> why
    std::map<std::string, std::vector<std::string>> external; // verb -> argv
    std::optional<Owners> owners;
    std::optional<Lane> lane;
    std::vector<std::string> notes;
    std::vector<std::string> dangers;
    std::string readOnlyReason;
    bool multiSchema = false;
    bool native = false; // Fencepost's own tables: verbs are the core's operations
};

// Reads one profile. Errors are Invalid and say file, JSON pointer, what was found and what was expected.
[[nodiscard]] Result<Profile> parse(std::string_view json, std::string_view fileName);

// The profiles at hand, by name; shipped ones first, then the operator's files.
class Library {
public:
    Status add(
        std::string_view json, std::string_view fileName); // a second profile of the same name replaces the first
    [[nodiscard]] const std::vector<Profile>& all() const { return m_profiles; }
    [[nodiscard]] const Profile* find(std::string_view name) const;

    // What only the operator knows. In which zone the hosts of an application write their local times: of one profile,
    // or of all that ask where no profile is named. What is said later counts. NotFound: there is no such profile;
    // Invalid: it does not ask.
    Status answerZone(std::string_view name, const std::string& zone);
    // As which profile a table ("table" or "schema.table") is read: one of several that fit it, or one that is made for
    // a table of another name with the same columns. What is said later counts, "table" also before "schema.table".
    Status choose(const std::string& table, std::string_view name);
    [[nodiscard]] const Profile* chosenFor(const std::string& schema, const std::string& table) const;
    [[nodiscard]] const std::map<std::string, std::string>& chosen() const { return m_chosen; } // table -> profile

private:
    std::vector<Profile> m_profiles;
    std::map<std::string, std::string> m_chosen; // table -> profile
    std::map<std::string, decltype(Profile::time)> m_asking; // profile -> its encodings before its zone was said
};

// The encoding of local times whose zone nobody has said yet.
inline constexpr auto appLocalTime = "naive:app-local";
// Of tables of that dialect ("sqlite", "postgresql"); none: of any.
[[nodiscard]] bool asksForZone(const Profile& profile, std::string_view dialect = {});

} // namespace fencepost::profile
