// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/chart_card.h"
#include "ui/widgets/simulation_plots.h"

namespace fencepost::ui {

// Lines over the time of a simulated world.
class LineCard final : public ChartCard {
    Q_OBJECT
public:
    LineCard(const Theme& theme, QWidget* parent);

    // `until`: the end of the axis in seconds, so that cards side by side agree.
    void show(const LinePlot& plot, double until);
    using QWidget::show;
    [[nodiscard]] const LinePlot& plot() const { return m_plot; }

private:
    void draw();

    const Theme& m_theme;
    LinePlot m_plot;
    double m_until = 0;
};

} // namespace fencepost::ui
