// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/store/expression_sql.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

// No row can meet both: another literal of the same column, or an exclusion list that names this one.
bool excludes(const Expression& earlier, const Expression& later)
{
    if (later.op != Op::Eq || later.arguments[0]->op != Op::Column || later.arguments[1]->op != Op::Literal)
        return false;
    const auto sameColumn = [&](const Expression& e) {
        return e.arguments[0]->op == Op::Column && e.arguments[0]->name == later.arguments[0]->name;
    };
    const auto& literal = later.arguments[1]->literal;
    if (earlier.op == Op::Eq && sameColumn(earlier) && earlier.arguments[1]->op == Op::Literal)
        return earlier.arguments[1]->literal != literal;
    if (earlier.op != Op::Not || earlier.arguments[0]->op != Op::In || !sameColumn(*earlier.arguments[0]))
        return false;
    const auto& list = earlier.arguments[0]->arguments;
    return std::any_of(list.begin() + 1, list.end(), [&](const auto& entry) { return entry->literal == literal; });
}

} // namespace

// A hold outlasts the expiry, and of a value that nobody knows nothing else is known either.
bool ExpressionSql::mayExpire(std::string_view word)
{
    return word != "HELD" && word != "UNKNOWN";
}

std::string ExpressionSql::quotedWord(std::string_view word)
{
    return '\'' + std::string(word) + '\'';
}

std::string ExpressionSql::mappedWord()
{
    return wordOfCases(quotedWord);
}

// A case that may hold as far as can be seen ends the search: what comes after it is not known to be true.
std::string ExpressionSql::wordOfCases(const WordSql& wordOf)
{
    std::string text = "CASE";
    for (const auto& state : m_bound.profile->states) {
        text += " WHEN " + predicate(*state.when) + " THEN " + wordOf(state.is);
        if (looksIntoHidden(*state.when))
            text += " WHEN " + possible(*state.when) + " THEN " + wordOf("UNKNOWN");
    }
    return text + " ELSE " + wordOf("UNKNOWN") + " END";
}

std::string ExpressionSql::stateWord(const WordSql& wordOf)
{
    if (!m_bound.derivesExpiry())
        return wordOfCases(wordOf);
    return wordOfCases([&](std::string_view word) {
        return mayExpire(word)
            ? "CASE WHEN " + pastExpiry() + " THEN " + wordOf("EXPIRED") + " ELSE " + wordOf(word) + " END"
            : wordOf(word);
    });
}

std::string ExpressionSql::stateIs(std::string_view word)
{
    if (!m_bound.derivesExpiry() || (word != "EXPIRED" && !mayExpire(word)))
        return mappedIs(word);
    if (word != "EXPIRED")
        return '(' + mappedIs(word) + " AND " + complement(pastExpiry()) + ')';
    std::string mapped;
    std::set<std::string> known;
    for (const auto& state : m_bound.profile->states)
        if (mayExpire(state.is) && known.insert(state.is).second)
            mapped += (mapped.empty() ? "" : " OR ") + mappedIs(state.is);
    return mapped.empty() ? "1 = 0" : '(' + pastExpiry() + " AND (" + mapped + "))";
}

std::string ExpressionSql::pastExpiry()
{
    return compareInstant(*m_bound.fields.at("expires_us"), "<=", {});
}

std::string ExpressionSql::mappedIs(std::string_view word)
{
    std::string text;
    const auto& states = m_bound.profile->states;
    const auto add = [&](std::size_t index, const Expression* when, std::string condition) {
        for (std::size_t i = 0; i < index; ++i)
            if (when == nullptr || !excludes(*states[i].when, *when))
                condition +=
                    (condition.empty() ? "" : " AND ") + complementOf(*states[i].when, possible(*states[i].when));
        text += (text.empty() ? "(" : " OR (") + condition + ')';
    };
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto& when = *states[i].when;
        if (states[i].is == word)
            add(i, &when, predicate(when));
        if (word == "UNKNOWN" && looksIntoHidden(when))
            add(i, &when, possible(when) + " AND " + complement(predicate(when)));
    }
    if (word == "UNKNOWN" && states.back().when->op != Op::True)
        add(states.size(), nullptr, {});
    return text.empty() ? "1 = 0" : '(' + text + ')';
}

} // namespace fencepost::store
