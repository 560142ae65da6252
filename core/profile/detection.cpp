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

bool isNamed(const Profile& profile, const TableShape& table)
{
    const auto& wanted = profile.tables.begin()->second;
    if (sameWithoutCase(table.name, wanted))
        return true;
    const std::string suffix = "_" + wanted;
    return table.service && profile.multiSchema && table.name.size() > suffix.size()
        && sameWithoutCase(std::string_view(table.name).substr(table.name.size() - suffix.size()), suffix);
}

} // namespace

bool sameWithoutCase(std::string_view a, std::string_view b) noexcept
{
    return a.size() == b.size()
        && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lowered(x) == lowered(y); });
}

std::optional<int> scoreOf(const Profile& profile, const TableShape& table)
{
    if (profile.tables.empty() || !isNamed(profile, table))
        return std::nullopt;
    int score = 0;
    for (const auto& [alias, columns] : profile.detect.require)
        for (const auto& column : columns) {
            if (!has(table, column))
                return std::nullopt;
            score += 10;
        }
    for (const auto& column : profile.detect.forbid)
        if (has(table, column))
            return std::nullopt;
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
