// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/media_type.h"

#include <algorithm>

#include "core/in_quotes.h"
#include "core/protocol/ascii.h"

namespace fencepost {

namespace {

// Takes tokens and quoted strings from the front of a field value.
class FieldScanner {
public:
    explicit FieldScanner(std::string_view text)
        : m_text(text)
    {
    }

    [[nodiscard]] bool atEnd() const { return m_text.empty(); }
    void skipBlanks() { m_text.remove_prefix(std::min(m_text.find_first_not_of(" \t"), m_text.size())); }
    bool take(char c)
    {
        if (m_text.empty() || m_text.front() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    std::string_view token()
    {
        const auto end = std::find_if_not(m_text.begin(), m_text.end(), isTokenOctet);
        const auto token = m_text.substr(0, static_cast<std::size_t>(end - m_text.begin()));
        m_text.remove_prefix(token.size());
        return token;
    }
    // A token or a quoted string. None: neither.
    std::optional<std::string> value()
    {
        if (!take('"')) {
            const auto plain = token();
            return plain.empty() ? std::nullopt : std::optional(std::string(plain));
        }
        std::string out;
        while (!m_text.empty()) {
            if (take('"'))
                return out;
            take('\\');
            if (m_text.empty())
                break;
            out += m_text.front();
            m_text.remove_prefix(1);
        }
        return std::nullopt;
    }

private:
    std::string_view m_text;
};

} // namespace

Result<MediaType> parseMediaType(std::string_view value)
{
    const Error malformed{ Failure::Invalid, inQuotes(value) + " is no media type", {}, "VALIDATION.content_type" };
    FieldScanner scanner(value);
    scanner.skipBlanks();
    MediaType type;
    const auto main = scanner.token();
    const bool slash = scanner.take('/');
    const auto sub = scanner.token();
    if (main.empty() || !slash || sub.empty())
        return malformed;
    type.essence = asciiLower(main) + '/' + asciiLower(sub);
    for (scanner.skipBlanks(); scanner.take(';'); scanner.skipBlanks()) {
        scanner.skipBlanks();
        const auto name = asciiLower(scanner.token());
        if (name.empty())
            continue;
        if (!scanner.take('='))
            return malformed;
        auto text = scanner.value();
        auto* place = name == "charset" ? &type.charset : name == "boundary" ? &type.boundary : nullptr;
        if (!text || (place != nullptr && *place))
            return malformed;
        if (place != nullptr)
            *place = name == "charset" ? asciiLower(*text) : *text;
    }
    return scanner.atEnd() ? Result<MediaType>(type) : malformed;
}

std::string canonical(const MediaType& type)
{
    return type.charset ? type.essence + ";charset=" + *type.charset : type.essence;
}

bool isJson(const MediaType& type)
{
    constexpr std::string_view suffix = "+json";
    const std::string_view essence = type.essence;
    return essence == "application/json" || essence == "text/json"
        || (essence.size() > suffix.size() && essence.substr(essence.size() - suffix.size()) == suffix);
}

bool isForm(const MediaType& type)
{
    return type.essence == "application/x-www-form-urlencoded";
}

bool isMultipart(const MediaType& type)
{
    return type.essence.starts_with("multipart/");
}

} // namespace fencepost
