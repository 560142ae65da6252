// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
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
    std::string name; // Column: alias.name; Param; Old: column; Json: path
    std::vector<ExpressionPtr> arguments; // Case: when, then, when, then, …, else
};

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
    enum class Kind { Set, Delete, Call };
    Kind kind = Kind::Set;
    std::vector<std::pair<std::string, ExpressionPtr>> set;
    std::string function; // Call
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
    std::vector<std::string> needs;
    std::vector<Step> steps;
};

struct Detect {
    std::map<std::string, std::vector<std::string>> require; // alias -> columns
    std::vector<std::string> forbid;
    std::vector<std::string> optional;
    std::map<std::string, std::vector<std::string>> values; // column -> expected values
};

struct Join {
    std::string type; // left, inner
    std::string alias;
    ExpressionPtr on;
};

struct Profile {
    std::string name; // "seed.atlas.idempotency_records"
    std::string title;
    Kind kind = Kind::Idempotency;
    std::vector<std::string> dialects; // postgresql, sqlite
    Detect detect;
    std::map<std::string, std::string> tables; // alias -> table name
    std::vector<Join> joins;
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
    std::vector<std::string> notes;
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

private:
    std::vector<Profile> m_profiles;
};

} // namespace fencepost::profile
