// SPDX-License-Identifier: Apache-2.0
#include "core/profile/action_reader.h"

#include "core/profile/words.h"

namespace fencepost::profile {

namespace {

using Assignments = std::vector<std::pair<std::string, ExpressionPtr>>;

Assignments readAssignments(const Node& node, const ExpressionScope& scope, bool old)
{
    auto setting = scope;
    setting.old = old;
    Assignments result;
    for (const auto& [column, value] : node.membersByIdentifier())
        result.emplace_back(column, readValue(value, setting));
    if (result.empty())
        node.refuse("an empty object", "at least one column to set");
    return result;
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
    into.into = table->identifier();
    if (!node.failed() && (!scope.profile->tables.contains(into.into) || into.into == scope.profile->main))
        table->refuse("the alias of another table of /source/tables");
    into.set = readAssignments(*columns, scope, false);
}

Step readStep(const Node& node, const ExpressionScope& scope)
{
    node.onlyKeys({ "set", "delete", "insert", "call", "when", "unchanged", "expect" });
    Step step;
    const auto set = node.child("set");
    const auto deleting = node.child("delete");
    const auto inserting = node.child("insert");
    if (const auto call = node.child("call"))
        call->refuse("a call of a function", "\"set\", \"delete\" or \"insert\"");
    const int kinds = (set ? 1 : 0) + (deleting ? 1 : 0) + (inserting ? 1 : 0);
    if (kinds != 1)
        node.refuse(
            kinds == 0 ? "none of \"set\", \"delete\" and \"insert\"" : "several of \"set\", \"delete\" and \"insert\"",
            "one of them");
    if (set)
        step.set = readAssignments(*set, scope, true);
    if (inserting)
        readInsert(*inserting, scope, step);
    if (deleting) {
        step.kind = Step::Kind::Delete;
        if (!deleting->boolean())
            deleting->refuse("true");
    }
    if (const auto when = node.child("when"))
        step.when = readPredicate(*when, scope);
    else
        node.refuse("no \"when\"", "the condition that the row must still meet");
    if (const auto unchanged = node.child("unchanged"))
        step.unchanged = unchanged->identifiers();
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
        node.refuse("an \"insert\" as the last step", "a \"set\" or \"delete\" of the row itself after it");
    return action;
}

} // namespace fencepost::profile
