// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <set>

#include "core/operations/operation.h"
#include "core/profile/words.h"
#include "core/store/action_needs.h"
#include "core/store/bindings.h"
#include "core/store/profile_compiler.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

void eachNode(const Expression& expression, const std::function<void(const Expression&)>& visit)
{
    visit(expression);
    for (const auto& argument : expression.arguments)
        eachNode(*argument, visit);
}

// The first column that the table does not have.
std::optional<std::string> missingColumn(const BoundProfile& bound, const Expression& expression)
{
    std::optional<std::string> missing;
    eachNode(expression, [&](const Expression& node) {
        if ((node.op == Op::Column || node.op == Op::Old) && !missing && bound.column(node.name) == nullptr)
            missing = node.name;
    });
    return missing;
}

std::optional<std::string> missingColumn(const BoundProfile& bound, const profile::Action& action)
{
    for (const auto& step : action.steps) {
        if (step.when)
            if (auto missing = missingColumn(bound, *step.when))
                return missing;
        for (const auto& [column, value] : step.set) {
            if (bound.column(column) == nullptr)
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
    if (isOfLetters(verb))
        return "only Fencepost's own dead letters are replayed or discarded";
    return "the profile " + profile.name + " has no such action";
}

std::string whyNotNative(const BoundProfile& bound, std::string_view verb)
{
    if (bound.binding.kind != Kind::Idempotency && !isOfLetters(verb))
        return bound.profile->readOnlyReason;
    return bound.table.canUpdate ? std::string() : "the role has no UPDATE privilege on the table";
}

std::string whyNotForeign(const BoundProfile& bound, std::string_view verb, const profile::Action* action)
{
    const auto& profile = *bound.profile;
    for (const auto& [forbidden, why] : profile.forbidden)
        if (forbidden == verb || (verb == "fail" && forbidden == "fail_final"))
            return why;
    if (action == nullptr)
        return noSuchAction(bound, verb);
    if (const auto missing = missingColumn(bound, *action))
        return "the table has no column \"" + *missing + "\"";
    if (auto why = whyNotNeeded(profile, verb, *action); !why.empty())
        return why;
    for (const auto& step : action->steps) {
        const bool deletes = step.kind == profile::Step::Kind::Delete;
        if (deletes && profile.forbidden.count("delete") > 0)
            return profile.forbidden.at("delete");
        if (deletes ? !bound.table.canDelete : !bound.table.canUpdate)
            return std::string("the role has no ") + (deletes ? "DELETE" : "UPDATE") + " privilege on the table";
    }
    return {};
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
        capability.effect = action->effect;
    }
    if (bound.table.view)
        capability.why = "a view has no rows of its own to change";
    else if (!bound.table.isUnique(identityNames(bound)))
        capability.why = "the identity's columns are not unique, so one row cannot be addressed";
    else
        capability.why = capability.native ? whyNotNative(bound, verb) : whyNotForeign(bound, verb, action);
    capability.allowed = capability.why.empty();
    return capability;
}

std::string withoutUnit(std::string field)
{
    constexpr std::string_view unit = "_us";
    if (field.size() > unit.size() && field.compare(field.size() - unit.size(), unit.size(), unit) == 0)
        field.resize(field.size() - unit.size());
    return field;
}

// Literals that an enum does not have would be an error of every statement that names them.
std::optional<std::string> unknownLabel(const BoundProfile& bound, const Expression& expression)
{
    std::optional<std::string> unknown;
    eachNode(expression, [&](const Expression& node) {
        const auto* column = !node.arguments.empty() && node.arguments[0]->op == Op::Column
            ? bound.column(node.arguments[0]->name)
            : nullptr;
        if (column == nullptr || column->typeClass != TypeClass::Enum || unknown)
            return;
        for (const auto& argument : node.arguments)
            if (const auto* label = std::get_if<std::string>(&argument->literal); label != nullptr
                && argument->op == Op::Literal
                && std::find(column->labels.begin(), column->labels.end(), *label) == column->labels.end())
                unknown = *label;
    });
    return unknown;
}

Status checkCondition(const BoundProfile& bound, const Expression& expression)
{
    if (const auto missing = missingColumn(bound, expression))
        return Error{ Failure::Unsupported, "the table has no column \"" + *missing + "\"", {}, {} };
    if (const auto label = unknownLabel(bound, expression))
        return Error{ Failure::Unsupported, "the enum of the table has no label \"" + *label + "\"", {}, {} };
    return {};
}

} // namespace

const CatalogColumn* BoundProfile::column(std::string_view name) const
{
    const auto dot = name.find('.');
    if (dot != std::string_view::npos && profile->tables.count(std::string(name.substr(0, dot))) > 0)
        name.remove_prefix(dot + 1);
    return table.find(name);
}

std::vector<std::string> BoundProfile::comparedColumns() const
{
    std::set<std::string> columns;
    for (const auto& [verb, action] : profile->actions)
        for (const auto& step : action.steps)
            columns.insert(step.unchanged.begin(), step.unchanged.end());
    return { columns.begin(), columns.end() };
}

std::vector<const CatalogColumn*> BoundProfile::identity() const
{
    std::vector<const CatalogColumn*> columns;
    for (const auto& name : profile->identity)
        columns.push_back(column(name));
    return columns;
}

const CatalogColumn* BoundProfile::plainColumn(const std::string& field) const
{
    const auto found = fields.find(field);
    return found != fields.end() && found->second->op == Op::Column ? column(found->second->name) : nullptr;
}

bool BoundProfile::derivesExpiry() const
{
    const auto& words = profile::stateWordsOf(profile->kind);
    return fields.count("expires_us") > 0 && std::find(words.begin(), words.end(), "EXPIRED") != words.end()
        && std::none_of(profile->states.begin(), profile->states.end(),
            [](const profile::StateCase& state) { return state.is == "EXPIRED"; });
}

Result<BoundProfile> bindProfile(Dialect dialect, const profile::Profile& profile, const CatalogTable& table)
{
    BoundProfile bound;
    bound.profile = &profile;
    bound.dialect = dialect;
    bound.table = table;
    for (const auto& name : profile.identity)
        if (bound.column(name) == nullptr)
            return Error{ Failure::Unsupported, "the table has no column \"" + name + "\"", {}, {} };
    std::vector<profile::ExpressionPtr> conditions;
    for (const auto& state : profile.states)
        conditions.push_back(state.when);
    for (const auto& condition : { profile.stuck, profile.where })
        if (condition)
            conditions.push_back(condition);
    for (const auto& condition : conditions)
        if (const auto checked = checkCondition(bound, *condition); !checked)
            return checked.error();
    for (const auto& [name, value] : profile.fields)
        if (!missingColumn(bound, *value))
            bound.fields.emplace(name, value);
    for (const auto& [name, value] : profile.payload)
        if (!missingColumn(bound, *value))
            bound.payload.emplace(name, value);
    if (bound.fields.count("key") == 0)
        return Error{ Failure::Unsupported, "the table has no column for \"key\"", {}, {} };

    auto& binding = bound.binding;
    binding.profile = profile.name;
    binding.title = profile.title.empty() ? profile.name : profile.title;
    binding.kind = profile.kind;
    binding.schema = table.schema;
    binding.table = table.name;
    binding.name = table.name;
    binding.fencing = profile.fencing;
    binding.notes = profile.notes;
    binding.native = profile.native;
    binding.identityColumns = identityNames(bound);
    for (const auto& [name, value] : bound.fields)
        binding.fields.push_back(withoutUnit(name));
    for (const auto& operation : operations())
        if (isFor(operation, profile.kind == Kind::DeadLetter ? Kind::DeadLetter : Kind::Idempotency))
            binding.capabilities.push_back(capabilityOf(bound, operation.id));
    binding.mayHideRows = table.rowSecurity;
    if (table.rowSecurity)
        binding.warnings.emplace_back("row-level security is in force for this role: rows may be hidden");
    if (!table.canSelect) {
        binding.canRead = false;
        binding.warnings.emplace_back("the role has no SELECT privilege on the table");
    }
    if (!table.view && !table.isUnique(identityNames(bound)))
        binding.warnings.emplace_back("the identity's columns are not unique: rows may repeat or be skipped in pages");
    return bound;
}

} // namespace fencepost::store
