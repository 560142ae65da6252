// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::profile {

// What kind of value a column is declared to hold. LocalInstant: a date and a time of no zone. In SQLite values need
// not obey their declaration.
enum class ColumnType { Text, Integer, Number, Boolean, Octets, Instant, LocalInstant, Uuid, Json, Enum, Other };

struct ColumnFacts {
    std::string name; // the catalog's spelling
    std::string type; // as the database calls it
    ColumnType kind = ColumnType::Other;
    bool notNull = false;
    int keyPosition = 0; // from 1 within the primary key; 0: no part of it
    std::vector<std::string> labels; // of an enum

    bool operator==(const ColumnFacts&) const = default;
};

// A table as its catalog describes it, for whoever maps it to the canonical model.
struct TableFacts {
    std::string dialect; // postgresql, sqlite
    std::string schema; // empty in SQLite
    std::string name;
    bool view = false;
    std::vector<ColumnFacts> columns;
    bool contested = false; // a profile fits it already: a mapping has to fit it better
    std::vector<std::vector<std::string>> uniqueKeys; // the primary key first; none of expressions or of a part

    [[nodiscard]] const ColumnFacts* find(std::string_view column) const; // by its exact spelling
    bool operator==(const TableFacts&) const = default;
};

// What a bounded sample of a column holds.
struct ColumnValues {
    std::vector<std::string> texts; // distinct, the most frequent or the first ones
    bool nulls = false; // some rows have none
    bool complete = false; // texts are all that the sample has

    [[nodiscard]] bool empty() const { return texts.empty() && !nulls; }
};

} // namespace fencepost::profile
