// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fencepost::profile {

// An operator's profile that is another one than when it was last used here.
struct ChangedFile {
    std::string path;
    std::vector<std::string> lines; // "- before" and "+ now", at most 40 and one that counts the others
};

// Profiles are data that others may have written (profiles §7): what was changed in one is shown before it is trusted.
// Compares the profiles of a folder with the copies in `kept`, which is made where it is missing, and keeps what they
// say now: a change is told once. What was never seen before is no change. Where nothing can be kept, nothing is told.
[[nodiscard]] std::vector<ChangedFile> changedFiles(const std::string& folder, const std::string& kept);

// The lines of one text that are not in the other, in their order, by the longest common subsequence.
[[nodiscard]] std::vector<std::string> changedLines(const std::string& before, const std::string& now);

} // namespace fencepost::profile
