// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/json_reader.h"

#include <algorithm>

#include "core/ids.h"
#include "core/in_quotes.h"

namespace fencepost {

namespace {

constexpr std::string_view problemWords[] = { "syntax", "byte_order_mark", "utf8", "lone_surrogate", "duplicate_member",
    "number_range", "depth", "too_lossy" };

constexpr std::string_view problemSentences[] = { "it is no JSON", "it begins with a byte order mark",
    "a string is not valid UTF-8", "a string has half of a surrogate pair", "a member appears twice",
    "a number is beyond what a double can hold", "it is nested more than 256 levels deep",
    "too many of its numbers have more digits than a double can hold" };

unsigned unitAt(std::string_view raw, std::size_t at)
{
    unsigned unit = 0;
    for (const char c : raw.substr(at, 4))
        unit = unit * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    return unit;
}

void appendUtf8(std::string& out, unsigned code)
{
    const auto octet = [&](unsigned value) { out += static_cast<char>(value); };
    if (code < 0x80) {
        octet(code);
    } else if (code < 0x800) {
        octet(0xc0U | code >> 6U);
        octet(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        octet(0xe0U | code >> 12U);
        octet(0x80U | (code >> 6U & 0x3fU));
        octet(0x80U | (code & 0x3fU));
    } else {
        octet(0xf0U | code >> 18U);
        octet(0x80U | (code >> 12U & 0x3fU));
        octet(0x80U | (code >> 6U & 0x3fU));
        octet(0x80U | (code & 0x3fU));
    }
}

// Decodes the escape at `at` and answers how many octets it took.
std::size_t appendEscape(std::string& out, std::string_view raw, std::size_t at)
{
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (const auto letter = letters.find(raw[at + 1]); letter != std::string_view::npos) {
        out += meanings[letter];
        return 2;
    }
    const auto unit = unitAt(raw, at + 2);
    if (unit < 0xd800 || unit > 0xdfff) {
        appendUtf8(out, unit);
        return 6;
    }
    appendUtf8(out, 0x10000U + ((unit - 0xd800U) << 10U) + (unitAt(raw, at + 8) - 0xdc00U));
    return 12;
}

} // namespace

std::string_view wordOf(JsonProblem problem) noexcept
{
    return problemWords[static_cast<std::size_t>(problem)];
}

Error inWords(const JsonFault& fault)
{
    std::string what(problemSentences[static_cast<std::size_t>(fault.problem)]);
    constexpr std::size_t shown = 64;
    if (fault.problem == JsonProblem::DuplicateMember && fault.member.size() <= shown)
        what = "the member " + inQuotes(fault.member) + " appears twice";
    return { Failure::Invalid, "The body is no I-JSON: " + what + " (octet " + std::to_string(fault.offset) + ')',
        std::string(wordOf(fault.problem)), "VALIDATION.body_not_ijson" };
}

std::optional<std::size_t> foreignRun(std::string_view text) noexcept
{
    const auto end =
        std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const auto length = static_cast<std::size_t>(end - text.begin());
    return isUtf8(text.substr(0, length)) ? std::optional(length) : std::nullopt;
}

std::string decoded(JsonString string)
{
    if (!string.escaped)
        return std::string(string.raw);
    std::string out;
    out.reserve(string.raw.size());
    for (std::size_t at = 0; at < string.raw.size();) {
        const auto escape = std::min(string.raw.find('\\', at), string.raw.size());
        out.append(string.raw, at, escape - at);
        at = escape;
        if (at < string.raw.size())
            at += appendEscape(out, string.raw, at);
    }
    return out;
}

void appendCanonical(std::string& out, JsonString string)
{
    if (string.escaped)
        appendCanonical(out, decoded(string));
    else
        out.append(string.raw);
}

void appendCanonical(std::string& out, std::string_view utf8)
{
    constexpr std::string_view controls = "\b\t\n\f\r";
    constexpr std::string_view letters = "btnfr";
    constexpr std::string_view digits = "0123456789abcdef";
    for (const char c : utf8) {
        const auto octet = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out.append({ '\\', c });
        else if (octet >= 0x20)
            out += c;
        else if (const auto letter = controls.find(c); letter != std::string_view::npos)
            out.append({ '\\', letters[letter] });
        else
            out.append("\\u00").append({ digits[octet >> 4U], digits[octet & 0xfU] });
    }
}

} // namespace fencepost
