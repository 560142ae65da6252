// SPDX-License-Identifier: Apache-2.0
#include "core/without_userinfo.h"

#include <algorithm>

namespace fencepost {

namespace {

// What a URL ends with where it stands in a text. No proper URL has one of them in it.
constexpr std::string_view ends = " \t\r\n\"'<>";

bool isPort(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A password with a slash that nobody has escaped looks like the end of the host, with a port that is no number.
bool isCutPassword(std::string_view host)
{
    const auto colon = host.rfind(':');
    return host.substr(0, 1) != "[" && colon != std::string_view::npos && !isPort(host.substr(colon + 1));
}

// Where the host begins, in what stands behind "://".
std::size_t hostOf(std::string_view rest)
{
    const auto host = rest.substr(0, rest.find_first_of("/?#"));
    const auto at = isCutPassword(host) && host.find('@') == std::string_view::npos ? rest.rfind('@') : host.rfind('@');
    return at == std::string_view::npos ? 0 : at + 1;
}

} // namespace

std::string withoutUserinfo(std::string_view text)
{
    constexpr std::string_view mark = "://";
    std::string shown;
    while (true) {
        const auto begin = text.find(mark);
        if (begin == std::string_view::npos)
            return shown.append(text);
        shown.append(text.substr(0, begin + mark.size()));
        text.remove_prefix(begin + mark.size());
        const auto host = hostOf(text.substr(0, text.find_first_of(ends)));
        if (host == 0)
            continue;
        shown += "***@";
        text.remove_prefix(host);
    }
}

} // namespace fencepost
