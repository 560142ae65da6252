// SPDX-License-Identifier: Apache-2.0
#include "core/profile/changed_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "core/profile/library.h"
#include "core/protocol/digest.h"

namespace fencepost::profile {

namespace {

namespace files = std::filesystem;

constexpr std::size_t mostTold = 40;
constexpr std::size_t largestTable = 4'000'000; // of lines against lines

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// By its whole path: two folders may have a file of one name.
files::path copyOf(const files::path& profile, const files::path& kept)
{
    constexpr std::size_t digits = 32;
    std::error_code problem;
    const auto path = files::absolute(profile, problem);
    return kept / (toHex(sha256((problem ? profile : path).string())).substr(0, digits) + ".json");
}

// It may be the first in the folder of the audit, which nobody else may read.
void makePrivate(const files::path& folder)
{
    std::error_code problem;
    if (folder.empty() || files::exists(folder, problem))
        return;
    makePrivate(folder.parent_path());
    if (files::create_directory(folder, problem))
        files::permissions(folder, files::perms::owner_all, problem);
}

// Whole or not at all: several programs may do so at once.
void keep(const files::path& copy, const std::string& text)
{
    const auto draft = copy.string() + '.' + std::to_string(::getpid());
    std::error_code problem;
    {
        std::ofstream file(draft, std::ios::binary | std::ios::trunc);
        file << text;
        if (!file.flush()) {
            files::remove(draft, problem);
            return;
        }
    }
    files::rename(draft, copy, problem);
}

} // namespace

std::vector<std::string> changedLines(const std::string& before, const std::string& now)
{
    const auto old = linesOf(before);
    const auto fresh = linesOf(now);
    std::size_t head = 0;
    while (head < old.size() && head < fresh.size() && old[head] == fresh[head])
        ++head;
    std::size_t tail = 0;
    while (tail < old.size() - head && tail < fresh.size() - head
        && old[old.size() - 1 - tail] == fresh[fresh.size() - 1 - tail])
        ++tail;
    const auto rows = old.size() - head - tail;
    const auto columns = fresh.size() - head - tail;
    // How many lines both have in common from there on. Of texts of very many lines nothing is looked for.
    const bool compares = rows * columns <= largestTable;
    std::vector<std::vector<std::uint32_t>> common(
        compares ? rows + 1 : 0, std::vector<std::uint32_t>(compares ? columns + 1 : 0));
    for (std::size_t i = rows; compares && i-- > 0;)
        for (std::size_t j = columns; j-- > 0;)
            common[i][j] = old[head + i] == fresh[head + j] ? common[i + 1][j + 1] + 1
                                                            : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<std::string> lines;
    for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
        if (compares && i < rows && j < columns && old[head + i] == fresh[head + j]) {
            ++i;
            ++j;
        } else if (i < rows && (j == columns || !compares || common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back("- " + old[head + i++]);
        } else {
            lines.push_back("+ " + fresh[head + j++]);
        }
    }
    return lines;
}

std::vector<ChangedFile> changedFiles(const std::string& folder, const std::string& kept)
{
    std::vector<ChangedFile> changed;
    std::error_code problem;
    const auto paths = profilePaths(folder, problem);
    if (!paths.empty())
        makePrivate(kept);
    for (const auto& path : paths) {
        const auto text = readProfileFile(path);
        if (!text)
            continue;
        const auto copy = copyOf(path, kept);
        const auto before = readProfileFile(copy.string());
        if (before && *before == *text)
            continue;
        keep(copy, *text);
        if (!before)
            continue;
        ChangedFile file{ path, changedLines(*before, *text) };
        if (file.lines.size() > mostTold) {
            const auto more = file.lines.size() - mostTold;
            file.lines.resize(mostTold);
            file.lines.push_back("and " + std::to_string(more) + " lines more");
        }
        changed.push_back(std::move(file));
    }
    return changed;
}

} // namespace fencepost::profile
