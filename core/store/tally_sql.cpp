// SPDX-License-Identifier: Apache-2.0
#include "core/store/tally_sql.h"

#include <algorithm>

#include "core/store/filter_sql.h"

namespace fencepost::store {

namespace {

constexpr auto soon = std::chrono::hours(1);

std::string soonCondition(ExpressionSql& sql)
{
    const auto& fields = sql.bound().fields;
    const auto expires = fields.find("expires_us");
    if (expires == fields.end())
        return "1 = 0";
    return sql.compareInstant(*expires->second, ">", {}) + " AND "
        + sql.compareInstant(*expires->second, "<=", { .at = {}, .fromNow = soon });
}

std::string whereOf(ExpressionSql& sql, const FilterPtr& filter, const std::string& more)
{
    std::string text;
    const auto add = [&](const std::string& condition) {
        text += (text.empty() ? " WHERE (" : " AND (") + condition + ")";
    };
    if (sql.bound().profile->where)
        add(sql.predicate(*sql.bound().profile->where));
    if (!more.empty())
        add(more);
    if (filter)
        add(filterCondition(sql, *filter));
    return text;
}

// Rows are told apart by one small number, four of a state: 2 for those that are stuck, 1 for those that expire soon.
std::string countedInGroups(const std::string& rows, const std::vector<std::string>& words)
{
    std::string state = "CASE g.kind / 4";
    for (std::size_t i = 0; i < words.size(); ++i)
        state += " WHEN " + std::to_string(i) + " THEN '" + words[i] + '\'';
    const auto those = [](const std::string& condition) {
        return "CAST(sum(CASE WHEN " + condition + " THEN g.n ELSE 0 END) AS bigint)";
    };
    return "SELECT " + state + " END, CAST(sum(g.n) AS bigint), " + those("g.kind / 2 % 2 = 1") + ", "
        + those("g.kind % 2 = 1") + " FROM (SELECT s.kind AS kind, count(*) AS n FROM (" + rows
        + ") AS s GROUP BY s.kind) AS g GROUP BY 1";
}

// SQLite would sort all rows to group them. Behind a limit, even none, it works out the number of a row once.
std::string countedAtOnce(const std::string& rows, const std::vector<std::string>& words, const Sampling& sampling)
{
    std::string columns;
    std::string states;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto name = "state_" + std::to_string(i);
        columns += "count(*) FILTER (WHERE s.kind >= " + std::to_string(4 * i) + " AND s.kind < "
            + std::to_string(4 * i + 4) + ") AS " + name + ", ";
        states += "SELECT '" + words[i] + "', " + name + ", 0, 0 FROM counted WHERE " + name + " > 0 UNION ALL ";
    }
    return "WITH counted AS MATERIALIZED (SELECT " + columns
        + "count(*) FILTER (WHERE s.kind / 2 % 2 = 1) AS stuck, count(*) FILTER (WHERE s.kind % 2 = 1) AS soon FROM ("
        + rows + (sampling.rows ? "" : " LIMIT -1") + ") AS s) " + states + "SELECT NULL, 0, stuck, soon FROM counted";
}

std::string percentText(double percent)
{
    // Fixed notation with six digits, whatever the locale.
    const auto millionths = static_cast<std::int64_t>(percent * 1'000'000);
    auto fraction = std::to_string(millionths % 1'000'000);
    fraction.insert(0, 6 - fraction.size(), '0');
    return std::to_string(millionths / 1'000'000) + '.' + fraction;
}

} // namespace

Result<SqlText> compileTally(
    const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now, const Sampling& sampling)
{
    SqlText text;
    ExpressionSql sql(bound, text, now);
    std::vector<std::string> words;
    const auto numberOf = [&](std::string_view word) {
        const auto place = std::find(words.begin(), words.end(), word) - words.begin();
        if (place == std::ssize(words))
            words.emplace_back(word);
        return std::to_string(4 * place);
    };
    auto inner = "SELECT " + sql.stateWord(numberOf) + " + CASE WHEN " + stuckCondition(sql)
        + " THEN 2 ELSE 0 END + CASE WHEN " + soonCondition(sql) + " THEN 1 ELSE 0 END AS kind FROM "
        + qualified(bound.table) + " AS t";
    if (sampling.percent)
        inner += " TABLESAMPLE SYSTEM (" + percentText(*sampling.percent) + ")";
    inner += whereOf(sql, filter, {});
    if (sampling.rows)
        inner += " LIMIT " + std::to_string(*sampling.rows);
    text.sql = bound.dialect == Dialect::Sqlite ? countedAtOnce(inner, words, sampling) : countedInGroups(inner, words);
    if (sql.error())
        return *sql.error();
    return text;
}

Result<SqlText> compileAttempts(
    const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now, const Sampling& sampling)
{
    SqlText text;
    ExpressionSql sql(bound, text, now);
    auto inner = "SELECT COALESCE(CAST(" + sql.natural(*bound.fields.at("attempts")) + " AS bigint), 0) AS attempts, "
        + sql.stateWord() + " AS state FROM " + qualified(bound.table) + " AS t" + whereOf(sql, filter, {});
    if (sampling.rows)
        inner += " LIMIT " + std::to_string(*sampling.rows);
    text.sql = "SELECT s.attempts, s.state, count(*) FROM (" + inner
        + ") AS s GROUP BY s.attempts, s.state ORDER BY s.attempts, s.state";
    if (sql.error())
        return *sql.error();
    return text;
}

Result<SqlText> compileCount(const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now,
    Countable what, const std::string& state, std::int64_t most)
{
    SqlText text;
    ExpressionSql sql(bound, text, now);
    const auto condition = what == Countable::Stuck ? stuckCondition(sql)
        : what == Countable::ExpiringSoon           ? soonCondition(sql)
                                                    : stateCondition(sql, state);
    text.sql = "SELECT count(*) FROM (SELECT 1 FROM " + qualified(bound.table) + " AS t"
        + whereOf(sql, filter, condition) + " LIMIT " + std::to_string(most + 1) + ") AS s";
    if (sql.error())
        return *sql.error();
    return text;
}

Result<std::optional<SqlText>> compileOldestLease(
    const BoundProfile& bound, const FilterPtr& filter, const DecidingClock& now, Leased which)
{
    const auto lease = bound.fields.find("lease_until_us");
    const auto* column = bound.plainColumn("lease_until_us");
    bool known = false;
    for (const auto& state : bound.profile->states)
        known = known || state.is == "IN_PROGRESS";
    if (lease == bound.fields.end() || column == nullptr || !known)
        return std::optional<SqlText>();
    SqlText text;
    ExpressionSql sql(bound, text, now);
    const auto order = sql.reference(*column);
    const auto these = which == Leased::Stuck ? stuckCondition(sql) : stateCondition(sql, "IN_PROGRESS");
    // A lease without an end on either side has no age.
    const bool mayBeEndless = bound.dialect == Dialect::PostgreSql
        && (column->typeClass == TypeClass::Instant || column->typeClass == TypeClass::LocalInstant);
    const auto where = whereOf(sql, filter,
        these + " AND " + order + " IS NOT NULL" + (mayBeEndless ? " AND isfinite(" + order + ")" : std::string()));
    text.sql = "SELECT " + sql.micros(*lease->second) + " FROM " + qualified(bound.table) + " AS t" + where
        + " ORDER BY " + order + " LIMIT 1";
    if (sql.error())
        return *sql.error();
    return std::optional(std::move(text));
}

} // namespace fencepost::store
