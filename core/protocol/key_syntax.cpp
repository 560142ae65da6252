// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/key_syntax.h"

#include <algorithm>

#include "core/ids.h"
#include "core/protocol/ascii.h"
#include "core/protocol/letters.h"

namespace fencepost {

namespace {

constexpr std::size_t longestAllowed = 255;

Error badKey(const std::string& what)
{
    return { Failure::Invalid, "The idempotency key " + what, {}, "VALIDATION.idempotency_key" };
}

// Reads what RFC 8941 §4.2 allows, from the front of what is left.
class FieldReader {
public:
    explicit FieldReader(std::string_view text)
        : m_text(text)
    {
    }

    [[nodiscard]] bool atEnd() const { return m_text.empty(); }
    std::optional<std::string> string();
    bool parameters();
    bool item();

private:
    [[nodiscard]] char here() const { return m_text.empty() ? '\0' : m_text.front(); }
    bool take(char c)
    {
        if (here() != c || m_text.empty())
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    template <typename F> std::size_t takeWhile(F matches)
    {
        const auto end = std::find_if_not(m_text.begin(), m_text.end(), matches);
        const auto length = static_cast<std::size_t>(end - m_text.begin());
        m_text.remove_prefix(length);
        return length;
    }
    bool number();
    bool octets();

    std::string_view m_text;
};

std::optional<std::string> FieldReader::string()
{
    std::string out;
    if (!take('"'))
        return std::nullopt;
    while (!atEnd()) {
        const char c = here();
        m_text.remove_prefix(1);
        if (c == '"')
            return out;
        if (c == '\\') {
            if (here() != '"' && here() != '\\')
                return std::nullopt;
            out += here();
            m_text.remove_prefix(1);
        } else if (c < 0x20 || c > 0x7e) {
            return std::nullopt;
        } else {
            out += c;
        }
    }
    return std::nullopt;
}

bool FieldReader::number()
{
    take('-');
    const auto whole = takeWhile(isDigit);
    if (whole == 0 || whole > 15)
        return false;
    if (!take('.'))
        return true;
    const auto part = takeWhile(isDigit);
    return whole <= 12 && part >= 1 && part <= 3;
}

bool FieldReader::octets()
{
    take(':');
    takeWhile([](char c) { return isLetter(c) || isDigit(c) || c == '+' || c == '/' || c == '='; });
    return take(':');
}

bool FieldReader::item()
{
    constexpr std::string_view tokenMarks = "!#$%&'*+-.^_`|~:/";
    const char c = here();
    if (c == '"')
        return string().has_value();
    if (c == '-' || isDigit(c))
        return number();
    if (c == ':')
        return octets();
    if (take('?'))
        return take('0') || take('1');
    if (!isLetter(c) && c != '*')
        return false;
    takeWhile([&](char mark) {
        return isLetter(mark) || isDigit(mark) || tokenMarks.find(mark) != std::string_view::npos;
    });
    return true;
}

bool FieldReader::parameters()
{
    constexpr std::string_view nameMarks = "_-.*";
    while (take(';')) {
        takeWhile([](char c) { return c == ' '; });
        if (!isLower(here()) && here() != '*')
            return false;
        takeWhile([&](char c) { return isLower(c) || isDigit(c) || nameMarks.find(c) != std::string_view::npos; });
        if (take('=') && !item())
            return false;
    }
    return true;
}

// C0 and C1 controls, DEL, and the spaces of Unicode, by their UTF-8.
bool hasSpaceOrControl(std::string_view text)
{
    constexpr std::string_view foreign[] = { "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf",
        "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf" };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto octet = static_cast<unsigned char>(text[i]);
        const auto second = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        const auto third = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : 0U;
        if (octet <= 0x20 || octet == 0x7f || (octet == 0xc2 && second < 0xa0))
            return true;
        // U+2000 to U+200F: spaces of every width and the marks that turn the direction.
        if (octet == 0xe2 && second == 0x80 && third <= 0x8f)
            return true;
        if (octet >= 0xc2)
            for (const auto space : foreign)
                if (text.substr(i, space.size()) == space)
                    return true;
    }
    return false;
}

Result<std::string> checked(std::string key, const KeyRules& rules)
{
    const auto isTail = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; };
    const auto tails = rules.charset == KeyCharset::Utf8 ? std::count_if(key.begin(), key.end(), isTail) : 0;
    const auto length = key.size() - static_cast<std::size_t>(tails);
    const auto longest = std::min(rules.longest, longestAllowed);
    if (key.empty())
        return badKey("is empty");
    if (length > longest)
        return badKey("has " + std::to_string(length) + " characters; " + std::to_string(longest) + " are allowed");
    return key;
}

std::string escapedPart(std::string_view part)
{
    const bool text = isUtf8(part);
    std::string out;
    for (const char c : part) {
        const auto octet = static_cast<unsigned char>(c);
        if (octet > 0x20 && octet != 0x7f && c != '%' && c != '@' && (text || octet < 0x80))
            out += c;
        else
            appendPercent(out, c);
    }
    return out;
}

} // namespace

Result<std::string> keyOfField(std::string_view value, const KeyRules& rules)
{
    value = withoutBlanks(value);
    if (!value.empty() && value.front() == '"') {
        FieldReader reader(value);
        auto key = reader.string();
        if (!key || !reader.parameters() || !reader.atEnd())
            return badKey("begins with a quote and is no structured-field string");
        return checked(std::move(*key), rules);
    }
    const bool utf8 = rules.charset == KeyCharset::Utf8;
    if (utf8 && !isUtf8(value))
        return badKey("is not valid UTF-8");
    const auto isVisible = [](char c) { return c > 0x20 && c < 0x7f; };
    if (utf8 ? hasSpaceOrControl(value) : !std::all_of(value.begin(), value.end(), isVisible))
        return badKey(utf8 ? "has a space or a control character"
                           : "has a character outside of 0x21 to 0x7E; spaces need the quoted form");
    return checked(std::string(value), rules);
}

Result<std::string> keyOfHeader(std::span<const std::string_view> lines, const KeyRules& rules)
{
    if (lines.empty())
        return Error{ Failure::Invalid, "The request has no Idempotency-Key", {}, "missing_idempotency_key" };
    if (lines.size() > 1)
        return badKey("is given " + std::to_string(lines.size()) + " times");
    return keyOfField(lines.front(), rules);
}

std::string quotedKey(std::string_view key)
{
    std::string out = "\"";
    for (const char c : key) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

Result<std::string> scopeOf(std::string_view route, std::string_view principal)
{
    if (route.empty() || principal.empty())
        return invalid("A scope needs a route and a principal");
    return escapedPart(route) + '@' + escapedPart(principal);
}

std::string routeOf(std::string_view method, std::string_view path)
{
    return std::string(method) + '_' + std::string(path);
}

} // namespace fencepost
