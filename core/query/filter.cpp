// SPDX-License-Identifier: Apache-2.0
#include "core/query/filter.h"

#include <cctype>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/query/filter_values.h"

namespace fencepost {

namespace {

// Far above what anybody types; below what SQLite's expression depth and the databases' parameter limits bear.
constexpr std::size_t maximumFilterLength = 131'072; // a finding shows a hundred rows, each of three times 255 octets
constexpr int maximumDepth = 64;
constexpr std::size_t maximumTests = 200;
constexpr std::size_t maximumListValues = 500;
constexpr std::size_t maximumRows = 500;

struct Failed {
    std::size_t at;
    std::string message;
};

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

// Columns are counted in characters, as an editor shows them.
std::size_t columnOf(std::string_view text, std::size_t octet)
{
    std::size_t column = 1;
    for (std::size_t i = 0; i < octet && i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U)
            ++column;
    return column;
}

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text)
    {
    }

    Result<FilterPtr> parse()
    {
        skipSpace();
        if (m_at == m_text.size())
            return FilterPtr();
        auto tree = expression(0);
        if (tree) {
            skipSpace();
            if (m_at < m_text.size())
                tree = fail(m_at,
                    m_text[m_at] == ')' ? "there is no \"(\" for this \")\""
                                        : "expected \"and\", \"or\" or the end of the filter");
        }
        if (m_failed)
            return Error{ Failure::Invalid,
                "at " + std::to_string(columnOf(m_text, m_failed->at)) + ": " + m_failed->message, {} };
        return tree;
    }

private:
    FilterPtr fail(std::size_t at, std::string message)
    {
        if (!m_failed)
            m_failed = Failed{ at, std::move(message) };
        return nullptr;
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && isSpace(m_text[m_at]))
            ++m_at;
    }

    // A run of letters and digits, read ahead without taking it.
    std::string peekWord()
    {
        skipSpace();
        auto end = m_at;
        while (
            end < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[end])) != 0 || m_text[end] == '_'))
            ++end;
        return lowered(m_text.substr(m_at, end - m_at));
    }

    bool takeWord(std::string_view word)
    {
        if (peekWord() != word)
            return false;
        m_at += word.size();
        return true;
    }

    bool take(char c)
    {
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    static FilterPtr joined(Filter::Op op, std::vector<FilterPtr> children)
    {
        if (children.size() == 1)
            return children.front();
        auto node = std::make_shared<Filter>();
        node->op = op;
        node->children = std::move(children);
        return node;
    }

    FilterPtr expression(int depth)
    {
        std::vector<FilterPtr> children;
        do {
            auto child = conjunction(depth);
            if (!child)
                return nullptr;
            children.push_back(std::move(child));
        } while (takeWord("or"));
        return joined(Filter::Op::Or, std::move(children));
    }

    FilterPtr conjunction(int depth)
    {
        std::vector<FilterPtr> children;
        do {
            auto child = negation(depth);
            if (!child)
                return nullptr;
            children.push_back(std::move(child));
        } while (takeWord("and"));
        return joined(Filter::Op::And, std::move(children));
    }

    FilterPtr negation(int depth)
    {
        skipSpace();
        if (depth >= maximumDepth)
            return fail(m_at, "the filter is nested more than " + std::to_string(maximumDepth) + " deep");
        if (takeWord("not")) {
            auto child = negation(depth + 1);
            if (!child)
                return nullptr;
            auto node = std::make_shared<Filter>();
            node->op = Filter::Op::Not;
            node->children.push_back(std::move(child));
            return node;
        }
        const auto open = m_at;
        if (take('(')) {
            auto child = expression(depth + 1);
            if (!child)
                return nullptr;
            if (!take(')'))
                return fail(m_at < m_text.size() ? m_at : open,
                    m_at < m_text.size() ? "expected \"and\", \"or\" or \")\"" : "this \"(\" is never closed");
            return child;
        }
        return test();
    }

    FilterPtr test()
    {
        const auto word = peekWord();
        if (word != "row" && ++m_tests > maximumTests)
            return fail(m_at, "the filter has more than " + std::to_string(maximumTests) + " tests");
        const auto at = m_at;
        for (const auto flag : { Flag::Stuck, Flag::Held, Flag::Conflict }) {
            if (word == wordOf(flag)) {
                m_at += word.size();
                auto node = std::make_shared<Filter>();
                node->op = Filter::Op::Flagged;
                node->flag = flag;
                return node;
            }
        }
        if (word == "had")
            return had();
        if (word == "row")
            return row();
        const auto field = fieldOf(word);
        if (!field)
            return unknownField(at, word);
        if (isOfMoment(*field))
            return fail(at, inQuotes(word) + " is asked of a moment: had(" + word + " …)");
        m_at += word.size();
        auto node = std::make_shared<Filter>();
        node->op = Filter::Op::Test;
        node->field = *field;
        return comparison(node);
    }

    FilterPtr had()
    {
        takeWord("had");
        skipSpace();
        const auto open = m_at;
        if (!take('('))
            return fail(m_at, "expected \"(\" after \"had\"");
        auto node = std::make_shared<Filter>();
        node->op = Filter::Op::Had;
        do {
            auto moment = momentTest();
            if (!moment)
                return nullptr;
            node->children.push_back(std::move(moment));
        } while (takeWord("and"));
        if (!take(')'))
            return fail(m_at < m_text.size() ? m_at : open,
                m_at < m_text.size() ? "expected \"and\" or \")\"" : "this \"(\" is never closed");
        return node;
    }

    FilterPtr row()
    {
        if (++m_rows > maximumRows)
            return fail(m_at, "the filter names more than " + std::to_string(maximumRows) + " rows");
        takeWord("row");
        auto node = std::make_shared<Filter>();
        node->op = Filter::Op::Row;
        return list(node, "\"row\"");
    }

    FilterPtr momentTest()
    {
        if (++m_tests > maximumTests)
            return fail(m_at, "the filter has more than " + std::to_string(maximumTests) + " tests");
        const auto word = peekWord();
        const auto field = fieldOf(word);
        if (!field || !isOfMoment(*field))
            return fail(m_at,
                (word.empty() ? std::string() : inQuotes(word) + " tells nothing of a moment; ")
                    + "expected one of event from to attempt at delay took");
        m_at += word.size();
        auto node = std::make_shared<Filter>();
        node->op = Filter::Op::Test;
        node->field = *field;
        return comparison(node);
    }

    FilterPtr unknownField(std::size_t at, const std::string& word)
    {
        if (at >= m_text.size())
            return fail(at, "expected a field, a flag, \"not\" or \"(\", but the filter ends here");
        constexpr auto expected =
            "expected one of state scope operation key owner age attempts created expires lease "
            "fence code hash queue order_key correlation error group, a flag: stuck held conflict, had(…) or row(…)";
        if (word.empty())
            return fail(at, expected);
        return fail(at, inQuotes(word) + " is no field; " + expected);
    }

    FilterPtr comparison(const std::shared_ptr<Filter>& node)
    {
        skipSpace();
        const auto at = m_at;
        if (takeWord("in"))
            node->comparison = Comparison::In;
        else if (take('='))
            node->comparison = Comparison::Equal;
        else if (take('~'))
            node->comparison = Comparison::Contains;
        else if (take('!')) {
            if (m_at >= m_text.size() || m_text[m_at] != '=')
                return fail(at, "expected \"!=\"");
            ++m_at;
            node->comparison = Comparison::NotEqual;
        } else if (take('<'))
            node->comparison = orEqual() ? Comparison::LessEqual : Comparison::Less;
        else if (take('>'))
            node->comparison = orEqual() ? Comparison::GreaterEqual : Comparison::Greater;
        else
            return fail(at, "expected one of = != < <= > >= ~ in after \"" + std::string(wordOf(node->field)) + "\"");
        if (const auto why = refusal(*node); !why.empty())
            return fail(at, why);
        if (node->comparison == Comparison::In)
            return list(node, "\"in\"");
        return value(*node) ? FilterPtr(node) : nullptr;
    }

    bool orEqual()
    {
        const bool is = m_at < m_text.size() && m_text[m_at] == '=';
        m_at += is ? 1 : 0;
        return is;
    }

    static std::string refusal(const Filter& node)
    {
        const auto type = typeOf(node.field);
        const std::string field(wordOf(node.field));
        const bool ordered = node.comparison == Comparison::Less || node.comparison == Comparison::LessEqual
            || node.comparison == Comparison::Greater || node.comparison == Comparison::GreaterEqual;
        if (isOfMoment(node.field) && type == ValueType::Text && (ordered || node.comparison == Comparison::Contains))
            return "\"" + field + "\" of a moment is a word; use = != or in";
        if (ordered && (type == ValueType::State || type == ValueType::Hex))
            return "\"" + field + "\" has no order; use = != " + (type == ValueType::Hex ? "~ " : "") + "or in";
        if (node.comparison == Comparison::Contains && type != ValueType::Text && type != ValueType::Hex)
            return "\"~\" looks for a part of a text, and \"" + field
                + "\" is none; use = != " + (type == ValueType::State ? "or in" : "< <= > >= or in");
        return {};
    }

    FilterPtr list(const std::shared_ptr<Filter>& node, const std::string& behind)
    {
        skipSpace();
        const auto open = m_at;
        if (!take('('))
            return fail(m_at, "expected \"(\" after " + behind);
        do {
            if (node->values.size() >= maximumListValues)
                return fail(m_at, "the list has more than " + std::to_string(maximumListValues) + " values");
            if (!value(*node))
                return nullptr;
        } while (take(','));
        if (!take(')'))
            return fail(m_at < m_text.size() ? m_at : open,
                m_at < m_text.size() ? "expected \",\" or \")\"" : "this \"(\" is never closed");
        return node;
    }

    bool value(Filter& node)
    {
        skipSpace();
        const auto at = m_at;
        FilterValue result;
        if (take('"')) {
            if (!quotedText(result.text, at))
                return false;
        } else {
            while (m_at < m_text.size() && !endsBare(m_text[m_at]))
                result.text += m_text[m_at++];
            if (result.text.empty()) {
                fail(at, "expected a value after \"" + std::string(isRow(node) ? "row" : wordOf(node.field)) + "\"");
                return false;
            }
        }
        if (const auto why = isRow(node) ? std::string() : settle(node.field, result); !why.empty()) {
            fail(at, why);
            return false;
        }
        node.values.push_back(std::move(result));
        return true;
    }

    static bool isRow(const Filter& node) { return node.op == Filter::Op::Row; }

    static bool endsBare(char c) { return isSpace(c) || c == '(' || c == ')' || c == ',' || c == '"'; }

    bool quotedText(std::string& text, std::size_t open)
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at++];
            if (c == '"')
                return true;
            if (c != '\\') {
                text += c;
                continue;
            }
            if (m_at >= m_text.size() || (m_text[m_at] != '"' && m_text[m_at] != '\\')) {
                fail(m_at - 1, "only \\\" and \\\\ may follow a backslash in quotes");
                return false;
            }
            text += m_text[m_at++];
        }
        fail(open, "this quote is never closed");
        return false;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_tests = 0;
    std::size_t m_rows = 0;
    std::optional<Failed> m_failed;
};

} // namespace

Result<FilterPtr> parseFilter(std::string_view text)
{
    if (text.size() > maximumFilterLength)
        return Error{ Failure::Invalid,
            "at " + std::to_string(maximumFilterLength) + ": the filter is longer than "
                + std::to_string(maximumFilterLength) + " octets",
            {} };
    if (!isUtf8(text) || text.find('\0') != std::string_view::npos)
        return Error{ Failure::Invalid, "at 1: the filter is not text in UTF-8", {} };
    return Parser(text).parse();
}

} // namespace fencepost
