// SPDX-License-Identifier: Apache-2.0
#include "core/profile/action_reader.h"

#include <algorithm>
#include <vector>

#include "core/in_quotes.h"
#include "core/profile/detection.h"
#include "core/profile/named_columns.h"
#include "core/profile/words.h"

namespace fencepost::profile {

namespace {

using Assignments = std::vector<std::pair<std::string, ExpressionPtr>>;

Assignments readAssignments(const Node& node, const ExpressionScope& scope, bool old)
{
    auto setting = scope;
    setting.old = old;
    Assignments result;
    for (const auto& [column, value] : node.membersByIdentifier()) {
        const auto isSame = [&, name = column](const auto& known) {
            return sameWithoutCase(withAlias(*scope.profile, known.first), withAlias(*scope.profile, name));
        };
        if (!node.failed() && std::any_of(result.begin(), result.end(), isSame))
            value.refuse(inQuotes(column) + " a second time", "each column once");
        if (old && isOfOther(column, scope))
            value.refuse("a column of another table, " + inQuotes(column),
                "columns of the row itself; \"insert\" and \"delete\" write to another one");
        if (!old && !node.failed() && isAliased(column, scope))
            value.refuse(inQuotes(column), "the column's own name, without an alias");
        result.emplace_back(column, readAssigned(value, setting));
    }
    if (result.empty())
        node.refuse("an empty object", "at least one column to set");
    return result;
}

std::string otherTable(const Node& node, const ExpressionScope& scope)
{
    auto alias = node.identifier();
    if (!node.failed() && (!scope.profile->tables.contains(alias) || alias == scope.profile->main))
        node.refuse("the alias of another table of /source/tables");
    return alias;
}

// {"into": alias, "columns": {column: value}}: a row of another table, out of the one that the action is about.
void readInsert(const Node& node, const ExpressionScope& scope, Step& into)
{
    node.onlyKeys({ "into", "columns" });
    into.kind = Step::Kind::Insert;
    const auto table = node.child("into");
    const auto columns = node.child("columns");
    if (!table || !columns) {
        node.refuse("{\"into\": alias, \"columns\": {column: value}}");
        return;
    }
    into.other = otherTable(*table, scope);
    into.set = readAssignments(*columns, scope, false);
}

// true: the row itself. {"from": alias, "where": condition}: the one row of another table that belongs to it.
void readDelete(const Node& node, const ExpressionScope& scope, Step& into)
{
    into.kind = Step::Kind::Delete;
    if (!node.isObject()) {
        if (!node.json().is_boolean() || !node.boolean())
            node.refuse("true, or {\"from\": alias, \"where\": condition}");
        return;
    }
    node.onlyKeys({ "from", "where" });
    const auto table = node.child("from");
    const auto where = node.child("where");
    if (!table || !where) {
        node.refuse("{\"from\": alias, \"where\": condition}");
        return;
    }
    into.other = otherTable(*table, scope);
    auto within = scope;
    within.inside.push_back(into.other);
    into.which = readPredicate(*where, within);
}

// What is compared with what was seen is read with the row.
std::vector<std::string> readUnchanged(const Node& node, const ExpressionScope& scope)
{
    auto names = node.identifiers();
    for (std::size_t i = 0; i < names.size() && !node.failed(); ++i)
        if (isOfOther(names[i], scope))
            node.at(i).refuse("a column of the other table " + inQuotes(names[i].substr(0, names[i].find('.'))),
                "columns of the row itself; what another table must still hold is said in \"when\"");
    return names;
}

Step readStep(const Node& node, const ExpressionScope& scope)
{
    if (const auto call = node.child("call"))
        call->refuse("a call of a function", "\"set\", \"delete\" or \"insert\"");
    node.onlyKeys({ "set", "delete", "insert", "when", "unchanged", "expect" });
    Step step;
    const auto set = node.child("set");
    const auto deleting = node.child("delete");
    const auto inserting = node.child("insert");
    const int kinds = (set ? 1 : 0) + (deleting ? 1 : 0) + (inserting ? 1 : 0);
    if (kinds != 1)
        node.refuse(
            kinds == 0 ? "none of \"set\", \"delete\" and \"insert\"" : "several of \"set\", \"delete\" and \"insert\"",
            "one of them");
    if (set)
        step.set = readAssignments(*set, scope, true);
    if (inserting)
        readInsert(*inserting, scope, step);
    if (deleting)
        readDelete(*deleting, scope, step);
    if (const auto when = node.child("when"))
        step.when = readPredicate(*when, scope);
    else
        node.refuse("no \"when\"", "the condition that the row must still meet");
    if (const auto unchanged = node.child("unchanged"))
        step.unchanged = readUnchanged(*unchanged, scope);
    if (const auto expect = node.child("expect"))
        if (!expect->json().is_number_integer() || expect->json().get<std::int64_t>() != 1)
            expect->refuse("1: an action changes one row");
    return step;
}

} // namespace

Action readAction(const Node& node, const std::string& verb, const ExpressionScope& around)
{
    auto scope = around;
    scope.asked = true;
    node.onlyKeys({ "title", "risk", "effect", "ref", "probe", "needs", "steps" });
    Action action;
    action.verb = verb;
    if (const auto title = node.child("title"))
        action.title = title->text();
    if (const auto risk = node.child("risk"))
        action.risk = risk->oneOf({ "low", "medium", "high" });
    if (const auto effect = node.child("effect"))
        action.effect = effect->text();
    if (const auto reference = node.child("ref"))
        action.ref = reference->text();
    if (const auto probe = node.child("probe"))
        action.probe = probe->oneOf({ "row_lock" });
    if (const auto needs = node.child("needs"))
        for (const auto& need : needs->elements())
            action.needs.push_back(need.oneOf(neededWords()));
    if (const auto steps = node.child("steps"))
        for (const auto& step : steps->elements())
            action.steps.push_back(readStep(step, scope));
    if (action.steps.empty())
        node.refuse("no steps", "at least one");
    // A row that is only written elsewhere would be there once more each time.
    else if (action.steps.back().kind == Step::Kind::Insert)
        node.refuse(
            "an \"insert\" as the last step", "a \"set\" or \"delete\" after it, which cannot be done a second time");
    return action;
}

} // namespace fencepost::profile
