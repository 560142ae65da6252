// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

#include <QPolygonF>

namespace fencepost::ui {

// The head of an arrow that points to `tip`, whose line comes in at `angle` (radians).
[[nodiscard]] inline QPolygonF arrowHead(const QPointF& tip, double angle, double size)
{
    const auto at = [&](double turn) {
        return tip - QPointF(std::cos(angle + turn) * size, std::sin(angle + turn) * size);
    };
    return QPolygonF({ tip, at(0.42), at(-0.42) });
}

} // namespace fencepost::ui
