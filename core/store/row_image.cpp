// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "core/store/expression_sql.h"
#include "core/store/profile_compiler.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

namespace {

using profile::Action;
using profile::Step;

void collectColumns(const BoundProfile& bound, const profile::Expression& expression, std::set<std::string>& into)
{
    if (expression.op == profile::Expression::Op::Column)
        if (const auto* column = bound.column(expression.name); column != nullptr && bound.aliasOf(*column) == "t")
            into.insert(column->name);
    for (const auto& argument : expression.arguments)
        collectColumns(bound, *argument, into);
}

// Bodies stay where they are unless an action writes them: they may be huge and private.
std::vector<const CatalogColumn*> imageColumns(const BoundProfile& bound)
{
    std::set<std::string> left;
    for (const auto& [name, value] : bound.payload)
        collectColumns(bound, *value, left);
    for (const auto& [verb, action] : bound.profile->actions)
        for (const auto& step : action.steps)
            if (step.kind == Step::Kind::Set)
                for (const auto& [name, value] : step.set)
                    if (const auto* column = bound.column(name))
                        left.erase(column->name);
    std::vector<const CatalogColumn*> columns;
    for (const auto& column : bound.table.columns)
        if (left.count(column.name) == 0)
            columns.push_back(&column);
    return columns;
}

// The row of another table that a step is about to take away, under "alias.column": without it the row itself would
// look the same before and after.
Status addBeside(Connection& connection, const BoundProfile& bound, const std::vector<std::string>& identity,
    const Step& step, RowImage& into)
{
    const auto other = bound.others.find(step.other);
    if (other == bound.others.end())
        return {};
    SqlText text;
    ExpressionSql sql(bound, text, Time{});
    std::string columns;
    std::string order;
    for (const auto& column : other->second.columns)
        columns += (columns.empty() ? "" : ", ") + sql.exact(column);
    for (const auto* column : keyOf(other->second))
        order += (order.empty() ? " ORDER BY " : ", ") + sql.reference(*column);
    const auto where = identityCondition(sql, identity);
    if (!where)
        return where.error();
    text.sql = "SELECT " + columns + " FROM " + qualified(bound.table) + " AS t, " + qualified(other->second) + " AS "
        + quotedName(step.other) + " WHERE " + *where + " AND (" + sql.predicate(*step.which) + ")" + order
        + " LIMIT 1";
    if (sql.error())
        return *sql.error();
    const auto read = connection.native().read(text, [&](const NativeRow& row) {
        int place = 0;
        for (const auto& column : other->second.columns) {
            auto value = exactForm(row, place++, bound.dialect, column);
            into[step.other + '.' + column.name] =
                value ? std::optional(publicForm(std::move(*value), bound.dialect, column)) : std::nullopt;
        }
    });
    return read ? Status() : Status(read.error());
}

} // namespace

Result<std::optional<RowImage>> readImage(
    Connection& connection, const BoundProfile& bound, const std::vector<std::string>& identity, const Action* action)
{
    SqlText text;
    ExpressionSql sql(bound, text, Time{});
    std::string columns;
    const auto imaged = imageColumns(bound);
    for (const auto* column : imaged)
        columns += (columns.empty() ? "" : ", ") + sql.exact(*column);
    const auto where = identityCondition(sql, identity);
    if (!where)
        return where.error();
    text.sql = "SELECT " + columns + " FROM " + qualified(bound.table) + " AS t WHERE " + *where;
    std::optional<RowImage> image;
    const auto read = connection.native().read(text, [&](const NativeRow& row) {
        image.emplace();
        for (std::size_t i = 0; i < imaged.size(); ++i) {
            auto value = exactForm(row, static_cast<int>(i), bound.dialect, *imaged[i]);
            (*image)[imaged[i]->name] =
                value ? std::optional(publicForm(std::move(*value), bound.dialect, *imaged[i])) : std::nullopt;
        }
    });
    if (!read)
        return read.error();
    if (image && action != nullptr)
        for (const auto& step : action->steps)
            if (step.kind == profile::Step::Kind::Delete && !step.other.empty())
                if (const auto added = addBeside(connection, bound, identity, step, *image); !added)
                    return added.error();
    return image;
}

} // namespace fencepost::store
