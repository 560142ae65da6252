// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/inspector.h"

namespace fencepost::models {

// A position about `fraction` of the way from one end of an ordered table to the other. Keyset pages know no offset, so
// first value that differs is interpolated (whole numbers, instants, UUIDs, text); the others are those of the nearer
// end.
[[nodiscard]] Cursor interpolate(const Cursor& begin, const Cursor& end, double fraction);

} // namespace fencepost::models
