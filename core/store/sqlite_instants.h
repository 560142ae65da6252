// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fencepost::store {

// How statements of SQLite read instants, which it has no type for: what written_instant.h reads of a row in memory, as
// expressions. `value` names a column or another expression without side effects, as it stands there several times.
// Both are microseconds since 1970, and NULL of what is no instant.
[[nodiscard]] std::string sqliteIsoMicros(const std::string& value);
// Whether it is one of the texts that most are, "2026-11-20 23:45:47" or with a T: no other text is, and not all of
// those must be.
[[nodiscard]] std::string isSqlitePlainSecond(const std::string& value);
// Of what stands behind a time, without its space: whether it is an offset from UTC.
[[nodiscard]] std::string isSqliteOffset(const std::string& zone);
// A number of `unit` microseconds each.
[[nodiscard]] std::string sqliteEpochMicros(const std::string& value, std::int64_t unit);

} // namespace fencepost::store
