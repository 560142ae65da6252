// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/operations/plan.h"

namespace fencepost::operation {

// Whether the copy that an edit sends can be taken by whoever gets it: its letter is given up by then, for good. An id
// that an inbox or the outbox knows is Conflict; a payload that its headers promise to be JSON and that is none is
// Invalid; one that was JSON and is no more gets a warning in the plan. The id of a structured CloudEvent is the one in
// its new payload. Of anything but an edit nothing is asked.
[[nodiscard]] Status checkCopy(Inspector& inspector, const Binding& binding, Plan& plan);

} // namespace fencepost::operation
