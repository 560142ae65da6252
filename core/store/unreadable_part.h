// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/store/bindings.h"

namespace fencepost::store {

// Why a table cannot be read through its profile, where the database gave `error` for the whole statement: the part of
// the profile that it does not take, by its place in the file, or else its own words.
[[nodiscard]] std::string whyUnreadable(Connection& connection, const BoundProfile& bound, const Error& error);
// Of a table that can be read: a literal of a condition that is no value of its column, of a type that only PostgreSQL
// knows (a date, an interval, JSON, an array), by its place in the file. It would be an error once there is such a row.
[[nodiscard]] std::string whyNoValue(Connection& connection, const BoundProfile& bound);
// Why the statements of an action cannot be written, by the step's place in the file. PostgreSQL is asked where types
// have to go together that only it knows: a column's value in another column, a column of a type without equality, what
// a later step asks. Empty: nothing is wrong as far as is known here.
[[nodiscard]] std::string whyUnwritable(Connection& connection, const BoundProfile& bound, const std::string& verb);

} // namespace fencepost::store
