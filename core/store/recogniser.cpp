// SPDX-License-Identifier: Apache-2.0
#include "core/store/recogniser.h"

#include <algorithm>
#include <limits>

#include "core/profile/alike.h"
#include "core/store/capabilities.h"

namespace fencepost::store {

namespace {

profile::TableShape shapeOf(const CatalogTable& table, Dialect dialect)
{
    profile::TableShape shape{ table.name, {}, dialect == Dialect::Sqlite };
    for (const auto& column : table.columns)
        shape.columns.push_back(column.name);
    return shape;
}

std::string nameOf(const CatalogTable& table)
{
    return table.schema.empty() ? table.name : table.schema + '.' + table.name;
}

// Why a table that was chosen to be read as a profile cannot be; empty: it can.
std::string whyNotAs(const profile::Profile& profile, Dialect dialect, const profile::TableShape& shape,
    const std::vector<profile::Match>& matches)
{
    const bool own = !matches.empty() && matches.front().profile->native;
    if (own && !profile.native)
        return "it is one of Fencepost's own tables, whose changes are the protocol's to decide";
    if (profile.native)
        return "only Fencepost's own tables are read so, under their own names";
    const auto word = wordOf(dialect);
    if (std::find(profile.dialects.begin(), profile.dialects.end(), word) == profile.dialects.end())
        return "the profile is not for " + std::string(word);
    return profile::whyNoFit(profile, shape);
}

// Of tables that have a profile's name and not its columns, where nothing else is made of them.
void addNamesakes(const profile::Library& profiles, const CatalogTable& table, const profile::TableShape& shape,
    std::vector<Unfit>& unfit)
{
    for (const auto& profile : profiles.all()) {
        // Which columns it would have is not known.
        const bool named = !profile.tables.empty() && !profile.patterns.contains(profile.main)
            && profile::variablePart(profile, shape);
        auto why = named ? profile::whyNoFit(profile, shape) : std::string();
        if (named && !table.broken.empty())
            why = "the view cannot be prepared (" + table.broken + ')';
        if (!why.empty())
            unfit.push_back({ nameOf(table), profile.name, std::move(why) });
    }
}

// Of two profiles that differ in nothing but what tells rows apart, the one whose identity is a key of the table, and
// no more than that; else the one that has more of the primary key. Of a view nobody knows: the one that tells more
// rows apart.
int placeOf(const profile::Profile& profile, const CatalogTable& table)
{
    std::vector<std::string> names;
    bool ofKey = true;
    for (const auto& name : profile.identity) {
        const auto* column = table.find(name);
        names.push_back(column != nullptr ? column->name : name);
        ofKey = ofKey && column != nullptr && column->keyPosition > 0;
    }
    const auto count = static_cast<int>(names.size());
    if (table.view)
        return -count;
    constexpr int last = std::numeric_limits<int>::max();
    return table.isUnique(names) ? count : ofKey ? last - count : last;
}

} // namespace

// A profile whose other tables are not there does not fit, however well its own does. Of those that fit equally well
// the first one is taken, and all of them are named.
std::optional<BoundProfile> Recogniser::bestOf(const std::vector<profile::Match>& matches, const CatalogTable& table)
{
    std::optional<BoundProfile> best;
    const profile::Profile* taken = nullptr;
    int score = 0;
    std::vector<std::string> names;
    for (const auto& match : matches) {
        if (best && match.score < score)
            break;
        auto bound = bindProfile(m_dialect, *match.profile, table, m_catalog, &m_profiles);
        if (!bound) {
            m_unfit.push_back({ nameOf(table), match.profile->name, bound.error().message });
            continue;
        }
        if (best && profile::differInIdentityOnly(*taken, *match.profile)) {
            if (placeOf(*match.profile, table) < placeOf(*taken, table)) {
                std::replace(names.begin(), names.end(), taken->name, match.profile->name);
                best = std::move(*bound);
                taken = match.profile;
            }
            continue;
        }
        names.push_back(match.profile->name);
        if (best)
            continue;
        best = std::move(*bound);
        taken = match.profile;
        score = match.score;
    }
    if (best && names.size() > 1)
        best->binding.choices = std::move(names);
    return best;
}

std::optional<BoundProfile> Recogniser::read(const CatalogTable& table)
{
    const auto shape = shapeOf(table, m_dialect);
    auto matches = profile::matchesOf(m_profiles, wordOf(m_dialect), shape);
    const auto* chosen = m_profiles.chosenFor(table.schema, table.name);
    if (chosen != nullptr) {
        const bool fits = std::any_of(
            matches.begin(), matches.end(), [&](const profile::Match& match) { return match.profile == chosen; });
        if (auto why = fits ? std::string() : whyNotAs(*chosen, m_dialect, shape, matches); !why.empty()) {
            m_unfit.push_back({ nameOf(table), chosen->name, std::move(why), true });
            return std::nullopt;
        }
        matches = { { chosen, 0 } };
    }
    const auto before = m_unfit.size();
    auto best = bestOf(matches, table);
    if (!best) {
        if (matches.empty())
            addNamesakes(m_profiles, table, shape, m_unfit);
        for (auto at = before; chosen != nullptr && at < m_unfit.size(); ++at)
            m_unfit[at].chosen = true;
        return std::nullopt;
    }
    // What fits it better than they do was found.
    m_unfit.resize(before);
    auto reasons = profile::reasonsOf(*best->profile, shape);
    best->binding.reasons.insert(best->binding.reasons.begin(), reasons.begin(), reasons.end());
    if (table.partitions > 0)
        best->binding.reasons.push_back("its " + std::to_string(table.partitions) + " partitions are part of it");
    if (table.what != "table")
        best->binding.reasons.push_back("it is a " + table.what);
    return best;
}

} // namespace fencepost::store
