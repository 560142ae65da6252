// SPDX-License-Identifier: Apache-2.0
#include "core/store/same_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/store/database.h"

namespace fencepost::store {

bool isSameFile(const std::string& one, const std::string& other)
{
    std::error_code ignored;
    return std::filesystem::equivalent(one, other, ignored);
}

bool isFileOf(const Target& target, const std::string& path)
{
    constexpr std::array<std::string_view, 4> suffixes = { "", "-wal", "-shm", "-journal" };
    return !target.path.empty() && std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) {
        return isSameFile(path, target.path + std::string(suffix));
    });
}

} // namespace fencepost::store
