// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/store.h"

namespace fencepost {

// One change of an owner, asked for again where its answer was lost: the owner and its fence make it the same change,
// however often it is asked for. Blocks as long as the store does.
[[nodiscard]] Result<Applied> insistently(const std::function<Result<Applied>()>& change);

} // namespace fencepost
