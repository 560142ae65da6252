// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/inspector.h"
#include "core/profile/profile.h"
#include "core/store/catalog.h"

namespace fencepost::store {

// A profile bound to a table: every identifier of the profile is resolved to a column of the catalog.
struct BoundProfile {
    const profile::Profile* profile = nullptr; // not owned: the library outlives it
    Dialect dialect = Dialect::Sqlite;
    CatalogTable table;
    Binding binding;

    // A column as the profile names it, "column" or "alias.column".
    [[nodiscard]] const CatalogColumn* column(std::string_view name) const;
    // What Row::cas carries: the columns that some action compares with what was seen.
    [[nodiscard]] std::vector<std::string> comparedColumns() const;
};

// The recognised tables of one connection. Read once and kept until refresh.
class Bindings {
public:
    Bindings(Connection& connection, const profile::Library* profiles);

    Result<const std::vector<BoundProfile>*> all(bool refresh = false);
    // By the binding's name. NotFound names those that there are.
    Result<const BoundProfile*> find(const Binding& binding);

private:
    Connection& m_connection;
    const profile::Library* m_profiles;
    std::optional<std::vector<BoundProfile>> m_bound;
};

} // namespace fencepost::store
