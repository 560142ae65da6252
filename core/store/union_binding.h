// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/bindings.h"

namespace fencepost::store {

// Adds one binding for each profile that says "multiSchema" and has several tables: a view over all of them, in which a
// row is named by its schema and its own identity. It is read only.
void addUnions(std::vector<BoundProfile>& bound);

} // namespace fencepost::store
