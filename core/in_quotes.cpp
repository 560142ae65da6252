// SPDX-License-Identifier: Apache-2.0
#include "core/in_quotes.h"

#include "core/ids.h"

namespace fencepost {

namespace {

// Octets of the character in front; 0: it is none.
std::size_t characterLength(std::string_view text)
{
    for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length)
        if (isUtf8(text.substr(0, length)))
            return length;
    return 0;
}

} // namespace

std::string inQuotes(std::string_view text)
{
    constexpr int most = 80;
    std::string out = "\"";
    for (int characters = 0; !text.empty(); ++characters) {
        if (characters == most)
            return out + "…\"";
        const auto length = characterLength(text);
        const bool control = static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f;
        if (length == 0 || control)
            out += "\\x" + toHex(text.substr(0, 1));
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out + '"';
}

} // namespace fencepost
