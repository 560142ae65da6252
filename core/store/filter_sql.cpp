// SPDX-License-Identifier: Apache-2.0
#include "core/store/filter_sql.h"

#include <algorithm>
#include <array>

#include "core/ids.h"
#include "core/store/capabilities.h"
#include "core/store/literal_fit.h"
#include "core/store/moment_sql.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

namespace {

using profile::Expression;
using Op = Expression::Op;

constexpr const char* never = "1 = 0";

// The canonical field that a filter's field reads.
const char* fieldName(Field field)
{
    switch (field) {
    case Field::Scope:
        return "scope";
    case Field::Operation:
        return "operation";
    case Field::Key:
        return "key";
    case Field::Owner:
        return "owner";
    case Field::Attempts:
        return "attempts";
    case Field::Age:
    case Field::Created:
        return "created_us";
    case Field::Expires:
        return "expires_us";
    case Field::Lease:
        return "lease_until_us";
    case Field::Fence:
        return "fence";
    case Field::Code:
        return "response_code";
    case Field::Hash:
        return "request_hash";
    case Field::Queue:
        return "queue";
    case Field::OrderKey:
        return "order_key";
    case Field::Correlation:
        return "correlation_id";
    case Field::Error:
        return "error";
    case Field::Group:
        return "group";
    case Field::Schema:
        return rowSchema;
    case Field::State:
    case Field::Event:
    case Field::From:
    case Field::To:
    case Field::Attempt:
    case Field::At:
    case Field::Delay:
    case Field::Took:
        break;
    }
    return "raw_state";
}

std::string operatorOf(Comparison comparison)
{
    return comparison == Comparison::NotEqual ? "<>" : std::string(wordOf(comparison));
}

// The opposite side of "now minus value": an age above is an instant below.
Comparison mirrored(Comparison comparison)
{
    switch (comparison) {
    case Comparison::Less:
        return Comparison::Greater;
    case Comparison::LessEqual:
        return Comparison::GreaterEqual;
    case Comparison::Greater:
        return Comparison::Less;
    case Comparison::GreaterEqual:
        return Comparison::LessEqual;
    default:
        return comparison;
    }
}

std::string ageTest(ExpressionSql& sql, const Expression& created, Comparison comparison, Duration age)
{
    return sql.compareInstant(created, operatorOf(mirrored(comparison)), { .at = {}, .fromNow = -age });
}

std::string instantTest(ExpressionSql& sql, const Expression& field, Comparison comparison, const FilterValue& value)
{
    if (const auto* at = std::get_if<Time>(&value.typed))
        return sql.compareInstant(field, operatorOf(comparison), { .at = *at, .fromNow = {} });
    const auto ahead = std::get<Duration>(value.typed);
    auto text = sql.compareInstant(field, operatorOf(comparison), { .at = {}, .fromNow = ahead });
    // "expires < 5m" is within the next five minutes: what is over is not about to be.
    if (comparison == Comparison::Less || comparison == Comparison::LessEqual)
        text = "(" + sql.compareInstant(field, ">", {}) + " AND " + text + ")";
    return text;
}

std::string numberTest(ExpressionSql& sql, const Expression& field, Comparison comparison, std::int64_t number)
{
    return sql.natural(field) + ' ' + operatorOf(comparison) + ' ' + sql.bindInteger(number);
}

std::string partTest(ExpressionSql& sql, const Expression& field, const std::string& part)
{
    const auto subject = sql.text(field);
    if (sql.dialect() == Dialect::Sqlite)
        return "instr(" + subject + ", " + sql.bindText(part) + ") > 0";
    return "position(" + sql.bindText(part) + " IN " + subject + ") > 0";
}

// A plain column in its own type, so that its index is used; nothing where the text cannot be one of its values.
std::optional<std::string> columnTest(
    ExpressionSql& sql, const CatalogColumn& column, Comparison comparison, const std::string& value)
{
    const auto joint = ' ' + operatorOf(comparison) + ' ';
    if (sql.dialect() == Dialect::Sqlite || column.typeClass == TypeClass::Text)
        return sql.reference(column) + joint + sql.bindText(value);
    if (column.typeClass == TypeClass::Integer && !value.empty() && value.size() < 18
        && value.find_first_not_of("0123456789") == std::string::npos)
        return sql.reference(column) + joint + sql.bindInteger(std::stoll(value));
    if (column.typeClass == TypeClass::Uuid && isUuid(value))
        return sql.reference(column) + joint + "CAST(" + sql.bind(value) + " AS uuid)";
    return std::nullopt;
}

std::string textTest(ExpressionSql& sql, const Expression& field, Comparison comparison, const std::string& value)
{
    const auto& inner = field.op == Op::Text ? *field.arguments[0] : field;
    if (inner.op == Op::Column)
        if (const auto* column = sql.bound().column(inner.name))
            if (auto test = columnTest(sql, *column, comparison, value))
                return *test;
    return sql.text(field) + ' ' + operatorOf(comparison) + ' ' + sql.bindText(value);
}

std::string hashTest(ExpressionSql& sql, const Expression& field, const std::string& value)
{
    const auto* column = field.op == Op::Hex && field.arguments[0]->op == Op::Column
        ? sql.bound().column(field.arguments[0]->name)
        : nullptr;
    const auto octets = fromHex(value);
    if (column != nullptr && column->typeClass == TypeClass::Octets)
        return octets ? sql.reference(*column) + " = " + sql.bind(Octets{ *octets }) : never;
    return textTest(sql, field, Comparison::Equal, value);
}

std::string singleTest(
    ExpressionSql& sql, const Filter& filter, const Expression& field, const FilterValue& value, Comparison comparison)
{
    if (comparison == Comparison::Contains)
        return partTest(sql, field, value.text);
    switch (typeOf(filter.field)) {
    case ValueType::Timespan:
        return ageTest(sql, field, comparison, std::get<Duration>(value.typed));
    case ValueType::Instant:
        return instantTest(sql, field, comparison, value);
    case ValueType::Integer:
        return numberTest(sql, field, comparison, std::get<std::int64_t>(value.typed));
    case ValueType::Hex:
        return hashTest(sql, field, value.text);
    case ValueType::Text:
    case ValueType::State:
        break;
    }
    // Our own owners are kept in lower case.
    const bool owner = filter.field == Field::Owner && sql.bound().profile->native;
    return textTest(sql, field, comparison, owner ? Owner(value.text).uuid : value.text);
}

// "!=" and "in" are made of "=", so that they are its exact complement and union, rows without the value included.
std::string combined(const Filter& filter, const std::function<std::string(const FilterValue&, Comparison)>& one)
{
    if (filter.comparison == Comparison::NotEqual)
        return ExpressionSql::complement(one(filter.values.front(), Comparison::Equal));
    if (filter.comparison != Comparison::In)
        return one(filter.values.front(), filter.comparison);
    std::string text = "(";
    for (std::size_t i = 0; i < filter.values.size(); ++i)
        text += (i > 0 ? " OR " : "") + one(filter.values[i], Comparison::Equal);
    return text + ')';
}

std::string test(ExpressionSql& sql, const Filter& filter)
{
    if (filter.values.empty())
        return sql.fail(Failure::Invalid, "A test of the filter has no value");
    if (filter.field == Field::State)
        return combined(filter, [&](const FilterValue& value, Comparison) { return stateCondition(sql, value.text); });
    const auto found = sql.bound().fields.find(fieldName(filter.field));
    if (found == sql.bound().fields.end())
        return sql.fail(Failure::Invalid,
            "The table " + sql.bound().binding.name + " has no \"" + std::string(wordOf(filter.field))
                + "\" to filter by");
    return combined(filter, [&](const FilterValue& value, Comparison comparison) {
        return singleTest(sql, filter, *found->second, value, comparison);
    });
}

bool isUnfinished(std::string_view state)
{
    return state == "IN_PROGRESS" || state == "FAILED_RETRYABLE" || state == "HELD";
}

// The state's column of our own records in SQLite, which uses a partial index only where its own condition stands among
// the query's, word by word.
const CatalogColumn* indexedState(const ExpressionSql& sql)
{
    const bool ours = sql.bound().profile->native && sql.bound().binding.kind == Kind::Idempotency;
    return sql.dialect() == Dialect::Sqlite && ours ? sql.bound().plainColumn("raw_state") : nullptr;
}

std::string openCondition(const ExpressionSql& sql)
{
    const auto* state = indexedState(sql);
    return state == nullptr ? std::string() : sql.reference(*state) + " IN ('IN_PROGRESS', 'FAILED_RETRYABLE') AND ";
}

// Every row that passes is unfinished.
bool impliesOpen(const BoundProfile& bound, const Filter& filter)
{
    const auto implies = [&](const FilterPtr& child) { return impliesOpen(bound, *child); };
    switch (filter.op) {
    case Filter::Op::Flagged:
        return bound.profile->native && filter.flag != Flag::Conflict;
    case Filter::Op::And:
        return std::any_of(filter.children.begin(), filter.children.end(), implies);
    case Filter::Op::Or:
        return std::all_of(filter.children.begin(), filter.children.end(), implies);
    case Filter::Op::Not:
    case Filter::Op::Had:
    case Filter::Op::Row:
        return false;
    case Filter::Op::Test:
        break;
    }
    return bound.profile->native && filter.field == Field::State
        && (filter.comparison == Comparison::Equal || filter.comparison == Comparison::In)
        && std::all_of(filter.values.begin(), filter.values.end(),
            [](const FilterValue& value) { return isUnfinished(value.text); });
}

// Another's table: some index begins with a column that tells which rows are stuck.
bool findsStuckByIndex(const BoundProfile& bound)
{
    bool found = false;
    if (bound.profile->stuck)
        eachNode(*bound.profile->stuck, [&](const Expression& node) {
            const auto* column = node.op == Op::Column ? bound.column(node.name) : nullptr;
            found = found
                || (column != nullptr
                    && std::any_of(
                        bound.table.indexes.begin(), bound.table.indexes.end(), [&](const CatalogIndex& index) {
                            return !index.partial && !index.columns.empty() && index.columns.front() == column->name;
                        }));
        });
    return found;
}

bool isHeldTest(const Filter& filter)
{
    if (filter.op == Filter::Op::Flagged)
        return filter.flag == Flag::Held;
    return filter.op == Filter::Op::Test && filter.field == Field::State
        && (filter.comparison == Comparison::Equal || filter.comparison == Comparison::In)
        && std::all_of(
            filter.values.begin(), filter.values.end(), [](const FilterValue& value) { return value.text == "HELD"; });
}

// Of our own records, which have an index by their expiry.
bool isExpiredTest(const BoundProfile& bound, const Filter& filter)
{
    return bound.profile->native && filter.op == Filter::Op::Test && filter.field == Field::State
        && filter.comparison == Comparison::Equal && filter.values.size() == 1
        && filter.values.front().text == "EXPIRED";
}

// The journal is asked for the keys first, and each is looked up.
bool isListedByJournal(const BoundProfile& bound, const Filter& filter)
{
    return filter.op == Filter::Op::Had && bound.profile->native && bound.binding.kind == Kind::Idempotency;
}

bool isKeyTest(const Filter& filter)
{
    return filter.op == Filter::Op::Test && filter.field == Field::Key
        && (filter.comparison == Comparison::Equal || filter.comparison == Comparison::In);
}

const CatalogIndex* keyIndex(const BoundProfile& bound)
{
    const auto* key = bound.plainColumn("key");
    for (const auto& index : bound.table.indexes)
        if (key != nullptr && !index.partial && !index.columns.empty() && index.columns.front() == key->name)
            return &index;
    return nullptr;
}

// The primary key's columns in front of the key itself, where only they keep its index from being used.
std::vector<std::string> keyPrefix(const BoundProfile& bound)
{
    const auto* key = bound.plainColumn("key");
    const auto identity = bound.identity();
    std::vector<std::string> prefix;
    if (key == nullptr || identity.size() < 2 || identity.back() != key || bound.table.view)
        return prefix;
    if (keyIndex(bound) != nullptr)
        return prefix;
    for (std::size_t i = 0; i < identity.size(); ++i)
        if (identity[i]->keyPosition != static_cast<int>(i) + 1)
            return prefix;
    for (std::size_t i = 0; i + 1 < identity.size(); ++i)
        prefix.push_back(quotedName(identity[i]->name));
    return prefix;
}

std::string joined(const std::vector<std::string>& columns, const std::string& alias)
{
    std::string text;
    for (const auto& column : columns)
        text += (text.empty() ? "" : ", ") + alias + "." + column;
    return text;
}

// The column's value in the first row of the next prefix. SQLite would begin a range of row values at the first of the
// rows that it is to leave behind, so there each length of the prefix gets a range of its own.
std::string nextPrefix(const BoundProfile& bound, const std::vector<std::string>& prefix, const std::string& column)
{
    const auto order = joined(prefix, "p");
    const auto first = [&](const std::string& condition) {
        return "(SELECT p." + column + " FROM " + qualified(bound.table) + " AS p WHERE " + condition + " ORDER BY "
            + order + " LIMIT 1)";
    };
    if (bound.dialect == Dialect::PostgreSql)
        return first("(" + order + ") > (" + joined(prefix, "x") + ")");
    std::string text;
    for (std::size_t length = prefix.size(); length > 0; --length) {
        std::string condition;
        for (std::size_t i = 0; i < length; ++i)
            condition += (i > 0 ? " AND p." : "p.") + prefix[i] + (i + 1 == length ? " > x." : " = x.") + prefix[i];
        text += (text.empty() ? "" : ", ") + first(condition);
    }
    return prefix.size() > 1 ? "COALESCE(" + text + ")" : text;
}

// A key without its scope: walks from one scope and operation to the next through the primary key, and looks the key up
// in each, instead of reading the whole table.
std::string keyInEveryScope(const BoundProfile& bound)
{
    const auto prefix = keyPrefix(bound);
    if (prefix.empty())
        return {};
    const auto table = qualified(bound.table) + " AS p";
    const auto order = joined(prefix, "p");
    std::string names;
    std::string next;
    for (const auto& column : prefix) {
        names += (names.empty() ? "" : ", ") + column;
        next += (next.empty() ? "" : ", ") + nextPrefix(bound, prefix, column);
    }
    return "(" + joined(prefix, "t") + ") IN (WITH RECURSIVE prefix(" + names + ") AS (SELECT * FROM (SELECT " + order
        + " FROM " + table + " ORDER BY " + order + " LIMIT 1) AS f UNION ALL SELECT " + next
        + " FROM prefix AS x WHERE x." + prefix.front() + " IS NOT NULL) SELECT " + names + " FROM prefix WHERE "
        + prefix.front() + " IS NOT NULL) AND ";
}

bool namesScope(const Filter& filter)
{
    return filter.op == Filter::Op::Test && filter.field == Field::Scope
        && (filter.comparison == Comparison::Equal || filter.comparison == Comparison::In);
}

} // namespace

std::optional<std::string> equalTo(ExpressionSql& sql, const CatalogColumn& column, const std::string& value)
{
    return columnTest(sql, column, Comparison::Equal, value);
}

bool walksScopes(const BoundProfile& bound)
{
    return !keyPrefix(bound).empty();
}

std::string stateCondition(ExpressionSql& sql, std::string_view state)
{
    if (state == "HELD" && indexedState(sql) != nullptr)
        return heldCondition(sql);
    return isUnfinished(state) ? "(" + openCondition(sql) + sql.stateIs(state) + ")" : sql.stateIs(state);
}

std::string stuckCondition(ExpressionSql& sql)
{
    const auto& stuck = sql.bound().profile->stuck;
    return stuck ? "(" + openCondition(sql) + sql.predicate(*stuck) + ")" : never;
}

std::string heldCondition(ExpressionSql& sql)
{
    // The unary plus takes the state out of SQLite's choice: of all open records only those that are held are wanted.
    const auto* indexed = indexedState(sql);
    const auto* hold = sql.bound().plainColumn("hold");
    if (indexed != nullptr && hold != nullptr)
        return "(" + sql.reference(*hold) + " IS TRUE AND +" + sql.reference(*indexed)
            + " IN ('IN_PROGRESS', 'FAILED_RETRYABLE'))";
    for (const auto& state : sql.bound().profile->states)
        if (state.is == "HELD")
            return sql.predicate(*state.when);
    return never;
}

std::string conflictOf(const ExpressionSql& sql)
{
    const auto& conflicts = sql.bound().conflicts;
    if (!conflicts)
        return never;
    // What was refused before the record's first reservation was refused by an earlier record of the same key.
    return "EXISTS (SELECT 1 FROM " + qualified(*conflicts)
        + " AS c WHERE (c.scope, c.operation_type, c.idempotency_key) = (t.scope, t.operation_type, "
          "t.idempotency_key) AND c.last_at >= t.created_at)";
}

std::string conflictCondition(ExpressionSql& sql)
{
    if (sql.bound().conflictsDenied)
        return sql.fail(
            Failure::Denied, "Conflicts cannot be filtered: the role has no SELECT privilege on idempotency_conflicts");
    const auto& conflicts = sql.bound().conflicts;
    if (!conflicts || sql.dialect() != Dialect::Sqlite)
        return conflictOf(sql);
    // SQLite begins with the few that have a conflict only where they are a list.
    return "((t.scope, t.operation_type, t.idempotency_key) IN (SELECT scope, operation_type, idempotency_key FROM "
        + qualified(*conflicts) + ") AND " + conflictOf(sql) + ")";
}

namespace {

std::string rowCondition(ExpressionSql& sql, const Filter& filter)
{
    std::vector<std::string> identity;
    for (const auto& value : filter.values)
        identity.push_back(value.text);
    // To PostgreSQL a text that is none of the column's values is an error of the whole statement; such a row is none.
    const auto columns = sql.bound().identity();
    for (std::size_t i = 0; i < std::min(columns.size(), identity.size()); ++i)
        if (!mayHold(sql.dialect(), *columns[i], identity[i]))
            return never;
    const auto condition = identityCondition(sql, identity);
    return condition ? *condition : sql.fail(condition.error().failure, condition.error().message);
}

} // namespace

std::string filterCondition(ExpressionSql& sql, const Filter& filter)
{
    switch (filter.op) {
    case Filter::Op::Test: {
        const bool list =
            filter.comparison == Comparison::In && !isHeldTest(filter) && impliesOpen(sql.bound(), filter);
        return "("
            + (isKeyTest(filter) ? keyInEveryScope(sql.bound())
                    : list       ? openCondition(sql)
                                 : std::string())
            + test(sql, filter) + ")";
    }
    case Filter::Op::Flagged:
        switch (filter.flag) {
        case Flag::Stuck:
            return "(" + stuckCondition(sql) + ")";
        case Flag::Held:
            return "(" + heldCondition(sql) + ")";
        case Flag::Conflict:
            break;
        }
        return "(" + conflictCondition(sql) + ")";
    case Filter::Op::Not:
        return ExpressionSql::complement(filterCondition(sql, *filter.children.front()));
    case Filter::Op::Had:
        return "(" + momentCondition(sql, filter) + ")";
    case Filter::Op::Row:
        return "(" + rowCondition(sql, filter) + ")";
    case Filter::Op::And:
    case Filter::Op::Or:
        break;
    }
    std::string text;
    const bool scoped = filter.op == Filter::Op::And
        && std::any_of(
            filter.children.begin(), filter.children.end(), [](const FilterPtr& child) { return namesScope(*child); });
    for (const auto& child : filter.children) {
        text += text.empty() ? "" : filter.op == Filter::Op::And ? " AND " : " OR ";
        // With the scope at hand the primary key finds it directly.
        text += scoped && isKeyTest(*child) ? "(" + test(sql, *child) + ")" : filterCondition(sql, *child);
    }
    if (filter.op == Filter::Op::Or && impliesOpen(sql.bound(), filter))
        return "(" + openCondition(sql) + "(" + text + "))";
    return "(" + text + ")";
}

bool isSelective(const BoundProfile& bound, const Filter& filter)
{
    const auto selective = [&](const FilterPtr& child) { return isSelective(bound, *child); };
    if (filter.op == Filter::Op::Flagged)
        return bound.profile->native || filter.flag != Flag::Stuck || findsStuckByIndex(bound);
    if (filter.op == Filter::Op::Or)
        return std::all_of(filter.children.begin(), filter.children.end(), selective);
    if (filter.op == Filter::Op::And)
        return std::any_of(filter.children.begin(), filter.children.end(), selective);
    return isKeyTest(filter) || filter.op == Filter::Op::Row || isListedByJournal(bound, filter)
        || isExpiredTest(bound, filter) || impliesOpen(bound, filter);
}

bool isServedInOrder(const BoundProfile& bound, const Filter& part, std::string_view order)
{
    const auto* index = keyIndex(bound);
    const auto* created = bound.plainColumn("created_us");
    return isKeyTest(part) && part.comparison == Comparison::Equal && order == "created" && created != nullptr
        && index != nullptr && index->columns.size() > 1 && index->columns[1] == created->name;
}

bool hasOwnIndex(const Filter& part)
{
    const auto isRow = [](const FilterPtr& child) { return child->op == Filter::Op::Row; };
    if (part.op == Filter::Op::Or)
        return std::all_of(part.children.begin(), part.children.end(), isRow);
    return isHeldTest(part) || isKeyTest(part) || part.op == Filter::Op::Had || part.op == Filter::Op::Row;
}

const Filter& selectivePart(const BoundProfile& bound, const Filter& filter)
{
    if (filter.op == Filter::Op::And)
        for (const auto& child : filter.children)
            if (isSelective(bound, *child))
                return selectivePart(bound, *child);
    return filter;
}

} // namespace fencepost::store
