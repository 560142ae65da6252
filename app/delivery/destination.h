// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/result.h"

namespace fencepost::app {

// Invalid: there is no target for it, or nothing could ever be sent there. `option` is who said it.
[[nodiscard]] Status checkDestination(const std::string& option, const std::string& url);

} // namespace fencepost::app
