// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/profile/expression_reader.h"

namespace fencepost::profile {

// One member of "actions": what is said about it, and its guarded statements.
[[nodiscard]] Action readAction(const Node& node, const std::string& verb, const ExpressionScope& scope);

} // namespace fencepost::profile
