// SPDX-License-Identifier: Apache-2.0
#include "core/error_report.h"

#include <array>
#include <string_view>

namespace fencepost {

namespace {

// PostgreSQL's DETAIL shows a failing row or the key of another one, CONTEXT and the like show statements.
std::string withoutValues(std::string_view words)
{
    constexpr std::array<std::string_view, 8> left = {
        "DETAIL:", "CONTEXT:", "QUERY:", "STATEMENT:", "LOCATION:", "LINE ", "WHERE:", "HINT:"
    };
    std::string kept;
    bool skipping = false;
    while (!words.empty()) {
        const auto end = std::min(words.find('\n'), words.size());
        auto line = words.substr(0, end);
        words.remove_prefix(std::min(end + 1, words.size()));
        for (const auto& start : left)
            skipping = skipping || line.substr(0, start.size()) == start;
        const bool said = line.substr(0, 6) == "ERROR:" || line.substr(0, 6) == "FATAL:";
        if (said) {
            skipping = false;
            line.remove_prefix(6);
            while (!line.empty() && line.front() == ' ')
                line.remove_prefix(1);
        }
        if (!skipping && !line.empty())
            kept += (kept.empty() ? "" : " ") + std::string(line);
    }
    return kept;
}

} // namespace

std::string rowReport(const Error& error)
{
    auto text = sentence(error.message);
    const auto words = withoutValues(error.detail);
    if (!words.empty())
        text += ' ' + sentence(error.code.empty() ? words : error.code + ": " + words);
    else if (!error.code.empty())
        text += ' ' + sentence(error.code);
    return text + ' ' + advice(error);
}

} // namespace fencepost
