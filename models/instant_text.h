// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/rows_model.h"

namespace fencepost::models {

// For a tooltip: to the microsecond, and how long ago.
[[nodiscard]] inline QString wholeInstant(Time time, const Display& display)
{
    return display.zone.format(time, Precision::Microseconds) + QStringLiteral(" · ") + relativeText(time, display.now);
}

} // namespace fencepost::models
