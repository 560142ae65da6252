// SPDX-License-Identifier: Apache-2.0
#include "core/store/profile_compiler.h"

#include <charconv>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/profile/chosen_values.h"
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

Result<std::map<std::string, std::string>> withGenerated(
    const BoundProfile& bound, const ActionRequest& request, Random& random)
{
    auto result = parametersFor(bound, request.parameters);
    if (result)
        for (const auto& [name, parameter] : bound.profile->params)
            if (parameter.generate == "uuid4" && !result->contains(name))
                (*result)[name] = uuid4(random);
    return result;
}

Result<const CatalogTable*> tableBeside(const BoundProfile& bound, const std::string& alias)
{
    const auto other = bound.others.find(alias);
    if (other == bound.others.end())
        return Error{ Failure::Unsupported, "There is no table for \"" + alias + "\" beside it", {}, {} };
    return &other->second;
}

// The one row of another table that belongs to a row of which `where` speaks. SQLite finds it by an index only where
// its key is a list.
Result<std::string> deleteBeside(const BoundProfile& bound, const Step& step, const std::string& where)
{
    const auto table = tableBeside(bound, step.other);
    if (!table)
        return table.error();
    const auto alias = quotedName(step.other);
    const auto other = qualified(**table) + " AS " + alias;
    std::string names;
    std::string values;
    for (const auto* column : keyOf(**table)) {
        names += (names.empty() ? "" : ", ") + quotedName(column->name);
        values += (values.empty() ? "" : ", ") + alias + '.' + quotedName(column->name);
    }
    if (bound.dialect == Dialect::Sqlite && !names.empty())
        return "DELETE FROM " + qualified(**table) + " WHERE (" + names + ") IN (SELECT " + values + " FROM "
            + target(bound) + ", " + other + " WHERE " + where + ")";
    return "DELETE FROM " + other + " WHERE EXISTS (SELECT 1 FROM " + target(bound) + " WHERE " + where + ")";
}

// The whole statement: what a step writes of the row of which `where` speaks.
Result<std::string> compileWrite(
    const BoundProfile& bound, const Step& step, ExpressionSql& sql, const std::string& where)
{
    const bool inserts = step.kind == Step::Kind::Insert;
    if (step.kind == Step::Kind::Delete)
        return step.other.empty() ? Result<std::string>("DELETE FROM " + target(bound) + " WHERE " + where)
                                  : deleteBeside(bound, step, where);
    const auto* table = &bound.table;
    if (inserts) {
        const auto other = tableBeside(bound, step.other);
        if (!other)
            return other.error();
        table = *other;
    }
    std::string names;
    std::string values;
    for (const auto& [name, value] : step.set) {
        const auto* column = inserts ? table->find(name) : bound.column(name);
        if (column == nullptr)
            return Error{ Failure::Unsupported, "The table " + table->name + " has no column \"" + name + "\"", {},
                {} };
        const auto separator = names.empty() ? "" : ", ";
        const auto assigned = sql.assigned(*column, inserts ? step.other + '.' + name : name, *value);
        names += separator + quotedName(column->name) + (inserts ? "" : " = " + assigned);
        values += separator + assigned;
    }
    if (!inserts)
        return "UPDATE " + target(bound) + " SET " + names + " WHERE " + where;
    return "INSERT INTO " + qualified(*table) + " (" + names + ") SELECT " + values + " FROM " + target(bound)
        + " WHERE " + where;
}

Result<CompiledStep> compileStep(const BoundProfile& bound, const Step& step, const ActionRequest& request,
    const std::map<std::string, std::string>& parameters, bool onlyStuck)
{
    CompiledStep compiled;
    compiled.expect = step.expect;
    ExpressionSql sql(bound, compiled.statement, request.now);
    sql.setParameters(parameters);
    sql.setSeen(&request.seen);
    std::string where = "1 = 1";
    // A sample is of no row.
    if (!request.identity.empty()) {
        where.clear();
        if (const auto matched = matchIdentity(sql, where, request.identity); !matched)
            return matched.error();
    }
    if (bound.profile->where)
        where += " AND (" + sql.predicate(*bound.profile->where) + ")";
    if (step.which)
        where += " AND (" + sql.predicate(*step.which) + ")";
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
    auto text = compileWrite(bound, step, sql, where);
    if (!text)
        return text.error();
    if (sql.error())
        return *sql.error();
    compiled.statement.sql = std::move(*text);
    return compiled;
}

std::string sampleOf(const profile::Parameter& parameter)
{
    return parameter.type == "duration" ? "PT1S"
        : parameter.type == "uuid"      ? "00000000-0000-4000-8000-000000000000"
        : parameter.type == "integer"   ? "1"
                                        : "x";
}

// The constants among which a value is chosen; of a constant alone, none.
std::vector<profile::ExpressionPtr> constantsOf(const profile::ExpressionPtr& value)
{
    using Op = profile::Expression::Op;
    std::vector<profile::ExpressionPtr> constants;
    for (const auto& one : profile::chosenValues(*value)) {
        const bool isNull = one->op == Op::Literal && std::holds_alternative<std::monostate>(one->literal);
        if (one->op == Op::Literal && !isNull)
            constants.push_back(one);
        for (auto& inner : constantsOf(one))
            constants.push_back(std::move(inner));
    }
    return constants;
}

} // namespace

Result<std::map<std::string, std::string>> parametersFor(
    const BoundProfile& bound, const std::map<std::string, std::string>& said)
{
    std::map<std::string, std::string> result;
    for (const auto& [name, parameter] : bound.profile->params) {
        const auto given = said.find(name);
        if (given == said.end())
            continue;
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
    const auto parameters = withGenerated(bound, request, random);
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

std::vector<SampledStep> sampleOfAction(
    const BoundProfile& bound, const Action& action, Asked asked, const std::map<std::string, std::string>& said)
{
    auto parameters = said;
    for (const auto& [name, parameter] : bound.profile->params) {
        // A span is one whatever is said.
        const bool isKnown = !parameter.generate.empty() || parameter.type == "duration";
        if (!parameters.contains(name) && std::holds_alternative<std::monostate>(parameter.standard)
            && (isKnown || asked == Asked::Sampled))
            parameters[name] = sampleOf(parameter);
    }
    ActionRequest request;
    request.now = Time{};
    std::vector<SampledStep> sample;
    const auto add = [&](std::string place, const Step& step) {
        auto compiled = compileStep(bound, step, request, parameters, false);
        sample.push_back({ std::move(place),
            compiled ? Result<SqlText>(std::move(compiled->statement)) : Result<SqlText>(compiled.error()) });
    };
    for (std::size_t i = 0; i < action.steps.size(); ++i) {
        const auto& step = action.steps[i];
        const auto place = "/actions/" + action.verb + "/steps/" + std::to_string(i);
        add(place, step);
        if (step.kind != Step::Kind::Set)
            continue;
        // One of several values meets its column only where a row has come to it.
        for (const auto& [column, value] : step.set)
            for (const auto& one : constantsOf(value)) {
                auto alone = step;
                alone.when = nullptr;
                alone.set = { { column, one } };
                add(place + "/set/" + column, alone);
            }
    }
    return sample;
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
