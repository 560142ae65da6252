// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/store/bindings.h"

namespace fencepost::store {

// A part of the profile with the place where it stands.
struct ProfilePart {
    std::string place;
    profile::ExpressionPtr expression;
};

// What decides which rows there are and what they are.
[[nodiscard]] std::vector<ProfilePart> decidingParts(const profile::Profile& profile);

// Rights may be those to single columns: the one that a value needs and this role may not read, of a table of which it
// may read others.
[[nodiscard]] std::optional<std::string> deniedColumn(const BoundProfile& bound, const profile::Expression& expression);

// Its columns that this role may not read, the first of them by name; empty: it may read all.
[[nodiscard]] std::string hiddenColumns(const CatalogTable& table);

// Says in the binding what this role may not read of it, and whether it can be read at all.
void warnOfRights(BoundProfile& bound);

} // namespace fencepost::store
