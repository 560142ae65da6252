// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace fencepost {

// Why a text is no I-JSON (RFC 7493), or is nested or spelled so that no two receivers need agree on it.
enum class JsonProblem {
    Syntax, // no JSON at all (RFC 8259)
    ByteOrderMark,
    Utf8,
    LoneSurrogate,
    DuplicateMember,
    NumberRange, // over the greatest double, NaN, Infinity
    Depth, // over deepestJson
    TooLossy, // so many numbers beyond a double that naming them outgrows the text
};

[[nodiscard]] std::string_view wordOf(JsonProblem problem) noexcept; // "syntax", "duplicate_member", …

struct JsonFault {
    JsonProblem problem = JsonProblem::Syntax;
    std::size_t offset = 0; // octets from the start of the text; of a duplicate, in the object's last member
    std::string member = {}; // DuplicateMember: its name

    bool operator==(const JsonFault&) const = default;
};

// Invalid, with the code VALIDATION.body_not_ijson and the problem's word as detail.
[[nodiscard]] Error inWords(const JsonFault& fault);

constexpr std::size_t deepestJson = 256;

// A string between its quotes, as it is spelled in the text.
struct JsonString {
    std::string_view raw;
    bool escaped = false; // has a backslash
};

// What the string says, in UTF-8. The spelling must have passed a JsonReader.
[[nodiscard]] std::string decoded(JsonString string);
// Between the quotes, spelled as RFC 8785 §3.2.2.2 says: only what must be escaped is.
void appendCanonical(std::string& out, JsonString string);
void appendCanonical(std::string& out, std::string_view utf8);

// One pass over a JSON text: linear in time, with a stack that does not grow with the nesting. The handler is told of
// each token in order and stops the reading by answering false, with its reason in its member `fault`, to which the
// reader adds the place. It has
//   bool beginObject(std::size_t begin), endObject(std::size_t end), beginArray(std::size_t begin),
//   endArray(std::size_t end); bool name(JsonString), string(JsonString), number(std::string_view token),
//   literal(std::string_view word); std::optional<JsonFault> fault;
// Duplicate members and the range of numbers are the handler's to find.
template <typename Handler> class JsonReader {
public:
    JsonReader(std::string_view text, Handler& handler)
        : m_text(text)
        , m_handler(handler)
    {
    }

    // None: the text is well-formed and the handler took all of it.
    [[nodiscard]] std::optional<JsonFault> read()
    {
        if (m_text.substr(0, 3) == "\xef\xbb\xbf")
            return JsonFault{ JsonProblem::ByteOrderMark, 0 };
        auto next = Next::Value;
        bool good = true;
        while (good && next != Next::End)
            good = next == Next::Value ? value(next) : afterValue(next);
        if (good)
            return std::nullopt;
        if (!m_fault) {
            m_fault = m_handler.fault;
            m_fault->offset = m_token;
        }
        return m_fault;
    }

private:
    enum class Next { Value, AfterValue, End };

    [[nodiscard]] bool atEnd() const { return m_at == m_text.size(); }
    [[nodiscard]] char here() const { return atEnd() ? '\0' : m_text[m_at]; }

    bool fail(JsonProblem problem, std::size_t at)
    {
        m_fault = JsonFault{ problem, at };
        return false;
    }
    bool fail() { return fail(JsonProblem::Syntax, m_at); }

    void skipSpace()
    {
        while (!atEnd()) {
            const char c = m_text[m_at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
                return;
            ++m_at;
        }
    }

    bool value(Next& next)
    {
        skipSpace();
        m_token = m_at;
        next = Next::AfterValue;
        switch (here()) {
        case '{':
            return open(true, next);
        case '[':
            return open(false, next);
        case '"': {
            JsonString string;
            return scanString(string) && m_handler.string(string);
        }
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            return number();
        }
    }

    bool open(bool object, Next& next)
    {
        if (m_depth == deepestJson)
            return fail(JsonProblem::Depth, m_at);
        m_objects[m_depth++] = object;
        if (!(object ? m_handler.beginObject(m_at) : m_handler.beginArray(m_at)))
            return false;
        ++m_at;
        skipSpace();
        if (here() == (object ? '}' : ']'))
            return close();
        next = Next::Value;
        return object ? name() : true;
    }

    bool close()
    {
        ++m_at;
        return m_objects[--m_depth] ? m_handler.endObject(m_at) : m_handler.endArray(m_at);
    }

    bool name()
    {
        JsonString string;
        m_token = m_at;
        if (here() != '"')
            return fail();
        if (!scanString(string) || !m_handler.name(string))
            return false;
        skipSpace();
        if (here() != ':')
            return fail();
        ++m_at;
        return true;
    }

    bool afterValue(Next& next)
    {
        skipSpace();
        if (m_depth == 0) {
            next = Next::End;
            return atEnd() || fail();
        }
        const bool object = m_objects[m_depth - 1];
        if (here() == (object ? '}' : ']'))
            return close();
        if (here() != ',')
            return fail();
        ++m_at;
        next = Next::Value;
        if (!object)
            return true;
        skipSpace();
        return name();
    }

    bool word(std::string_view literal)
    {
        if (m_text.substr(m_at, literal.size()) != literal)
            return fail();
        const auto token = m_text.substr(m_at, literal.size());
        m_at += literal.size();
        return m_handler.literal(token);
    }

    bool digits()
    {
        const auto first = m_at;
        while (!atEnd() && m_text[m_at] >= '0' && m_text[m_at] <= '9')
            ++m_at;
        return m_at > first || fail();
    }

    bool number()
    {
        const auto first = m_at;
        if (here() == '-')
            ++m_at;
        const auto rest = m_text.substr(m_at);
        if (rest.substr(0, 3) == "NaN" || rest.substr(0, 8) == "Infinity")
            return fail(JsonProblem::NumberRange, first);
        if (here() == '0')
            ++m_at;
        else if (!digits())
            return false;
        if (here() == '.') {
            ++m_at;
            if (!digits())
                return false;
        }
        if (here() == 'e' || here() == 'E') {
            ++m_at;
            if (here() == '+' || here() == '-')
                ++m_at;
            if (!digits())
                return false;
        }
        return m_handler.number(m_text.substr(first, m_at - first));
    }

    bool scanString(JsonString& string)
    {
        const auto first = ++m_at;
        for (;;) {
            skipPlain();
            if (atEnd())
                return fail();
            const auto c = static_cast<unsigned char>(m_text[m_at]);
            if (c == '"')
                break;
            if (c == '\\') {
                string.escaped = true;
                if (!escape())
                    return false;
            } else if (c >= 0x80) {
                if (!foreign())
                    return false;
            } else if (c < 0x20) {
                return fail();
            } else {
                ++m_at;
            }
        }
        string.raw = m_text.substr(first, m_at - first);
        ++m_at;
        return true;
    }

    // Eight octets at a time, as long as none is a quote, a backslash, a control character or above ASCII.
    void skipPlain()
    {
        constexpr std::uint64_t ones = 0x0101010101010101U;
        constexpr std::uint64_t highs = 0x8080808080808080U;
        while (m_text.size() - m_at >= sizeof(std::uint64_t)) {
            std::uint64_t w = 0;
            std::memcpy(&w, m_text.data() + m_at, sizeof w);
            const auto quote = w ^ (ones * '"');
            const auto backslash = w ^ (ones * '\\');
            if (((w | ((w - ones * 0x20U) & ~w) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash))
                    & highs)
                != 0)
                return;
            m_at += sizeof w;
        }
    }

    // A run above ASCII is well-formed UTF-8 by itself or not at all.
    bool foreign();
    bool escape()
    {
        const auto at = m_at++;
        const char c = here();
        ++m_at;
        if (c != 'u') {
            const bool known = c != '\0' && std::strchr("\"\\/bfnrt", c) != nullptr;
            return known || fail(JsonProblem::Syntax, at);
        }
        const auto unit = hexUnit();
        if (!unit)
            return fail(JsonProblem::Syntax, at);
        if (*unit < 0xd800 || *unit > 0xdfff)
            return true;
        const bool high = *unit <= 0xdbff;
        if (!high || m_text.substr(m_at, 2) != "\\u")
            return fail(JsonProblem::LoneSurrogate, at);
        m_at += 2;
        const auto low = hexUnit();
        if (!low)
            return fail(JsonProblem::Syntax, m_at - 2);
        return (*low >= 0xdc00 && *low <= 0xdfff) || fail(JsonProblem::LoneSurrogate, at);
    }

    std::optional<unsigned> hexUnit()
    {
        unsigned unit = 0;
        for (int i = 0; i < 4; ++i, ++m_at) {
            const char c = here();
            if (c >= '0' && c <= '9')
                unit = unit * 16 + static_cast<unsigned>(c - '0');
            else if (c >= 'a' && c <= 'f')
                unit = unit * 16 + static_cast<unsigned>(c - 'a' + 10);
            else if (c >= 'A' && c <= 'F')
                unit = unit * 16 + static_cast<unsigned>(c - 'A' + 10);
            else
                return std::nullopt;
        }
        return unit;
    }

    std::string_view m_text;
    Handler& m_handler;
    std::size_t m_at = 0;
    std::size_t m_token = 0; // where the last name or value begins
    std::size_t m_depth = 0;
    std::bitset<deepestJson> m_objects;
    std::optional<JsonFault> m_fault;
};

// How many octets of well-formed UTF-8 above ASCII stand at the start; none: they are malformed.
[[nodiscard]] std::optional<std::size_t> foreignRun(std::string_view text) noexcept;

template <typename Handler> bool JsonReader<Handler>::foreign()
{
    const auto run = foreignRun(m_text.substr(m_at));
    if (!run)
        return fail(JsonProblem::Utf8, m_at);
    m_at += *run;
    return true;
}

} // namespace fencepost
