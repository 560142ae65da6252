// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/ascii.h"

#include <algorithm>

#include "core/ids.h"

namespace fencepost {

std::string asciiLower(std::string_view text)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

std::string_view withoutBlanks(std::string_view text)
{
    constexpr std::string_view blanks = " \t";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    text.remove_suffix(text.size() - std::min(text.find_last_not_of(blanks) + 1, text.size()));
    return text;
}

bool isTokenOctet(char c) noexcept
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || marks.find(c) != std::string_view::npos;
}

bool isToken(std::string_view text) noexcept
{
    return !text.empty() && std::all_of(text.begin(), text.end(), isTokenOctet);
}

bool isFieldValue(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return octet == '\t' || (octet >= 0x20 && octet != 0x7F);
    });
}

void appendPercent(std::string& out, char octet)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto bits = static_cast<unsigned char>(octet);
    out.append({ '%', digits[bits >> 4U], digits[bits & 0xfU] });
}

std::optional<char> percentAt(std::string_view text, std::size_t at)
{
    if (text[at] != '%' || text.size() - at < 3)
        return std::nullopt;
    const auto octet = fromHex(text.substr(at + 1, 2));
    return octet ? std::optional(octet->front()) : std::nullopt;
}

} // namespace fencepost
