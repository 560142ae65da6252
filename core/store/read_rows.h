// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/store/database.h"
#include "core/store/native.h"

namespace fencepost::store {

// All rows of a statement, each read by `read`, which answers a Result. A row that cannot be read is the answer.
template <typename Read>
auto readRows(Connection& connection, const NamedSql& sql, const Parameters& parameters, Read read,
    Planned planned = Planned::Once)
    -> Result<std::vector<std::decay_t<decltype(*read(std::declval<const NativeRow&>()))>>>
{
    std::vector<std::decay_t<decltype(*read(std::declval<const NativeRow&>()))>> rows;
    std::optional<Error> corrupt;
    const RowReader each = [&](const NativeRow& row) {
        auto one = read(row);
        if (one)
            rows.push_back(std::move(*one));
        else
            corrupt = one.error();
    };
    auto& native = connection.native();
    const auto done =
        planned == Planned::Anew ? native.runPlanned(sql, parameters, each) : native.run(sql, parameters, each);
    if (!done)
        return done.error();
    if (corrupt)
        return *corrupt;
    return rows;
}

template <typename T> Result<std::optional<T>> firstOf(Result<std::vector<T>> rows)
{
    if (!rows)
        return rows.error();
    return rows->empty() ? std::optional<T>() : std::optional(std::move(rows->front()));
}

} // namespace fencepost::store
