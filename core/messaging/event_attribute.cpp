// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/event_attribute.h"

#include "core/protocol/ascii.h"

namespace fencepost {

std::string encodedAttribute(std::string_view value)
{
    std::string out;
    for (const char c : value) {
        const auto octet = static_cast<unsigned char>(c);
        if (octet > ' ' && octet < 0x7f && c != '"' && c != '%')
            out += c;
        else
            appendPercent(out, c);
    }
    return out;
}

std::string decodedAttribute(std::string_view value)
{
    std::string out;
    for (std::size_t at = 0; at < value.size(); ++at) {
        const auto octet = percentAt(value, at);
        const bool coded = octet && *octet != '\0';
        out += coded ? *octet : value[at];
        at += coded ? 2 : 0;
    }
    return out;
}

} // namespace fencepost
