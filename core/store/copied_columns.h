// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/copier.h"
#include "core/store/bindings.h"
#include "core/store/native.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

// How a column is read so that the same profile reads it in SQLite.
struct ColumnReading {
    enum class Form {
        Stored, // SQLite's own value
        Text,
        Integer,
        Octets,
        Micros, // an instant as microseconds since 1970
        Millis,
        Seconds,
        Iso, // as text, with a space
        IsoZ, // as text, with T and Z
    };
    std::string sql; // of the table's alias t
    Form form = Form::Stored;
    std::string declared; // the copy's type
};

// Of a table of our own, whose instants are microseconds in SQLite.
[[nodiscard]] ColumnReading ownReading(Dialect dialect, const CatalogColumn& column);
// Of somebody else's; a time zone that the profile names is bound into `text`.
[[nodiscard]] ColumnReading foreignReading(const BoundProfile& bound, const CatalogColumn& column, SqlText& text);

// One row's values, kept for as long as the next row is not read.
class RowCopy {
public:
    explicit RowCopy(std::vector<ColumnReading::Form> forms);
    [[nodiscard]] std::span<const CopiedValue> read(const NativeRow& row);

private:
    std::vector<ColumnReading::Form> m_forms;
    std::vector<CopiedValue> m_values;
    std::vector<std::string> m_texts; // of instants that became one
};

} // namespace fencepost::store
