// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/forensics.h"
#include "core/inspector.h"

namespace fencepost {

// Whether the audit's chain of hashes holds. It is one for all tables of a database; one that keeps none breaks
// nothing, and that a copy's proves nothing is said among what cannot be judged.
[[nodiscard]] Result<Violations> auditViolations(Inspector& inspector);

} // namespace fencepost
