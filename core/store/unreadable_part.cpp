// SPDX-License-Identifier: Apache-2.0
#include "core/store/unreadable_part.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/in_quotes.h"
#include "core/store/action_needs.h"
#include "core/store/expression_sql.h"
#include "core/store/native.h"
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
    for (const auto& [name, value] : bound.payload)
        parts.push_back({ "/payload/" + name, [value = value](ExpressionSql& sql) { return sql.text(*value); } });
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

// PostgreSQL looks at types when it plans a statement, and at values when they are bound: nothing is run.
Status planned(Connection& connection, SqlText text)
{
    text.sql = "EXPLAIN " + text.sql;
    const auto read = connection.native().read(text, {});
    return read ? Status() : Status(read.error());
}

bool isAboutTypes(const Error& error)
{
    return error.code.rfind("42", 0) == 0 && error.code != "42501";
}

bool isAboutValues(const Error& error)
{
    return error.code.rfind("22", 0) == 0;
}

std::string whyRefusedAt(const std::string& place, const Error& error)
{
    return place
        + (isAboutValues(error) ? " has a value that its column cannot hold ("
                                : " does not go with the types of the table's columns (")
        + firstLine(error.detail) + ")";
}

} // namespace

BriefLocks::BriefLocks(Connection& connection)
    : m_connection(connection)
{
    if (m_connection.dialect() == Dialect::Sqlite)
        return;
    SqlText text;
    text.sql = "SELECT current_setting('lock_timeout')";
    const auto usual = m_connection.native().read(text, [this](const NativeRow& row) { m_usual = row.text(0); });
    if (usual && !m_usual.empty())
        static_cast<void>(m_connection.execute("SET lock_timeout = '100ms'"));
}

BriefLocks::~BriefLocks()
{
    if (!m_usual.empty())
        static_cast<void>(m_connection.execute("SET lock_timeout = '" + m_usual + "'"));
}

Result<std::string> whyUnwritable(Connection& connection, const BoundProfile& bound, const std::string& verb)
{
    const auto* action = actionOf(*bound.profile, verb);
    if (action == nullptr)
        return std::string();
    const auto parameters = parametersOf(*bound.profile, *action);
    const bool asks = std::any_of(
        parameters.begin(), parameters.end(), [](const ActionParameter& parameter) { return parameter.required; });
    // What is asked for is judged when it is said: of it, only its type is known.
    const std::vector<Asked> ways = asks ? std::vector{ Asked::Sampled, Asked::Left } : std::vector{ Asked::Left };
    for (const auto asked : ways)
        for (const auto& [place, statement] : sampleOfAction(bound, *action, asked)) {
            if (!statement)
                return place + ": " + statement.error().message;
            if (connection.dialect() == Dialect::Sqlite)
                continue;
            const auto done = planned(connection, *statement);
            if (done)
                continue;
            const auto& error = done.error();
            if (isAboutTypes(error) || (asked == Asked::Left && isAboutValues(error)))
                return whyRefusedAt(place, error);
            if (error.failure == Failure::Unavailable || error.failure == Failure::TimedOut
                || error.failure == Failure::Cancelled)
                return error;
        }
    return std::string();
}

Status checkSaid(Connection& connection, const BoundProfile& bound, const std::string& verb,
    const std::map<std::string, std::string>& parameters)
{
    const auto* action = actionOf(*bound.profile, verb);
    if (action == nullptr || parameters.empty() || connection.dialect() == Dialect::Sqlite)
        return {};
    for (const auto& [place, statement] : sampleOfAction(bound, *action, Asked::Left, parameters)) {
        const auto done = statement ? planned(connection, *statement) : Status(statement.error());
        if (done || !(isAboutTypes(done.error()) || isAboutValues(done.error())))
            continue;
        std::string said;
        for (const auto& [name, value] : parameters)
            said += (said.empty() ? "" : ", ") + name + " = " + inQuotes(value);
        return Error{ Failure::Invalid,
            "\"" + verb + "\" cannot be done with " + said + ": " + firstLine(done.error().detail), place, {} };
    }
    return {};
}

std::string whyUnreadable(Connection& connection, const BoundProfile& bound, const Error& error)
{
    const auto inWords = [](const Error& what) {
        return what.detail.empty() ? what.message : what.message + " (" + firstLine(what.detail) + ")";
    };
    const bool isOfProfile = isAboutTypes(error) || isAboutValues(error);
    for (const auto& part : isOfProfile ? partsOf(bound) : std::vector<Part>()) {
        SqlText text;
        ExpressionSql sql(bound, text, Time{});
        const auto expression = part.sql(sql);
        if (sql.error())
            return part.place + ": " + sql.error()->message;
        text.sql = "SELECT " + expression + " FROM " + qualified(bound.table) + " AS t LIMIT 0";
        if (const auto done = planned(connection, text); !done)
            return whyRefusedAt(part.place, done.error());
    }
    return inWords(error);
}

Status checkPlanned(Connection& connection, const BoundProfile& bound, const SqlText& page)
{
    if (connection.dialect() == Dialect::Sqlite) {
        const auto statement = prepared(connection, page);
        return statement ? Status() : Status(statement.error());
    }
    if (auto done = planned(connection, page); !done)
        return done;
    SqlText text;
    ExpressionSql sql(bound, text, Time{});
    std::string values;
    for (const auto& [name, value] : bound.payload)
        values += (values.empty() ? "" : ", ") + sql.text(*value);
    if (values.empty() || sql.error())
        return {};
    text.sql = "SELECT " + values + " FROM " + qualified(bound.table) + " AS t LIMIT 0";
    return planned(connection, text);
}

} // namespace fencepost::store
