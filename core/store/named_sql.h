// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fencepost::store {

enum class Dialect { Sqlite, PostgreSql };

// One statement of sql/<backend>/<name>.sql in each backend's words; null where a backend does not need it.
struct NamedSql {
    const char* name;
    const char* sqlite;
    const char* postgresql;

    [[nodiscard]] constexpr const char* of(Dialect dialect) const
    {
        return dialect == Dialect::Sqlite ? sqlite : postgresql;
    }
};

} // namespace fencepost::store
