// SPDX-License-Identifier: Apache-2.0
#include "core/json_redaction.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/json_escapes.h"
#include "core/protocol/json_reader.h"
#include "core/protocol/letters.h"
#include "core/secret_patterns.h"

namespace fencepost {

namespace {

constexpr std::size_t deepest = 2'000;
constexpr std::size_t looksPerOctet = 8;

constexpr bool endsScalar(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || (c >= '\t' && c <= '\r' && c != '\v' && c != '\f')
        || c == ':' || c == '"' || c == '[' || c == '{';
}

bool isOneOf(std::string_view member, std::initializer_list<std::string_view> lowerWords)
{
    return std::any_of(lowerWords.begin(), lowerWords.end(), [&](std::string_view word) {
        return word.size() == member.size()
            && std::equal(word.begin(), word.end(), member.begin(), [](char a, char b) { return a == lowered(b); });
    });
}

// {"name":"password","value":"…"}, as lists of headers, fields and variables have them.
bool namesAnother(std::string_view member)
{
    return isOneOf(member, { "name", "key", "header", "field" });
}

bool isNamedByAnother(std::string_view member)
{
    return isOneOf(member, { "value", "values" });
}

void appendPointerPart(std::string& pointer, std::string_view name)
{
    pointer += '/';
    if (name.find_first_of("~/") == std::string_view::npos) {
        pointer += name;
        return;
    }
    for (const char character : name)
        if (character == '~')
            pointer += "~0";
        else if (character == '/')
            pointer += "~1";
        else
            pointer += character;
}

// The pointer of a part of a value, for as long as it is looked at.
class Within {
public:
    Within(std::string& pointer, std::string_view part)
        : m_pointer(pointer)
        , m_whole(pointer.size())
    {
        appendPointerPart(pointer, part);
    }
    ~Within() { m_pointer.resize(m_whole); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

private:
    std::string& m_pointer;
    std::size_t m_whole;
};

// Walks JSON text and replaces what is hidden. Checks no more than it needs to know where it is.
class JsonRedaction {
public:
    JsonRedaction(const Redactor& redactor, std::string_view text, const std::set<std::string>& revealed)
        : m_redactor(redactor)
        , m_text(text)
        , m_revealed(revealed)
        , m_looksLeft(looksPerOctet * text.size() + (1UL << 20U))
    {
    }

    Redacted run()
    {
        bool good = true;
        do {
            passSpace();
            good = value(0, false);
            passSpace();
        } while (good && more() && (current() == '{' || current() == '['));
        good = good && !more();
        if (!good && m_at < m_text.size()) {
            const auto begin = std::exchange(m_at, m_text.size());
            replace(begin, std::string(hiddenMark) + " (no JSON from octet " + std::to_string(begin) + " on)");
            m_result.hidden.emplace_back("the rest");
        }
        m_result.text += m_text.substr(m_copied);
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool more() const { return m_at < m_text.size(); }
    [[nodiscard]] char current() const { return m_text[m_at]; }
    [[nodiscard]] bool isRevealed() const { return !m_revealed.empty() && m_revealed.contains(m_pointer); }
    [[nodiscard]] bool isAt(std::size_t at, char c) const { return at < m_text.size() && m_text[at] == c; }
    [[nodiscard]] std::size_t behindSpace(std::size_t at) const
    {
        while (isAt(at, ' ') || isAt(at, '\t') || isAt(at, '\r') || isAt(at, '\n'))
            ++at;
        return at;
    }
    void passSpace() { m_at = behindSpace(m_at); }
    // What was passed since `begin`.
    void replace(std::size_t begin, const std::string& shown)
    {
        m_result.text += m_text.substr(m_copied, begin - m_copied);
        m_result.text += shown;
        m_copied = m_at;
    }
    bool take(char character)
    {
        if (!more() || current() != character)
            return false;
        ++m_at;
        return true;
    }

    struct Quoted {
        std::string_view inside; // as it is spelled
        std::size_t end = 0; // behind the quote that closes it
        bool closed = false; // else it is cut off
    };
    // The string that begins there.
    [[nodiscard]] Quoted stringAt(std::size_t begin) const
    {
        auto at = begin + 1;
        while (at < m_text.size() && m_text[at] != '"')
            at += m_text[at] == '\\' ? 2 : 1;
        const bool closed = at < m_text.size();
        at = std::min(at, m_text.size());
        return { m_text.substr(begin + 1, at - begin - 1), closed ? at + 1 : at, closed };
    }
    // What it says; `plain` keeps that where it is not spelled so.
    static std::string_view saidBy(std::string_view inside, std::string& plain)
    {
        if (inside.find('\\') == std::string_view::npos)
            return inside;
        plain = unescaped(inside);
        return plain;
    }
    [[nodiscard]] std::size_t endOfScalar(std::size_t at) const
    {
        while (at < m_text.size() && !endsScalar(m_text[at]))
            ++at;
        return at;
    }

    bool value(std::size_t depth, bool inArray)
    {
        if (!more())
            return true;
        if (depth > deepest)
            return skipValue(RedactionAction::Hide);
        switch (current()) {
        case '{':
            return object(depth);
        case '[':
            return array(depth, inArray);
        case '"':
            string();
            return true;
        default:
            break;
        }
        const auto end = endOfScalar(m_at);
        if (end == m_at)
            return false;
        scalar(end);
        return true;
    }

    bool object(std::size_t depth)
    {
        take('{');
        passSpace();
        if (take('}'))
            return true;
        Names names;
        while (more()) {
            passSpace();
            if (!more() || current() != '"')
                return !more();
            const auto quoted = stringAt(m_at);
            m_at = quoted.end;
            passSpace();
            if (!take(':'))
                return !more();
            passSpace();
            if (!member(quoted.inside, names, depth))
                return false;
            passSpace();
            if (take('}'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    // What members of one object say, which are the names of another one's value.
    struct Names {
        std::optional<std::string> telling; // the first that has an action
        bool areAll = false; // also those behind the value
        bool areUnknown = false; // too much was looked at already
    };

    bool member(std::string_view written, Names& names, std::size_t depth)
    {
        std::string plain;
        written = saidBy(written, plain);
        const Within within(m_pointer, written);
        const bool isNamed = isNamedByAnother(written);
        if (isNamed && !std::exchange(names.areAll, true))
            lookBehind(names);
        if (!names.areAll && namesAnother(written))
            note(names, m_at);
        auto action = isRevealed() ? std::nullopt : m_redactor.actionOn(written, m_pointer);
        if (!action && isNamed && !isRevealed()) {
            action = names.telling ? m_redactor.actionOn(*names.telling, m_pointer) : std::nullopt;
            if (!action && names.areUnknown)
                action = RedactionAction::Hide;
        }
        return action ? skipValue(*action) : value(depth + 1, false);
    }

    void note(Names& names, std::size_t at) const
    {
        if (names.telling || !isAt(at, '"'))
            return;
        auto name = unescaped(stringAt(at).inside);
        if (m_redactor.actionOn(name, {}))
            names.telling = std::move(name);
    }

    // Names that stand behind the value that begins here: jsonb sorts members by length. Values within values may make
    // that a look at the same octets again and again, which ends at a few times the whole.
    void lookBehind(Names& names)
    {
        names.areUnknown = m_looksLeft == 0;
        if (names.areUnknown)
            return;
        auto at = behindSpace(behindValue(m_at));
        while (isAt(at, ',')) {
            at = behindSpace(at + 1);
            if (!isAt(at, '"'))
                break;
            const auto quoted = stringAt(at);
            at = behindSpace(quoted.end);
            if (!isAt(at, ':'))
                break;
            at = behindSpace(at + 1);
            std::string plain;
            if (namesAnother(saidBy(quoted.inside, plain)))
                note(names, at);
            at = behindSpace(behindValue(at));
        }
        m_looksLeft -= std::min(m_looksLeft, at - m_at);
    }

    // Headers are kept as a list of pairs, so an array in an array may be the name and the value of one.
    bool array(std::size_t depth, bool inArray)
    {
        std::string header;
        take('[');
        passSpace();
        if (take(']'))
            return true;
        for (int index = 0; more(); ++index) {
            passSpace();
            if (index == 0 && inArray && more() && current() == '"')
                header = unescaped(stringAt(m_at).inside);
            const Within within(m_pointer, std::to_string(index));
            const bool isHeader = index == 1 && !header.empty() && (isAt(m_at, '"') || isAt(m_at, '['));
            const auto action = isHeader && !isRevealed() ? m_redactor.actionOn(header, m_pointer) : std::nullopt;
            if (!(action ? skipValue(*action) : value(depth + 1, true)))
                return false;
            passSpace();
            if (take(']'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    void string()
    {
        const auto begin = m_at;
        const auto quoted = stringAt(begin);
        m_at = quoted.end;
        std::string plain;
        if (const auto shown = hiddenOf(saidBy(quoted.inside, plain)))
            replace(begin, spelled(*shown, quoted.closed));
    }

    // A number that is hidden becomes a string, so that the text stays JSON.
    void scalar(std::size_t end)
    {
        const auto begin = std::exchange(m_at, end);
        if (const auto shown = hiddenOf(m_text.substr(begin, end - begin)))
            replace(begin, spelled(*shown, true));
    }

    // What is shown instead; none: it tells nothing that must not be seen.
    std::optional<std::string> hiddenOf(std::string_view said)
    {
        if (!mayTell(said) || isRevealed())
            return std::nullopt;
        auto shown = m_redactor.text(said);
        if (shown.hidden.empty())
            return std::nullopt;
        m_result.hidden.push_back(m_pointer);
        return std::move(shown.text);
    }

    static std::string spelled(std::string_view said, bool closed)
    {
        std::string text = "\"";
        appendCanonical(text, said);
        return closed ? text + '"' : text;
    }

    bool skipValue(RedactionAction action)
    {
        if (!more())
            return true;
        if (m_text.substr(m_at, 4) == "null")
            return value(0, false);
        const auto begin = std::exchange(m_at, behindValue(m_at));
        const auto whole = m_text.substr(begin, m_at - begin);
        if (action == RedactionAction::Keep)
            return true;
        replace(
            begin, '"' + (action == RedactionAction::Hash ? m_redactor.hashed(whole) : std::string(hiddenMark)) + '"');
        m_result.hidden.push_back(m_pointer);
        return true;
    }

    // Behind the value that begins there, without a look at what is in it.
    [[nodiscard]] std::size_t behindValue(std::size_t at) const
    {
        std::size_t open = 0;
        while (at < m_text.size()) {
            const char c = m_text[at];
            if (c == '"')
                at = stringAt(at).end;
            else if (c == '{' || c == '[') {
                ++open;
                ++at;
            } else if ((c == '}' || c == ']') && open > 0) {
                --open;
                ++at;
            } else if (open == 0)
                return std::max(endOfScalar(at), at + 1);
            else
                ++at;
            if (open == 0)
                break;
        }
        return at;
    }

    const Redactor& m_redactor;
    std::string_view m_text;
    const std::set<std::string>& m_revealed;
    std::string m_pointer; // of the value in hand
    std::size_t m_at = 0;
    std::size_t m_copied = 0; // or replaced, so far
    std::size_t m_looksLeft; // octets that may still be looked at ahead
    Redacted m_result;
};

} // namespace

bool beginsJson(std::string_view text) noexcept
{
    constexpr std::string_view space = " \t\r\n";
    const auto first = std::min(text.find_first_not_of(space), text.size());
    const auto all = text.substr(first, text.find_last_not_of(space) + 1 - first);
    if (all.empty() || all.front() == '{' || all.front() == '[')
        return !all.empty();
    if (all.front() != '"')
        return all.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    std::size_t at = 1;
    while (at < all.size() && all[at] != '"')
        at += all[at] == '\\' ? 2 : 1;
    return at + 1 == all.size();
}

Redacted redactedJson(const Redactor& redactor, std::string_view text, const std::set<std::string>& revealed)
{
    return JsonRedaction(redactor, text, revealed).run();
}

} // namespace fencepost
