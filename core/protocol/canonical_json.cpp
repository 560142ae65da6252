// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/canonical_json.h"

#include <algorithm>

#include "core/protocol/digest.h"
#include "core/protocol/json_number.h"

namespace fencepost {

namespace {

// Names of lossy numbers may take that many times the text, and this much on top, so that a long name over many numbers
// stays linear.
constexpr std::size_t lossyFactor = 16;
constexpr std::size_t lossyAllowance = std::size_t{ 1 } << 20U;

// The octets of a canonical spelling without its escapes, one after the other.
class Spelled {
public:
    explicit Spelled(std::string_view text)
        : m_text(text)
    {
    }
    [[nodiscard]] bool atEnd() const { return m_at == m_text.size(); }
    unsigned char next()
    {
        const auto c = static_cast<unsigned char>(m_text[m_at++]);
        if (c != '\\')
            return c;
        const char letter = m_text[m_at++];
        constexpr std::string_view letters = "btnfr";
        if (const auto at = letters.find(letter); at != std::string_view::npos)
            return static_cast<unsigned char>("\b\t\n\f\r"[at]);
        if (letter != 'u')
            return static_cast<unsigned char>(letter);
        const auto code = std::stoul(std::string(m_text.substr(m_at, 4)), nullptr, 16);
        m_at += 4;
        return static_cast<unsigned char>(code);
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

// UTF-8 sorts by code point; UTF-16 sorts what needs surrogates (lead octets from F0) before U+E000 to U+FFFF (EE, EF).
int rankOf(unsigned char octet)
{
    if (octet >= 0xf0)
        return octet - 2;
    return octet >= 0xee ? octet + 5 : octet;
}

// By UTF-16 code units (RFC 8785 §3.2.3). Octets of a sequence's tail never meet a lead octet before they differ.
int compareNames(std::string_view left, std::string_view right)
{
    if (left.find('\\') == std::string_view::npos && right.find('\\') == std::string_view::npos) {
        const auto [l, r] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
        if (l != left.end() && r != right.end())
            return rankOf(static_cast<unsigned char>(*l)) - rankOf(static_cast<unsigned char>(*r));
        return static_cast<int>(r == right.end()) - static_cast<int>(l == left.end());
    }
    Spelled a(left);
    Spelled b(right);
    while (!a.atEnd() && !b.atEnd()) {
        const auto difference = rankOf(a.next()) - rankOf(b.next());
        if (difference != 0)
            return difference;
    }
    return static_cast<int>(b.atEnd()) - static_cast<int>(a.atEnd());
}

} // namespace

// Writes canonical tokens as they come and remembers which objects have to be put into order.
class CanonicalWriter {
public:
    explicit CanonicalWriter(std::size_t size)
        : m_lossyLeft(size > SIZE_MAX / lossyFactor - lossyAllowance ? SIZE_MAX : size * lossyFactor + lossyAllowance)
    {
        json.m_source.reserve(size);
    }

    std::optional<JsonFault> fault;
    CanonicalJson json;

    bool beginObject(std::size_t)
    {
        beginValue();
        m_levels.push_back({ true, true, out().size(), m_open.size(), 0 });
        out() += '{';
        return true;
    }

    bool endObject(std::size_t)
    {
        out() += '}';
        const auto level = m_levels.back();
        m_levels.pop_back();
        if (m_open.size() > level.firstMember)
            m_open.back().end = out().size() - 1;
        if (!level.ordered && !putInOrder(level))
            return false;
        m_open.resize(level.firstMember);
        return true;
    }

    bool beginArray(std::size_t)
    {
        beginValue();
        m_levels.push_back({ false, true, out().size(), m_open.size(), 0 });
        out() += '[';
        return true;
    }

    bool endArray(std::size_t)
    {
        out() += ']';
        m_levels.pop_back();
        return true;
    }

    bool name(JsonString name)
    {
        auto& level = m_levels.back();
        const bool first = m_open.size() == level.firstMember;
        if (!first) {
            m_open.back().end = out().size();
            out() += ',';
        }
        Member member{ out().size(), 0, 0 };
        out() += '"';
        appendCanonical(out(), name);
        out() += '"';
        member.nameEnd = out().size();
        out() += ':';
        if (!first && level.ordered)
            level.ordered = compareNames(nameOf(m_open.back()), nameOf(member)) < 0;
        m_open.push_back(member);
        return true;
    }

    bool string(JsonString string)
    {
        beginValue();
        out() += '"';
        appendCanonical(out(), string);
        out() += '"';
        return true;
    }

    bool literal(std::string_view word)
    {
        beginValue();
        out().append(word);
        return true;
    }

    bool number(std::string_view token)
    {
        beginValue();
        constexpr std::size_t exact = 15; // digits that every double holds
        const bool plain = token.size() <= exact && token.find_first_of(".eE") == std::string_view::npos;
        if (plain && token != "-0") {
            out().append(token);
            return true;
        }
        auto number = readJsonNumber(token);
        if (!number) {
            fault = JsonFault{ JsonProblem::NumberRange, 0 };
            return false;
        }
        out().append(number->text);
        return !number->lossy || remember(std::move(*number->lossy));
    }

private:
    struct Level {
        bool object = false;
        bool ordered = true;
        std::size_t begin = 0; // of its brace in the output
        std::size_t firstMember = 0; // in m_open
        std::size_t elements = 0; // of an array, begun so far
    };
    struct Member {
        std::size_t begin = 0;
        std::size_t nameEnd = 0;
        std::size_t end = 0;
    };

    [[nodiscard]] std::string& out() { return json.m_source; }
    [[nodiscard]] std::string_view nameOf(const Member& member) const
    {
        return std::string_view(json.m_source).substr(member.begin + 1, member.nameEnd - member.begin - 2);
    }

    void beginValue()
    {
        if (m_levels.empty() || m_levels.back().object)
            return;
        if (m_levels.back().elements++ > 0)
            out() += ',';
    }

    bool putInOrder(const Level& level)
    {
        const auto first = m_open.begin() + static_cast<std::ptrdiff_t>(level.firstMember);
        std::sort(first, m_open.end(),
            [&](const Member& a, const Member& b) { return compareNames(nameOf(a), nameOf(b)) < 0; });
        const auto twin = std::adjacent_find(
            first, m_open.end(), [&](const Member& a, const Member& b) { return nameOf(a) == nameOf(b); });
        if (twin != m_open.end()) {
            fault = JsonFault{ JsonProblem::DuplicateMember, 0, std::string(nameOf(*twin)) };
            return false;
        }
        json.m_unordered.push_back({ { level.begin, out().size() }, json.m_members.size(),
            static_cast<std::size_t>(m_open.end() - first), 0 });
        for (auto member = first; member != m_open.end(); ++member)
            json.m_members.push_back({ member->begin, member->end });
        return true;
    }

    // Where the reader stands. The names are taken as they are spelled in the output.
    [[nodiscard]] std::string pointer() const
    {
        std::string pointer;
        for (std::size_t i = 0; i < m_levels.size(); ++i) {
            pointer += '/';
            if (!m_levels[i].object) {
                pointer += std::to_string(m_levels[i].elements - 1);
                continue;
            }
            const auto next = i + 1 < m_levels.size() ? m_levels[i + 1].firstMember : m_open.size();
            appendToken(pointer, nameOf(m_open[next - 1]));
        }
        return pointer;
    }

    static void appendToken(std::string& pointer, std::string_view name)
    {
        while (!name.empty()) {
            const auto plain = std::min(name.find_first_of("~/"), name.size());
            pointer.append(name, 0, plain);
            if (plain < name.size())
                pointer.append(name[plain] == '~' ? "~0" : "~1");
            name.remove_prefix(std::min(plain + 1, name.size()));
        }
    }

    bool remember(std::string decimal)
    {
        LossyNumber number{ pointer(), std::move(decimal) };
        const auto size = number.pointer.size() + number.decimal.size() + 2;
        if (size > m_lossyLeft) {
            fault = JsonFault{ JsonProblem::TooLossy, 0 };
            return false;
        }
        m_lossyLeft -= size;
        json.m_lossy.push_back(std::move(number));
        return true;
    }

    std::vector<Level> m_levels;
    std::vector<Member> m_open; // members of the objects that are still open
    std::size_t m_lossyLeft;
};

std::variant<CanonicalJson, JsonFault> CanonicalJson::read(std::string_view text)
{
    CanonicalWriter writer(text.size());
    JsonReader reader(text, writer);
    if (auto fault = reader.read())
        return *fault;
    auto json = std::move(writer.json);
    json.nest();
    std::sort(json.m_lossy.begin(), json.m_lossy.end());
    return json;
}

// They were found by their ends and are read by their begins.
void CanonicalJson::nest()
{
    std::sort(m_unordered.begin(), m_unordered.end(),
        [](const Unordered& a, const Unordered& b) { return a.place.begin < b.place.begin; });
    std::vector<std::size_t> around;
    for (std::size_t i = 0; i < m_unordered.size(); ++i) {
        while (!around.empty() && m_unordered[around.back()].place.end <= m_unordered[i].place.begin) {
            m_unordered[around.back()].after = i;
            around.pop_back();
        }
        around.push_back(i);
    }
    for (const auto i : around)
        m_unordered[i].after = m_unordered.size();
}

// `objects` are those of m_unordered that may stand in the range. Descends once per level of nesting, which deepestJson
// bounds.
template <typename Sink> void CanonicalJson::writeParts(Range range, Range objects, const Sink& sink) const
{
    const auto first = m_unordered.begin();
    const auto place = [&](std::size_t index) { return first + static_cast<std::ptrdiff_t>(index); };
    const auto found = std::lower_bound(place(objects.begin), place(objects.end), range.begin,
        [](const Unordered& object, std::size_t at) { return object.place.begin < at; });
    const std::string_view source = m_source;
    auto next = static_cast<std::size_t>(found - first);
    while (next < objects.end && m_unordered[next].place.begin < range.end) {
        const auto& object = m_unordered[next];
        sink(source.substr(range.begin, object.place.begin + 1 - range.begin));
        for (std::size_t i = 0; i < object.members; ++i) {
            if (i > 0)
                sink(",");
            writeParts(m_members[object.firstMember + i], { next + 1, object.after }, sink);
        }
        range.begin = object.place.end - 1;
        next = object.after;
    }
    sink(source.substr(range.begin, range.end - range.begin));
}

std::string CanonicalJson::text() const
{
    std::string text;
    text.reserve(m_source.size());
    writeParts({ 0, m_source.size() }, { 0, m_unordered.size() }, [&](std::string_view piece) { text.append(piece); });
    return text;
}

Bytes CanonicalJson::digest() const
{
    Sha256 digest;
    writeParts({ 0, m_source.size() }, { 0, m_unordered.size() }, [&](std::string_view piece) { digest.add(piece); });
    std::string_view separator("\0", 1);
    for (const auto& number : m_lossy) {
        digest.add(separator);
        digest.add(number.pointer);
        digest.add("=");
        digest.add(number.decimal);
        separator = "\n";
    }
    return digest.finish();
}

Result<std::string> canonicalJson(std::string_view text)
{
    const auto read = CanonicalJson::read(text);
    if (const auto* fault = std::get_if<JsonFault>(&read))
        return inWords(*fault);
    return std::get<CanonicalJson>(read).text();
}

Result<Bytes> jsonDigest(std::string_view text)
{
    const auto read = CanonicalJson::read(text);
    if (const auto* fault = std::get_if<JsonFault>(&read))
        return inWords(*fault);
    return std::get<CanonicalJson>(read).digest();
}

} // namespace fencepost
