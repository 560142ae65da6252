// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fencepost::fuzz {

namespace {

using namespace std::string_view_literals;

// What readers stumble over: the ends of number ranges, broken UTF-8, half of a pair, quotes, separators, other
// spellings of nothing.
constexpr std::array pieces = { "1e400"sv, "-1e400"sv, "1e-400"sv, "9007199254740993"sv, "9223372036854775807"sv,
    "-9223372036854775808"sv, "18446744073709551616"sv, "99999999999999999999"sv, "0.1e1"sv, "-0"sv, "00"sv, "\xff"sv,
    "\xc0\x80"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xef\xbb\xbf"sv, "\xc3\xa9"sv, "\xe2\x80\xa8"sv, "\\ud800"sv,
    "\\udc00"sv, "\\ud83d\\ude00"sv, "\\u0000"sv, "\\\""sv, "\""sv, "'"sv, "''"sv, ";"sv, "--"sv, "\0"sv, "\r"sv,
    "\r\n"sv, "\n"sv, "\n\n"sv, "\t"sv, " "sv, ","sv, ":"sv, "="sv, "{"sv, "}"sv, "["sv, "]"sv, "("sv, ")"sv, "null"sv,
    "true"sv, "{}"sv, "[]"sv, "\"\""sv, "%"sv, "%2F"sv, "%zz"sv, "+"sv, "-"sv, "."sv, "/"sv, "~1"sv, "~"sv, "$1"sv,
    ":v0"sv, "?"sv, " and "sv, " or "sv, "not "sv };

constexpr std::array brackets = { std::pair{ "["sv, "]"sv }, std::pair{ "("sv, ")"sv }, std::pair{ "{\"a\":"sv, "}"sv },
    std::pair{ "\""sv, "\""sv }, std::pair{ "not "sv, ""sv }, std::pair{ "[\"not\","sv, "]"sv } };

} // namespace

Mutation::Mutation(std::vector<std::string> corpus, std::uint64_t seed, std::size_t longest)
    : m_corpus(std::move(corpus))
    , m_random(seed)
    , m_longest(longest)
{
    if (m_corpus.empty())
        m_corpus.emplace_back();
}

std::size_t Mutation::below(std::size_t bound)
{
    return static_cast<std::size_t>(m_random.below(bound));
}

const std::string& Mutation::next()
{
    // Every fourth input goes on from the one before, so that changes add up.
    if (below(4) != 0)
        m_text = m_corpus[below(m_corpus.size())];
    for (auto changes = 1 + below(5); changes > 0; --changes)
        change();
    if (m_text.size() > m_longest)
        m_text.resize(m_longest);
    return m_text;
}

void Mutation::change()
{
    switch (below(10)) {
    case 0:
        if (!m_text.empty())
            m_text[below(m_text.size())] ^= static_cast<char>(1U << below(8));
        return;
    case 1:
        if (!m_text.empty())
            m_text[below(m_text.size())] = static_cast<char>(below(256));
        return;
    case 2:
        cut();
        return;
    case 3:
        repeat();
        return;
    case 4:
        splice();
        return;
    case 5:
        nest();
        return;
    case 6:
    case 7:
        swapDigits();
        return;
    default:
        m_text.insert(below(m_text.size() + 1), pieces[below(pieces.size())]);
    }
}

void Mutation::cut()
{
    if (m_text.empty())
        return;
    const auto from = below(m_text.size());
    m_text.erase(from, 1 + below(below(4) == 0 ? m_text.size() : 4));
}

void Mutation::repeat()
{
    if (m_text.empty())
        return;
    const auto from = below(m_text.size());
    const auto part = m_text.substr(from, 1 + below(below(3) == 0 ? 64 : 4));
    const auto times = 1 + below(below(50) == 0 ? 2'000 : 4);
    std::string repeated;
    for (std::size_t i = 0; i < times && repeated.size() < m_longest; ++i)
        repeated += part;
    m_text.insert(from, repeated);
}

void Mutation::splice()
{
    const auto& other = m_corpus[below(m_corpus.size())];
    const auto from = below(other.size() + 1);
    const auto part = other.substr(from, below(2) == 0 ? std::string::npos : below(24));
    const auto at = below(m_text.size() + 1);
    m_text.replace(at, below(2) == 0 ? part.size() : 0, part);
}

void Mutation::nest()
{
    const auto& [open, close] = brackets[below(brackets.size())];
    const auto from = below(m_text.size() + 1);
    const auto length = below(m_text.size() - from + 1);
    const auto times = 1 + below(below(20) == 0 ? 1'200 : 3);
    std::string front;
    std::string back;
    for (std::size_t i = 0; i < times && front.size() < m_longest; ++i) {
        front += open;
        back += close;
    }
    m_text.insert(from + length, back);
    m_text.insert(from, front);
}

// Where there is a number, another one takes its place.
void Mutation::swapDigits()
{
    constexpr auto digits = "0123456789"sv;
    const auto first = m_text.find_first_of(digits, below(m_text.size() + 1));
    if (first == std::string::npos) {
        m_text.insert(below(m_text.size() + 1), pieces[below(pieces.size())]);
        return;
    }
    const auto end = std::min(m_text.find_first_not_of(digits, first), m_text.size());
    m_text.replace(
        first, end - first, below(2) == 0 ? std::to_string(m_random.next()) : std::string(pieces[below(11)]));
}

} // namespace fencepost::fuzz
