// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "core/inspector.h"

namespace fencepost {

namespace {

// "c1." + base64url of the values + "." + eight digits of their hash. No character of it means anything to a shell.
constexpr std::string_view prefix = "c1.";
constexpr std::size_t checkDigits = 8;
constexpr std::size_t maximumCursorLength = 1U << 20U;
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string toBase64(std::string_view bytes)
{
    std::string text;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = (bits << 8U) | static_cast<unsigned char>(c);
        held += 8;
        while (held >= 6) {
            held -= 6;
            text += alphabet[(bits >> static_cast<unsigned>(held)) & 63U];
        }
    }
    if (held > 0)
        text += alphabet[(bits << static_cast<unsigned>(6 - held)) & 63U];
    return text;
}

std::optional<std::string> fromBase64(std::string_view text)
{
    std::string bytes;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const auto value = alphabet.find(c);
        if (value == std::string_view::npos)
            return std::nullopt;
        bits = ((bits << 6U) | static_cast<std::uint32_t>(value)) & 0xffffffU;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes += static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xffU);
        }
    }
    return bytes;
}

Error garbage()
{
    return { Failure::Invalid, "This is no cursor: pass one on exactly as an earlier page printed it", {} };
}

std::string check(std::string_view bytes)
{
    return toHex(sha256(bytes)).substr(0, checkDigits);
}

} // namespace

std::string formatCursor(const Cursor& cursor)
{
    std::string bytes;
    for (const auto& value : cursor.values)
        bytes += std::to_string(value.size()) + ':' + value;
    return std::string(prefix) + toBase64(bytes) + '.' + check(bytes);
}

Result<Cursor> parseCursor(std::string_view text)
{
    if (text.size() > maximumCursorLength || text.size() < prefix.size() + 1 + checkDigits
        || text.substr(0, prefix.size()) != prefix || text[text.size() - checkDigits - 1] != '.')
        return garbage();
    const auto sum = text.substr(text.size() - checkDigits);
    text.remove_prefix(prefix.size());
    text.remove_suffix(checkDigits + 1);
    const auto bytes = fromBase64(text);
    // The second comparison refuses spellings of the same octets that formatCursor never writes.
    if (!bytes || check(*bytes) != sum || toBase64(*bytes) != text)
        return garbage();
    Cursor cursor;
    std::string_view rest = *bytes;
    while (!rest.empty()) {
        std::size_t length = 0;
        const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
        if (error != std::errc{} || stop == rest.data() + rest.size() || *stop != ':')
            return garbage();
        rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + 1);
        if (length > rest.size())
            return garbage();
        cursor.values.emplace_back(rest.substr(0, length));
        rest.remove_prefix(length);
    }
    return cursor;
}

} // namespace fencepost
