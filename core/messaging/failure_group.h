// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

// What many failures have in common.
struct FailureGroup {
    std::string fingerprint; // 16 hexadecimal digits, of the code and the pattern
    std::string pattern; // the error's words with <id> and <n> where each has its own

    bool operator==(const FailureGroup&) const = default;
};

// The words without what differs from one failure to the next: a word with a digit in it becomes <id> and keeps a
// prefix that says what it names ("ch_<id>"), a number with what joins its parts ("2026-11-20T10:00:00Z",
// "10.0.0.7:80", "1,250.00") becomes <n>, white space one space. At most 1,000 octets of it.
[[nodiscard]] std::string patternOf(std::string_view error);

// `code` is taken as it is: 429 and 503 are two groups.
[[nodiscard]] FailureGroup groupOf(std::string_view code, std::string_view error);

} // namespace fencepost
