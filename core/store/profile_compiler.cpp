// SPDX-License-Identifier: Apache-2.0
#include "core/store/profile_compiler.h"

#include <charconv>
#include <set>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/store/action_needs.h"
#include "core/store/expression_sql.h"
#include "core/store/native.h"

namespace fencepost::store {

namespace {

using profile::Action;
using profile::Step;

// SQLite has "DELETE FROM x AS t" and "UPDATE x AS t" as PostgreSQL does.
std::string target(const BoundProfile& bound)
{
    return qualified(bound.table) + " AS t";
}

Status matchIdentity(ExpressionSql& sql, std::string& where, const std::vector<std::string>& identity)
{
    const auto columns = sql.bound().identity();
    if (identity.size() != columns.size())
        return Error{ Failure::Invalid,
            "The identity has " + std::to_string(identity.size()) + " values, the table's key has "
                + std::to_string(columns.size()),
            {}, {} };
    for (std::size_t i = 0; i < columns.size(); ++i)
        where += (i > 0 ? " AND " : "") + sql.exactEquals(*columns[i], identity[i]);
    return {};
}

bool isInteger(const std::string& text)
{
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
}

Result<std::map<std::string, std::string>> parametersOf(
    const BoundProfile& bound, const ActionRequest& request, Random& random)
{
    std::map<std::string, std::string> result;
    for (const auto& [name, parameter] : bound.profile->params) {
        const auto given = request.parameters.find(name);
        if (given == request.parameters.end()) {
            if (parameter.generate == "uuid4")
                result[name] = uuid4(random);
            continue;
        }
        const bool fits = parameter.type == "duration" ? parseDuration(given->second).has_value()
            : parameter.type == "uuid"                 ? isUuid(given->second)
            : parameter.type == "integer"              ? isInteger(given->second)
                                          : isUtf8(given->second) && given->second.find('\0') == std::string::npos;
        if (!fits)
            return Error{ Failure::Invalid,
                inQuotes(given->second) + " is no " + parameter.type + " for the parameter " + name, {}, {} };
        result[name] = given->second;
    }
    return result;
}

// The right side of every column that a step writes, in its words.
Result<std::string> compileHead(const BoundProfile& bound, const Step& step, ExpressionSql& sql)
{
    const bool inserts = step.kind == Step::Kind::Insert;
    if (step.kind == Step::Kind::Delete)
        return "DELETE FROM " + target(bound);
    const auto* table = &bound.table;
    if (inserts) {
        const auto other = bound.others.find(step.into);
        if (other == bound.others.end())
            return Error{ Failure::Unsupported, "There is no table for \"" + step.into + "\" beside it", {}, {} };
        table = &other->second;
    }
    std::string names;
    std::string values;
    for (const auto& [name, value] : step.set) {
        const auto* column = inserts ? table->find(name) : bound.column(name);
        if (column == nullptr)
            return Error{ Failure::Unsupported, "The table " + table->name + " has no column \"" + name + "\"", {},
                {} };
        const auto separator = names.empty() ? "" : ", ";
        const auto assigned = sql.assigned(*column, *value);
        names += separator + quotedName(column->name) + (inserts ? "" : " = " + assigned);
        values += separator + assigned;
    }
    if (!inserts)
        return "UPDATE " + target(bound) + " SET " + names;
    return "INSERT INTO " + qualified(*table) + " (" + names + ") SELECT " + values + " FROM " + target(bound);
}

Result<CompiledStep> compileStep(const BoundProfile& bound, const Step& step, const ActionRequest& request,
    const std::map<std::string, std::string>& parameters, bool onlyStuck)
{
    CompiledStep compiled;
    compiled.expect = step.expect;
    ExpressionSql sql(bound, compiled.statement, request.now);
    sql.setParameters(parameters);
    sql.setSeen(&request.seen);
    auto text = compileHead(bound, step, sql);
    if (!text)
        return text.error();
    std::string where;
    if (const auto matched = matchIdentity(sql, where, request.identity); !matched)
        return matched.error();
    if (bound.profile->where)
        where += " AND (" + sql.predicate(*bound.profile->where) + ")";
    if (step.when)
        where += " AND (" + sql.predicate(*step.when) + ")";
    if (onlyStuck)
        where += " AND (" + sql.predicate(*bound.profile->stuck) + ")";
    for (const auto& name : step.unchanged) {
        const auto* column = bound.column(name);
        if (column == nullptr)
            return Error{ Failure::Unsupported, "The table has no column \"" + name + "\"", {}, {} };
        const auto seen = request.seen.find(name);
        where += " AND ("
            + sql.unchanged(*column, seen == request.seen.end() ? std::nullopt : std::optional(seen->second)) + ")";
    }
    if (sql.error())
        return *sql.error();
    compiled.statement.sql = *text + " WHERE " + where;
    return compiled;
}

void collectColumns(const BoundProfile& bound, const profile::Expression& expression, std::set<std::string>& into)
{
    if (expression.op == profile::Expression::Op::Column)
        if (const auto* column = bound.column(expression.name); column != nullptr && bound.aliasOf(*column) == "t")
            into.insert(column->name);
    for (const auto& argument : expression.arguments)
        collectColumns(bound, *argument, into);
}

// Bodies stay where they are unless an action writes them: they may be huge and private.
std::vector<const CatalogColumn*> imageColumns(const BoundProfile& bound)
{
    std::set<std::string> left;
    for (const auto& [name, value] : bound.payload)
        collectColumns(bound, *value, left);
    for (const auto& [verb, action] : bound.profile->actions)
        for (const auto& step : action.steps)
            if (step.kind == Step::Kind::Set)
                for (const auto& [name, value] : step.set)
                    if (const auto* column = bound.column(name))
                        left.erase(column->name);
    std::vector<const CatalogColumn*> columns;
    for (const auto& column : bound.table.columns)
        if (left.count(column.name) == 0)
            columns.push_back(&column);
    return columns;
}

} // namespace

const Action* actionOf(const profile::Profile& profile, std::string_view verb)
{
    const auto find = [&](std::string_view name) -> const Action* {
        const auto found = profile.actions.find(std::string(name));
        return found != profile.actions.end() ? &found->second : nullptr;
    };
    const auto* exact = find(verb);
    return exact == nullptr && verb == "fail" ? find("fail_final") : exact;
}

Result<std::vector<CompiledStep>> compileAction(
    const BoundProfile& bound, std::string_view verb, const ActionRequest& request, Random& random)
{
    for (const auto& capability : bound.binding.capabilities)
        if (capability.verb == verb && !capability.allowed)
            return Error{ Failure::Unsupported, "\"" + std::string(verb) + "\" cannot be done here: " + capability.why,
                {}, {} };
    const auto* action = bound.profile->native ? nullptr : actionOf(*bound.profile, verb);
    if (action == nullptr)
        return Error{ Failure::Unsupported,
            "The profile " + bound.profile->name + " has no statement for \"" + std::string(verb) + "\"", {}, {} };
    const auto parameters = parametersOf(bound, request, random);
    if (!parameters)
        return parameters.error();
    const bool onlyStuck =
        bound.profile->stuck && std::find(action->needs.begin(), action->needs.end(), "stuck") != action->needs.end();
    std::vector<CompiledStep> steps;
    for (const auto& step : action->steps) {
        // A step after the first meets the row as the one before it has left it.
        auto compiled = compileStep(bound, step, request, *parameters, onlyStuck && steps.empty());
        if (!compiled)
            return compiled.error();
        steps.push_back(std::move(*compiled));
    }
    return steps;
}

Result<std::optional<RowImage>> readImage(
    Connection& connection, const BoundProfile& bound, const std::vector<std::string>& identity)
{
    SqlText text;
    ExpressionSql sql(bound, text, Time{});
    std::string columns;
    const auto imaged = imageColumns(bound);
    for (const auto* column : imaged)
        columns += (columns.empty() ? "" : ", ") + sql.exact(*column);
    std::string where;
    if (const auto matched = matchIdentity(sql, where, identity); !matched)
        return matched.error();
    text.sql = "SELECT " + columns + " FROM " + target(bound) + " WHERE " + where;
    std::optional<RowImage> image;
    const auto read = connection.native().read(text, [&](const NativeRow& row) {
        image.emplace();
        for (std::size_t i = 0; i < imaged.size(); ++i) {
            auto value = exactForm(row, static_cast<int>(i), bound.dialect, *imaged[i]);
            (*image)[imaged[i]->name] =
                value ? std::optional(publicForm(std::move(*value), bound.dialect, *imaged[i])) : std::nullopt;
        }
    });
    if (!read)
        return read.error();
    return image;
}

Result<SqlText> compileLockProbe(const BoundProfile& bound, const std::vector<std::string>& identity)
{
    SqlText text;
    ExpressionSql sql(bound, text, std::nullopt);
    std::string where;
    if (const auto matched = matchIdentity(sql, where, identity); !matched)
        return matched.error();
    text.sql = "SELECT 1 FROM " + target(bound) + " WHERE " + where + " FOR SHARE SKIP LOCKED";
    return text;
}

Result<CompiledStep> compileRestore(
    const BoundProfile& bound, const std::vector<std::string>& identity, const RowImage& set, const RowImage& guard)
{
    CompiledStep compiled;
    ExpressionSql sql(bound, compiled.statement, Time{});
    std::string text;
    for (const auto& [name, value] : set) {
        const auto* column = bound.table.find(name);
        if (column == nullptr)
            return Error{ Failure::Unsupported, "The table has no column \"" + name + "\"", {}, {} };
        text += (text.empty() ? "" : ", ") + quotedName(column->name) + " = " + sql.assignedExact(*column, value);
    }
    if (text.empty())
        return Error{ Failure::Invalid, "There is nothing to restore", {}, {} };
    std::string where;
    if (const auto matched = matchIdentity(sql, where, identity); !matched)
        return matched.error();
    for (const auto& [name, value] : guard) {
        const auto* column = bound.table.find(name);
        if (column == nullptr)
            return Error{ Failure::Unsupported, "The table has no column \"" + name + "\"", {}, {} };
        where += " AND (" + sql.unchanged(*column, value) + ")";
    }
    if (sql.error())
        return *sql.error();
    compiled.statement.sql = "UPDATE " + target(bound) + " SET " + text + " WHERE " + where;
    return compiled;
}

} // namespace fencepost::store
