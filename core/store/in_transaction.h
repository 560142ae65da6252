// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "core/store/database.h"

namespace fencepost::store {

inline constexpr int transactionAttempts = 20;

// Runs the body in a transaction of its own, again where the database asks for it; or in the one that is open already,
// which is somebody else's to commit.
template <typename Body> auto inTransaction(Connection& connection, Body body) -> decltype(body())
{
    if (connection.inTransaction())
        return body();
    std::optional<decltype(body())> result;
    const auto done = retrying(transactionAttempts, [&]() -> Status {
        auto transaction = Transaction::begin(connection, Begin::Immediate);
        if (!transaction)
            return transaction.error();
        result.emplace(body());
        if (!*result)
            return result->error();
        return transaction->commit();
    });
    if (!done)
        return done.error();
    return std::move(*result);
}

} // namespace fencepost::store
