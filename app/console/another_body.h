// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/forensics/conflict.h"

namespace fencepost::app {

// A body that could have come under the key instead of the one that was kept: one with a number that has a digit more.
// Where one of those that were refused is so, it is that one. Empty: nothing was kept, or there is no number in it.
[[nodiscard]] std::string anotherBody(const ConflictCase& of);

} // namespace fencepost::app
