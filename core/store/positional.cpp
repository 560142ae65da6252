// SPDX-License-Identifier: Apache-2.0
#include "core/store/positional.h"

#include <cctype>

namespace fencepost::store {

namespace {

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

Positional positional(std::string_view sql)
{
    Positional result;
    const auto copyTo = [&](std::size_t& at, std::size_t end) {
        result.text += sql.substr(at, end == std::string_view::npos ? end : end - at);
        at = end == std::string_view::npos ? sql.size() : end;
    };
    for (std::size_t at = 0; at < sql.size();) {
        const auto rest = sql.substr(at);
        if (rest.front() == '\'' || rest.front() == '"') {
            const auto end = sql.find(rest.front(), at + 1);
            copyTo(at, end == std::string_view::npos ? end : end + 1);
        } else if (rest.substr(0, 2) == "--") {
            copyTo(at, sql.find('\n', at));
        } else if (rest.substr(0, 2) == "::") {
            copyTo(at, at + 2);
        } else if (rest.front() == ':' && rest.size() > 1 && isWord(rest[1])) {
            std::size_t end = at + 1;
            while (end < sql.size() && isWord(sql[end]))
                ++end;
            const std::string name(sql.substr(at + 1, end - at - 1));
            std::size_t place = 0;
            while (place < result.names.size() && result.names[place] != name)
                ++place;
            if (place == result.names.size())
                result.names.push_back(name);
            result.text += "$" + std::to_string(place + 1);
            at = end;
        } else {
            copyTo(at, at + 1);
        }
    }
    return result;
}

} // namespace fencepost::store
