// SPDX-License-Identifier: Apache-2.0
#include "core/store/unreadable_part.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/store/action_needs.h"
#include "core/store/expression_sql.h"
#include "core/store/profile_compiler.h"

namespace fencepost::store {

namespace {

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

// Its first condition is asked with every row that is read.
bool mixesTypes(const BoundProfile& bound, const profile::Action& action)
{
    using Op = profile::Expression::Op;
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
