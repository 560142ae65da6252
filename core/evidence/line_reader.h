// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fencepost {

// Cuts octets that come piece by piece into lines, and keeps no more than one of them.
class LineReader {
public:
    static constexpr std::size_t longest = 1U << 20U;

    struct Line {
        std::int64_t number = 0; // from 1
        std::string_view text; // without its end, LF or CRLF; empty where it is too long
        bool tooLong = false;
        bool ended = true; // false: the last one, without a line feed
    };
    // False: no more lines are wanted.
    using Visit = std::function<bool(const Line& line)>;

    // Both answer whether more is wanted.
    bool add(std::string_view piece, const Visit& visit);
    bool finish(const Visit& visit);

private:
    void keep(std::string_view part);
    bool give(bool ended, const Visit& visit);

    std::string m_line;
    bool m_tooLong = false;
    std::int64_t m_number = 0;
};

} // namespace fencepost
