// SPDX-License-Identifier: Apache-2.0
#include "core/store/read_transaction.h"

#include <algorithm>
#include <utility>

namespace fencepost::store {

ReadTransaction::ReadTransaction(Connection* connection)
    : m_connection(connection)
{
}

ReadTransaction::ReadTransaction(ReadTransaction&& other) noexcept
    : m_connection(std::exchange(other.m_connection, nullptr))
{
}

ReadTransaction::~ReadTransaction()
{
    if (m_connection == nullptr)
        return;
    m_connection->limitStatements(std::nullopt);
    m_connection->leaveTransaction();
}

Result<ReadTransaction> ReadTransaction::begin(Connection& connection, std::optional<Duration> limit)
{
    if (connection.inTransaction())
        return ReadTransaction(nullptr);
    std::string sql = "BEGIN";
    if (connection.dialect() == Dialect::PostgreSql) {
        // A generic plan would not know whether a filter finds five rows or five million. One text, one round trip.
        sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";
        if (limit) {
            const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(*limit).count();
            sql += "; SET LOCAL statement_timeout = " + std::to_string(std::max<std::int64_t>(milliseconds, 1));
        }
    }
    if (const auto begun = connection.execute(sql); !begun) {
        // Its first part may have succeeded, and everything that is asked in what it left behind would fail.
        connection.leaveTransaction();
        return begun.error();
    }
    connection.limitStatements(limit);
    return ReadTransaction(&connection);
}

} // namespace fencepost::store
