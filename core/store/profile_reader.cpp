// SPDX-License-Identifier: Apache-2.0
#include "core/store/profile_reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "core/store/binding_rights.h"
#include "core/store/filter_sql.h"
#include "core/store/native.h"
#include "core/store/read_transaction.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr int largestPage = 10'000;
// Sorting as many rows costs less than walking an index past everything that the filter leaves out.
constexpr int sortedAtMost = 20'000;

// The beginning of every cursor: of which table, in which order. Keyset values of another would be read as its own.
std::string placeName(const PageWalk& walk)
{
    return walk.order + " of " + walk.bound->table.schema + '.' + walk.bound->table.name;
}

// It cannot be read for want of rights, and not of a profile that fits.
bool lacksRights(const BoundProfile& bound)
{
    return !hiddenColumns(bound.table).empty()
        || std::any_of(bound.others.begin(), bound.others.end(),
            [](const auto& other) { return !hiddenColumns(other.second).empty(); });
}

} // namespace

ProfileReader::ProfileReader(Connection& connection, const Clock& clock, bool bindClock)
    : m_connection(connection)
    , m_clock(clock)
    , m_bindClock(bindClock)
{
}

DecidingClock ProfileReader::deciding() const
{
    if (m_connection.dialect() == Dialect::Sqlite || m_bindClock)
        return m_clock.now();
    return std::nullopt;
}

Result<Time> ProfileReader::now()
{
    if (const auto decided = deciding())
        return *decided;
    auto statement = m_connection.prepare(sql::now);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->bindTime("now", std::nullopt).run(); !ran)
        return ran.error();
    const auto at = (*statement)->next() ? (*statement)->time(0) : std::nullopt;
    (*statement)->finish();
    if (!at)
        return Error{ Failure::Internal, "The database did not say what time it is", {}, {} };
    return *at;
}

Result<bool> ProfileReader::isSmallSet(const BoundProfile& bound, const Filter& filter)
{
    const auto& part = selectivePart(bound, filter);
    if (part.op == Filter::Op::Test && part.field == Field::Key)
        return true;
    SqlText text;
    ExpressionSql sql(bound, text, deciding());
    text.sql = "SELECT count(*) FROM (SELECT 1 FROM " + qualified(bound.table) + " AS t WHERE "
        + filterCondition(sql, part) + " LIMIT " + std::to_string(sortedAtMost + 1) + ")";
    if (sql.error())
        return *sql.error();
    auto statement = prepared(m_connection, text);
    if (!statement)
        return statement.error();
    if (const auto ran = (*statement)->run(); !ran)
        return ran.error();
    const bool small = (*statement)->next() && (*statement)->integer(0) <= sortedAtMost;
    (*statement)->finish();
    return small;
}

// SQLite has no statistics of its own to see that a filter finds little: it would walk the order's index past all the
// rest. By lease the partial index gives order and filter at once, unless the filter has a better one.
Status ProfileReader::chooseSort(PageWalk& walk)
{
    const auto& bound = *walk.bound;
    if (!walk.filter || bound.dialect != Dialect::Sqlite || !isSelective(bound, *walk.filter))
        return {};
    if (walk.order == "lease" && !hasOwnIndex(selectivePart(bound, *walk.filter)))
        return {};
    if (isServedInOrder(bound, selectivePart(bound, *walk.filter), walk.order))
        return {};
    const auto small = isSmallSet(bound, *walk.filter);
    if (!small)
        return small.error();
    walk.sortInstead = *small;
    return {};
}

Result<PageWalk> ProfileReader::walkOf(const BoundProfile& bound, const PageRequest& request)
{
    if (!bound.binding.canRead)
        return Error{ Failure::Denied,
            bound.binding.warnings.empty() ? "The table " + bound.binding.name + " cannot be read"
                                           : "The table " + bound.binding.name + ": " + listed(bound.binding.warnings),
            {}, {}, lacksRights(bound) ? "" : "Correct its profile, or the table" };
    if (request.limit < 1 || request.limit > largestPage)
        return Error{ Failure::Invalid, "A page has from 1 to " + std::to_string(largestPage) + " rows", {}, {} };
    if (request.after && (request.before || request.fromEnd))
        return Error{ Failure::Invalid, "A page starts behind one cursor or ends ahead of another, not both", {}, {} };
    auto parameters = parametersFor(bound, request.parameters);
    if (!parameters)
        return parameters.error();
    PageWalk walk{ &bound, request.filter, request.order, request.descending, deciding(), false, {},
        std::move(*parameters) };
    const auto& orders = bound.binding.orders;
    if (walk.order.empty())
        walk.order = orders.front();
    if (std::find(orders.begin(), orders.end(), walk.order) == orders.end())
        return Error{ Failure::Invalid,
            "The table " + bound.binding.name + " can be ordered by " + listed(orders) + ", not by \"" + walk.order
                + "\": no index gives that order",
            {}, {} };
    return walk;
}

Result<std::optional<ProfileReader::Place>> ProfileReader::placeOf(
    const PageWalk& walk, const PageRequest& request, const std::vector<Segment>& segments)
{
    const auto& cursor = request.after ? request.after : request.before;
    if (!cursor)
        return std::optional<Place>();
    const auto& values = cursor->values;
    std::size_t segment = 0;
    const bool fits = values.size() >= 2 && values[0] == placeName(walk)
        && std::from_chars(values[1].data(), values[1].data() + values[1].size(), segment).ec == std::errc{}
        && segment < segments.size() && values.size() == segments[segment].columns.size() + 2;
    if (!fits)
        return Error{ Failure::Invalid,
            "This cursor belongs to another order or table than " + walk.order + " of " + walk.bound->binding.name, {},
            {} };
    return std::optional(Place{ segment, { values.begin() + 2, values.end() } });
}

Status ProfileReader::readSegment(const PageWalk& walk, std::size_t index, const CompiledPage& compiled, Page& into)
{
    into.cost.sql += (into.cost.sql.empty() ? "" : ";\n") + compiled.text.sql;
    const auto number = std::to_string(index);
    const auto place = placeName(walk);
    const auto read = m_connection.native().read(compiled.text, [&](const NativeRow& row) {
        auto identity = compiled.projection.identityForCursor(row);
        into.rows.push_back(compiled.projection.decode(row, identity));
        auto& values = into.cursors.emplace_back().values;
        values.reserve(identity.size() + 3);
        values.push_back(place);
        values.push_back(number);
        if (compiled.ownColumn)
            values.push_back(
                exactForm(row, *compiled.ownColumn, walk.bound->dialect, *compiled.first).value_or(std::string()));
        std::move(identity.begin(), identity.end(), std::back_inserter(values));
    });
    return read ? Status() : Status(read.error());
}

Result<Page> ProfileReader::page(const BoundProfile& bound, const PageRequest& request)
{
    const auto started = std::chrono::steady_clock::now();
    auto walk = walkOf(bound, request);
    if (!walk)
        return walk.error();
    const auto transaction = ReadTransaction::begin(m_connection);
    if (!transaction)
        return transaction.error();
    if (const auto chosen = chooseSort(*walk); !chosen)
        return chosen.error();
    const auto segments = segmentsOf(*walk);
    if (!segments)
        return segments.error();
    const auto place = placeOf(*walk, request, *segments);
    if (!place)
        return place.error();
    Page page;
    page.rows.reserve(static_cast<std::size_t>(request.limit) + 1);
    page.cursors.reserve(static_cast<std::size_t>(request.limit) + 1);
    const auto at = now();
    if (!at)
        return at.error();
    page.now = *at;

    const bool backward = request.before.has_value() || request.fromEnd;
    const auto wanted = static_cast<std::size_t>(request.limit);
    const auto count = segments->size();
    const auto first = *place ? (*place)->segment : backward ? count - 1 : 0;
    for (std::size_t step = 0; page.rows.size() <= wanted; ++step) {
        if (backward ? step > first : first + step >= count)
            break;
        const auto index = backward ? first - step : first + step;
        const auto from = step == 0 && *place ? std::optional((*place)->values) : std::nullopt;
        const auto missing = static_cast<int>(wanted + 1 - page.rows.size());
        const auto compiled = compilePage(*walk, (*segments)[index], from, backward, missing);
        if (!compiled)
            return compiled.error();
        if (const auto read = readSegment(*walk, index, *compiled, page); !read)
            return read.error();
    }
    page.cost.rows = static_cast<std::int64_t>(page.rows.size());
    const bool more = page.rows.size() > wanted;
    if (more) {
        page.rows.pop_back();
        page.cursors.pop_back();
    }
    if (backward) {
        std::reverse(page.rows.begin(), page.rows.end());
        std::reverse(page.cursors.begin(), page.cursors.end());
    }
    page.moreBefore = backward ? more : request.after.has_value();
    page.moreAfter = backward ? request.before.has_value() : more;
    page.cost.time = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started);
    return page;
}

Result<std::string> ProfileReader::explain(const BoundProfile& bound, const PageRequest& request)
{
    auto walk = walkOf(bound, request);
    if (!walk)
        return walk.error();
    if (const auto chosen = chooseSort(*walk); !chosen)
        return chosen.error();
    const auto segments = segmentsOf(*walk);
    if (!segments)
        return segments.error();
    const auto place = placeOf(*walk, request, *segments);
    if (!place)
        return place.error();
    const bool backward = request.before.has_value() || request.fromEnd;
    const auto index = *place ? (*place)->segment : backward ? segments->size() - 1 : 0;
    const auto compiled = compilePage(*walk, (*segments)[index],
        *place ? std::optional((*place)->values) : std::nullopt, backward, request.limit + 1);
    if (!compiled)
        return compiled.error();
    const auto plan = explained(m_connection, compiled->text);
    if (!plan)
        return plan.error();
    return describe(compiled->text) + "\n\n" + *plan;
}

} // namespace fencepost::store
