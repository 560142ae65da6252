// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/bindings.h"

namespace fencepost::store {

void eachNode(const profile::Expression& expression, const std::function<void(const profile::Expression&)>& visit);
// The first column that neither the table nor those beside it have.
[[nodiscard]] std::optional<std::string> missingColumn(
    const BoundProfile& bound, const profile::Expression& expression);
// Whether this term of an "or" asks for an optional column that the table does not have: it asks nothing then, where
// rows are told apart and none is changed.
[[nodiscard]] bool isLeftOut(const BoundProfile& bound, const profile::Expression& term);
// The first column that is missing without which the condition is none.
[[nodiscard]] std::optional<std::string> missingNeeded(const BoundProfile& bound, const profile::Expression& condition);
[[nodiscard]] std::vector<std::string> identityNames(const BoundProfile& bound);
// Whether an operation may be used on the table, and why not.
[[nodiscard]] Capability capabilityOf(const BoundProfile& bound, std::string_view verb);

} // namespace fencepost::store
