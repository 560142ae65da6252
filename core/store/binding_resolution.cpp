// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/binding_notes.h"
#include "core/operations/operation.h"
#include "core/profile/detection.h"
#include "core/profile/words.h"
#include "core/store/binding_rights.h"
#include "core/store/bindings.h"
#include "core/store/capabilities.h"
#include "core/store/literal_fit.h"
#include "core/store/profile_compiler.h"
#include "core/store/recogniser.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

std::string withoutUnit(std::string field)
{
    constexpr std::string_view unit = "_us";
    if (field.size() > unit.size() && field.compare(field.size() - unit.size(), unit.size(), unit) == 0)
        field.resize(field.size() - unit.size());
    return field;
}

// Labels that the profile names and an enum of the table does not have: no row can have them, as in a framework's
// version that did not know them yet.
std::set<std::string> missingLabels(const BoundProfile& bound, const Expression& expression)
{
    std::set<std::string> missing;
    eachNode(expression, [&](const Expression& node) {
        const auto* column = !node.arguments.empty() && node.arguments[0]->op == Op::Column
            ? bound.column(node.arguments[0]->name)
            : nullptr;
        if (column == nullptr || column->typeClass != TypeClass::Enum)
            return;
        for (const auto& argument : node.arguments)
            if (const auto* label = std::get_if<std::string>(&argument->literal); label != nullptr
                && argument->op == Op::Literal
                && std::find(column->labels.begin(), column->labels.end(), *label) == column->labels.end())
                missing.insert("its enum " + column->name + " has no label \"" + *label + "\", so no row has it");
    });
    return missing;
}

std::string noSuchColumn(const std::string& place, std::string column)
{
    constexpr std::string_view head = "head.";
    if (column.rfind(head, 0) == 0)
        column = column.substr(head.size());
    return place + ": the table has no column \"" + column + "\"";
}

} // namespace

const CatalogColumn* BoundProfile::column(std::string_view name) const
{
    const auto dot = name.find('.');
    const auto alias = dot == std::string_view::npos ? std::string() : std::string(name.substr(0, dot));
    if (dot == std::string_view::npos)
        return table.find(name);
    if (alias == profile->main)
        return table.find(name.substr(dot + 1));
    if (const auto other = others.find(alias); other != others.end())
        return other->second.find(name.substr(dot + 1));
    return table.find(name);
}

std::string BoundProfile::aliasOf(const CatalogColumn& column) const
{
    for (const auto& [alias, other] : others)
        if (&column >= other.columns.data() && &column < other.columns.data() + other.columns.size())
            return quotedName(alias);
    return "t";
}

std::vector<std::string> BoundProfile::comparedColumns() const
{
    std::set<std::string> columns;
    for (const auto& [verb, action] : profile->actions)
        for (const auto& step : action.steps) {
            columns.insert(step.unchanged.begin(), step.unchanged.end());
            // What was seen is written only where it was kept.
            for (const auto& [name, value] : step.set)
                eachNode(*value, [&](const profile::Expression& node) {
                    if (node.op == profile::Expression::Op::Old)
                        columns.insert(node.name);
                });
        }
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

bool BoundProfile::asksForZone() const
{
    if (!profile::asksForZone(*profile, wordOf(dialect)))
        return false;
    const auto isNaive = [](const CatalogColumn& column) { return column.typeClass == TypeClass::LocalInstant; };
    const auto hasNaive = [&](const CatalogTable& one) {
        return std::any_of(one.columns.begin(), one.columns.end(), isNaive);
    };
    const auto isUntyped = [&](const auto& field) {
        const auto* column = field.first.ends_with("_us") ? plainColumn(field.first) : nullptr;
        return column != nullptr && column->typeClass != TypeClass::Instant;
    };
    return dialect == Dialect::Sqlite || hasNaive(table)
        || std::any_of(others.begin(), others.end(), [&](const auto& other) { return hasNaive(other.second); })
        || std::any_of(fields.begin(), fields.end(), isUntyped);
}

namespace {

using Values = std::map<std::string, profile::ExpressionPtr>;

// Those whose columns are there, and may be read.
void takeThere(BoundProfile& bound, const Values& values, const std::string& what, Values& into)
{
    for (const auto& [name, value] : values) {
        if (const auto missing = missingColumn(bound, *value))
            bound.binding.absent.push_back(noSuchColumn(what + withoutUnit(name), *missing));
        else if (const auto denied = deniedColumn(bound, *value); denied && name != "key")
            bound.binding.absent.push_back(
                what + withoutUnit(name) + ": the role has no SELECT privilege on the column " + *denied);
        else
            into.emplace(name, value);
    }
}

// Of a table beside that somebody calls otherwise: it was chosen to be read as the profile of such tables.
bool isChosenAs(const profile::Library* profiles, const CatalogTable& table, const std::string& name)
{
    const auto* chosen = profiles != nullptr ? profiles->chosenFor(table.schema, table.name) : nullptr;
    return chosen != nullptr && profile::sameWithoutCase(chosen->tables.at(chosen->main), name);
}

Status bindOthers(BoundProfile& bound, const std::vector<CatalogTable>& catalog, const profile::Library* profiles)
{
    const auto& profile = *bound.profile;
    if (profile.lane)
        bound.others[profile::headAlias] = bound.table;
    const auto variable =
        profile::variablePart(profile, { bound.table.name, {}, bound.dialect == Dialect::Sqlite }).value_or("");
    for (const auto& [alias, unused] : profile.tables) {
        if (alias == profile.main)
            continue;
        const auto name = profile::nameOf(profile, alias, variable);
        const auto beside = [&](const auto& isIt) {
            return std::find_if(catalog.begin(), catalog.end(),
                [&](const CatalogTable& table) { return table.schema == bound.table.schema && isIt(table); });
        };
        auto found = beside([&](const auto& table) { return profile::sameWithoutCase(table.name, name); });
        if (found == catalog.end())
            found = beside([&](const auto& table) { return isChosenAs(profiles, table, name); });
        if (found == catalog.end())
            return Error{ Failure::Unsupported, "there is no table \"" + name + "\" beside it", {}, {} };
        if (const auto required = profile.detect.require.find(alias); required != profile.detect.require.end())
            for (const auto& column : required->second)
                if (found->find(column) == nullptr)
                    return Error{ Failure::Unsupported,
                        "the table " + found->name + " beside it has no column \"" + column + "\"", {}, {} };
        bound.others[alias] = *found;
    }
    return {};
}

bool holds(const std::vector<const CatalogColumn*>& columns, const CatalogColumn* column)
{
    return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// A partitioned table's primary key has the columns that it is partitioned by too: its rows are told apart by the whole
// of it, where what the profile names is a part of it alone.
void widenIdentity(BoundProfile& bound)
{
    const auto& table = bound.table;
    if (table.view || table.isUnique(identityNames(bound)))
        return;
    const auto key = keyOf(table);
    const auto identity = bound.identity();
    const bool within =
        std::all_of(identity.begin(), identity.end(), [&](const CatalogColumn* column) { return holds(key, column); });
    if (key.empty() || !within
        || !std::all_of(key.begin(), key.end(), [](const CatalogColumn* column) { return column->canSelect; }))
        return;
    auto own = std::make_shared<profile::Profile>(*bound.profile);
    for (const auto* column : key)
        if (!holds(identity, column)) {
            own->identity.push_back(column->name);
            bound.binding.reasons.push_back(
                "its primary key has the column " + column->name + " too, by which its rows are told apart");
        }
    bound.own = std::move(own);
    bound.profile = bound.own.get();
}

std::vector<std::string> notesOf(const profile::Profile& profile)
{
    auto notes = profile.notes;
    for (const auto& danger : profile.dangers)
        notes.push_back(dangerNote(danger));
    if (const auto never = profile.forbidden.find("delete"); never != profile.forbidden.end())
        notes.push_back(dangerNote("never delete a row: " + never->second));
    return notes;
}

// Another's table may have actions that belong to tables of another kind in Fencepost's own: a job is replayed too.
bool isAbout(const profile::Profile& profile, const Operation& operation)
{
    const std::string verb = operation.id;
    const bool said =
        actionOf(profile, verb) != nullptr || profile.forbidden.contains(verb) || profile.external.contains(verb);
    return (said && !profile.native)
        || isFor(operation, profile.kind == Kind::DeadLetter ? Kind::DeadLetter : Kind::Idempotency);
}

} // namespace

Result<BoundProfile> bindProfile(Dialect dialect, const profile::Profile& profile, const CatalogTable& table,
    const std::vector<CatalogTable>& catalog, const profile::Library* profiles)
{
    BoundProfile bound;
    bound.profile = &profile;
    bound.dialect = dialect;
    bound.table = table;
    if (const auto bindable = bindOthers(bound, catalog, profiles); !bindable)
        return bindable.error();
    for (const auto& name : profile.identity)
        if (bound.column(name) == nullptr)
            return Error{ Failure::Unsupported, noSuchColumn("/identity", name), {}, {} };
    std::set<std::string> labels;
    for (const auto& [place, expression] : decidingParts(profile)) {
        const bool isOfStates = place == "/stuck" || place.starts_with("/state/");
        if (const auto missing = isOfStates ? missingNeeded(bound, *expression) : missingColumn(bound, *expression))
            return Error{ Failure::Unsupported, noSuchColumn(place, *missing), {}, {} };
        if (const auto why = whyNotCompared(bound, *expression); !why.empty())
            return Error{ Failure::Unsupported, place + ": " + why, {}, {} };
        labels.merge(missingLabels(bound, *expression));
    }
    bound.binding.reasons.assign(labels.begin(), labels.end());
    widenIdentity(bound);
    takeThere(bound, profile.fields, "field ", bound.fields);
    takeThere(bound, profile.payload, "payload ", bound.payload);
    for (const auto& [values, place] : { std::pair(&bound.fields, "/fields/"), std::pair(&bound.payload, "/payload/") })
        for (const auto& [name, value] : *values)
            if (const auto why = whyNotCompared(bound, *value); !why.empty())
                return Error{ Failure::Unsupported, place + name + ": " + why, {}, {} };
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
    binding.notes = notesOf(profile);
    binding.native = profile.native;
    binding.tellsStuck = profile.stuck != nullptr;
    binding.identityColumns = identityNames(bound);
    for (const auto& [name, value] : bound.fields)
        binding.fields.push_back(withoutUnit(name));
    for (const auto& operation : operations())
        if (isAbout(profile, operation))
            binding.capabilities.push_back(capabilityOf(bound, operation.id));
    warnOfRights(bound);
    return bound;
}

} // namespace fencepost::store
