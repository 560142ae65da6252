// SPDX-License-Identifier: Apache-2.0
#include "core/profile/document.h"

#include <algorithm>
#include <set>

#include "core/ids.h"
#include "core/in_quotes.h"

namespace fencepost::profile {

namespace {

constexpr std::size_t maximumDocumentLength = 1U << 20U;
constexpr int maximumDepth = 64;
constexpr std::size_t maximumIdentifier = 128;
constexpr auto identifierShape = "a name of at most 128 octets without quotes, backslashes or control characters";

std::string escaped(const std::string& key)
{
    std::string text;
    for (const char c : key)
        text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
}

std::string shortened(const nlohmann::json& value)
{
    if (value.is_object())
        return "an object";
    if (value.is_array() && value.dump().size() > 80)
        return "an array";
    auto text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.size() > 80 ? text.substr(0, 77) + "..." : text;
}

std::string listed(const std::vector<std::string_view>& words)
{
    std::string text = "one of";
    for (const auto word : words)
        text += " " + std::string(word);
    return text;
}

// Sees what the finished tree hides: members that occur twice, and nesting.
class Strictness {
public:
    bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed)
    {
        using Event = nlohmann::json::parse_event_t;
        if (depth > maximumDepth && complaint.empty())
            complaint = "/: found more than " + std::to_string(maximumDepth) + " levels, expected fewer";
        if (event == Event::object_start || event == Event::array_start)
            m_open.emplace_back();
        else if (event == Event::key && !m_open.empty())
            enter(parsed.get<std::string>());
        else if (event == Event::object_end || event == Event::array_end || event == Event::value)
            leave(event != Event::value);
        return complaint.empty();
    }

    std::string complaint; // "PLACE: found …, expected …"

private:
    struct Level {
        std::set<std::string> members; // of an object, so far
        std::string member; // that is read now
        std::size_t element = 0; // of an array
    };

    void enter(std::string key)
    {
        auto& level = m_open.back();
        const bool isNew = level.members.insert(key).second;
        if (!isNew && complaint.empty())
            complaint = place() + ": found the member " + inQuotes(key) + " twice in one object, expected it once";
        level.member = std::move(key);
    }

    void leave(bool closes)
    {
        if (closes && !m_open.empty())
            m_open.pop_back();
        if (!m_open.empty())
            ++m_open.back().element;
    }

    // Of the innermost object or array.
    [[nodiscard]] std::string place() const
    {
        std::string pointer;
        for (std::size_t i = 0; i + 1 < m_open.size(); ++i)
            pointer +=
                '/' + (m_open[i].members.empty() ? std::to_string(m_open[i].element) : escaped(m_open[i].member));
        return pointer.empty() ? "/" : pointer;
    }

    std::vector<Level> m_open;
};

} // namespace

bool isIdentifier(const std::string& name)
{
    return !name.empty() && name.size() <= maximumIdentifier && std::none_of(name.begin(), name.end(), [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return octet < ' ' || octet == 0x7f || c == '"' || c == '\'' || c == '`' || c == '\\';
    });
}

Node::Node(const nlohmann::json& value, std::string pointer, Report& report)
    : m_value(&value)
    , m_pointer(std::move(pointer))
    , m_report(&report)
{
}

void Node::refuse(const std::string& expected) const
{
    refuse(shortened(*m_value), expected);
}

void Node::refuse(const std::string& found, const std::string& expected) const
{
    if (!m_report->error)
        m_report->error = Error{ Failure::Invalid,
            m_report->file + ": " + (m_pointer.empty() ? "/" : m_pointer) + ": found " + found + ", expected "
                + expected,
            {} };
}

std::optional<Node> Node::child(const std::string& key) const
{
    if (!m_value->is_object())
        return std::nullopt;
    const auto found = m_value->find(key);
    if (found == m_value->end())
        return std::nullopt;
    return Node(*found, m_pointer + '/' + escaped(key), *m_report);
}

Node Node::at(std::size_t index) const
{
    static const nlohmann::json absent;
    if (!m_value->is_array() || index >= m_value->size()) {
        refuse("an array of more than " + std::to_string(index) + " values");
        return { absent, m_pointer, *m_report };
    }
    return { (*m_value)[index], m_pointer + '/' + std::to_string(index), *m_report };
}

std::vector<std::pair<std::string, Node>> Node::members() const
{
    std::vector<std::pair<std::string, Node>> result;
    if (!m_value->is_object()) {
        refuse("an object");
        return result;
    }
    for (const auto& [key, value] : m_value->items())
        result.emplace_back(key, Node(value, m_pointer + '/' + escaped(key), *m_report));
    return result;
}

std::vector<Node> Node::elements() const
{
    std::vector<Node> result;
    if (!m_value->is_array()) {
        refuse("an array");
        return result;
    }
    for (std::size_t i = 0; i < m_value->size(); ++i)
        result.push_back(at(i));
    return result;
}

void Node::onlyKeys(std::initializer_list<std::string_view> keys) const
{
    for (const auto& [key, node] : members())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            node.refuse("the unknown member " + inQuotes(key), listed({ keys.begin(), keys.end() }));
}

std::string Node::text() const
{
    if (m_value->is_string())
        return m_value->get<std::string>();
    refuse("text");
    return {};
}

std::string Node::oneOf(const std::vector<std::string_view>& words) const
{
    const auto word = text();
    if (!failed() && std::find(words.begin(), words.end(), word) == words.end())
        refuse(listed(words));
    return word;
}

std::string Node::identifier() const
{
    auto name = text();
    if (!failed() && !isIdentifier(name))
        refuse(identifierShape);
    return name;
}

std::vector<std::pair<std::string, Node>> Node::membersByIdentifier() const
{
    auto result = members();
    for (const auto& [name, node] : result)
        if (!failed() && !isIdentifier(name))
            node.refuse("the name " + nlohmann::json(name).dump(), identifierShape);
    return result;
}

bool Node::boolean() const
{
    if (m_value->is_boolean())
        return m_value->get<bool>();
    refuse("true or false");
    return false;
}

std::vector<std::string> Node::texts() const
{
    std::vector<std::string> result;
    for (const auto& element : elements())
        result.push_back(element.text());
    return result;
}

std::vector<std::string> Node::identifiers() const
{
    std::vector<std::string> result;
    for (const auto& element : elements())
        result.push_back(element.identifier());
    return result;
}

Result<nlohmann::json> parseDocument(std::string_view text, const std::string& file)
{
    if (text.size() > maximumDocumentLength)
        return Error{ Failure::Invalid, file + ": /: found more than 1 MiB, expected a profile", {} };
    if (!isUtf8(text))
        return Error{ Failure::Invalid, file + ": /: found octets that are no UTF-8, expected JSON", {} };
    Strictness strictness;
    try {
        auto document = nlohmann::json::parse(text, std::ref(strictness));
        if (!strictness.complaint.empty())
            return Error{ Failure::Invalid, file + ": " + strictness.complaint, {} };
        return document;
    } catch (const nlohmann::json::exception& problem) {
        // A callback that answers false leaves a discarded value, on which the parser may stumble later.
        if (!strictness.complaint.empty())
            return Error{ Failure::Invalid, file + ": " + strictness.complaint, {} };
        return Error{ Failure::Invalid, file + ": /: found text that is not JSON, expected a profile", problem.what() };
    }
}

} // namespace fencepost::profile
