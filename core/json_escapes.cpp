// SPDX-License-Identifier: Apache-2.0
#include "core/json_escapes.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fencepost {

namespace {

void appendUtf8(std::string& text, unsigned code)
{
    const auto octet = [&](unsigned value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
    const auto following = [&](unsigned shift) { octet(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
        octet(code);
    } else if (code < 0x800) {
        octet(0xC0 | code >> 6);
        following(0);
    } else if (code < 0x10000) {
        octet(0xE0 | code >> 12);
        following(6);
        following(0);
    } else {
        octet(0xF0 | code >> 18);
        following(12);
        following(6);
        following(0);
    }
}

// The UTF-16 code unit that is spelled \uXXXX there.
std::optional<unsigned> codeUnitAt(std::string_view text, std::size_t at)
{
    constexpr std::size_t digits = 4;
    const auto spelled = text.substr(std::min(at, text.size()), 2 + digits);
    unsigned unit = 0;
    if (spelled.size() != 2 + digits || !spelled.starts_with("\\u"))
        return std::nullopt;
    const auto* end = spelled.data() + spelled.size();
    return std::from_chars(spelled.data() + 2, end, unit, 16).ptr == end ? std::optional(unit) : std::nullopt;
}

// Behind the \u of an escape at `at`, whose character is appended; half of a pair is none.
std::size_t appendCodePoint(std::string& plain, std::string_view text, std::size_t at, unsigned unit)
{
    constexpr std::size_t escape = 6;
    constexpr unsigned noCharacter = 0xFFFD;
    const auto isHigh = [](unsigned half) { return half >= 0xD800 && half < 0xDC00; };
    const auto isLow = [](unsigned half) { return half >= 0xDC00 && half < 0xE000; };
    const auto next = isHigh(unit) ? codeUnitAt(text, at + escape) : std::nullopt;
    if (next && isLow(*next)) {
        appendUtf8(plain, 0x10000 + ((unit - 0xD800) << 10) + (*next - 0xDC00));
        return at + 2 * escape;
    }
    appendUtf8(plain, isHigh(unit) || isLow(unit) ? noCharacter : unit);
    return at + escape;
}

} // namespace

std::string unescaped(std::string_view text)
{
    constexpr std::string_view letters = "btnfr\"\\/";
    constexpr std::string_view meant = "\b\t\n\f\r\"\\/";
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '\\') {
            plain += text[at++];
            continue;
        }
        const auto letter = at + 1 < text.size() ? letters.find(text[at + 1]) : std::string_view::npos;
        if (letter != std::string_view::npos) {
            plain += meant[letter];
            at += 2;
        } else if (const auto unit = codeUnitAt(text, at))
            at = appendCodePoint(plain, text, at, *unit);
        else
            plain += text[at++];
    }
    return plain;
}

} // namespace fencepost
