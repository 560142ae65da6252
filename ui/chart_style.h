// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractAxis;
class QChart;
class QChartView;

namespace fencepost::ui {

class Theme;

// The look of every chart: flat, hairline grid, our fonts and colours, no animation, no frame.
void styleChart(const Theme& theme, QChart& chart);
void styleAxis(const Theme& theme, QAbstractAxis& axis);
void styleView(QChartView& view);

} // namespace fencepost::ui
