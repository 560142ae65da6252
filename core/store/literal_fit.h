// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/store/bindings.h"

namespace fencepost::store {

// PostgreSQL refuses a whole statement for one literal that is no value of its column's type. These say so when a
// profile is bound, in words that name the column and its type; empty: nothing is wrong as far as is known here.
// Values of types that only the server can judge are left to it. SQLite compares anything with anything.

// As a database reads it; of none, nothing.
[[nodiscard]] std::string textOf(const profile::Scalar& value);
// Of a comparison somewhere within the expression.
[[nodiscard]] std::string whyNotCompared(const BoundProfile& bound, const profile::Expression& expression);
// Whether the text may be one of the column's values, as it is known by.
[[nodiscard]] bool mayHold(Dialect dialect, const CatalogColumn& column, const std::string& text);
// Of a value that is written into the column.
[[nodiscard]] std::string whyNotHeld(
    const BoundProfile& bound, const CatalogColumn& column, const profile::Expression& value);

} // namespace fencepost::store
