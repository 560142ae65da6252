// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace fencepost::profile {

// A table as detection sees it.
struct TableShape {
    std::string name;
    std::vector<std::string> columns;
    bool service = false; // SQLite has no schemas: "<service>_" in front of a multi-schema profile's table is one
};

// 10 for each required column, 1 for each optional one. None: another name, a required column is missing, or a
// forbidden one is there. Names are compared without case.
[[nodiscard]] std::optional<int> scoreOf(const Profile& profile, const TableShape& table);
// Why the profile does not fit the table's columns, whatever its name; empty: it does.
[[nodiscard]] std::string whyNoFit(const Profile& profile, const TableShape& table);
// Why the profile is taken for the table, in words.
[[nodiscard]] std::vector<std::string> reasonsOf(const Profile& profile, const TableShape& table);

// What the table's name has where the profile's has its *, or where a service's prefix stands; empty: nothing. None:
// the name is another.
[[nodiscard]] std::optional<std::string> variablePart(const Profile& profile, const TableShape& table);
// The name of another table of the profile beside a table with this variable part.
[[nodiscard]] std::string nameOf(const Profile& profile, const std::string& alias, const std::string& variable);

// The profiles that recognise the table, best first.
struct Match {
    const Profile* profile = nullptr;
    int score = 0;
};
[[nodiscard]] std::vector<Match> matchesOf(const Library& library, std::string_view dialect, const TableShape& table);
[[nodiscard]] bool sameWithoutCase(std::string_view a, std::string_view b) noexcept;

} // namespace fencepost::profile
