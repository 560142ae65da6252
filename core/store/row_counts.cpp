// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>

#include "core/store/profile_reader.h"
#include "core/store/read_transaction.h"
#include "core/store/sqlite_estimate.h"
#include "core/store/statements.h"
#include "core/store/tally_sql.h"

namespace fencepost::store {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Microseconds per row of a tally over everything, on the cautious side.
constexpr double tallyCost = 0.5;
constexpr std::int64_t countedAtMost = 10'000;
// So many rows tell enough; a database that is busy may only have time for fewer.
constexpr std::array<std::int64_t, 3> sampledRows{ 20'000, 2'000, 200 };
constexpr auto shortestStep = std::chrono::milliseconds(2);

// Asks one question after the other and keeps the whole within the budget.
class Counter {
public:
    Counter(Connection& connection, const BoundProfile& bound, FilterPtr filter, DecidingClock now, Duration budget)
        : m_connection(connection)
        , m_bound(bound)
        , m_filter(std::move(filter))
        , m_now(now)
        , m_end(SteadyClock::now() + budget)
        , m_budget(budget)
    {
    }

    Status count(Counts& into)
    {
        // Of a whole table only: nobody knows beforehand how many rows a filter leaves.
        if (!m_filter)
            if (auto done = refreshEstimate(); !done)
                return done;
        const auto estimate = m_bound.table.view ? std::nullopt : m_estimate;
        const bool hopeless =
            estimate && static_cast<double>(*estimate) * tallyCost > static_cast<double>(m_budget.count()) / 2;
        if (!hopeless) {
            const auto whole = tally({}, Exactness::Exact, 1.0, m_budget / 2, into);
            if (!whole)
                return whole.error();
            if (*whole)
                return oldestLease(into);
        }
        return approximate(into);
    }

private:
    [[nodiscard]] Duration left() const { return std::chrono::duration_cast<Duration>(m_end - SteadyClock::now()); }

    // False: it took longer than allowed. Everything else that goes wrong is an error.
    template <typename Walk> Result<bool> ask(const SqlText& text, Duration limit, const Walk& walk)
    {
        limit = std::min(limit, left());
        if (limit < shortestStep)
            return false;
        const auto transaction = ReadTransaction::begin(m_connection, limit);
        if (!transaction)
            return transaction.error();
        auto statement = prepared(m_connection, text);
        if (!statement)
            return statement.error();
        auto status = (*statement)->run();
        while (status && (*statement)->next())
            walk(**statement);
        if (status)
            status = (*statement)->error();
        (*statement)->finish();
        if (status)
            return true;
        if (status.error().failure == Failure::TimedOut)
            return false;
        return status.error();
    }

    Status refreshEstimate()
    {
        m_estimate = m_bound.table.estimate;
        if (m_bound.dialect == Dialect::Sqlite) {
            // What an ANALYZE found may be years old.
            if (const auto probed = estimateRows(m_connection, m_bound.table.name))
                m_estimate = probed;
            return {};
        }
        auto statement = m_connection.prepare(sql::row_estimate);
        if (!statement)
            return statement.error();
        (*statement)->bindText("schema", m_bound.table.schema);
        (*statement)->bindText("table", m_bound.table.name);
        if (const auto ran = (*statement)->run(); !ran)
            return ran;
        if ((*statement)->next())
            m_estimate = (*statement)->integer(0) >= 0 ? std::optional((*statement)->integer(0)) : std::nullopt;
        (*statement)->finish();
        return {};
    }

    // Fills the states, the total and the flags, each multiplied by `scale`.
    Result<bool> tally(const Sampling& sampling, Exactness exactness, double scale, Duration limit, Counts& into)
    {
        const auto text = compileTally(m_bound, m_filter, m_now, sampling);
        if (!text)
            return text.error();
        std::map<std::string, Count> states;
        std::int64_t rows = 0;
        std::int64_t stuck = 0;
        std::int64_t soon = 0;
        const auto asked = ask(*text, limit, [&](const Statement& row) {
            const auto scaled = static_cast<std::int64_t>(static_cast<double>(row.integer(1)) * scale + 0.5);
            if (!row.isNull(0))
                states[row.text(0)] = { scaled, exactness };
            rows += row.integer(1);
            stuck += row.integer(2);
            soon += row.integer(3);
        });
        if (!asked || !*asked)
            return asked;
        // All rows fitted below the limit: nothing was left out.
        if (sampling.rows && rows < *sampling.rows) {
            exactness = Exactness::Exact;
            for (auto& [state, count] : states)
                count.exactness = exactness;
        }
        const auto flag = [&](std::int64_t value) {
            return Count{ static_cast<std::int64_t>(static_cast<double>(value) * scale + 0.5), exactness };
        };
        into.byState = std::move(states);
        into.total = flag(rows);
        into.stuck = flag(stuck);
        into.expiringSoon = flag(soon);
        into.cost.rows += rows;
        into.cost.sql += (into.cost.sql.empty() ? "" : ";\n") + text->sql;
        return true;
    }

    // Counted one by one up to a limit: exact below it. Not finished in time: what is known, at least.
    Status limited(Countable what, const std::string& state, Count& into)
    {
        const auto text = compileCount(m_bound, m_filter, m_now, what, state, countedAtMost);
        if (!text)
            return text.error();
        std::int64_t value = 0;
        const auto asked = ask(*text, left() / 3, [&](const Statement& row) { value = row.integer(0); });
        if (!asked)
            return asked.error();
        if (!*asked)
            return {};
        const bool all = value <= countedAtMost;
        // A sample's guess says more than "at least so many".
        if (all || into.exactness != Exactness::Estimate || into.value < countedAtMost)
            into = { std::min(value, countedAtMost), all ? Exactness::Exact : Exactness::AtLeast };
        into.value = all ? value : std::max(into.value, countedAtMost);
        return {};
    }

    Status oldestLease(Counts& into)
    {
        for (const auto which : { Leased::InProgress, Leased::Stuck }) {
            const auto text = compileOldestLease(m_bound, m_filter, m_now, which);
            if (!text)
                return text.error();
            if (!*text)
                continue;
            const auto asked = ask(**text, left(), [&](const Statement& row) {
                const auto lease = row.time(0);
                into.oldestLease = lease ? std::min(*lease, into.oldestLease.value_or(*lease)) : into.oldestLease;
            });
            if (!asked)
                return asked.error();
        }
        return {};
    }

    Status approximate(Counts& into)
    {
        into.total = { 0, Exactness::AtLeast };
        into.stuck = { 0, Exactness::AtLeast };
        into.expiringSoon = { 0, Exactness::AtLeast };
        const bool bySample =
            m_bound.dialect == Dialect::PostgreSql && !m_filter && !m_bound.table.view && m_estimate && *m_estimate > 0;
        for (const auto rows : sampledRows) {
            const auto share = std::clamp(
                100.0 * static_cast<double>(rows) / static_cast<double>(m_estimate.value_or(1)), 0.001, 100.0);
            const auto asked = bySample ? tally({ share, {} }, Exactness::Estimate, 100.0 / share, left() / 4, into)
                                        : tally({ {}, rows }, Exactness::AtLeast, 1.0, left() / 4, into);
            if (!asked)
                return asked.error();
            if (*asked)
                break;
        }
        if (!m_filter && m_estimate && *m_estimate >= into.total.value && into.total.exactness != Exactness::Exact)
            into.total = { *m_estimate, Exactness::Estimate };
        if (auto done = limited(Countable::Stuck, {}, into.stuck); !done)
            return done;
        if (m_bound.profile->native && m_bound.binding.kind == Kind::Idempotency)
            for (const auto* state : { "IN_PROGRESS", "FAILED_RETRYABLE", "HELD" }) {
                Count count = into.byState.count(state) > 0 ? into.byState[state] : Count{ 0, Exactness::AtLeast };
                if (auto done = limited(Countable::State, state, count); !done)
                    return done;
                into.byState[state] = count;
            }
        if (auto done = limited(Countable::ExpiringSoon, {}, into.expiringSoon); !done)
            return done;
        // A state that was not met among some of the rows may still be there.
        if (into.total.exactness != Exactness::Exact) {
            for (const auto& state : m_bound.profile->states)
                into.byState.try_emplace(state.is, Count{ 0, Exactness::AtLeast });
            into.byState.try_emplace("UNKNOWN", Count{ 0, Exactness::AtLeast });
            if (m_bound.derivesExpiry())
                into.byState.try_emplace("EXPIRED", Count{ 0, Exactness::AtLeast });
        }
        return oldestLease(into);
    }

    Connection& m_connection;
    const BoundProfile& m_bound;
    FilterPtr m_filter;
    DecidingClock m_now;
    SteadyClock::time_point m_end;
    Duration m_budget;
    std::optional<std::int64_t> m_estimate;
};

// Row-level security: there may be rows that this role is not shown, of any state.
void openUpwards(Counts& counts)
{
    const auto open = [](Count& count) {
        if (count.exactness == Exactness::Exact)
            count.exactness = Exactness::AtLeast;
    };
    for (auto& [state, count] : counts.byState)
        open(count);
    for (auto* count : { &counts.total, &counts.stuck, &counts.expiringSoon })
        open(*count);
}

} // namespace

Result<Counts> ProfileReader::counts(const BoundProfile& bound, const FilterPtr& filter, Duration budget)
{
    const auto started = SteadyClock::now();
    if (!bound.binding.canRead)
        return Error{ Failure::Denied, "The table " + bound.binding.name + " cannot be read", {}, {} };
    Counts counts;
    const auto at = now();
    if (!at)
        return at.error();
    counts.now = *at;
    if (const auto counted = Counter(m_connection, bound, filter, deciding(), budget).count(counts); !counted)
        return counted.error();
    if (bound.table.rowSecurity)
        openUpwards(counts);
    counts.cost.time = std::chrono::duration_cast<Duration>(SteadyClock::now() - started);
    return counts;
}

} // namespace fencepost::store
