// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/query/row.h"
#include "core/store/expression_sql.h"

namespace fencepost::store {

// What a row is read as: identity and compared columns exactly, state and flags decided in SQL, canonical fields,
// instants as epoch microseconds.
class RowProjection {
public:
    explicit RowProjection(ExpressionSql& sql);

    [[nodiscard]] const std::string& columns() const { return m_columns; }
    [[nodiscard]] int size() const { return m_size; }
    [[nodiscard]] Row decode(const Statement& row) const;
    // The identity as a cursor keeps it.
    [[nodiscard]] std::vector<std::string> identityForCursor(const Statement& row) const;

private:
    void add(const std::string& expression);

    const BoundProfile* m_bound;
    std::vector<std::string> m_compared;
    std::string m_columns;
    int m_size = 0;
};

} // namespace fencepost::store
