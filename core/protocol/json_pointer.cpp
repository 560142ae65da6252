// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/in_quotes.h"
#include "core/protocol/canonical_json.h"

namespace fencepost {

namespace {

// The reference tokens of RFC 6901, unescaped. None: it is malformed.
std::optional<std::vector<std::string>> tokensOf(std::string_view pointer)
{
    std::vector<std::string> tokens;
    if (!pointer.empty() && pointer.front() != '/')
        return std::nullopt;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        const char c = pointer[i];
        if (c == '/') {
            tokens.emplace_back();
            continue;
        }
        if (c != '~') {
            tokens.back() += c;
            continue;
        }
        const auto escaped = pointer.substr(i + 1, 1);
        if (escaped != "0" && escaped != "1")
            return std::nullopt;
        tokens.back() += escaped == "0" ? '~' : '/';
        ++i;
    }
    return tokens;
}

// Follows some pointers through one reading. A pointer keeps how much of the current path it agrees with.
class PointerFollower {
public:
    PointerFollower(std::string_view text, std::vector<std::vector<std::string>> pointers)
        : found(pointers.size())
        , m_text(text)
        , m_pointers(std::move(pointers))
        , m_matched(m_pointers.size(), 0)
        , m_begins(m_pointers.size())
    {
    }

    std::optional<JsonFault> fault;
    std::vector<std::optional<std::string_view>> found;

    bool beginObject(std::size_t begin) { return open(true, begin); }
    bool beginArray(std::size_t begin) { return open(false, begin); }
    bool endObject(std::size_t end) { return close(end); }
    bool endArray(std::size_t end) { return close(end); }
    bool name(JsonString name)
    {
        match(decoded(name));
        return true;
    }
    bool string(JsonString string) { return scalar({ string.raw.data() - 1, string.raw.size() + 2 }); }
    bool number(std::string_view token) { return scalar(token); }
    bool literal(std::string_view word) { return scalar(word); }

private:
    struct Level {
        bool object = false;
        std::size_t elements = 0;
    };

    void match(std::string_view token)
    {
        const auto length = m_levels.size();
        for (std::size_t i = 0; i < m_pointers.size(); ++i) {
            if (m_matched[i] + 1 < length)
                continue;
            const auto& pointer = m_pointers[i];
            m_matched[i] = pointer.size() >= length && pointer[length - 1] == token ? length : length - 1;
        }
    }

    void beginValue()
    {
        if (!m_levels.empty() && !m_levels.back().object)
            match(std::to_string(m_levels.back().elements++));
    }

    [[nodiscard]] bool leadsHere(std::size_t pointer) const
    {
        return m_pointers[pointer].size() == m_levels.size() && m_matched[pointer] == m_levels.size();
    }

    bool scalar(std::string_view token)
    {
        beginValue();
        for (std::size_t i = 0; i < m_pointers.size(); ++i)
            if (leadsHere(i))
                found[i] = token;
        return true;
    }

    bool open(bool object, std::size_t begin)
    {
        beginValue();
        for (std::size_t i = 0; i < m_pointers.size(); ++i)
            if (leadsHere(i))
                m_begins[i] = begin;
        m_levels.push_back({ object, 0 });
        return true;
    }

    bool close(std::size_t end)
    {
        m_levels.pop_back();
        for (std::size_t i = 0; i < m_pointers.size(); ++i) {
            m_matched[i] = std::min(m_matched[i], m_levels.size());
            if (leadsHere(i))
                found[i] = m_text.substr(m_begins[i], end - m_begins[i]);
        }
        return true;
    }

    std::string_view m_text;
    std::vector<std::vector<std::string>> m_pointers;
    std::vector<std::size_t> m_matched;
    std::vector<std::size_t> m_begins;
    std::vector<Level> m_levels;
};

} // namespace

Result<std::vector<std::optional<std::string_view>>> valuesAt(
    std::string_view text, const std::vector<std::string>& pointers)
{
    std::vector<std::vector<std::string>> tokens;
    for (const auto& pointer : pointers) {
        auto parsed = tokensOf(pointer);
        if (!parsed)
            return invalid(inQuotes(pointer) + " is no JSON Pointer: it is empty or begins with /, and ~ is ~0 or ~1");
        tokens.push_back(std::move(*parsed));
    }
    PointerFollower follower(text, std::move(tokens));
    JsonReader reader(text, follower);
    if (const auto fault = reader.read())
        return inWords(*fault);
    return follower.found;
}

} // namespace fencepost
