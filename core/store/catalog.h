// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/database.h"

namespace fencepost::store {

// What the compiler has to know of a column's type. In SQLite it is the declared type, which values need not obey.
enum class TypeClass { Text, Integer, Number, Boolean, Octets, Instant, LocalInstant, Uuid, Json, Enum, Other };

struct CatalogColumn {
    std::string name; // the catalog's spelling
    std::string type; // PostgreSQL: format_type(), fit for CAST; SQLite: as declared
    TypeClass typeClass = TypeClass::Other;
    bool notNull = false;
    bool generated = false; // computed by the database: nobody writes it
    bool canSelect = true;
    bool canUpdate = true;
    int keyPosition = 0; // from 1 within the primary key; 0: no part of it
    std::vector<std::string> labels; // of an enum
};

struct CatalogIndex {
    std::string name;
    std::vector<std::string> columns; // empty string: an expression
    bool unique = false;
    bool partial = false;
};

struct CatalogTable {
    std::string schema; // empty in SQLite
    std::string name;
    std::string what = "table"; // view, materialized view, foreign table, partitioned table
    int partitions = 0; // of a partitioned table: they are no tables of their own here
    bool view = false;
    std::string broken; // of a view whose columns cannot be found out: the database's words
    bool rowSecurity = false; // in force for this role: rows may be hidden
    bool visible = true; // the one that its bare name means in this session
    bool canSelect = true;
    bool canUpdate = true;
    bool canDelete = true;
    bool canInsert = true;
    std::optional<std::int64_t> estimate; // of the rows, by the database's own statistics
    std::vector<CatalogColumn> columns;
    std::vector<CatalogIndex> indexes;
    // The same table of several schemas, read as one whose first column says of which a row is. Empty: it is itself.
    std::vector<CatalogTable> parts;

    // The exact spelling first, else the only one that differs in case.
    [[nodiscard]] const CatalogColumn* find(std::string_view column) const;
    [[nodiscard]] bool isUnique(const std::vector<std::string>& columnNames) const;
};

// Tables and views that this role can name, partitions left out, in the order of schema and name.
[[nodiscard]] Result<std::vector<CatalogTable>> readCatalog(Connection& connection);

// The columns of its primary key, in their order.
[[nodiscard]] std::vector<const CatalogColumn*> keyOf(const CatalogTable& table);

[[nodiscard]] std::string quotedName(std::string_view identifier);
// "schema"."name", or "name" in SQLite; of parts, a query over all of them in parentheses.
[[nodiscard]] std::string qualified(const CatalogTable& table);
// Why a name that a catalog holds is refused, however well it could be quoted; empty: it is not.
[[nodiscard]] std::string whyNoIdentifier(std::string_view name);

} // namespace fencepost::store
