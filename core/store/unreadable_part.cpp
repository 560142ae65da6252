// SPDX-License-Identifier: Apache-2.0
#include "core/store/unreadable_part.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/in_quotes.h"
#include "core/store/action_needs.h"
#include "core/store/capabilities.h"
#include "core/store/expression_sql.h"
#include "core/store/native.h"
#include "core/store/profile_compiler.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

struct Part {
    std::string place;
    std::function<std::string(ExpressionSql& sql)> sql;
};

Part condition(std::string place, const profile::ExpressionPtr& expression)
{
    return { std::move(place),
        [expression](ExpressionSql& sql) { return "CASE WHEN " + sql.predicate(*expression) + " THEN 1 ELSE 0 END"; } };
}

Part field(const std::string& name, const profile::ExpressionPtr& expression)
{
    const bool instant = name.ends_with("_us");
    return { "/fields/" + name,
        [=](ExpressionSql& sql) { return instant ? sql.micros(*expression) : sql.text(*expression); } };
}

std::vector<Part> partsOf(const BoundProfile& bound)
{
    std::vector<Part> parts;
    const auto& profile = *bound.profile;
    for (const auto& [name, value] : bound.fields)
        parts.push_back(field(name, value));
    for (std::size_t i = 0; i < profile.states.size(); ++i)
        parts.push_back(condition("/state/" + std::to_string(i) + "/when", profile.states[i].when));
    if (profile.stuck)
        parts.push_back(condition("/stuck", profile.stuck));
    if (profile.where)
        parts.push_back(condition("/source/where", profile.where));
    if (profile.owners)
        parts.push_back(condition("/owners", profile.owners->dead));
    if (profile.lane)
        parts.push_back(condition("/lane", profile.lane->behind));
    for (const auto& [verb, action] : profile.actions)
        if (!namesAsked(profile, *action.steps.front().when, {}))
            parts.push_back(condition("/actions/" + verb + "/steps/0/when", action.steps.front().when));
    return parts;
}

// Without the text of the statement, which nobody here has written.
std::string firstLine(const std::string& words)
{
    auto line = words.substr(0, words.find('\n'));
    constexpr std::string_view prefix = "ERROR:";
    if (line.rfind(prefix, 0) == 0)
        line.erase(0, line.find_first_not_of(' ', prefix.size()));
    return line;
}

bool isJudgedByServer(const CatalogColumn* column)
{
    return column != nullptr
        && (column->typeClass == TypeClass::Other || column->typeClass == TypeClass::Json
            || column->typeClass == TypeClass::Octets);
}

bool isValueOf(Connection& connection, const CatalogColumn& column, const std::string& literal)
{
    SqlText text;
    text.sql = "SELECT CAST(" + text.bind(literal) + " AS " + column.type + ")";
    const auto read = connection.native().read(text, {});
    return read || read.error().code.rfind("22", 0) != 0;
}

std::string whyNone(Connection& connection, const CatalogColumn* column, const Expression& value, const char* verb)
{
    const auto* literal = value.op == Op::Literal ? std::get_if<std::string>(&value.literal) : nullptr;
    if (literal == nullptr || !isJudgedByServer(column) || isValueOf(connection, *column, *literal))
        return {};
    return "the column " + inQuotes(column->name) + " of type " + column->type + ' ' + verb + ' ' + inQuotes(*literal);
}

// In a comparison somewhere within it.
std::string whyNoneWithin(Connection& connection, const BoundProfile& bound, const Expression& expression)
{
    std::string why;
    eachNode(expression, [&](const Expression& node) {
        const bool compares = node.op == Op::Eq || node.op == Op::Ne || node.op == Op::Lt || node.op == Op::Le
            || node.op == Op::Gt || node.op == Op::Ge || node.op == Op::In;
        for (std::size_t i = 1; compares && why.empty() && i < node.arguments.size(); ++i)
            for (const auto& [subject, value] :
                { std::pair(node.arguments[0], node.arguments[i]), std::pair(node.arguments[i], node.arguments[0]) })
                if (why.empty() && subject->op == Op::Column)
                    why = whyNone(connection, bound.column(subject->name), *value, "cannot be compared with");
    });
    return why;
}

std::string whyNoneIn(Connection& connection, const BoundProfile& bound, const profile::Step& step)
{
    for (const auto& condition : { step.when, step.which })
        if (auto why = condition ? whyNoneWithin(connection, bound, *condition) : std::string(); !why.empty())
            return why;
    for (const auto& [name, value] : step.set) {
        const bool inserts = step.kind == profile::Step::Kind::Insert;
        const auto other = bound.others.find(step.other);
        const auto* column = !inserts     ? bound.column(name)
            : other != bound.others.end() ? other->second.find(name)
                                          : nullptr;
        if (auto why = whyNone(connection, column, *value, "cannot hold"); !why.empty())
            return why;
    }
    return {};
}

// Its first condition is asked with every row that is read.
bool mixesTypes(const BoundProfile& bound, const profile::Action& action)
{
    const auto isMade = [](const auto& entry) {
        const auto& value = *entry.second;
        const bool isNow = value.op == Op::Now && value.name.empty();
        return value.op != Op::Literal && value.op != Op::Param && value.op != Op::Old && !isNow;
    };
    const auto isOdd = [&](const std::string& name) {
        const auto* column = bound.column(name);
        return column != nullptr && column->typeClass == TypeClass::Other;
    };
    return action.steps.size() > 1
        || std::any_of(action.steps.begin(), action.steps.end(), [&](const profile::Step& step) {
               return step.which || std::any_of(step.set.begin(), step.set.end(), isMade)
                   || std::any_of(step.unchanged.begin(), step.unchanged.end(), isOdd);
           });
}

bool isAboutTypes(const Error& error)
{
    return error.code.rfind("42", 0) == 0 && error.code != "42501";
}

} // namespace

std::string whyNoValue(Connection& connection, const BoundProfile& bound)
{
    if (connection.dialect() == Dialect::Sqlite)
        return {};
    const auto& profile = *bound.profile;
    std::vector<std::pair<std::string, profile::ExpressionPtr>> parts{ { "/stuck", profile.stuck },
        { "/source/where", profile.where } };
    for (std::size_t i = 0; i < profile.states.size(); ++i)
        parts.emplace_back("/state/" + std::to_string(i) + "/when", profile.states[i].when);
    for (const auto& [name, value] : bound.fields)
        parts.emplace_back("/fields/" + name, value);
    for (const auto& [place, expression] : parts)
        if (const auto why = expression ? whyNoneWithin(connection, bound, *expression) : std::string(); !why.empty())
            return place + ": " + why;
    return {};
}

std::string whyUnwritable(Connection& connection, const BoundProfile& bound, const std::string& verb)
{
    const auto* action = actionOf(*bound.profile, verb);
    if (action == nullptr)
        return {};
    const bool asks = connection.dialect() == Dialect::PostgreSql && mixesTypes(bound, *action);
    const auto sample = sampleOfAction(bound, *action);
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const auto place = "/actions/" + verb + "/steps/" + std::to_string(i);
        if (!sample[i])
            return place + ": " + sample[i].error().message;
        if (connection.dialect() == Dialect::PostgreSql)
            if (const auto why = whyNoneIn(connection, bound, action->steps[i]); !why.empty())
                return place + ": " + why;
        if (!asks)
            continue;
        if (const auto statement = prepared(connection, *sample[i]); !statement && isAboutTypes(statement.error()))
            return place + " does not go with the types of the table's columns (" + firstLine(statement.error().detail)
                + ")";
    }
    return {};
}

std::string whyUnreadable(Connection& connection, const BoundProfile& bound, const Error& error)
{
    const auto inWords = [](const Error& what) {
        return what.detail.empty() ? what.message : what.message + " (" + firstLine(what.detail) + ")";
    };
    for (const auto& part : isAboutTypes(error) ? partsOf(bound) : std::vector<Part>()) {
        SqlText text;
        ExpressionSql sql(bound, text, Time{});
        const auto expression = part.sql(sql);
        if (sql.error())
            return part.place + ": " + sql.error()->message;
        text.sql = "SELECT " + expression + " FROM " + qualified(bound.table) + " AS t LIMIT 0";
        const auto statement = prepared(connection, text);
        if (!statement)
            return part.place + " does not go with the types of the table's columns ("
                + firstLine(statement.error().detail) + ")";
    }
    return inWords(error);
}

} // namespace fencepost::store
