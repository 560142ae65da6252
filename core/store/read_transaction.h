// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/store/database.h"

namespace fencepost::store {

// One snapshot for all statements of a question, planned for their values, within a time limit if there is one. Inside
// somebody else's transaction it is nothing.
class ReadTransaction {
public:
    static Result<ReadTransaction> begin(Connection& connection, std::optional<Duration> limit = std::nullopt);
    ReadTransaction(ReadTransaction&& other) noexcept;
    ReadTransaction& operator=(ReadTransaction&&) = delete;
    ReadTransaction(const ReadTransaction&) = delete;
    ReadTransaction& operator=(const ReadTransaction&) = delete;
    ~ReadTransaction();

private:
    explicit ReadTransaction(Connection* connection);
    Connection* m_connection;
};

} // namespace fencepost::store
