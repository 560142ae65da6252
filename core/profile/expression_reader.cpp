// SPDX-License-Identifier: Apache-2.0
#include "core/profile/expression_reader.h"

#include <algorithm>
#include <array>

#include "core/in_quotes.h"
#include "core/profile/chosen_values.h"
#include "core/profile/detection.h"
#include "core/profile/relations.h"

namespace fencepost::profile {

namespace {

using Op = Expression::Op;

// How the arguments of an operator are read.
enum class Shape {
    Values,
    Predicates,
    Name,
    Case,
    Json,
    In,
    TimeAndSpan,
    TimeAndSeconds,
    Time,
    Sum,
    Now,
    Other,
    From,
    Owners,
    Lane,
    None,
};

struct Operator {
    std::string_view word;
    Op op;
    bool predicate;
    Shape shape;
    std::size_t least; // arguments
    std::size_t most;
};

constexpr std::size_t many = 64;

constexpr std::array operators = {
    Operator{ "and", Op::And, true, Shape::Predicates, 1, many },
    Operator{ "or", Op::Or, true, Shape::Predicates, 1, many },
    Operator{ "not", Op::Not, true, Shape::Predicates, 1, 1 },
    Operator{ "eq", Op::Eq, true, Shape::Values, 2, 2 },
    Operator{ "ne", Op::Ne, true, Shape::Values, 2, 2 },
    Operator{ "lt", Op::Lt, true, Shape::Values, 2, 2 },
    Operator{ "le", Op::Le, true, Shape::Values, 2, 2 },
    Operator{ "gt", Op::Gt, true, Shape::Values, 2, 2 },
    Operator{ "ge", Op::Ge, true, Shape::Values, 2, 2 },
    Operator{ "in", Op::In, true, Shape::In, 2, many },
    Operator{ "is_null", Op::IsNull, true, Shape::Values, 1, 1 },
    Operator{ "not_null", Op::NotNull, true, Shape::Values, 1, 1 },
    Operator{ "is_true", Op::IsTrue, true, Shape::Values, 1, 1 },
    Operator{ "true", Op::True, true, Shape::None, 0, 0 },
    Operator{ "older_than", Op::OlderThan, true, Shape::TimeAndSpan, 2, 2 },
    Operator{ "past", Op::Past, true, Shape::Time, 1, 1 },
    Operator{ "future", Op::Future, true, Shape::Time, 1, 1 },
    Operator{ "exists", Op::Exists, true, Shape::Other, 2, 2 },
    Operator{ "not_exists", Op::Not, true, Shape::Other, 2, 2 },
    Operator{ "owner_dead", Op::And, true, Shape::Owners, 0, 0 },
    Operator{ "behind", Op::Exists, true, Shape::Lane, 0, 0 },
    Operator{ "col", Op::Column, false, Shape::Name, 1, 1 },
    Operator{ "param", Op::Param, false, Shape::Name, 1, 1 },
    Operator{ "old", Op::Old, false, Shape::Name, 1, 1 },
    Operator{ "now", Op::Now, false, Shape::Now, 0, 1 },
    Operator{ "text", Op::Text, false, Shape::Values, 1, 1 },
    Operator{ "hex", Op::Hex, false, Shape::Values, 1, 1 },
    Operator{ "concat", Op::Concat, false, Shape::Values, 1, many },
    Operator{ "coalesce", Op::Coalesce, false, Shape::Values, 1, many },
    Operator{ "add", Op::Add, false, Shape::Sum, 2, 2 },
    Operator{ "sub", Op::Sub, false, Shape::Sum, 2, 2 },
    Operator{ "greatest", Op::Greatest, false, Shape::Values, 2, many },
    Operator{ "case", Op::Case, false, Shape::Case, 1, 2 },
    Operator{ "json", Op::Json, false, Shape::Json, 2, 16 },
    Operator{ "from", Op::From, false, Shape::From, 3, 3 },
    Operator{ "add_s", Op::AddSeconds, false, Shape::TimeAndSeconds, 2, 2 },
    Operator{ "add_interval", Op::AddInterval, false, Shape::TimeAndSpan, 2, 2 },
};

std::string wordsOf(bool predicate)
{
    std::string text;
    for (const auto& entry : operators)
        if (entry.predicate == predicate)
            text += (text.empty() ? "" : " ") + std::string(entry.word);
    return text;
}

ExpressionPtr read(const Node& node, const ExpressionScope& scope, bool predicate);

ExpressionPtr literal(const Node& node)
{
    auto result = std::make_shared<Expression>();
    const auto& json = node.json();
    if (json.is_boolean())
        result->literal = json.get<bool>();
    else if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        node.refuse("a whole number of at most 63 bits");
    else if (json.is_number_integer())
        result->literal = json.get<std::int64_t>();
    else if (json.is_number_float())
        result->literal = json.get<double>();
    else if (json.is_string() && json.get_ref<const std::string&>().find('\0') != std::string::npos)
        node.refuse("text without NUL");
    else if (json.is_string())
        result->literal = json.get<std::string>();
    return result;
}

// Names with dots are known by what the table is recognised by.
bool isColumnWithADot(const Profile& profile, const std::string& name)
{
    const auto lists = [&](const std::vector<std::string>& columns) {
        return std::any_of(
            columns.begin(), columns.end(), [&](const std::string& column) { return sameWithoutCase(column, name); });
    };
    const auto own = profile.detect.require.find(profile.main);
    return (own != profile.detect.require.end() && lists(own->second)) || lists(profile.detect.optional);
}

// A column is of the rows' own table, or of a table that an ["exists", …] or a ["from", …] around it names.
void checkAlias(const Node& argument, const ExpressionScope& scope, const std::string& name)
{
    const auto dot = name.find('.');
    if (dot == std::string::npos || scope.profile == nullptr)
        return;
    const auto alias = name.substr(0, dot);
    const auto& profile = *scope.profile;
    const bool around = std::find(scope.inside.begin(), scope.inside.end(), alias) != scope.inside.end();
    if (alias == profile.main || around)
        return;
    if (!profile.tables.contains(alias)) {
        if (!isColumnWithADot(profile, name))
            argument.refuse("a column of " + inQuotes(alias),
                "an alias of /source/tables; a column whose name has a dot is listed in /detect");
        return;
    }
    argument.refuse("a column of the other table " + inQuotes(alias),
        "it within [\"exists\", \"" + alias + "\", condition] or [\"from\", \"" + alias + "\", condition, value] only");
}

void readParam(const Node& argument, const ExpressionScope& scope, const std::string& name)
{
    const auto* params = scope.profile != nullptr ? &scope.profile->params : nullptr;
    const auto found = params != nullptr ? params->find(name) : std::map<std::string, Parameter>::const_iterator();
    if (params == nullptr || found == params->end())
        argument.refuse("a name of /params");
    else if (!scope.asked && std::holds_alternative<std::monostate>(found->second.standard))
        argument.refuse(inQuotes(name) + ", a parameter without \"default\"",
            "one that has a default: only actions ask for parameters");
}

void readName(const Node& argument, const ExpressionScope& scope, Expression& into)
{
    into.name = argument.identifier();
    if (argument.failed())
        return;
    if (into.op == Op::Param)
        readParam(argument, scope, into.name);
    if (into.op == Op::Old && !scope.old)
        argument.refuse("[\"old\", column]", "it only within the set of a step");
    if (into.op == Op::Column)
        checkAlias(argument, scope, into.name);
}

// The scope in which another table's columns may be named, and its alias.
ExpressionScope withinOther(const Node& alias, const ExpressionScope& scope, Expression& into)
{
    into.name = alias.identifier();
    const bool known =
        scope.profile != nullptr && scope.profile->tables.contains(into.name) && into.name != scope.profile->main;
    if (!known)
        alias.refuse("the alias of another table of /source/tables");
    if (std::find(scope.inside.begin(), scope.inside.end(), into.name) != scope.inside.end())
        alias.refuse("the table " + inQuotes(into.name) + " within itself", "another one, or them side by side");
    auto within = scope;
    within.inside.push_back(into.name);
    return within;
}

// ["exists", alias, condition]: some row of the other table meets the condition, which may speak of both.
ExpressionPtr readOther(const Node& node, const ExpressionScope& scope, bool negated)
{
    auto exists = std::make_shared<Expression>();
    exists->op = Op::Exists;
    const auto within = withinOther(node.at(1), scope, *exists);
    exists->arguments.push_back(readPredicate(node.at(2), within));
    return negated ? negation(exists) : exists;
}

// ["from", alias, condition, value]: the value of the other table's row that meets the condition.
ExpressionPtr readFrom(const Node& node, const ExpressionScope& scope)
{
    auto from = std::make_shared<Expression>();
    from->op = Op::From;
    const auto within = withinOther(node.at(1), scope, *from);
    from->arguments.push_back(readPredicate(node.at(2), within));
    from->arguments.push_back(readValue(node.at(3), within));
    return from;
}

// ["case", [[when, then], …], else]
void readCase(const Node& node, const ExpressionScope& scope, Expression& into)
{
    for (const auto& branch : node.at(1).elements()) {
        if (!branch.isArray() || branch.size() != 2) {
            branch.refuse("[when, then]");
            return;
        }
        into.arguments.push_back(readPredicate(branch.at(0), scope));
        into.arguments.push_back(readValue(branch.at(1), scope));
    }
    if (into.arguments.empty())
        node.at(1).refuse("at least one [when, then]");
    into.arguments.push_back(node.size() > 2 ? readValue(node.at(2), scope) : std::make_shared<const Expression>());
}

void readJson(const Node& node, const ExpressionScope& scope, Expression& into)
{
    into.arguments.push_back(readValue(node.at(1), scope));
    for (std::size_t i = 2; i < node.size(); ++i) {
        const auto part = node.at(i).identifier();
        if (part.find_first_of(".[]{}$,") != std::string::npos)
            node.at(i).refuse("a member's name without . [ ] { } $ and commas");
        auto step = std::make_shared<Expression>();
        step->literal = part;
        into.arguments.push_back(std::move(step));
    }
}

bool comparesWithNull(const Expression& read, const Operator& entry)
{
    const bool compares = entry.shape == Shape::In || (entry.least == 2 && entry.shape == Shape::Values);
    const auto& last = *read.arguments.back();
    return compares && last.op == Op::Literal && std::holds_alternative<std::monostate>(last.literal);
}

// What a column holds, the database knows; what is a text whatever it holds can be added to nothing.
bool mayBeNumber(const Expression& value, const ExpressionScope& scope)
{
    switch (value.op) {
    case Op::Literal:
        return !std::holds_alternative<std::string>(value.literal) && !std::holds_alternative<bool>(value.literal);
    case Op::Param: {
        const auto found = scope.profile->params.find(value.name);
        return found == scope.profile->params.end() || found->second.type == "integer";
    }
    case Op::Concat:
    case Op::Text:
    case Op::Hex:
    case Op::AddSeconds:
    case Op::AddInterval:
        return false;
    case Op::Now:
        return value.name.starts_with("epoch_");
    default: {
        const auto values = chosenValues(value);
        return std::all_of(
            values.begin(), values.end(), [&](const ExpressionPtr& one) { return mayBeNumber(*one, scope); });
    }
    }
}

ExpressionPtr readNumber(const Node& node, const ExpressionScope& scope)
{
    auto value = readValue(node, scope);
    if (!node.failed() && !mayBeNumber(*value, scope))
        node.refuse("a number");
    return value;
}

void readArguments(const Node& node, const Operator& entry, const ExpressionScope& scope, Expression& into)
{
    switch (entry.shape) {
    case Shape::Other:
    case Shape::From:
    case Shape::Owners:
    case Shape::Lane:
    case Shape::None:
        return;
    case Shape::Name:
        return readName(node.at(1), scope, into);
    case Shape::Case:
        return readCase(node, scope, into);
    case Shape::Json:
        return readJson(node, scope, into);
    case Shape::Now:
        if (node.size() > 1) {
            into.name = node.at(1).text();
            if (!isTimeEncoding(into.name) || into.name == appLocalTime)
                node.at(1).refuse(timeEncodings);
            else if (!hasKnownZone(into.name))
                node.at(1).refuse(knownZone);
        }
        return;
    case Shape::TimeAndSpan:
        into.arguments.push_back(readInstant(node.at(1), scope));
        into.arguments.push_back(readDuration(node.at(2), scope));
        return;
    case Shape::Time:
        into.arguments.push_back(readInstant(node.at(1), scope));
        return;
    case Shape::TimeAndSeconds:
        into.arguments.push_back(readInstant(node.at(1), scope));
        into.arguments.push_back(readNumber(node.at(2), scope));
        return;
    case Shape::Sum:
        into.arguments.push_back(readNumber(node.at(1), scope));
        into.arguments.push_back(readNumber(node.at(2), scope));
        return;
    case Shape::Values:
    case Shape::In:
    case Shape::Predicates:
        break;
    }
    for (std::size_t i = 1; i < node.size(); ++i) {
        into.arguments.push_back(read(node.at(i), scope, entry.shape == Shape::Predicates));
        if (entry.shape == Shape::In && i > 1 && !node.failed() && into.arguments.back()->op != Op::Literal)
            node.at(i).refuse("a value");
        // Nothing is equal to NULL, nor above or below it.
        if (entry.predicate && comparesWithNull(into, entry) && !node.failed())
            node.at(i).refuse("null, with which no comparison is ever true", "[\"is_null\", value] for it");
    }
    if (entry.predicate && entry.shape == Shape::Values && entry.least == 2 && !node.failed())
        checkCompared(node, into);
}

// The profile's own words for two conditions that it writes down once.
ExpressionPtr readRelation(const Node& node, const ExpressionScope& scope, bool ofOwners)
{
    const auto& profile = *scope.profile;
    if (ofOwners && profile.owners)
        return profile.owners->dead;
    if (!ofOwners && profile.lane)
        return profile.lane->behind;
    node.refuse(ofOwners ? "\"owner_dead\" in a profile without /owners" : "\"behind\" in a profile without /lane",
        "the section that says what it means, and the condition outside of that section");
    return std::make_shared<const Expression>();
}

ExpressionPtr read(const Node& node, const ExpressionScope& scope, bool predicate)
{
    const auto nothing = std::make_shared<const Expression>();
    if (node.failed())
        return nothing;
    if (node.isObject()) {
        node.refuse("a value or an operator as [\"operator\", …]");
        return nothing;
    }
    if (!node.isArray()) {
        if (!predicate)
            return literal(node);
        node.refuse("a condition: one of " + wordsOf(true));
        return nothing;
    }
    if (node.size() == 0 || !node.json()[0].is_string()) {
        node.refuse("[\"operator\", …]");
        return nothing;
    }
    const auto word = node.json()[0].get<std::string>();
    const auto* entry =
        std::find_if(operators.begin(), operators.end(), [&](const Operator& o) { return o.word == word; });
    if (entry == operators.end() || entry->predicate != predicate) {
        node.at(0).refuse((predicate ? "a condition: one of " : "a value: one of ") + wordsOf(predicate));
        return nothing;
    }
    const auto count = node.size() - 1;
    if (count < entry->least || count > entry->most) {
        node.refuse(std::to_string(count) + " arguments for \"" + word + "\"",
            entry->least == entry->most
                ? std::to_string(entry->least)
                : "from " + std::to_string(entry->least) + " to " + std::to_string(entry->most));
        return nothing;
    }
    if (entry->shape == Shape::Other)
        return readOther(node, scope, entry->op == Op::Not);
    if (entry->shape == Shape::From)
        return readFrom(node, scope);
    if (entry->shape == Shape::Owners || entry->shape == Shape::Lane)
        return readRelation(node, scope, entry->shape == Shape::Owners);
    auto result = std::make_shared<Expression>();
    result->op = entry->op;
    readArguments(node, *entry, scope, *result);
    return result;
}

} // namespace

ExpressionPtr readPredicate(const Node& node, const ExpressionScope& scope)
{
    return read(node, scope, true);
}

ExpressionPtr readValue(const Node& node, const ExpressionScope& scope)
{
    return read(node, scope, false);
}

bool isAliased(const std::string& column, const ExpressionScope& scope)
{
    const auto alias = column.substr(0, column.find('.'));
    return alias != column && scope.profile->tables.contains(alias);
}

bool isOfOther(const std::string& column, const ExpressionScope& scope)
{
    return isAliased(column, scope) && column.substr(0, column.find('.')) != scope.profile->main;
}

} // namespace fencepost::profile
