// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/profile/detection.h"
#include "core/store/bindings.h"

namespace fencepost::store {

// As profiles spell it.
[[nodiscard]] constexpr std::string_view wordOf(Dialect dialect) noexcept
{
    return dialect == Dialect::Sqlite ? "sqlite" : "postgresql";
}

// Finds the profile of a table: the one that was chosen for it, else the one that fits it best. What would have been
// read but for something that does not fit is noted.
class Recogniser {
public:
    Recogniser(Dialect dialect, const profile::Library& profiles, const std::vector<CatalogTable>& catalog,
        std::vector<Unfit>& unfit)
        : m_dialect(dialect)
        , m_profiles(profiles)
        , m_catalog(catalog)
        , m_unfit(unfit)
    {
    }

    [[nodiscard]] std::optional<BoundProfile> read(const CatalogTable& table);

private:
    [[nodiscard]] std::optional<BoundProfile> bestOf(
        const std::vector<profile::Match>& matches, const CatalogTable& table);

    Dialect m_dialect;
    const profile::Library& m_profiles;
    const std::vector<CatalogTable>& m_catalog;
    std::vector<Unfit>& m_unfit;
};

} // namespace fencepost::store
