// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"

namespace fencepost {

// What happened, the database's own code and words, and what to do next: for the report and the audit of one row. Of
// the database's words only those that name its rules; what quotes values of other rows stays out.
[[nodiscard]] std::string rowReport(const Error& error);

} // namespace fencepost
