// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/random.h"
#include "core/store/bindings.h"
#include "core/store/profile_compiler.h"

namespace fencepost::store {

// Of a change of another's row that a unique index refused: the same error, naming the rows of that table which have
// the values in question. Any other error, and where nothing is found, is answered as it is. Outside of a transaction.
[[nodiscard]] Error withBlockingRow(
    Connection& connection, const BoundProfile& bound, const Change& change, const DecidingClock& now, Error error);

} // namespace fencepost::store
