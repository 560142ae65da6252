// SPDX-License-Identifier: Apache-2.0
#include "core/store/capabilities.h"

#include <algorithm>

#include "core/in_quotes.h"
#include "core/operations/operation.h"
#include "core/profile/detection.h"
#include "core/profile/named_columns.h"
#include "core/shell_word.h"
#include "core/store/action_needs.h"
#include "core/store/binding_rights.h"
#include "core/store/literal_fit.h"
#include "core/store/profile_compiler.h"

namespace fencepost::store {

namespace {

using Op = profile::Expression::Op;

// Of the other table where a step writes a row there, else of the row's own.
const CatalogColumn* targetColumn(const BoundProfile& bound, const profile::Step& step, const std::string& name)
{
    if (step.kind != profile::Step::Kind::Insert)
        return bound.column(name);
    const auto other = bound.others.find(step.other);
    return other == bound.others.end() ? nullptr : other->second.find(name);
}

std::optional<std::string> missingColumn(const BoundProfile& bound, const profile::Action& action)
{
    for (const auto& step : action.steps) {
        for (const auto& condition : { step.when, step.which })
            if (condition)
                if (auto missing = missingColumn(bound, *condition))
                    return missing;
        for (const auto& [column, value] : step.set) {
            if (targetColumn(bound, step, column) == nullptr)
                return column;
            if (auto missing = missingColumn(bound, *value))
                return missing;
        }
        for (const auto& column : step.unchanged)
            if (bound.column(column) == nullptr)
                return column;
    }
    return std::nullopt;
}

// What an enum cannot hold is an error when it is written, not before.
std::string unknownLabel(const BoundProfile& bound, const profile::Action& action)
{
    for (const auto& step : action.steps)
        for (const auto& [name, value] : step.set) {
            const auto* column = targetColumn(bound, step, name);
            const auto* label = std::get_if<std::string>(&value->literal);
            if (label != nullptr && value->op == Op::Literal && column->typeClass == TypeClass::Enum
                && std::find(column->labels.begin(), column->labels.end(), *label) == column->labels.end())
                return "the enum of the column " + column->name + " has no label \"" + *label + "\"";
        }
    return {};
}

// Known beforehand to be refused by the database, with the place in the profile.
std::string whyRefused(const BoundProfile& bound, const profile::Action& action, const std::string& place)
{
    for (std::size_t i = 0; i < action.steps.size(); ++i) {
        const auto& step = action.steps[i];
        const auto at = place + "/steps/" + std::to_string(i);
        if (auto why = step.which ? whyNotCompared(bound, *step.which) : std::string(); !why.empty())
            return at + "/delete/where: " + why;
        if (auto why = step.when ? whyNotCompared(bound, *step.when) : std::string(); !why.empty())
            return at + "/when: " + why;
        const bool inserts = step.kind == profile::Step::Kind::Insert;
        for (const auto& [name, value] : step.set) {
            const auto* column = targetColumn(bound, step, name);
            auto why = column->generated ? "the database itself computes the column " + inQuotes(column->name)
                                         : whyNotHeld(bound, *column, *value);
            if (why.empty())
                why = whyNotCompared(bound, *value);
            if (!why.empty())
                return at + (inserts ? "/insert/columns/" : "/set/") + name + ": " + why;
        }
    }
    return {};
}

// The row would be another one after it, which nobody finds any more by what it was known by.
std::string whyNotAnother(const BoundProfile& bound, const profile::Action& action)
{
    const auto identity = bound.identity();
    for (const auto& step : action.steps)
        for (const auto& [name, value] : step.set)
            if (step.kind == profile::Step::Kind::Set
                && std::find(identity.begin(), identity.end(), bound.column(name)) != identity.end())
                return "it writes the column " + name + ", by which the table's rows are told apart";
    return {};
}

std::string noSuchAction(const BoundProfile& bound, std::string_view verb)
{
    const auto& profile = *bound.profile;
    if (!profile.readOnlyReason.empty())
        return profile.readOnlyReason;
    if (verb == "fence" && profile.fencing == "none")
        return "the workers of this layout finish by key alone: nothing that a fence could write would stop them";
    if (verb == "fence" && profile.fencing == "not_applicable")
        return "this layout has no owner to fence";
    if (verb == "resolve")
        return "this layout cannot hold a record";
    if (isEdit(verb))
        return "only an event of Fencepost's own dead letters is edited and sent again";
    return "the profile " + profile.name + " has no such action";
}

std::string whyNotNative(const BoundProfile& bound, std::string_view verb)
{
    if (bound.binding.kind != Kind::Idempotency && !isOfLetters(verb))
        return bound.profile->readOnlyReason;
    return bound.table.canUpdate ? std::string() : "the role has no UPDATE privilege on the table";
}

// What a step writes, and with which right.
std::string whyNotWritten(const BoundProfile& bound, const profile::Action& action, const profile::Step& step)
{
    const auto lacks = [](const char* privilege, const std::string& table) {
        return std::string("the role has no ") + privilege + " privilege on " + table;
    };
    if (step.kind == profile::Step::Kind::Insert) {
        const auto& other = bound.others.at(step.other);
        return other.canInsert ? std::string() : lacks("INSERT", other.name);
    }
    const bool deletes = step.kind == profile::Step::Kind::Delete;
    if (deletes && !step.other.empty()) {
        const auto& other = bound.others.at(step.other);
        if (other.view)
            return "the " + other.what + " " + other.name + " has no rows of its own to delete";
        return other.canDelete ? std::string() : lacks("DELETE", other.name);
    }
    if (deletes && bound.profile->forbidden.count("delete") > 0)
        return bound.profile->forbidden.at("delete");
    if (deletes && !bound.table.canDelete)
        return lacks("DELETE", "the table");
    const auto& columns = bound.table.columns;
    const bool mayLock =
        std::any_of(columns.begin(), columns.end(), [](const CatalogColumn& column) { return column.canUpdate; });
    if (!deletes && !mayLock)
        return lacks("UPDATE", "the table");
    for (const auto& [name, value] : step.set)
        if (const auto* column = bound.column(name); column != nullptr && !column->canUpdate)
            return lacks("UPDATE", "the column " + column->name);
    if (!action.probe.empty() && !mayLock)
        return "whether a worker holds the row's lock cannot be found out without the UPDATE privilege";
    return {};
}

// An action that closes something for good has two names.
bool means(std::string_view said, std::string_view verb)
{
    return said == verb || (verb == "fail" && said == "fail_final");
}

std::string whyNotForeign(const BoundProfile& bound, std::string_view verb, const profile::Action* action)
{
    const auto& profile = *bound.profile;
    for (const auto& [forbidden, why] : profile.forbidden)
        if (means(forbidden, verb))
            return why;
    for (const auto& [outside, command] : profile.external)
        if (means(outside, verb))
            return "it is done by the framework's own command, outside Fencepost: " + shellLine(command);
    if (action == nullptr)
        return noSuchAction(bound, verb);
    // Whoever writes actions into a profile that was made by hand takes this out when they were reviewed.
    if (!profile.readOnlyReason.empty())
        return profile.readOnlyReason + "; its actions count as soon as it has no readOnlyReason";
    if (const auto missing = missingColumn(bound, *action))
        return "the table has no column \"" + *missing + "\"";
    if (auto why = unknownLabel(bound, *action); !why.empty())
        return why;
    if (auto why = whyRefused(bound, *action, "/actions/" + action->verb); !why.empty())
        return why;
    if (auto why = whyNotAnother(bound, *action); !why.empty())
        return why;
    if (auto why = whyNotNeeded(profile, *action); !why.empty())
        return why;
    for (const auto& step : action->steps)
        if (auto why = whyNotWritten(bound, *action, step); !why.empty())
            return why;
    return {};
}

} // namespace

void eachNode(const profile::Expression& expression, const std::function<void(const profile::Expression&)>& visit)
{
    visit(expression);
    for (const auto& argument : expression.arguments)
        eachNode(*argument, visit);
}

std::optional<std::string> missingColumn(const BoundProfile& bound, const profile::Expression& expression)
{
    std::optional<std::string> missing;
    eachNode(expression, [&](const profile::Expression& node) {
        if ((node.op == Op::Column || node.op == Op::Old) && !missing && bound.column(node.name) == nullptr)
            missing = node.name;
    });
    return missing;
}

bool isLeftOut(const BoundProfile& bound, const profile::Expression& term)
{
    const auto& optional = bound.profile->detect.optional;
    const auto isOptional = [&](const std::string& name) {
        return std::any_of(optional.begin(), optional.end(), [&](const std::string& column) {
            return profile::sameWithoutCase(
                profile::withAlias(*bound.profile, column), profile::withAlias(*bound.profile, name));
        });
    };
    bool asks = false;
    bool needs = false;
    eachNode(term, [&](const profile::Expression& node) {
        if (node.op != Op::Column || bound.column(node.name) != nullptr)
            return;
        asks = true;
        needs = needs || !isOptional(node.name);
    });
    return asks && !needs;
}

// A term less makes an "or" stricter, and under a "not" laxer.
std::optional<std::string> missingNeeded(const BoundProfile& bound, const profile::Expression& condition)
{
    if (condition.op != Op::And && condition.op != Op::Or)
        return missingColumn(bound, condition);
    for (const auto& term : condition.arguments)
        if (auto missing = missingNeeded(bound, *term); missing && !(condition.op == Op::Or && isLeftOut(bound, *term)))
            return missing;
    return std::nullopt;
}

std::vector<std::string> identityNames(const BoundProfile& bound)
{
    std::vector<std::string> names;
    for (const auto* column : bound.identity())
        names.push_back(column->name);
    return names;
}

Capability capabilityOf(const BoundProfile& bound, std::string_view verb)
{
    Capability capability;
    capability.verb = verb;
    capability.native = bound.profile->native;
    if (verb == "note") {
        capability.allowed = true;
        return capability;
    }
    const auto* action = capability.native ? nullptr : actionOf(*bound.profile, verb);
    if (action != nullptr) {
        capability.title = action->title;
        capability.risk = action->risk;
        capability.effect =
            action->effect.empty() ? action->title + ": the profile does not say what follows from it" : action->effect;
        capability.reference = action->ref;
        capability.parameters = parametersOf(*bound.profile, *action);
    }
    for (const auto& [outside, command] : bound.profile->external)
        if (means(outside, verb))
            capability.external = command;
    if (!bound.table.parts.empty())
        capability.why = "this is a view over the tables of several schemas: choose the one";
    else if (bound.table.view)
        capability.why = "a " + bound.table.what + " has no rows of its own to change";
    else if (!bound.table.isUnique(identityNames(bound)))
        capability.why = "the identity's columns are not unique, so one row cannot be addressed";
    else if (const auto hidden = hiddenColumns(bound.table); !hidden.empty())
        capability.why =
            "an action is recorded with every column of the row, and the role has no SELECT privilege on " + hidden;
    else
        capability.why = capability.native ? whyNotNative(bound, verb) : whyNotForeign(bound, verb, action);
    capability.allowed = capability.why.empty();
    return capability;
}

} // namespace fencepost::store
