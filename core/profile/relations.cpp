// SPDX-License-Identifier: Apache-2.0
#include "core/profile/relations.h"

#include <algorithm>

#include "core/in_quotes.h"

namespace fencepost::profile {

namespace {

using Op = Expression::Op;

std::shared_ptr<Expression> made(Op op, std::vector<ExpressionPtr> arguments)
{
    auto result = std::make_shared<Expression>();
    result->op = op;
    result->arguments = std::move(arguments);
    return result;
}

ExpressionPtr column(const std::string& name)
{
    auto result = std::make_shared<Expression>();
    result->op = Op::Column;
    result->name = name;
    return result;
}

ExpressionPtr existing(const std::string& alias, std::vector<ExpressionPtr> conditions)
{
    auto result = made(Op::Exists, { made(Op::And, std::move(conditions)) });
    result->name = alias;
    return result;
}

// The same of the row that is ahead.
ExpressionPtr ofHead(const Expression& expression, const Profile& profile)
{
    auto result = std::make_shared<Expression>(expression);
    if (result->op == Op::Column) {
        const auto prefix = profile.main + '.';
        const auto bare = result->name.rfind(prefix, 0) == 0 ? result->name.substr(prefix.size()) : result->name;
        const bool other = profile.tables.contains(bare.substr(0, bare.find('.'))) && bare.find('.') != bare.npos;
        if (!other)
            result->name = std::string(headAlias) + '.' + bare;
    }
    for (auto& argument : result->arguments)
        argument = ofHead(*argument, profile);
    return result;
}

bool looksElsewhere(const Expression& expression)
{
    return expression.op == Op::Exists || expression.op == Op::From
        || std::any_of(expression.arguments.begin(), expression.arguments.end(),
            [](const ExpressionPtr& argument) { return looksElsewhere(*argument); });
}

// (a, b) < (x, y), written out so that each column keeps its own type.
ExpressionPtr earlier(const std::vector<std::string>& order)
{
    std::vector<ExpressionPtr> ways;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::vector<ExpressionPtr> conditions;
        for (std::size_t same = 0; same < i; ++same)
            conditions.push_back(
                made(Op::Eq, { column(std::string(headAlias) + '.' + order[same]), column(order[same]) }));
        conditions.push_back(made(Op::Lt, { column(std::string(headAlias) + '.' + order[i]), column(order[i]) }));
        ways.push_back(made(Op::And, std::move(conditions)));
    }
    return made(Op::Or, std::move(ways));
}

std::optional<Node> needed(const Node& node, const char* key, const std::string& expected)
{
    auto child = node.child(key);
    if (!child)
        node.refuse("no \"" + std::string(key) + "\"", expected);
    return child;
}

void readPattern(const Node& node, const std::string& alias, Profile& into)
{
    node.onlyKeys({ "pattern" });
    const auto pattern = needed(node, "pattern", "a table's name with one * for any text");
    if (!pattern)
        return;
    const auto text = pattern->identifier();
    if (!pattern->failed() && (std::count(text.begin(), text.end(), '*') != 1 || text.size() < 2))
        pattern->refuse("a table's name with one * for any text, as \"*_OutboxData\"");
    into.tables[alias] = text;
    into.patterns.insert(alias);
}

} // namespace

ExpressionPtr negation(const ExpressionPtr& condition)
{
    return made(Op::Not, { condition });
}

void readTables(const Node& node, Profile& into)
{
    for (const auto& [alias, table] : node.membersByIdentifier()) {
        if (alias == headAlias || alias.find('.') != std::string::npos)
            table.refuse("the alias " + inQuotes(alias), "another, without a dot and not \"head\"");
        if (table.isObject())
            readPattern(table, alias, into);
        else
            into.tables[alias] = table.identifier();
    }
    if (node.failed())
        return;
    if (into.tables.empty())
        node.refuse("no table", "at least one");
    else if (into.tables.size() == 1)
        into.main = into.tables.begin()->first;
    else if (into.tables.contains(mainAlias))
        into.main = mainAlias;
    else
        node.refuse(std::to_string(into.tables.size()) + " tables, none of them \"t\"",
            "the rows' own table under the alias \"t\"");
    if (!node.failed() && !into.patterns.empty() && !into.patterns.contains(into.main))
        node.refuse("a pattern for another table than the rows' own", "one for the rows' own table too");
}

// Whose table it is, the place says.
std::string bareColumn(const Node& node, const ExpressionScope& scope)
{
    auto name = node.identifier();
    if (!node.failed() && isAliased(name, scope))
        node.refuse(inQuotes(name), "the column's own name, without an alias");
    return name;
}

std::vector<std::string> ownColumns(const Node& node, const ExpressionScope& scope)
{
    auto names = node.identifiers();
    for (std::size_t i = 0; i < names.size() && !node.failed(); ++i)
        if (isOfOther(names[i], scope))
            node.at(i).refuse("a column of another table, " + inQuotes(names[i]), "columns of the rows' own table");
    return names;
}

void readOwners(const Node& node, const ExpressionScope& scope, Profile& into)
{
    node.onlyKeys({ "table", "owner", "id", "heartbeat", "timeout", "nobody" });
    const auto table = needed(node, "table", "the alias of the table of those who hold rows");
    const auto owner = needed(node, "owner", "the value that names who holds a row");
    const auto id = needed(node, "id", "the other table's column that has that name");
    if (!table || !owner || !id)
        return;
    const auto alias = table->identifier();
    if (!node.failed() && (!into.tables.contains(alias) || alias == into.main))
        table->refuse("the alias of another table of /source/tables");
    Owners owners;
    owners.owner = readValue(*owner, scope);
    std::vector<ExpressionPtr> held = { made(Op::NotNull, { owners.owner }) };
    if (const auto nobody = node.child("nobody")) {
        std::vector<ExpressionPtr> values = { owners.owner };
        for (const auto& value : nobody->elements()) {
            values.push_back(readValue(value, scope));
            if (!value.failed() && values.back()->op != Op::Literal)
                value.refuse("a value that means nobody");
        }
        if (values.size() < 2)
            nobody->refuse("at least one value");
        held.push_back(negation(made(Op::In, std::move(values))));
    }
    owners.held = made(Op::And, std::move(held));
    ExpressionPtr name = column(alias + '.' + bareColumn(*id, scope));
    if (owners.owner->op == Op::Text)
        name = made(Op::Text, { name });
    std::vector<ExpressionPtr> living = { made(Op::Eq, { name, owners.owner }) };
    const auto heartbeat = node.child("heartbeat");
    const auto timeout = node.child("timeout");
    if (heartbeat.has_value() != timeout.has_value())
        node.refuse("\"heartbeat\" or \"timeout\" alone", "both or none of them");
    else if (heartbeat)
        living.push_back(negation(made(
            Op::OlderThan, { column(alias + '.' + bareColumn(*heartbeat, scope)), readDuration(*timeout, scope) })));
    owners.dead = made(Op::And, { owners.held, negation(existing(alias, std::move(living))) });
    into.owners = std::move(owners);
}

void readLane(const Node& node, const ExpressionScope& scope, Profile& into)
{
    node.onlyKeys({ "group", "order", "waits" });
    const auto group = needed(node, "group", "the columns that rows of one lane have in common");
    const auto order = needed(node, "order", "the columns by which they follow each other");
    const auto waits = needed(node, "waits", "the condition that a row meets as long as others wait for it");
    if (!group || !order || !waits)
        return;
    Lane lane;
    lane.group = ownColumns(*group, scope);
    lane.order = ownColumns(*order, scope);
    if (lane.group.empty())
        group->refuse("at least one column");
    if (lane.order.empty())
        order->refuse("at least one column");
    const auto condition = readPredicate(*waits, scope);
    if (!node.failed() && looksElsewhere(*condition))
        waits->refuse("a condition about another table", "one about the row alone");
    if (node.failed())
        return;
    std::vector<ExpressionPtr> ahead;
    for (const auto& name : lane.group)
        ahead.push_back(made(Op::Eq, { column(std::string(headAlias) + '.' + name), column(name) }));
    ahead.push_back(earlier(lane.order));
    ahead.push_back(ofHead(*condition, into));
    lane.behind = made(Op::And, { condition, existing(headAlias, std::move(ahead)) });
    into.lane = std::move(lane);
}

void completeLane(Profile& into)
{
    if (const auto key = into.fields.find("key"); into.lane && key != into.fields.end())
        into.lane->key = ofHead(*key->second, into);
}

} // namespace fencepost::profile
