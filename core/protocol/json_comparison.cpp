// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/protocol/body_findings.h"
#include "core/protocol/canonical_json.h"
#include "core/protocol/fingerprint.h"
#include "core/protocol/json_number.h"

namespace fencepost {

namespace {

// A value of a document, with its place in the text.
struct JsonNode {
    enum class Kind { Object, Array, String, Number, Literal };
    Kind kind = Kind::Literal;
    std::string_view spelled;
    JsonString text; // of a string
    JsonString name; // within an object
    std::size_t after = 0; // index of the first node that is not inside of this one
};

// The nodes of a document in the order of the text: a node's children follow it.
class JsonNodes {
public:
    explicit JsonNodes(std::string_view text)
        : m_text(text)
    {
        JsonReader reader(text, *this);
        // The text is I-JSON, as compareJson asks for.
        static_cast<void>(reader.read());
    }

    [[nodiscard]] const JsonNode& at(std::size_t index) const { return m_nodes[index]; }

    std::optional<JsonFault> fault;
    bool beginObject(std::size_t begin) { return open(JsonNode::Kind::Object, begin); }
    bool beginArray(std::size_t begin) { return open(JsonNode::Kind::Array, begin); }
    bool endObject(std::size_t end) { return close(end); }
    bool endArray(std::size_t end) { return close(end); }
    bool name(JsonString name)
    {
        m_name = name;
        return true;
    }
    bool string(JsonString string)
    {
        add({ JsonNode::Kind::String, { string.raw.data() - 1, string.raw.size() + 2 }, string, m_name });
        return true;
    }
    bool number(std::string_view token)
    {
        add({ JsonNode::Kind::Number, token, {}, m_name });
        return true;
    }
    bool literal(std::string_view word)
    {
        add({ JsonNode::Kind::Literal, word, {}, m_name });
        return true;
    }

private:
    void add(JsonNode node)
    {
        node.after = m_nodes.size() + 1;
        m_nodes.push_back(node);
    }
    bool open(JsonNode::Kind kind, std::size_t begin)
    {
        m_open.emplace_back(m_nodes.size(), begin);
        add({ kind, {}, {}, m_name });
        return true;
    }
    bool close(std::size_t end)
    {
        const auto [index, begin] = m_open.back();
        m_open.pop_back();
        m_nodes[index].spelled = m_text.substr(begin, end - begin);
        m_nodes[index].after = m_nodes.size();
        return true;
    }

    std::string_view m_text;
    std::vector<JsonNode> m_nodes;
    std::vector<std::pair<std::size_t, std::size_t>> m_open; // node, begin
    JsonString m_name;
};

std::string tokenOf(std::string_view name)
{
    std::string token = "/";
    for (const char c : name) {
        if (c == '~' || c == '/')
            token.append(c == '~' ? "~0" : "~1");
        else
            token += c;
    }
    return token;
}

struct JsonMember {
    std::string name;
    std::size_t node = 0;
    std::size_t position = 0;
};

// Sorted by name.
std::vector<JsonMember> membersOf(const JsonNodes& nodes, std::size_t object)
{
    std::vector<JsonMember> members;
    for (auto i = object + 1; i < nodes.at(object).after; i = nodes.at(i).after)
        members.push_back({ decoded(nodes.at(i).name), i, members.size() });
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return members;
}

class JsonComparison {
public:
    JsonComparison(std::string_view before, std::string_view after, const std::vector<std::string>& pointers,
        BodyFindings& findings)
        : m_before(before)
        , m_after(after)
        , m_pointers(pointers)
        , m_selected(selectionsOf(before, after, pointers))
        , m_findings(findings)
    {
    }

    // Descends once per level of nesting, which deepestJson bounds.
    void compare(std::size_t before, std::size_t after)
    {
        const auto& a = m_before.at(before);
        const auto& b = m_after.at(after);
        if (a.kind != b.kind)
            return differ(DifferenceKind::Changed, a.spelled, b.spelled);
        switch (a.kind) {
        case JsonNode::Kind::Object:
            return compareObjects(before, after);
        case JsonNode::Kind::Array:
            return compareArrays(before, after);
        case JsonNode::Kind::String:
            return compareScalars(a, b, decoded(a.text) == decoded(b.text), BenignKind::Escapes);
        case JsonNode::Kind::Number:
            return compareScalars(
                a, b, normalisedDecimal(a.spelled) == normalisedDecimal(b.spelled), BenignKind::NumberSpelling);
        case JsonNode::Kind::Literal:
            return compareScalars(a, b, a.spelled == b.spelled, BenignKind::Escapes);
        }
    }

private:
    void compareScalars(const JsonNode& a, const JsonNode& b, bool same, BenignKind benign)
    {
        if (!same)
            differ(DifferenceKind::Changed, a.spelled, b.spelled);
        else if (a.spelled != b.spelled)
            m_findings.add(BenignDifference{ benign, m_pointer, excerpt(a.spelled), excerpt(b.spelled) });
    }

    void compareArrays(std::size_t before, std::size_t after)
    {
        auto a = before + 1;
        auto b = after + 1;
        for (std::size_t index = 0; a < m_before.at(before).after || b < m_after.at(after).after; ++index) {
            const auto length = m_pointer.size();
            m_pointer += '/' + std::to_string(index);
            const bool inBefore = a < m_before.at(before).after;
            const bool inAfter = b < m_after.at(after).after;
            if (inBefore && inAfter)
                compare(a, b);
            else
                one(inBefore ? &m_before.at(a) : nullptr, inAfter ? &m_after.at(b) : nullptr);
            a = inBefore ? m_before.at(a).after : a;
            b = inAfter ? m_after.at(b).after : b;
            m_pointer.resize(length);
        }
    }

    void compareObjects(std::size_t before, std::size_t after)
    {
        const auto left = membersOf(m_before, before);
        const auto right = membersOf(m_after, after);
        std::vector<std::pair<std::size_t, std::size_t>> common; // positions of the same name
        auto a = left.begin();
        auto b = right.begin();
        while (a != left.end() || b != right.end()) {
            const bool inBefore = a != left.end() && (b == right.end() || a->name <= b->name);
            const bool inAfter = b != right.end() && (a == left.end() || b->name <= a->name);
            const auto length = m_pointer.size();
            m_pointer += tokenOf(inBefore ? a->name : b->name);
            if (inBefore && inAfter) {
                common.emplace_back(a->position, b->position);
                compareNames(m_before.at(a->node).name, m_after.at(b->node).name);
                compare(a->node, b->node);
            } else {
                one(inBefore ? &m_before.at(a->node) : nullptr, inAfter ? &m_after.at(b->node) : nullptr);
            }
            m_pointer.resize(length);
            a += inBefore ? 1 : 0;
            b += inAfter ? 1 : 0;
        }
        std::sort(common.begin(), common.end());
        const auto later = [](const auto& x, const auto& y) { return x.second > y.second; };
        if (std::adjacent_find(common.begin(), common.end(), later) != common.end())
            m_findings.add(BenignDifference{ BenignKind::MemberOrder, m_pointer, {}, {} });
    }

    void compareNames(JsonString a, JsonString b)
    {
        if (a.raw != b.raw)
            m_findings.add(BenignDifference{ BenignKind::Escapes, m_pointer, excerpt(a.raw), excerpt(b.raw) });
    }

    void one(const JsonNode* a, const JsonNode* b)
    {
        differ(a != nullptr ? DifferenceKind::Removed : DifferenceKind::Added,
            a != nullptr ? a->spelled : std::string_view(), b != nullptr ? b->spelled : std::string_view());
    }

    void differ(DifferenceKind kind, std::string_view before, std::string_view after)
    {
        if (isHashed())
            m_findings.add(BodyDifference{ kind, m_pointer, excerpt(before), excerpt(after) });
        else
            m_findings.add(BenignDifference{ BenignKind::NotHashed, m_pointer, excerpt(before), excerpt(after) });
    }

    // For each pointer, whether what it selects is another value in the one than in the other. A pointer that leads
    // nowhere in both selects nothing, whatever changes above the place that it names.
    static std::vector<bool> selectionsOf(
        std::string_view before, std::string_view after, const std::vector<std::string>& pointers)
    {
        std::vector<bool> differ(pointers.size(), true);
        const auto left = valuesAt(before, pointers);
        const auto right = valuesAt(after, pointers);
        if (!left || !right)
            return differ;
        for (std::size_t i = 0; i < pointers.size(); ++i) {
            const auto& a = (*left)[i];
            const auto& b = (*right)[i];
            if (!a || !b)
                differ[i] = a.has_value() != b.has_value();
            else
                differ[i] = digestOf(*a) != digestOf(*b);
        }
        return differ;
    }

    static Bytes digestOf(std::string_view value)
    {
        const auto digest = bodyDigest("application/json", value);
        return digest ? *digest : Bytes(value);
    }

    // At or within one of the pointers, or around one of which another value is selected.
    [[nodiscard]] bool isHashed() const
    {
        const auto within = [](std::string_view inner, std::string_view outer) {
            return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
        };
        for (std::size_t i = 0; i < m_pointers.size(); ++i)
            if (within(m_pointer, m_pointers[i]) || (m_selected[i] && within(m_pointers[i], m_pointer)))
                return true;
        return m_pointers.empty();
    }

    JsonNodes m_before;
    JsonNodes m_after;
    const std::vector<std::string>& m_pointers;
    std::vector<bool> m_selected; // by each pointer: another value
    BodyFindings& m_findings;
    std::string m_pointer;
};

// The text without what stands between tokens, and what stood there.
std::pair<std::string, std::string> partedByWhiteSpace(std::string_view text)
{
    std::string rest;
    std::string white;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (!inString && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
            white += c;
            continue;
        }
        rest += c;
        if (inString && c == '\\')
            rest += text[++i];
        else if (c == '"')
            inString = !inString;
    }
    return { rest, white };
}

} // namespace

void compareJson(
    std::string_view before, std::string_view after, const std::vector<std::string>& pointers, BodyFindings& findings)
{
    JsonComparison(before, after, pointers, findings).compare(0, 0);
    const auto [beforeRest, beforeWhite] = partedByWhiteSpace(before);
    const auto [afterRest, afterWhite] = partedByWhiteSpace(after);
    if (beforeWhite != afterWhite || (beforeRest == afterRest && before != after))
        findings.add(BenignDifference{ BenignKind::WhiteSpace, {}, {}, {} });
}

} // namespace fencepost
