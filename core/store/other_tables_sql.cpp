// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/store/capabilities.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

} // namespace

const CatalogTable* ExpressionSql::other(const std::string& alias)
{
    const auto found = m_bound.others.find(alias);
    if (found != m_bound.others.end())
        return &found->second;
    fail(Failure::Unsupported, "there is no table for \"" + alias + "\" beside it");
    return nullptr;
}

std::string ExpressionSql::existing(const Expression& expression)
{
    const auto* table = other(expression.name);
    if (table == nullptr)
        return "NULL";
    if (m_mayBe && hides(expression.name))
        return sqlite() ? "1 = 1" : "TRUE";
    return "EXISTS (SELECT 1 FROM " + qualified(*table) + " AS " + quotedName(expression.name) + " WHERE "
        + predicate(*expression.arguments[0]) + ')';
}

// Of several rows the one whose key is the highest, so that it is the same one each time.
std::string ExpressionSql::fetched(const Expression& expression, const std::string& value)
{
    const auto* table = other(expression.name);
    if (table == nullptr)
        return "NULL";
    std::string order;
    for (const auto* column : keyOf(*table))
        order += (order.empty() ? " ORDER BY " : ", ") + reference(*column) + " DESC";
    const bool mayBe = std::exchange(m_mayBe, false);
    auto text = "(SELECT " + value + " FROM " + qualified(*table) + " AS " + quotedName(expression.name) + " WHERE "
        + predicate(*expression.arguments[0]) + order + " LIMIT 1)";
    m_mayBe = mayBe;
    return text;
}

bool ExpressionSql::hides(const std::string& alias) const
{
    const auto found = m_bound.others.find(alias);
    return alias != profile::headAlias && found != m_bound.others.end() && found->second.rowSecurity;
}

bool ExpressionSql::looksIntoHidden(const Expression& expression) const
{
    const bool looks = expression.op == Op::Exists || expression.op == Op::From;
    return (looks && hides(expression.name))
        || std::any_of(expression.arguments.begin(), expression.arguments.end(),
            [this](const profile::ExpressionPtr& argument) { return looksIntoHidden(*argument); });
}

std::string ExpressionSql::possible(const Expression& expression)
{
    const bool mayBe = std::exchange(m_mayBe, true);
    auto text = predicate(expression);
    m_mayBe = mayBe;
    return text;
}

// What may be is not known to be false, and what is sure may not be otherwise.
std::string ExpressionSql::negated(const Expression& expression)
{
    const bool mayBe = std::exchange(m_mayBe, !m_mayBe);
    auto text = complementOf(expression, predicate(expression));
    m_mayBe = mayBe;
    return text;
}

// A test of values out of a table whose rows may be hidden: nothing is known where there is no value.
std::string ExpressionSql::ofHidden(const Expression& expression)
{
    if (m_mayBe)
        return sqlite() ? "1 = 1" : "TRUE";
    auto text = "(" + test(expression);
    eachNode(expression, [&](const Expression& node) {
        if (node.op == Op::From && hides(node.name))
            text += " AND " + natural(node) + " IS NOT NULL";
    });
    return text + ')';
}

std::string ExpressionSql::ownerAlive()
{
    const auto& owners = *m_bound.profile->owners;
    auto alive = predicate(*owners.held);
    if (looksIntoHidden(*owners.dead))
        alive += " AND " + complement(possible(*owners.dead));
    return "CASE WHEN " + predicate(*owners.dead) + " THEN 'no' WHEN " + alive + " THEN 'yes' END";
}

std::string ExpressionSql::headKey()
{
    const auto& lane = *m_bound.profile->lane;
    const auto& table = m_bound.others.at(profile::headAlias);
    std::string order;
    for (const auto& name : lane.order)
        if (const auto* column = table.find(name))
            order += (order.empty() ? "" : ", ") + reference(*column);
    const auto& waits = *lane.behind->arguments[0];
    const auto& ahead = *lane.behind->arguments[1]->arguments[0];
    return "CASE WHEN " + predicate(waits) + " THEN (SELECT " + text(*lane.key) + " FROM " + qualified(table) + " AS "
        + quotedName(profile::headAlias) + " WHERE " + predicate(ahead) + " ORDER BY " + order + " LIMIT 1) END";
}

} // namespace fencepost::store
