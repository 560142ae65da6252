// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractAxis;
class QCategoryAxis;
class QChart;
class QChartView;

namespace fencepost::ui {

class Theme;

// The look of every chart: flat, hairline grid, our fonts and colours, no animation, no frame.
void styleChart(const Theme& theme, QChart& chart);
void styleAxis(const Theme& theme, QAbstractAxis& axis);
// From nothing to `top`, a number at every step, as numbers are written elsewhere.
[[nodiscard]] QCategoryAxis* newNumberAxis(double top, double step, QChart& chart);
void styleView(QChartView& view);

} // namespace fencepost::ui
