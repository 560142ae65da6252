// SPDX-License-Identifier: Apache-2.0
#include "core/redaction.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <utility>

#include "core/ids.h"
#include "core/protocol/letters.h"
#include "core/secret_patterns.h"
#include "core/without_credentials.h"

namespace fencepost {

namespace {

constexpr std::size_t deepest = 512;

char lowered(char c)
{
    return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

// The words of a name in lower case. A name is looked at for each member of each row of a copy: those of a usual length
// are told apart without memory of the heap.
class Words {
public:
    explicit Words(std::string_view name);
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;

    [[nodiscard]] std::span<const std::string_view> all() const { return m_words; }

private:
    static constexpr std::size_t usual = 512; // octets
    std::array<std::byte, usual> m_room;
    std::pmr::monotonic_buffer_resource m_memory{ m_room.data(), m_room.size() };
    std::pmr::string m_letters{ &m_memory }; // one behind the other
    std::pmr::vector<std::string_view> m_words{ &m_memory };
};

Words::Words(std::string_view name)
{
    constexpr std::size_t several = 8;
    m_words.reserve(several);
    m_letters.resize(name.size());
    bool fresh = true;
    char previous = 0;
    std::size_t begin = 0;
    std::size_t at = 0;
    const auto end = [&] {
        if (at > begin)
            m_words.emplace_back(m_letters.data() + begin, at - begin);
        begin = at;
    };
    for (const char character : name) {
        if (!isLower(character) && !isUpper(character) && (character < '0' || character > '9')) {
            fresh = true;
            continue;
        }
        if (fresh || (isUpper(character) && isLower(previous)))
            end();
        fresh = false;
        m_letters[at++] = lowered(character);
        previous = character;
    }
    end();
}

constexpr bool endsScalar(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || (c >= '\t' && c <= '\r' && c != '\v' && c != '\f')
        || c == ':' || c == '"' || c == '[' || c == '{';
}

// {"name":"password","value":"…"}, as lists of headers, fields and variables have them.
bool namesAnother(std::string_view member)
{
    constexpr std::array words{ std::string_view("name"), std::string_view("key"), std::string_view("header"),
        std::string_view("field"), std::string_view("Name"), std::string_view("Key") };
    return std::find(words.begin(), words.end(), member) != words.end();
}

bool isNamedByAnother(std::string_view member)
{
    return member == "value" || member == "values" || member == "Value";
}

constexpr std::size_t shortName = 4; // shorter ones are taken as whole words only: "pan" is none in "company"
constexpr std::size_t endingName = 5;

std::size_t place(char c)
{
    return static_cast<unsigned char>(c);
}

// Whether the words begin with those of the name; one alone may go on behind it.
bool beginWith(std::span<const std::string_view> words, const std::vector<std::string>& name)
{
    if (name.size() == 1)
        return name.front().size() < shortName ? words.front() == name.front()
                                               : words.front().starts_with(name.front());
    return words.size() >= name.size() && std::equal(name.begin(), name.end(), words.begin());
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
    {
    }

    Redacted run()
    {
        passSpace();
        bool good = value(0, false);
        passSpace();
        good = good && m_at >= m_text.size();
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
    void passSpace()
    {
        while (more() && (current() == ' ' || current() == '\t' || current() == '\r' || current() == '\n'))
            ++m_at;
    }
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

    // The end of a string that begins here; the whole rest where it is cut off.
    [[nodiscard]] std::size_t endOfString() const
    {
        auto at = m_at + 1;
        while (at < m_text.size() && m_text[at] != '"')
            at += m_text[at] == '\\' ? 2 : 1;
        return std::min(at + 1, m_text.size());
    }
    // What the string says that begins here.
    [[nodiscard]] std::string stringHere() const
    {
        return unescaped(m_text.substr(m_at + 1, std::max(endOfString(), m_at + 2) - m_at - 2));
    }
    [[nodiscard]] std::size_t endOfScalar() const
    {
        auto at = m_at;
        while (at < m_text.size() && !endsScalar(m_text[at]))
            ++at;
        return at;
    }

    bool value(std::size_t depth, bool inArray)
    {
        if (!more())
            return true;
        if (depth > deepest)
            return false;
        switch (current()) {
        case '{':
            return object(depth);
        case '[':
            return array(depth, inArray);
        case '"':
            scalar(endOfString());
            return true;
        default:
            break;
        }
        const auto end = endOfScalar();
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
        std::string says;
        while (more()) {
            passSpace();
            if (!more() || current() != '"')
                return !more();
            const auto end = endOfString();
            const auto quoted = m_text.substr(m_at, end - m_at);
            m_at = end;
            passSpace();
            if (!take(':'))
                return !more();
            passSpace();
            if (!member(quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : std::string_view(), says, depth))
                return false;
            passSpace();
            if (take('}'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    // `says`: what a member called "name" of the same object has said, which is the name of its "value".
    bool member(std::string_view written, std::string& says, std::size_t depth)
    {
        std::string plain;
        if (written.find('\\') != std::string_view::npos) {
            plain = unescaped(written);
            written = plain;
        }
        const Within within(m_pointer, written);
        if (namesAnother(written) && more() && current() == '"')
            says = stringHere();
        return named(written, isNamedByAnother(written) ? std::string_view(says) : std::string_view(), depth);
    }

    // The value of a member or of a header, by its name, else by another that it has.
    bool named(std::string_view name, std::string_view other, std::size_t depth)
    {
        auto action = isRevealed() ? std::nullopt : m_redactor.actionOn(name, m_pointer);
        if (!action && !other.empty() && !isRevealed())
            action = m_redactor.actionOn(other, m_pointer);
        if (!action)
            return value(depth + 1, false);
        return skipValue(*action);
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
                header = stringHere();
            const Within within(m_pointer, std::to_string(index));
            const bool isHeader = index == 1 && !header.empty() && more() && current() == '"';
            if (!(isHeader ? named(header, {}, depth) : value(depth + 1, true)))
                return false;
            passSpace();
            if (take(']'))
                return true;
            if (!take(','))
                return !more();
        }
        return true;
    }

    void scalar(std::size_t end)
    {
        const auto begin = std::exchange(m_at, end);
        const auto raw = m_text.substr(begin, end - begin);
        if (!mayTell(raw) || isRevealed())
            return;
        const auto shown = m_redactor.text(raw);
        if (shown.hidden.empty())
            return;
        // A number that is hidden becomes a string, so that the text stays JSON.
        replace(begin, raw.front() == '"' ? shown.text : '"' + shown.text + '"');
        m_result.hidden.push_back(m_pointer);
    }

    bool skipValue(RedactionAction action)
    {
        if (!more())
            return true;
        if (m_text.substr(m_at, 4) == "null")
            return value(0, false);
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
        if (action == RedactionAction::Keep)
            return true;
        replace(
            begin, '"' + (action == RedactionAction::Hash ? m_redactor.hashed(whole) : std::string(hiddenMark)) + '"');
        m_result.hidden.push_back(m_pointer);
        return true;
    }

    const Redactor& m_redactor;
    std::string_view m_text;
    const std::set<std::string>& m_revealed;
    std::string m_pointer; // of the value in hand
    std::size_t m_at = 0;
    std::size_t m_copied = 0; // or replaced, so far
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
        know(name);
}

void Redactor::know(std::string_view name)
{
    const Words told(name);
    const auto words = told.all();
    if (words.empty())
        return;
    m_names[place(words.front().front())].emplace_back(words.begin(), words.end());
    if (words.size() == 1 && words.front().size() >= endingName)
        m_endings[place(words.front().back())].emplace_back(words.front());
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
    const Words told(name);
    const auto words = told.all();
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto rest = words.subspan(i);
        const auto begins = [&](const std::vector<std::string>& each) { return beginWith(rest, each); };
        const auto ends = [&](const std::string& each) { return rest.front().ends_with(each); };
        const auto& names = m_names[place(rest.front().front())];
        const auto& endings = m_endings[place(rest.front().back())];
        if (std::any_of(names.begin(), names.end(), begins) || std::any_of(endings.begin(), endings.end(), ends))
            return true;
    }
    return false;
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
    if (!mayTell(text)) {
        result.text = text;
        return result;
    }
    std::string shown;
    std::size_t from = 0;
    std::size_t at = 0;
    while (const auto pair = nextPair(text, at)) {
        const auto action = actionOn(pair->name, {});
        if (!action || *action == RedactionAction::Keep) {
            // "exit_65: token=…": what is said of a name that hides nothing may hold one that does.
            at = action ? pair->end : pair->inside;
            continue;
        }
        const auto value = text.substr(pair->value, pair->end - pair->value);
        shown += text.substr(from, pair->value - from);
        shown += *action == RedactionAction::Hash ? hashed(value) : std::string(hiddenMark);
        from = behindCredentials(text, *pair);
        at = std::max(from, pair->end);
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

bool isMark(std::string_view value) noexcept
{
    constexpr std::size_t longest = 80;
    return value == hiddenMark || (value.size() <= longest && value.starts_with(hashMark));
}

bool hasMark(std::string_view value) noexcept
{
    const auto plain = value.substr(value.starts_with('"') ? 1 : 0);
    return plain.starts_with(hashMark) || plain.find(hiddenMark) != std::string_view::npos
        || plain.find(hiddenCredentials) != std::string_view::npos;
}

std::string withoutSecrets(std::string_view text)
{
    return withoutCredentials(Redactor().text(text).text);
}

} // namespace fencepost
