// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/protocol/body_explanation.h"
#include "core/redaction.h"

namespace fencepost::models {

// The differences of two bodies without what must not be seen of them: where they differ stays, what stands there is
// hidden by the name of its member and by what it looks like.
[[nodiscard]] BodyExplanation redacted(BodyExplanation explanation, const Redactor& redactor);

} // namespace fencepost::models
