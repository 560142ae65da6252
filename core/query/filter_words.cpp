// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/ids.h"
#include "core/query/filter.h"

namespace fencepost {

namespace {

struct FieldEntry {
    Field field;
    std::string_view word;
    ValueType type;
};

constexpr std::array fields = {
    FieldEntry{ Field::State, "state", ValueType::State },
    FieldEntry{ Field::Scope, "scope", ValueType::Text },
    FieldEntry{ Field::Operation, "operation", ValueType::Text },
    FieldEntry{ Field::Key, "key", ValueType::Text },
    FieldEntry{ Field::Owner, "owner", ValueType::Text },
    FieldEntry{ Field::Age, "age", ValueType::Timespan },
    FieldEntry{ Field::Attempts, "attempts", ValueType::Integer },
    FieldEntry{ Field::Created, "created", ValueType::Instant },
    FieldEntry{ Field::Expires, "expires", ValueType::Instant },
    FieldEntry{ Field::Lease, "lease", ValueType::Instant },
    FieldEntry{ Field::Fence, "fence", ValueType::Integer },
    FieldEntry{ Field::Code, "code", ValueType::Integer },
    FieldEntry{ Field::Hash, "hash", ValueType::Hex },
    FieldEntry{ Field::Queue, "queue", ValueType::Text },
    FieldEntry{ Field::OrderKey, "order_key", ValueType::Text },
    FieldEntry{ Field::Correlation, "correlation", ValueType::Text },
    FieldEntry{ Field::Error, "error", ValueType::Text },
    FieldEntry{ Field::Group, "group", ValueType::Text },
    FieldEntry{ Field::Schema, "schema", ValueType::Text },
    FieldEntry{ Field::Event, "event", ValueType::Text },
    FieldEntry{ Field::From, "from", ValueType::Text },
    FieldEntry{ Field::To, "to", ValueType::Text },
    FieldEntry{ Field::Attempt, "attempt", ValueType::Integer },
    FieldEntry{ Field::At, "at", ValueType::Instant },
    FieldEntry{ Field::Delay, "delay", ValueType::Timespan },
    FieldEntry{ Field::Took, "took", ValueType::Timespan },
};

constexpr std::array<std::string_view, 3> flags = { "stuck", "held", "conflict" };
constexpr std::array<std::string_view, 8> comparisons = { "=", "!=", "<", "<=", ">", ">=", "~", "in" };

bool isKeyword(std::string_view text)
{
    return text == "and" || text == "or" || text == "not" || text == "in";
}

// Bare values end at white space, parentheses, commas and quotes; whatever could be read otherwise is quoted.
bool isBare(std::string_view text)
{
    if (text.empty() || isKeyword(text))
        return false;
    for (const char c : text) {
        const auto octet = static_cast<unsigned char>(c);
        if (octet <= ' ' || octet == 0x7f || c == '(' || c == ')' || c == ',' || c == '"' || c == '\\')
            return false;
    }
    // "<" followed by a bare "=" would be read as "<=".
    return text.front() != '=';
}

bool isTypable(const std::string& text)
{
    return isUtf8(text) && text.find('\0') == std::string::npos;
}

std::string formatValue(const FilterValue& value)
{
    if (isBare(value.text))
        return value.text;
    std::string text = "\"";
    for (const char c : value.text) {
        if (c == '"' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + '"';
}

std::string formatList(const Filter& filter)
{
    std::string text = "(";
    for (std::size_t i = 0; i < filter.values.size(); ++i)
        text += (i > 0 ? ", " : "") + formatValue(filter.values[i]);
    return text + ')';
}

std::string formatTest(const Filter& filter)
{
    std::string text(wordOf(filter.field));
    if (filter.comparison != Comparison::In) {
        text += ' ';
        text += wordOf(filter.comparison);
        return text + ' ' + (filter.values.empty() ? "\"\"" : formatValue(filter.values.front()));
    }
    return text + " in " + formatList(filter);
}

std::string formatNode(const Filter& filter);

// A child of the same or a weaker binding keeps its parentheses, so that the tree comes back as it was.
std::string formatChild(const Filter& child, bool alone)
{
    const bool compound = child.op == Filter::Op::And || child.op == Filter::Op::Or;
    return compound && !alone ? '(' + formatNode(child) + ')' : formatNode(child);
}

std::string formatNode(const Filter& filter)
{
    switch (filter.op) {
    case Filter::Op::Test:
        return formatTest(filter);
    case Filter::Op::Flagged:
        return std::string(wordOf(filter.flag));
    case Filter::Op::Row:
        return "row" + formatList(filter);
    case Filter::Op::Not:
        return "not " + (filter.children.empty() ? std::string() : formatChild(*filter.children.front(), false));
    case Filter::Op::And:
    case Filter::Op::Or:
    case Filter::Op::Had:
        break;
    }
    const std::string_view joint = filter.op == Filter::Op::Or ? " or " : " and ";
    std::string text;
    for (const auto& child : filter.children) {
        if (!text.empty())
            text += joint;
        const bool tighter = filter.op == Filter::Op::Or && child->op == Filter::Op::And;
        text += formatChild(*child, tighter);
    }
    return filter.op == Filter::Op::Had ? "had(" + text + ')' : text;
}

} // namespace

std::string_view wordOf(Field field) noexcept
{
    return fields[static_cast<std::size_t>(field)].word;
}

std::optional<Field> fieldOf(std::string_view word) noexcept
{
    for (const auto& entry : fields)
        if (entry.word == word)
            return entry.field;
    return std::nullopt;
}

std::string_view wordOf(Flag flag) noexcept
{
    return flags[static_cast<std::size_t>(flag)];
}

std::string_view wordOf(Comparison comparison) noexcept
{
    return comparisons[static_cast<std::size_t>(comparison)];
}

ValueType typeOf(Field field) noexcept
{
    return fields[static_cast<std::size_t>(field)].type;
}

std::string formatFilter(const FilterPtr& filter)
{
    return filter ? formatNode(*filter) : std::string();
}

std::string filterOfRows(const std::vector<std::vector<std::string>>& identities)
{
    Filter rows;
    rows.op = Filter::Op::Or;
    for (const auto& identity : identities) {
        // A filter is text: what is none cannot be typed.
        if (!std::all_of(identity.begin(), identity.end(), isTypable))
            continue;
        Filter row;
        row.op = Filter::Op::Row;
        for (const auto& part : identity)
            row.values.push_back({ part, {} });
        rows.children.push_back(std::make_shared<const Filter>(std::move(row)));
    }
    return formatNode(rows);
}

} // namespace fencepost
