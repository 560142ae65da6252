// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/store/database.h"

namespace fencepost::app {

// Runs a statement that `bind` has given its values. Whoever has read it finishes it.
template <typename Bind>
Result<store::Statement*> executed(store::Connection& connection, const store::NamedSql& sql, Bind bind)
{
    const auto prepared = connection.prepare(sql);
    if (!prepared)
        return prepared.error();
    auto& statement = **prepared;
    bind(statement);
    if (const auto done = statement.run(); !done)
        return done.error();
    return &statement;
}

// Every row is read by `read`.
template <typename T, typename Bind, typename Read>
Result<std::vector<T>> rowsOf(store::Connection& connection, const store::NamedSql& sql, Bind bind, Read read)
{
    const auto run = executed(connection, sql, bind);
    if (!run)
        return run.error();
    auto& statement = **run;
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
    const auto run = executed(connection, sql, bind);
    if (!run)
        return run.error();
    const int changed = (*run)->affected();
    (*run)->finish();
    return changed;
}

} // namespace fencepost::app
