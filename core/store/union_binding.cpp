// SPDX-License-Identifier: Apache-2.0
#include "core/store/union_binding.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "core/binding_notes.h"
#include "core/profile/named_columns.h"

namespace fencepost::store {

namespace {

constexpr auto schemaColumn = "in_schema";
constexpr auto chooseOne = "this is a view over the tables of several schemas: choose the one to change";

CatalogColumn columnOfSchema(Dialect dialect)
{
    CatalogColumn column;
    column.name = schemaColumn;
    column.type = dialect == Dialect::Sqlite ? "TEXT" : "text";
    column.typeClass = TypeClass::Text;
    column.notNull = true;
    return column;
}

bool haveAll(const std::vector<BoundProfile*>& members, const CatalogColumn& column)
{
    return std::all_of(members.begin(), members.end(), [&](const BoundProfile* member) {
        const auto* own = member->table.find(column.name);
        return own != nullptr && own->type == column.type && own->canSelect;
    });
}

// The columns that all of them have in the same type, and that the role may read.
CatalogTable tableOver(const std::vector<BoundProfile*>& members)
{
    const auto& first = *members.front();
    CatalogTable table;
    table.name = first.profile->tables.at(first.profile->main);
    table.view = true;
    table.columns.push_back(columnOfSchema(first.dialect));
    for (auto column : first.table.columns) {
        if (!haveAll(members, column))
            continue;
        column.keyPosition = 0;
        table.columns.push_back(std::move(column));
    }
    table.estimate = 0;
    for (const auto* member : members) {
        table.parts.push_back(member->table);
        if (table.estimate && member->table.estimate)
            *table.estimate += *member->table.estimate;
        else
            table.estimate.reset();
        table.rowSecurity = table.rowSecurity || member->table.rowSecurity;
    }
    return table;
}

std::shared_ptr<const profile::Profile> profileOver(const profile::Profile& profile)
{
    auto made = std::make_shared<profile::Profile>(profile);
    made->identity.insert(made->identity.begin(), schemaColumn);
    made->actions.clear();
    made->external.clear();
    made->readOnlyReason = chooseOne;
    auto schema = std::make_shared<profile::Expression>();
    schema->op = profile::Expression::Op::Column;
    schema->name = schemaColumn;
    made->fields.insert_or_assign(rowSchema, schema);
    return made;
}

void warnOfMembers(BoundProfile& over, const std::vector<BoundProfile*>& members)
{
    for (const auto* member : members) {
        over.binding.members.push_back(member->binding.name);
        for (const auto& warning : member->binding.warnings)
            over.binding.warnings.push_back(member->binding.name + ": " + warning);
    }
}

std::optional<BoundProfile> unionOf(const std::vector<BoundProfile*>& members, const std::vector<std::string>& leftOut)
{
    const auto& first = *members.front();
    const auto table = tableOver(members);
    if (first.table.find(schemaColumn) != nullptr)
        return std::nullopt;
    auto own = profileOver(*first.profile);
    auto bound = bindProfile(first.dialect, *own, table);
    if (!bound)
        return std::nullopt;
    bound->own = std::move(own);
    bound->profile = bound->own.get();
    bound->binding.name = (first.dialect == Dialect::Sqlite ? "*_" : "*.") + table.name;
    bound->binding.title += ", all schemas";
    bound->binding.warnings.clear();
    bound->binding.reasons = { std::to_string(members.size()) + " tables have the profile " + first.profile->name };
    bound->binding.orders = { "key" };
    warnOfMembers(*bound, members);
    for (const auto& other : leftOut)
        bound->binding.warnings.push_back("the rows of " + other + ", which has the same profile, are not among these");
    return std::move(*bound);
}

// Why the rows of the second cannot stand in one list with those of the first; empty: they can. What only one of them
// has is left out of the list.
std::string whyUnlike(const BoundProfile& first, const BoundProfile& other)
{
    for (const auto& name : profile::namedColumns(*first.profile)) {
        const auto* one = first.column(name);
        const auto* own = other.column(name);
        if (one == nullptr || own == nullptr)
            continue;
        if (one->type != own->type)
            return "its column " + own->name + " is of type " + own->type + ", not " + one->type;
        if (one->canSelect != own->canSelect)
            return "this role may read the column " + own->name + " of some of them only";
    }
    return {};
}

// Beside the first of the others.
std::string whyApart(const std::vector<BoundProfile*>& tables, const BoundProfile& table)
{
    const auto& other = *(tables.front() != &table ? tables.front() : tables.back());
    const auto why = whyUnlike(other, table);
    return why.empty()
        ? std::string("one of them has a column ") + schemaColumn + ", or lacks one that the profile needs"
        : "beside " + other.binding.name + ", " + why;
}

// What tells tables of one profile apart here: two of the same shape are alike to every other one.
std::string shapeOf(const std::set<std::string>& names, const BoundProfile& table)
{
    std::string shape;
    for (const auto& name : names) {
        const auto* column = table.column(name);
        shape += column == nullptr ? std::string("-") : (column->canSelect ? "+" : "!") + column->type;
        shape += '\n';
    }
    return shape;
}

// By shape, because there may be a schema for each of thousands of tenants.
std::vector<BoundProfile*> mostAlike(const std::vector<BoundProfile*>& tables)
{
    const auto names = profile::namedColumns(*tables.front()->profile);
    std::vector<std::vector<BoundProfile*>> kinds;
    std::map<std::string, std::size_t> places;
    std::map<const BoundProfile*, std::size_t> kindOf;
    for (auto* table : tables) {
        const auto place = places.emplace(shapeOf(names, *table), kinds.size()).first->second;
        kinds.resize(std::max(kinds.size(), place + 1));
        kinds[place].push_back(table);
        kindOf[table] = place;
    }
    std::size_t most = 0;
    std::vector<bool> chosen;
    for (const auto& kind : kinds) {
        std::size_t count = 0;
        std::vector<bool> alike;
        for (const auto& other : kinds) {
            alike.push_back(whyUnlike(*kind.front(), *other.front()).empty());
            count += alike.back() ? other.size() : 0;
        }
        if (count > most) {
            most = count;
            chosen = std::move(alike);
        }
    }
    std::vector<BoundProfile*> result;
    std::copy_if(tables.begin(), tables.end(), std::back_inserter(result),
        [&](const BoundProfile* table) { return chosen[kindOf.at(table)]; });
    return result;
}

// A row's other tables and its lane are those of its own schema.
bool looksBeside(const profile::Profile& profile)
{
    return profile.tables.size() > 1 || profile.lane;
}

bool canBeUnited(const BoundProfile& bound)
{
    const auto& profile = *bound.profile;
    return profile.multiSchema && !profile.native && !looksBeside(profile) && bound.binding.canRead
        && !bound.table.view;
}

// Where one would be expected.
void noteMissingUnions(std::vector<BoundProfile>& all)
{
    for (auto& bound : all) {
        const auto isAlike = [&](const BoundProfile& other) { return other.profile == bound.profile; };
        if (bound.profile->multiSchema && looksBeside(*bound.profile)
            && std::count_if(all.begin(), all.end(), isAlike) > 1)
            bound.binding.notes.push_back(
                std::string(noViewOverAll) + ", since its profile looks into other tables or orders rows in lanes");
    }
}

} // namespace

void addUnions(std::vector<BoundProfile>& all)
{
    std::map<const profile::Profile*, std::vector<BoundProfile*>> members;
    std::map<const profile::Profile*, std::vector<std::string>> leftOut;
    for (auto& bound : all)
        if (canBeUnited(bound))
            members[bound.profile].push_back(&bound);
        else if (!bound.table.view)
            leftOut[bound.profile].push_back(bound.binding.name);
    std::vector<BoundProfile> unions;
    for (const auto& [profile, tables] : members) {
        const auto alike = mostAlike(tables);
        for (auto* table : tables)
            if (std::find(alike.begin(), alike.end(), table) == alike.end())
                leftOut[profile].push_back(table->binding.name + " (" + whyUnlike(*alike.front(), *table) + ")");
        auto over = alike.size() > 1 ? unionOf(alike, leftOut[profile]) : std::nullopt;
        for (auto* table : tables)
            if (!over && tables.size() > 1)
                table->binding.notes.push_back(std::string(noViewOverAll) + ": " + whyApart(tables, *table));
        if (over)
            unions.push_back(std::move(*over));
    }
    std::sort(unions.begin(), unions.end(),
        [](const BoundProfile& a, const BoundProfile& b) { return a.binding.name < b.binding.name; });
    std::move(unions.begin(), unions.end(), std::back_inserter(all));
    noteMissingUnions(all);
}

} // namespace fencepost::store
