// SPDX-License-Identifier: Apache-2.0
#include "core/store/binding_rights.h"

#include <algorithm>
#include <set>

#include "core/store/capabilities.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

bool mayReadSome(const CatalogTable& table)
{
    return std::any_of(
        table.columns.begin(), table.columns.end(), [](const CatalogColumn& column) { return column.canSelect; });
}

void addColumns(const BoundProfile& bound, const Expression& expression, std::set<const CatalogColumn*>& into)
{
    eachNode(expression, [&](const Expression& node) {
        if (const auto* column = node.op == Op::Column ? bound.column(node.name) : nullptr)
            into.insert(column);
    });
}

// Without these there is nothing to show: fields whose columns may not be read are left out, and what only an action
// compares keeps that action back.
std::set<const CatalogColumn*> neededColumns(const BoundProfile& bound)
{
    std::set<const CatalogColumn*> needed;
    for (const auto* column : bound.identity())
        needed.insert(column);
    for (const auto& part : decidingParts(*bound.profile))
        addColumns(bound, *part.expression, needed);
    for (const auto& [name, value] : bound.fields)
        addColumns(bound, *value, needed);
    return needed;
}

// In words; empty: the role may read all that is needed.
std::string deniedOf(const BoundProfile& bound, const CatalogTable& table, const std::string& alias)
{
    if (!mayReadSome(table))
        return "the table";
    std::string names;
    const auto needed = neededColumns(bound);
    for (const auto& column : table.columns) {
        const bool isNeeded = needed.contains(&column) && bound.aliasOf(column) == alias;
        if (isNeeded && !column.canSelect)
            names += (names.empty() ? "its column " : ", ") + column.name;
    }
    return names;
}

// What is not known of the tables beside it is not known of the rows either.
void warnOfOthers(BoundProfile& bound)
{
    for (const auto& [alias, other] : bound.others) {
        if (alias == profile::headAlias)
            continue;
        if (const auto denied = deniedOf(bound, other, quotedName(alias)); !denied.empty()) {
            bound.binding.canRead = false;
            bound.binding.warnings.push_back("the role has no SELECT privilege on " + other.name
                + (denied == "the table" ? std::string() : " (" + denied + ")")
                + ", without which the rows' state is not known");
        }
        if (other.rowSecurity)
            bound.binding.warnings.push_back("row-level security is in force for this role on " + other.name
                + ": what is not seen there may be there all the same, and what depends on it is not known");
    }
}

} // namespace

std::vector<ProfilePart> decidingParts(const profile::Profile& profile)
{
    std::vector<ProfilePart> parts;
    for (std::size_t i = 0; i < profile.states.size(); ++i)
        parts.push_back({ "/state/" + std::to_string(i) + "/when", profile.states[i].when });
    parts.push_back({ "/stuck", profile.stuck });
    parts.push_back({ "/source/where", profile.where });
    if (profile.lane)
        parts.push_back({ "/lane", profile.lane->behind });
    if (profile.owners)
        parts.push_back({ "/owners", profile.owners->dead });
    std::erase_if(parts, [](const ProfilePart& part) { return part.expression == nullptr; });
    return parts;
}

std::string hiddenColumns(const CatalogTable& table)
{
    constexpr std::size_t named = 3;
    std::string names;
    std::size_t hidden = 0;
    for (const auto& column : table.columns)
        if (!column.canSelect && ++hidden <= named)
            names += (names.empty() ? "" : ", ") + column.name;
    return hidden > named ? names + " and " + std::to_string(hidden - named) + " more" : names;
}

std::optional<std::string> deniedColumn(const BoundProfile& bound, const Expression& expression)
{
    std::optional<std::string> denied;
    if (!bound.table.canSelect && mayReadSome(bound.table))
        eachNode(expression, [&](const Expression& node) {
            const auto* column = node.op == Op::Column ? bound.column(node.name) : nullptr;
            if (column != nullptr && !column->canSelect && bound.aliasOf(*column) == "t")
                denied = column->name;
        });
    return denied;
}

void warnOfRights(BoundProfile& bound)
{
    auto& binding = bound.binding;
    const auto& table = bound.table;
    binding.mayHideRows = table.rowSecurity;
    if (table.rowSecurity)
        binding.warnings.emplace_back("row-level security is in force for this role: rows may be hidden");
    if (const auto denied = deniedOf(bound, table, "t"); !denied.empty()) {
        binding.canRead = false;
        binding.warnings.push_back("the role has no SELECT privilege on " + denied);
    }
    warnOfOthers(bound);
    if (!table.view && !table.isUnique(identityNames(bound)))
        binding.warnings.emplace_back("the identity's columns are not unique: rows may repeat or be skipped in pages");
}

} // namespace fencepost::store
