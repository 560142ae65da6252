// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/context.h"
#include "core/protocol/body_explanation.h"

namespace fencepost::app {

[[nodiscard]] json toJson(const BodyExplanation& explanation);
// `hasVerdict`: whether the two have one fingerprint is known, and said.
void show(Context& context, const BodyExplanation& explanation, bool hasVerdict = true);

} // namespace fencepost::app
