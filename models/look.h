// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/inspector.h"

namespace fencepost::models {

// The audit's entry of a look at what is hidden in a row: who, why, and which field (with a JSON Pointer, where it is
// one member of it).
[[nodiscard]] AuditEntry lookAt(const Binding& binding, const std::vector<std::string>& identity,
    const std::string& field, const std::string& pointer, const std::string& actor, const std::string& reason);

} // namespace fencepost::models
