// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/store/database.h"

namespace fencepost::app {

// Runs a statement that `bind` has given its values; every row is read by `read`.
template <typename T, typename Bind, typename Read>
Result<std::vector<T>> rowsOf(store::Connection& connection, const store::NamedSql& sql, Bind bind, Read read)
{
    const auto prepared = connection.prepare(sql);
    if (!prepared)
        return prepared.error();
    auto& statement = **prepared;
    bind(statement);
    if (const auto done = statement.run(); !done)
        return done.error();
    std::vector<T> rows;
    while (statement.next())
        rows.push_back(read(statement));
    const auto ended = statement.error();
    statement.finish();
    if (!ended)
        return ended.error();
    return rows;
}

template <typename T, typename Bind, typename Read>
Result<std::optional<T>> rowOf(store::Connection& connection, const store::NamedSql& sql, Bind bind, Read read)
{
    auto rows = rowsOf<T>(connection, sql, bind, read);
    if (!rows)
        return rows.error();
    return rows->empty() ? std::optional<T>() : std::optional<T>(std::move(rows->front()));
}

// How many rows it changed.
template <typename Bind> Result<int> change(store::Connection& connection, const store::NamedSql& sql, Bind bind)
{
    const auto prepared = connection.prepare(sql);
    if (!prepared)
        return prepared.error();
    auto& statement = **prepared;
    bind(statement);
    if (const auto done = statement.run(); !done)
        return done.error();
    const int changed = statement.affected();
    statement.finish();
    return changed;
}

} // namespace fencepost::app
