// SPDX-License-Identifier: Apache-2.0
#include "core/profile/detection.h"

#include <algorithm>

namespace fencepost::profile {

namespace {

char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has(const TableShape& table, const std::string& column)
{
    return std::any_of(table.columns.begin(), table.columns.end(),
        [&](const std::string& name) { return sameWithoutCase(name, column); });
}

std::string counted(std::size_t count, const std::string& what)
{
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

} // namespace

bool sameWithoutCase(std::string_view a, std::string_view b) noexcept
{
    return a.size() == b.size()
        && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lowered(x) == lowered(y); });
}

std::optional<std::string> variablePart(const Profile& profile, const TableShape& table)
{
    const std::string_view wanted = profile.tables.at(profile.main);
    const std::string_view name = table.name;
    if (profile.patterns.contains(profile.main)) {
        const auto star = wanted.find('*');
        const auto before = wanted.substr(0, star);
        const auto behind = wanted.substr(star + 1);
        const auto fixed = before.size() + behind.size();
        if (name.size() < fixed || !sameWithoutCase(name.substr(0, before.size()), before)
            || !sameWithoutCase(name.substr(name.size() - behind.size()), behind))
            return std::nullopt;
        return std::string(name.substr(before.size(), name.size() - fixed));
    }
    if (sameWithoutCase(name, wanted))
        return std::string();
    const auto suffix = '_' + std::string(wanted);
    if (table.service && profile.multiSchema && name.size() > suffix.size()
        && sameWithoutCase(name.substr(name.size() - suffix.size()), suffix))
        return std::string(name.substr(0, name.size() - suffix.size()));
    return std::nullopt;
}

std::string nameOf(const Profile& profile, const std::string& alias, const std::string& variable)
{
    const auto& name = profile.tables.at(alias);
    const auto star = profile.patterns.contains(alias) ? name.find('*') : std::string::npos;
    return star == std::string::npos ? name : name.substr(0, star) + variable + name.substr(star + 1);
}

std::vector<std::string> reasonsOf(const Profile& profile, const TableShape& table)
{
    std::vector<std::string> reasons;
    const auto& wanted = profile.tables.at(profile.main);
    reasons.push_back(!variablePart(profile, table)   ? "it was chosen to be read as a table \"" + wanted + '"'
            : profile.patterns.contains(profile.main) ? "its name is like \"" + wanted + '"'
            : sameWithoutCase(table.name, wanted)     ? "its name is \"" + wanted + '"'
                                                      : "its name is \"" + wanted + "\" behind a service's");
    reasons.push_back("it has all " + counted(profile.detect.require.at(profile.main).size(), "required column"));
    const auto optional = static_cast<std::size_t>(std::count_if(profile.detect.optional.begin(),
        profile.detect.optional.end(), [&](const std::string& column) { return has(table, column); }));
    if (optional > 0)
        reasons.push_back(
            "it has " + std::to_string(optional) + " of " + counted(profile.detect.optional.size(), "optional column"));
    if (!profile.detect.forbid.empty())
        reasons.push_back("it has none of " + counted(profile.detect.forbid.size(), "excluded column"));
    return reasons;
}

std::string whyNoFit(const Profile& profile, const TableShape& table)
{
    for (const auto& column : profile.detect.require.at(profile.main))
        if (!has(table, column))
            return "it has no column \"" + column + '"';
    for (const auto& column : profile.detect.forbid)
        if (has(table, column))
            return "it has the column \"" + column + "\", which tables of this profile do not have";
    return {};
}

std::optional<int> scoreOf(const Profile& profile, const TableShape& table)
{
    if (profile.tables.empty() || !variablePart(profile, table) || !whyNoFit(profile, table).empty())
        return std::nullopt;
    auto score = static_cast<int>(10 * profile.detect.require.at(profile.main).size());
    for (const auto& column : profile.detect.optional)
        score += has(table, column) ? 1 : 0;
    return score;
}

std::vector<Match> matchesOf(const Library& library, std::string_view dialect, const TableShape& table)
{
    std::vector<Match> matches;
    for (const auto& profile : library.all()) {
        if (std::find(profile.dialects.begin(), profile.dialects.end(), dialect) == profile.dialects.end())
            continue;
        if (const auto score = scoreOf(profile, table))
            matches.push_back({ &profile, *score });
    }
    // What is written to Fencepost's own tables is the protocol's to decide and to journal, whoever describes them too.
    const auto isOwn = [](const Match& match) { return match.profile->native; };
    if (std::any_of(matches.begin(), matches.end(), isOwn))
        std::erase_if(matches, [&](const Match& match) { return !isOwn(match); });
    std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.score > b.score; });
    return matches;
}

} // namespace fencepost::profile
