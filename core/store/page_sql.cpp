// SPDX-License-Identifier: Apache-2.0
#include "core/store/page_sql.h"

#include <algorithm>

#include "core/store/filter_sql.h"

namespace fencepost::store {

namespace {

bool isLedBy(const CatalogTable& table, const std::string& column)
{
    return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const CatalogIndex& index) {
        return !index.partial && !index.columns.empty() && index.columns.front() == column;
    });
}

const CatalogColumn* orderColumn(const BoundProfile& bound, const std::string& order)
{
    if (order == "created")
        return bound.plainColumn("created_us");
    if (order == "expires")
        return bound.plainColumn("expires_us");
    return order == "lease" ? bound.plainColumn("lease_until_us") : nullptr;
}

// Our own partial index holds the records in progress in the order of their leases.
bool hasLeaseIndex(const BoundProfile& bound)
{
    const auto* lease = bound.plainColumn("lease_until_us");
    const auto* state = bound.plainColumn("raw_state");
    if (!bound.profile->native || lease == nullptr || state == nullptr)
        return false;
    return std::any_of(bound.table.indexes.begin(), bound.table.indexes.end(), [&](const CatalogIndex& index) {
        return index.columns.size() >= 2 && index.columns[0] == state->name && index.columns[1] == lease->name;
    });
}

std::string conditions(ExpressionSql& sql, const PageWalk& walk, const Segment& segment)
{
    std::string text;
    const auto add = [&](const std::string& condition) { text += (text.empty() ? "" : " AND ") + condition; };
    if (sql.bound().profile->where)
        add("(" + sql.predicate(*sql.bound().profile->where) + ")");
    if (!segment.condition.empty())
        add("(" + segment.condition + ")");
    if (walk.filter)
        add(filterCondition(sql, *walk.filter));
    return text;
}

// A comparison of rows passes over those that have NULL in a column which decides. Where such a row can lie behind the
// place, or the place is one, the columns are compared one by one, behind a comparison that an index serves.
std::string behindPlace(
    ExpressionSql& sql, const Segment& segment, const std::vector<std::string>& from, bool down, bool sortInstead)
{
    const auto& columns = segment.columns;
    const auto joint = [&](const char* equal) { return (down ? " <" : " >") + std::string(equal) + " "; };
    // SQLite takes NULL for less than anything, PostgreSQL for more.
    const bool nullsBehind = sql.dialect() == Dialect::Sqlite ? down : !down;
    const auto isBehind = [&](std::size_t i) {
        return nullsBehind && !columns[i]->notNull && !(i == 0 && segment.firstIsThere);
    };
    bool plain = true;
    std::vector<std::string> subjects;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        plain = plain && from[i] != nullPart && !isBehind(i);
        // A unary plus takes a column out of SQLite's choice of indexes.
        subjects.push_back((sortInstead && i == 0 ? "+" : "") + sql.reference(*columns[i]));
        values.push_back(from[i] == nullPart ? std::string() : sql.exactValue(*columns[i], from[i]));
    }
    const auto tuple = [](const std::vector<std::string>& parts) {
        return parts.size() == 1 ? parts.front() : "(" + listed(parts) + ")";
    };
    if (plain)
        return tuple(subjects) + joint("") + tuple(values);
    std::string behind;
    for (std::size_t i = columns.size(); i-- > 0;) {
        const bool none = from[i] == nullPart;
        auto later = none ? (nullsBehind ? std::string("1 = 0") : subjects[i] + " IS NOT NULL")
                          : subjects[i] + joint("") + values[i];
        if (!none && isBehind(i))
            later += " OR " + subjects[i] + " IS NULL";
        if (!behind.empty())
            later += " OR (" + subjects[i] + (none ? " IS NULL" : " = " + values[i]) + " AND (" + behind + "))";
        behind = std::move(later);
    }
    const bool served = from[0] != nullPart && !isBehind(0);
    // Neither database shall look into an index for each part of it, and sort what it finds.
    return (served ? subjects[0] + joint("=") + values[0] + " AND " : "") + "((" + behind + ") IS TRUE)";
}

// By the identity, whose first column may be without a value in some of its rows: an index gives those apart.
std::vector<Segment> identitySegments(const std::string& condition, const std::vector<const CatalogColumn*>& identity)
{
    if (identity.front()->notNull)
        return { { condition, identity } };
    const auto name = "t." + quotedName(identity.front()->name);
    const auto with = [&](const char* test) { return condition + (condition.empty() ? "" : " AND ") + name + test; };
    return { { with(" IS NOT NULL"), identity, true }, { with(" IS NULL"), identity } };
}

} // namespace

std::vector<std::string> ordersOf(const BoundProfile& bound, bool small)
{
    std::vector<std::string> orders;
    for (const auto* order : { "created", "expires" }) {
        const auto* column = orderColumn(bound, order);
        if (column != nullptr && (small || isLedBy(bound.table, column->name)))
            orders.emplace_back(order);
    }
    const auto* lease = orderColumn(bound, "lease");
    if (lease != nullptr && (small || hasLeaseIndex(bound) || isLedBy(bound.table, lease->name)))
        orders.emplace_back("lease");
    // The identity's own index is always there; where rows can be read by age, that comes first.
    orders.insert(orders.empty() || orders.front() != "created" ? orders.begin() : orders.end(), "key");
    return orders;
}

Result<std::vector<Segment>> segmentsOf(const PageWalk& walk)
{
    const auto& bound = *walk.bound;
    const auto identity = bound.identity();
    if (walk.order == "key")
        return identitySegments({}, identity);
    const auto* column = orderColumn(bound, walk.order);
    if (column == nullptr)
        return Error{ Failure::Invalid,
            "The table " + bound.binding.name + " cannot be ordered by \"" + walk.order + "\"", {}, {} };
    std::vector<const CatalogColumn*> columns = { column };
    columns.insert(columns.end(), identity.begin(), identity.end());
    const auto name = "t." + quotedName(column->name);
    if (walk.order == "lease" && hasLeaseIndex(bound)) {
        // What is sorted is found by the filter's index, and a unary plus keeps SQLite from this one.
        const auto state = (walk.sortInstead ? "+t." : "t.") + quotedName(bound.plainColumn("raw_state")->name);
        // The list is the condition of the partial index, which SQLite wants to read word by word. PostgreSQL would
        // take each word for a filter of its own, expect one row and sort them all; there a check of the table says
        // that every record in progress has a lease.
        const bool sqlite = bound.dialect == Dialect::Sqlite;
        const auto whole = state + " IN ('IN_PROGRESS', 'FAILED_RETRYABLE') AND " + state + " = 'IN_PROGRESS' AND "
            + name + " IS NOT NULL";
        return std::vector<Segment>{ { sqlite ? whole : state + " = 'IN_PROGRESS'", columns, true },
            { "(" + state + " = 'IN_PROGRESS' AND " + name + " IS NOT NULL) IS NOT TRUE", identity } };
    }
    if (column->notNull)
        return std::vector<Segment>{ { {}, columns } };
    auto segments = identitySegments(name + " IS NULL", identity);
    segments.insert(segments.begin(), { name + " IS NOT NULL", columns, true });
    return segments;
}

Result<CompiledPage> compilePage(const PageWalk& walk, const Segment& segment,
    const std::optional<std::vector<std::string>>& from, bool backward, int limit)
{
    const auto& bound = *walk.bound;
    SqlText out;
    ExpressionSql sql(bound, out, walk.now);
    sql.setParameters(walk.parameters);
    RowProjection projection(sql);
    const bool sortInstead = walk.sortInstead && bound.dialect == Dialect::Sqlite;
    const bool down = walk.descending != backward;

    std::string order;
    for (std::size_t i = 0; i < segment.columns.size(); ++i)
        order += (i > 0 ? ", " : "") + std::string(sortInstead && i == 0 ? "+" : "")
            + sql.reference(*segment.columns[i]) + (down ? " DESC" : " ASC");
    auto where = conditions(sql, walk, segment);
    if (from) {
        if (from->size() != segment.columns.size())
            return Error{ Failure::Invalid, "The cursor does not belong to this order", {}, {} };
        where += (where.empty() ? "" : " AND ") + behindPlace(sql, segment, *from, down, sortInstead);
    }
    const bool ownColumn = segment.columns.size() > bound.profile->identity.size();
    std::optional<int> own;
    if (ownColumn)
        own = projection.addExact(sql, *segment.columns[0]);
    std::optional<int> mark;
    if (walk.mark)
        mark = projection.addNumber(walk.mark(sql));
    out.sql = "SELECT " + projection.columns() + " FROM " + qualified(bound.table) + " AS t"
        + (where.empty() ? "" : " WHERE " + where) + " ORDER BY " + order + " LIMIT " + sql.bindInteger(limit);
    if (sql.error())
        return *sql.error();
    return CompiledPage{ std::move(out), std::move(projection), segment.columns[0], own, mark };
}

} // namespace fencepost::store
