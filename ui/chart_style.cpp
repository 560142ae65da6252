// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart_style.h"

#include <cmath>

#include <QAbstractAxis>
#include <QCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QFontMetrics>
#include <QGraphicsLayout>
#include <QLegend>

#include "ui/theme.h"
#include "ui/words.h"

namespace fencepost::ui {

void styleChart(const Theme& theme, QChart& chart)
{
    chart.setBackgroundVisible(false);
    chart.setPlotAreaBackgroundVisible(false);
    chart.setAnimationOptions(QChart::NoAnimation);
    chart.legend()->hide();
    // The topmost number of an axis stands beside its line, half of it above.
    chart.setMargins(QMargins(0, QFontMetrics(theme.font(Text::Caption)).height() / 2, 0, 0));
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.setTitleFont(theme.font(Text::Body));
    chart.setTitleBrush(theme.color(Role::Text));
    for (QAbstractAxis* axis : chart.axes())
        styleAxis(theme, *axis);
}

void styleAxis(const Theme& theme, QAbstractAxis& axis)
{
    QPen hairline(theme.color(Role::Border), 0);
    hairline.setCosmetic(true);
    axis.setLabelsFont(theme.font(Text::Caption));
    axis.setLabelsColor(theme.color(Role::Muted));
    axis.setTitleFont(theme.font(Text::Caption));
    axis.setTitleBrush(theme.color(Role::Muted));
    axis.setGridLinePen(hairline);
    axis.setLinePen(hairline);
    axis.setShadesVisible(false);
}

// An axis of values has formats of its own, without groups of thousands.
QCategoryAxis* newNumberAxis(double top, double step, QChart& chart)
{
    auto* axis = new QCategoryAxis(&chart);
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setRange(0, top);
    axis->setStartValue(0);
    const auto steps = std::lround(top / step);
    for (long i = 0; i <= steps; ++i) {
        const double value = double(i) * step;
        axis->append(step < 1 ? QString::number(value, 'f', 1) : numberText(std::llround(value)), value);
    }
    return axis;
}

void styleView(QChartView& view)
{
    view.setRenderHint(QPainter::Antialiasing);
    view.setFrameShape(QFrame::NoFrame);
    view.setBackgroundBrush(Qt::NoBrush);
    view.setStyleSheet(QStringLiteral("background: transparent"));
    view.setFocusPolicy(Qt::NoFocus);
}

} // namespace fencepost::ui
