// SPDX-License-Identifier: Apache-2.0
#include "core/store/timed_reads.h"

#include "core/store/read_transaction.h"
#include "core/store/runnable_sql.h"

namespace fencepost::store {

TimedReads::TimedReads(Connection& connection, ProfileReader& reader)
    : m_connection(connection)
    , m_reader(reader)
    , m_began(std::chrono::steady_clock::now())
{
}

Result<Basis> TimedReads::begin(const RangeRequest& request)
{
    const auto now = m_reader.now();
    if (!now)
        return now.error();
    m_budget = request.budget;
    m_basis.now = *now;
    m_basis.range.until = request.until.value_or(*now);
    m_basis.range.from = request.from.value_or(m_basis.range.until - request.last);
    if (m_basis.range.until <= m_basis.range.from)
        return Error{ Failure::Invalid, "There is no time between the beginning and the end of what is asked for",
            formatInstant(m_basis.range.from) + " to " + formatInstant(m_basis.range.until) };
    return m_basis;
}

Status TimedReads::missed(const std::string& what, const Status& status)
{
    if (status || status.error().failure != Failure::TimedOut)
        return status;
    m_basis.unread.push_back(what + " could not be read within " + formatDuration(m_budget));
    return {};
}

Status TimedReads::ask(
    const std::string& what, const NamedSql& sql, const Parameters& parameters, const RowReader& read)
{
    m_basis.cost.sql += (m_basis.cost.sql.empty() ? "" : "\n\n") + runnable(sql, m_connection.dialect(), parameters);
    const auto transaction = ReadTransaction::begin(m_connection, m_budget);
    if (!transaction)
        return transaction.error();
    const auto done = m_connection.native().run(sql, parameters, read);
    if (!done)
        return missed(what, done.error());
    m_basis.cost.rows += *done;
    return {};
}

Status TimedReads::ask(const std::string& what, const SqlText& text, const RowReader& read)
{
    m_basis.cost.sql += (m_basis.cost.sql.empty() ? "" : "\n\n") + runnable(text, m_connection.dialect());
    const auto transaction = ReadTransaction::begin(m_connection, m_budget);
    if (!transaction)
        return transaction.error();
    const auto done = m_connection.native().read(text, read);
    if (!done)
        return missed(what, done.error());
    m_basis.cost.rows += *done;
    return {};
}

Basis TimedReads::basis() const
{
    auto basis = m_basis;
    basis.cost.time = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - m_began);
    return basis;
}

} // namespace fencepost::store
