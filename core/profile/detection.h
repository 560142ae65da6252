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

// The profiles that recognise the table, best first.
struct Match {
    const Profile* profile = nullptr;
    int score = 0;
};
[[nodiscard]] std::vector<Match> matchesOf(const Library& library, std::string_view dialect, const TableShape& table);

[[nodiscard]] bool sameWithoutCase(std::string_view a, std::string_view b) noexcept;

} // namespace fencepost::profile
