// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/context.h"
#include "core/protocol/body_explanation.h"

namespace fencepost::app {

[[nodiscard]] json toJson(const BodyExplanation& explanation);
void show(Context& context, const BodyExplanation& explanation);

} // namespace fencepost::app
