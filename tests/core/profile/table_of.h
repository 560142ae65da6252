// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "core/profile/table_facts.h"

namespace fencepost::test {

// "key TEXT!, at TIMESTAMPTZ": a table as its catalog would describe it; "!" is a column of the primary key, "*" one
// that may not be NULL.
inline profile::TableFacts tableOf(const std::string& dialect, const std::string& name, const std::string& columns)
{
    using Type = profile::ColumnType;
    static const std::map<std::string, Type> types = { { "TEXT", Type::Text }, { "INTEGER", Type::Integer },
        { "BIGINT", Type::Integer }, { "BOOLEAN", Type::Boolean }, { "BYTEA", Type::Octets }, { "UUID", Type::Uuid },
        { "JSONB", Type::Json }, { "TIMESTAMPTZ", Type::Instant }, { "TIMESTAMP", Type::LocalInstant },
        { "ENUM", Type::Enum } };
    profile::TableFacts table;
    table.dialect = dialect;
    table.name = name;
    std::istringstream list(columns);
    std::string entry;
    std::vector<std::string> key;
    while (std::getline(list, entry, ',')) {
        std::istringstream words(entry);
        profile::ColumnFacts column;
        words >> column.name >> column.type;
        const bool inKey = column.type.ends_with('!');
        column.notNull = inKey || column.type.ends_with('*');
        if (column.notNull)
            column.type.pop_back();
        column.kind = types.at(column.type);
        if (inKey) {
            key.push_back(column.name);
            column.keyPosition = static_cast<int>(key.size());
        }
        table.columns.push_back(std::move(column));
    }
    if (!key.empty())
        table.uniqueKeys.push_back(std::move(key));
    return table;
}

} // namespace fencepost::test
