// SPDX-License-Identifier: Apache-2.0
#include "core/redaction.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/ids.h"
#include "core/secret_patterns.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

constexpr std::size_t deepest = 512;

std::vector<std::string> wordsOf(std::string_view name)
{
    std::vector<std::string> words;
    bool fresh = true;
    char previous = 0;
    for (const char character : name) {
        const auto octet = static_cast<unsigned char>(character);
        if (std::isalnum(octet) == 0) {
            fresh = true;
            continue;
        }
        if (std::isupper(octet) != 0 && std::islower(static_cast<unsigned char>(previous)) != 0)
            fresh = true;
        if (fresh)
            words.emplace_back();
        fresh = false;
        words.back() += static_cast<char>(std::tolower(octet));
        previous = character;
    }
    return words;
}

// Short names are taken as whole words only: "pan" is none in "company".
bool matches(const std::string& word, const std::string& name)
{
    if (name.size() < 4)
        return word == name;
    return word.starts_with(name) || (name.size() >= 5 && word.ends_with(name));
}

std::string pointerPart(const std::string& name)
{
    std::string part;
    for (const char character : name)
        part += character == '~' ? "~0" : character == '/' ? "~1" : std::string(1, character);
    return part;
}

// Of one UTF-16 code unit. Half of a pair is no character and is part of no pattern.
void appendUtf8(std::string& text, unsigned code)
{
    const auto octet = [&](unsigned value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
    if (code < 0x80) {
        octet(code);
    } else if (code < 0x800) {
        octet(0xC0 | code >> 6);
        octet(0x80 | (code & 0x3F));
    } else if (code < 0xD800 || code > 0xDFFF) {
        octet(0xE0 | code >> 12);
        octet(0x80 | (code >> 6 & 0x3F));
        octet(0x80 | (code & 0x3F));
    } else {
        text += '?';
    }
}

// Escapes in a member's name must not hide it from its pattern.
std::string unescaped(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 >= text.size()) {
            plain += text[i];
            continue;
        }
        if (text[++i] == 'u' && i + 4 < text.size()) {
            unsigned code = 0;
            std::from_chars(text.data() + i + 1, text.data() + i + 5, code, 16);
            appendUtf8(plain, code);
            i += 4;
        } else
            plain += text[i];
    }
    return plain;
}

// Walks JSON text and copies it, except for what is hidden. Checks no more than it needs to know where it is.
class JsonRedaction {
public:
    JsonRedaction(const Redactor& redactor, std::string_view text, const std::set<std::string>& revealed)
        : m_redactor(redactor)
        , m_text(text)
        , m_revealed(revealed)
    {
    }

    Redacted run()
    {
        copySpace();
        bool good = value({}, 0, false);
        copySpace();
        good = good && m_at >= m_text.size();
        if (!good && m_at < m_text.size()) {
            m_result.text += std::string(hiddenMark) + " (no JSON from octet " + std::to_string(m_at) + " on)";
            m_result.hidden.emplace_back("the rest");
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool more() const { return m_at < m_text.size(); }
    [[nodiscard]] char current() const { return m_text[m_at]; }
    void copySpace()
    {
        while (more() && std::string_view(" \t\r\n").find(current()) != std::string_view::npos)
            m_result.text += m_text[m_at++];
    }
    bool take(char character)
    {
        if (!more() || current() != character)
            return false;
        m_result.text += character;
        ++m_at;
        return true;
    }

    // The end of a string that begins here; the whole rest where it is cut off.
    [[nodiscard]] std::size_t endOfString() const
    {
        auto at = m_at + 1;
        while (at < m_text.size() && m_text[at] != '"')
            at += m_text[at] == '\\' ? 2 : 1;
        return std::min(at + 1, m_text.size());
    }
    [[nodiscard]] std::size_t endOfScalar() const
    {
        auto at = m_at;
        while (at < m_text.size() && std::string_view(",]} \t\r\n:\"[{").find(m_text[at]) == std::string_view::npos)
            ++at;
        return at;
    }

    bool value(const std::string& pointer, std::size_t depth, bool inArray)
    {
        if (!more())
            return true;
        if (depth > deepest)
            return false;
        switch (current()) {
        case '{':
            return object(pointer, depth);
        case '[':
            return array(pointer, depth, inArray);
        case '"':
            scalar(pointer, endOfString());
            return true;
        default:
            break;
        }
        const auto end = endOfScalar();
        if (end == m_at)
            return false;
        scalar(pointer, end);
        return true;
    }

    bool object(const std::string& pointer, std::size_t depth)
    {
        take('{');
        copySpace();
        if (take('}'))
            return true;
        while (more()) {
            copySpace();
            if (!more() || current() != '"')
                return !more();
            const auto end = endOfString();
            const auto quoted = m_text.substr(m_at, end - m_at);
            m_result.text += quoted;
            m_at = end;
            copySpace();
            if (!take(':'))
                return !more();
            copySpace();
            const auto name = quoted.size() >= 2 ? unescaped(quoted.substr(1, quoted.size() - 2)) : std::string();
            const auto member = pointer + "/" + pointerPart(name);
            if (!named(name, member, depth))
                return false;
            copySpace();
            if (take('}'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    // The value of a member or of a header, by its name.
    bool named(std::string_view name, const std::string& pointer, std::size_t depth)
    {
        const auto action = m_revealed.contains(pointer) ? std::nullopt : m_redactor.actionOn(name, pointer);
        if (!action)
            return value(pointer, depth + 1, false);
        return skipValue(pointer, *action);
    }

    // Headers are kept as a list of pairs, so an array in an array may be the name and the value of one.
    bool array(const std::string& pointer, std::size_t depth, bool inArray)
    {
        std::string header;
        take('[');
        copySpace();
        if (take(']'))
            return true;
        for (int index = 0; more(); ++index) {
            copySpace();
            if (index == 0 && inArray && more() && current() == '"')
                header = unescaped(m_text.substr(m_at + 1, std::max(endOfString(), m_at + 2) - m_at - 2));
            const auto element = pointer + "/" + std::to_string(index);
            const bool isHeader = index == 1 && !header.empty() && more() && current() == '"';
            if (!(isHeader ? named(header, element, depth) : value(element, depth + 1, true)))
                return false;
            copySpace();
            if (take(']'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    void scalar(const std::string& pointer, std::size_t end)
    {
        const auto raw = m_text.substr(m_at, end - m_at);
        m_at = end;
        const auto shown = m_revealed.contains(pointer) ? Redacted{ std::string(raw), {} } : m_redactor.text(raw);
        if (shown.hidden.empty()) {
            m_result.text += raw;
            return;
        }
        // A number that is hidden becomes a string, so that the text stays JSON.
        m_result.text += raw.front() == '"' ? shown.text : '"' + shown.text + '"';
        m_result.hidden.push_back(pointer);
    }

    bool skipValue(const std::string& pointer, RedactionAction action)
    {
        if (!more())
            return true;
        if (m_text.substr(m_at, 4) == "null")
            return value(pointer, 0, false);
        const auto begin = m_at;
        std::size_t open = 0;
        do {
            if (current() == '"')
                m_at = endOfString();
            else {
                if (current() == '{' || current() == '[')
                    ++open;
                else if ((current() == '}' || current() == ']') && open > 0)
                    --open;
                else if (open == 0) {
                    m_at = std::max(endOfScalar(), m_at + 1);
                    break;
                }
                ++m_at;
            }
        } while (more() && open > 0);
        const auto whole = m_text.substr(begin, m_at - begin);
        if (action == RedactionAction::Keep) {
            m_result.text += whole;
            return true;
        }
        m_result.text +=
            '"' + (action == RedactionAction::Hash ? m_redactor.hashed(whole) : std::string(hiddenMark)) + '"';
        m_result.hidden.push_back(pointer);
        return true;
    }

    const Redactor& m_redactor;
    std::string_view m_text;
    const std::set<std::string>& m_revealed;
    std::size_t m_at = 0;
    Redacted m_result;
};

} // namespace

Redactor::Redactor()
    : Redactor(standardNames())
{
}

Redactor::Redactor(std::vector<std::string> names)
    : Redactor(RedactionWish{ std::move(names), {}, nullptr, nullptr })
{
}

Redactor::Redactor(RedactionWish wish)
    : m_wish(std::move(wish))
{
    for (const auto& name : m_wish.names)
        m_names.push_back(wordsOf(name));
}

std::vector<std::string> Redactor::standardNames()
{
    return { "password", "passwd", "passphrase", "pwd", "secret", "token", "jwt", "otp", "pin", "authorization",
        "cookie", "credential", "apikey", "api key", "private key", "access key", "signature", "card", "pan", "cvv",
        "cvc", "iban", "bic", "account number", "accountnumber", "routing number", "email", "e mail", "phone", "mobile",
        "ssn", "tax id", "birthdate", "birthday", "date of birth", "dob" };
}

bool Redactor::hides(std::string_view name) const
{
    const auto words = wordsOf(name);
    return std::any_of(m_names.begin(), m_names.end(), [&](const std::vector<std::string>& wanted) {
        if (wanted.empty() || wanted.size() > words.size())
            return false;
        if (wanted.size() == 1)
            return std::any_of(
                words.begin(), words.end(), [&](const std::string& word) { return matches(word, wanted.front()); });
        return std::search(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
    });
}

std::optional<RedactionAction> Redactor::actionOn(std::string_view name, std::string_view pointer) const
{
    if (m_wish.rule)
        if (const auto wished = m_wish.rule(name, pointer))
            return wished;
    return hides(name) ? std::optional(RedactionAction::Hide) : std::nullopt;
}

std::string Redactor::hashed(std::string_view value) const
{
    return m_wish.hash ? m_wish.hash(value) : std::string(hiddenMark);
}

Redacted Redactor::json(std::string_view text, const std::set<std::string>& revealed) const
{
    return JsonRedaction(*this, text, revealed).run();
}

Redacted Redactor::text(std::string_view text) const
{
    Redacted result;
    std::string shown;
    std::size_t from = 0;
    for (auto pair = nextPair(text, 0); pair; pair = nextPair(text, std::max(from, pair->end))) {
        const auto action = actionOn(pair->name, {});
        if (!action || *action == RedactionAction::Keep)
            continue;
        const auto value = text.substr(pair->value, pair->end - pair->value);
        shown += text.substr(from, pair->value - from);
        shown += *action == RedactionAction::Hash ? hashed(value) : std::string(hiddenMark);
        from = behindCredentials(text, *pair);
        result.hidden.emplace_back(pair->name);
    }
    if (from == 0) {
        result.text = hideSecrets(text, hiddenMark, m_wish.kinds, result.hidden);
        return result;
    }
    shown += text.substr(std::min(from, text.size()));
    result.text = hideSecrets(shown, hiddenMark, m_wish.kinds, result.hidden);
    return result;
}

Redacted Redactor::payload(
    std::string_view bytes, std::string_view contentType, const std::set<std::string>& revealed) const
{
    if (contentType.find("json") != std::string_view::npos)
        return json(bytes, revealed);
    if (!isUtf8(bytes) && contentType.substr(0, 5) != "text/")
        return { std::string(bytes), {} };
    return text(bytes);
}

} // namespace fencepost
