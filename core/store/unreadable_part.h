// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/store/bindings.h"
#include "core/store/sql_text.h"

namespace fencepost::store {

// Why a table cannot be read through its profile, where the database gave `error` for the whole statement: the part of
// the profile that it does not take, by its place in the file, or else its own words.
[[nodiscard]] std::string whyUnreadable(Connection& connection, const BoundProfile& bound, const Error& error);
// Whether the database takes the statements of a page and of a row's payloads, types and values, without running them.
[[nodiscard]] Status checkPlanned(Connection& connection, const BoundProfile& bound, const SqlText& page);
// Why the statements of an action cannot be written, by the step's place in the file: PostgreSQL plans each of them,
// and runs none. Empty: nothing is wrong as far as is known here. An error: the database did not answer.
[[nodiscard]] Result<std::string> whyUnwritable(
    Connection& connection, const BoundProfile& bound, const std::string& verb);
// Whether the action's statements take what is said for its parameters, without running them.
[[nodiscard]] Status checkSaid(Connection& connection, const BoundProfile& bound, const std::string& verb,
    const std::map<std::string, std::string>& parameters);

// Nobody is waited for in its time: of a lock that is held, lockNotAvailable is told at once.
class BriefLocks {
public:
    explicit BriefLocks(Connection& connection);
    ~BriefLocks();
    BriefLocks(const BriefLocks&) = delete;
    BriefLocks& operator=(const BriefLocks&) = delete;

private:
    Connection& m_connection;
    std::string m_usual;
};
inline constexpr std::string_view lockNotAvailable = "55P03";

} // namespace fencepost::store
