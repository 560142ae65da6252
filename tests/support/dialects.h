// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "core/store/database.h"

namespace fencepost::store {

// Found by GoogleTest beside the type: what a test is called where its parameter is shown.
inline void PrintTo(Dialect dialect, std::ostream* out)
{
    *out << (dialect == Dialect::Sqlite ? "SQLite" : "PostgreSQL");
}

} // namespace fencepost::store

namespace fencepost::test {

// For INSTANTIATE_TEST_SUITE_P: every behaviour is tested on both.
inline auto bothDialects()
{
    return ::testing::Values(store::Dialect::Sqlite, store::Dialect::PostgreSql);
}

inline std::string nameOfDialect(const ::testing::TestParamInfo<store::Dialect>& info)
{
    return info.param == store::Dialect::Sqlite ? "Sqlite" : "PostgreSql";
}

} // namespace fencepost::test
