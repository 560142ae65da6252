// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/profile/expression_reader.h"

namespace fencepost::profile {

[[nodiscard]] ExpressionPtr negation(const ExpressionPtr& condition);

// {"t": "table", "n": {"pattern": "*_nodes"}}: the tables of a profile, and which of them is the rows' own.
void readTables(const Node& node, Profile& into);
// "owners": the table in which those who hold rows say that they live.
void readOwners(const Node& node, const ExpressionScope& scope, Profile& into);
// "lane": which rows have to be worked off one after the other.
void readLane(const Node& node, const ExpressionScope& scope, Profile& into);

// After the fields: the row that another one waits for is named by its key.
void completeLane(Profile& into);

} // namespace fencepost::profile
